// SPDX-License-Identifier: Apache-2.0
// The engine of all element-wise operations: N operands and a result of any layout and element type, walked
// together in the order of the result, a block at a time through a row kernel.
#pragma once

#include <array>
#include <cstddef>

#include "elementwise/kernels/arithmetic.hpp"
#include "tenstride/tensor.hpp"

namespace tenstride::detail {

/// An operand, which broadcasts to the result: its elements become `meeting`, then what the row takes.
struct ElementSource {
  Tensor tensor;
  DType meeting;
  DType type;
};

/// What the row gives, and on what way it becomes the result's type.
struct ElementTarget {
  DType given;
  DType meeting;
};

template <std::size_t N>
struct RowOf;
template <>
struct RowOf<1> {
  using type = copy::UnaryRow;
};
template <>
struct RowOf<2> {
  using type = copy::BinaryRow;
};
template <>
struct RowOf<3> {
  using type = copy::TernaryRow;
};

/// Writes row(sources) into every element of the result. An operand may be the result itself; apart from that
/// they must not overlap, and no two elements of the result may share memory. Pre: not meta; the shapes
/// broadcast to the result's. The elements do not depend on the number of threads.
template <std::size_t N>
void run_elementwise(Tensor& result, const std::array<ElementSource, N>& sources, typename RowOf<N>::type row,
                     ElementTarget target);

/// The type in which an operation is carried out: bool and the small floats become types the processor knows.
constexpr DType worked_in(DType type) {
  if (type == DType::bool_) return DType::uint8;
  if (type == DType::complex32) return DType::complex64;
  return is_floating_point(type) && item_size(type) < 4 ? DType::float32 : type;
}

}  // namespace tenstride::detail
