// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "tenstride/base/dtype.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/layout/views.hpp"

/// What an element-wise operation of several tensors gives: the layout and the element type of its result.
namespace tenstride {

namespace detail {
constexpr bool all_have(std::span<const Layout> operands, MemoryFormat format) {
  for (const Layout& operand : operands) {
    if (!is_contiguous(operand, format)) return false;
  }
  return true;
}

constexpr bool all_dense_alike(std::span<const Layout> operands) {
  for (const Layout& operand : operands) {
    if (!is_non_overlapping_and_dense(operand) || operand.strides != operands[0].strides) return false;
  }
  return true;
}

/// The stride of an operand along an axis of the result: 0 where the axis is new or repeated.
constexpr Index broadcast_stride(const Layout& operand, const Dims& shape, std::size_t axis) {
  const std::size_t added = shape.size() - operand.rank();
  if (axis < added || (operand.shape[axis - added] == 1 && shape[axis] != 1)) return 0;
  return operand.strides[axis - added];
}

/// Whether axis a is slower (1) or faster (-1) than axis b, by the first operand that knows; 0 where none
/// does.
constexpr int compare_axes(std::span<const Layout> operands, const Dims& shape, std::size_t a,
                           std::size_t b) {
  for (const Layout& operand : operands) {
    const std::uint64_t step_a = magnitude(broadcast_stride(operand, shape, a));
    const std::uint64_t step_b = magnitude(broadcast_stride(operand, shape, b));
    if (step_a == 0 || step_b == 0) continue;
    if (step_a != step_b) return step_a < step_b ? -1 : 1;
    if (shape[a] > shape[b]) return 1;
  }
  return 0;
}
/// The axes of the result from the fastest to the slowest, by an insertion sort: where no operand can tell,
/// the later axis is the faster one.
constexpr std::array<std::size_t, max_rank> axes_from_fastest(std::span<const Layout> operands,
                                                              const Dims& shape) {
  const std::size_t rank = shape.size();
  std::array<std::size_t, max_rank> axes{};
  for (std::size_t i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
  for (std::size_t i = 1; i < rank; ++i) {
    std::size_t moving = i;
    for (std::size_t left = i; left-- > 0;) {
      const int compared = compare_axes(operands, shape, axes[left], axes[moving]);
      if (compared < 0) break;
      if (compared > 0) {
        std::swap(axes[left], axes[moving]);
        moving = left;
      }
    }
  }
  return axes;
}
}  // namespace detail

/// The layout of an element-wise result of tensors that broadcast together, by PyTorch's rule (ATen,
/// TensorIterator). All of one shape: row-major, channels_last, or equal dense strides, where all operands
/// are so. Otherwise the axes are sorted by the operands' strides, the first operand that can tell deciding;
/// a stride of 0 tells nothing. Throws ShapeError where the shapes do not broadcast. Pre: at least one.
/// Example: `(2,3):(1,2)` with `(2,1):(1,1)` gives `(2,3):(1,2)+0`.
constexpr Layout elementwise_layout(std::span<const Layout> operands) {
  bool same_shape = true;
  Dims shape = operands[0].shape;
  for (const Layout& operand : operands) {
    same_shape = same_shape && operand.shape == operands[0].shape;
    shape = broadcast_shapes(shape, operand.shape);
  }
  if (same_shape) {
    if (detail::all_have(operands, MemoryFormat::contiguous)) return row_major(shape);
    if (detail::all_have(operands, MemoryFormat::channels_last)) {
      return {shape, format_strides(shape, MemoryFormat::channels_last), 0};
    }
    if (detail::all_dense_alike(operands)) return {shape, operands[0].strides, 0};
  }
  const std::size_t rank = shape.size();
  const auto axes = detail::axes_from_fastest(operands, shape);
  bool is_row_major = true;
  for (std::size_t i = 0; i < rank; ++i) is_row_major = is_row_major && axes[i] == rank - 1 - i;
  if (is_row_major) return row_major(shape);
  Layout result{shape, Dims::filled(rank, 1), 0};
  Index step = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    result.strides[axes[i]] = step;
    step = checked_multiply(step, shape[axes[i]], "elementwise_layout");  // 0 stays 0, as in PyTorch
  }
  return result;
}

/// The axes from the slowest to the fastest in memory (`Tensor.dim_order`); row-major and channels_last
/// layouts are seen as such. Example: `(2,3):(1,2)` has the order (1,0).
constexpr Dims dim_order(const Layout& layout) {
  const auto rank = static_cast<Index>(layout.rank());
  Dims order;
  const bool is_row_major = is_contiguous(layout, MemoryFormat::contiguous);
  const bool is_channels_last = is_contiguous(layout, MemoryFormat::channels_last);
  if (is_row_major != is_channels_last) {
    for (Index axis = 0; axis < rank; ++axis) {
      if (is_row_major || axis != 1) order.push_back(axis);
    }
    if (!is_row_major) order.push_back(1);
    return order;
  }
  const auto axes = detail::axes_from_fastest({&layout, 1}, layout.shape);
  for (Index i = rank; i-- > 0;) order.push_back(static_cast<Index>(axes[static_cast<std::size_t>(i)]));
  return order;
}

/// How much an operand's element type counts. Only a higher kind (bool, integer, real, complex) of a weaker
/// operand changes the result's type.
enum class TypeWeight : unsigned char { tensor, scalar_tensor, number };

/// An element type and its weight: `tensor` for rank 1 and more, `scalar_tensor` for rank 0, `number` for a
/// Scalar.
struct TypedOperand {
  DType dtype;
  TypeWeight weight = TypeWeight::tensor;
};

/// The element type in which operands meet (`torch.result_type`). Nothing where PyTorch has none (see
/// promote_types). Example: int32 with the number 2.5 (of float32) is float32; int8 with the number 300 is
/// int8.
TENSTRIDE_API std::optional<DType> result_type(std::span<const TypedOperand> operands);

}  // namespace tenstride
