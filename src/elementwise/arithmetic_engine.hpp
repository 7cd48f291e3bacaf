// SPDX-License-Identifier: Apache-2.0
// The engine of all element-wise operations: a loop nest over N operands and a result of any layout and
// element type, in the order of the result, with a row kernel for each block.
#pragma once

#include <array>
#include <cstddef>

#include "elementwise/kernels/arithmetic.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// An operand, which broadcasts to the result. Its elements are converted to `meeting`, the common type of
/// the operands, then to `type`, which the row kernel takes.
struct ElementSource {
  Tensor tensor;
  DType meeting;
  DType type;
};

/// The type that the row kernel gives, and the type by way of which it becomes the result's.
struct ElementTarget {
  DType given;
  DType meeting;
};

template <std::size_t N>
struct RowOf;
template <>
struct RowOf<1> {
  using type = elementwise::UnaryRow;
};
template <>
struct RowOf<2> {
  using type = elementwise::BinaryRow;
};
template <>
struct RowOf<3> {
  using type = elementwise::TernaryRow;
};

/// Writes row(sources) into every element of the result. An operand may be the result itself; apart from that
/// they must not overlap, and no two elements of the result may share memory. Precondition: not meta; the
/// shapes broadcast to the result's. The elements do not depend on the number of threads.
template <std::size_t N>
void run_elementwise(Tensor& result, const std::array<ElementSource, N>& sources, typename RowOf<N>::type row,
                     ElementTarget target);

/// Returns the type in which an operation is computed. Bool and small floats become types that the processor
/// has: float16 becomes float32.
constexpr DType worked_in(DType type) {
  if (type == DType::bool_) return DType::uint8;
  if (type == DType::complex32) return DType::complex64;
  return is_floating_point(type) && item_size(type) < 4 ? DType::float32 : type;
}

}  // namespace tenstride::detail
