// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <type_traits>

#include "elementwise/kernels/element.hpp"

/// The combination of two elements as arithmetic in place defines it, which scattered sums, products and
/// extremes share.
namespace tenstride::elementwise {

/// Returns the operation on bits that computes an operation on bools.
constexpr BinaryOp of_bits(BinaryOp op) {
  return op == BinaryOp::add || op == BinaryOp::maximum ? BinaryOp::bit_or : BinaryOp::bit_and;
}

/// The type in which elements of T are combined.
template <class T>
using Worked = std::conditional_t<
    std::is_same_v<T, bool>, std::uint8_t,
    std::conditional_t<std::is_same_v<T, complex32>, std::complex<float>,
                       std::conditional_t<is_floating_point(dtype_of<T>) && sizeof(T) < 4, float, T>>>;

/// Returns whether elements of T can be combined: complex numbers have no maximum and no minimum.
template <BinaryOp op, class T>
constexpr bool can_combine() {
  return has_binary < std::is_same_v<T, bool> ? of_bits(op) : op, Worked < T >> ();
}

/// Returns op(a, b), rounded to T. Bools are added as `or`, multiplied as `and`; integers wrap.
/// Example: `combined<BinaryOp::add>(std::uint8_t{255}, std::uint8_t{2}) == 1`.
template <BinaryOp op, class T>
T combined(T a, T b) {
  using W = Worked<T>;
  constexpr BinaryOp worked = std::is_same_v<T, bool> ? of_bits(op) : op;
  return convert_element<T>(binary_element<worked, W>(convert_element<W>(a), convert_element<W>(b)));
}

}  // namespace tenstride::elementwise
