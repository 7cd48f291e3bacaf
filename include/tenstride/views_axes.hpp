// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tenstride/layout.hpp"

/// Views that move, add, drop and widen axes (see views.hpp).
namespace tenstride {

namespace detail {
[[noreturn]] TENSTRIDE_API void throw_axis(std::string_view operation, Index axis, const Dims& shape,
                                           std::size_t rank);
[[noreturn]] TENSTRIDE_API void throw_order(std::string_view operation, const Dims& order, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_repeated_axis(std::string_view operation, const Dims& axes, Index axis,
                                                    const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_axis_counts(std::string_view operation, const Dims& source,
                                                  const Dims& destination);
[[noreturn]] TENSTRIDE_API void throw_rank(std::string_view operation, const Dims& shape,
                                           std::string_view rule);
[[noreturn]] TENSTRIDE_API void throw_expand_rank(std::string_view operation, const Dims& sizes,
                                                  const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_expand_size(std::string_view operation, const Dims& sizes,
                                                  std::size_t at, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_broadcast(const Dims& a, const Dims& b, std::size_t axis);
[[noreturn]] TENSTRIDE_API void throw_negative_stride(std::string_view operation, const Dims& strides);
[[noreturn]] TENSTRIDE_API void throw_storage_reach(std::string_view operation, const Layout& layout,
                                                    Index storage_size);
[[noreturn]] TENSTRIDE_API void throw_negative_offset(std::string_view operation, Index offset);

constexpr std::size_t wrap_axis(std::string_view operation, Index axis, const Dims& shape, std::size_t rank) {
  const auto n = static_cast<Index>(rank);
  if (axis < -n || axis >= n) throw_axis(operation, axis, shape, rank);
  return at(axis < 0 ? axis + n : axis);
}

/// Moves the layout's first element `steps` along axis d.
constexpr void advance(Layout& layout, std::size_t d, Index steps, std::string_view operation) {
  layout.offset =
      checked_add(layout.offset, checked_multiply(steps, layout.strides[d], operation), operation);
}
}  // namespace detail

/// The axis counted from 0. A rank of 0 wraps as rank 1, as PyTorch does. Throws AxisError outside [-rank,
/// rank-1]. Example: `wrap_axis("permute", -1, {2, 3, 4}) == 2`.
constexpr std::size_t wrap_axis(std::string_view operation, Index axis, const Dims& shape) {
  return detail::wrap_axis(operation, axis, shape, std::max<std::size_t>(shape.size(), 1));
}

/// Axis i of the result is axis order[i] of the source. The order must list each axis once.
/// Example: `permute({{2, 3, 2}, {6, 2, 1}}, {0, 2, 1})` is `(2,2,3):(6,1,2)+0`.
constexpr Layout permute(const Layout& layout, const Dims& order) {
  const std::size_t rank = layout.rank();
  if (order.size() != rank) detail::throw_order("permute", order, layout.shape);
  Layout result{Dims::of_size(rank), Dims::of_size(rank), layout.offset};
  const Index* const axes = order.data();
  const Index* const sizes = layout.shape.data();
  const Index* const steps = layout.strides.data();
  Index* const result_sizes = result.shape.data();
  Index* const result_steps = result.strides.data();
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = wrap_axis("permute", axes[i], layout.shape);
    if ((seen >> axis & 1U) != 0) detail::throw_order("permute", order, layout.shape);
    seen |= std::uint64_t{1} << axis;
    result_sizes[i] = sizes[axis];
    result_steps[i] = steps[axis];
  }
  return result;
}

/// Swaps two axes. Example: `transpose({{2, 3}, {3, 1}}, 0, 1)` is `(3,2):(1,3)+0`.
constexpr Layout transpose(const Layout& source, Index axis0, Index axis1) {
  Layout layout = source;
  const std::size_t a = wrap_axis("transpose", axis0, layout.shape);
  const std::size_t b = wrap_axis("transpose", axis1, layout.shape);
  if (layout.rank() == 0) return layout;
  std::swap(layout.shape[a], layout.shape[b]);
  std::swap(layout.strides[a], layout.strides[b]);
  return layout;
}
constexpr Layout swapaxes(const Layout& layout, Index axis0, Index axis1) {
  return transpose(layout, axis0, axis1);
}
constexpr Layout swapdims(const Layout& layout, Index dim0, Index dim1) {
  return transpose(layout, dim0, dim1);
}

/// Moves axes to new places; the others keep their order. Counts must agree, no axis may be named twice on a
/// side. Example: `movedim({{2, 3, 4}, {12, 4, 1}}, {0}, {-1})` is `(3,4,2):(4,1,12)+0`.
constexpr Layout movedim(const Layout& layout, const Dims& source, const Dims& destination,
                         std::string_view operation = "movedim") {
  if (source.size() != destination.size()) detail::throw_axis_counts(operation, source, destination);
  const std::size_t rank = layout.rank();
  std::uint64_t moved = 0;
  std::uint64_t taken = 0;
  Dims order = Dims::filled(rank, -1);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::size_t from = wrap_axis(operation, source[i], layout.shape);
    const std::size_t to = wrap_axis(operation, destination[i], layout.shape);
    if ((moved >> from & 1U) != 0) detail::throw_repeated_axis(operation, source, source[i], layout.shape);
    if ((taken >> to & 1U) != 0)
      detail::throw_repeated_axis(operation, destination, destination[i], layout.shape);
    moved |= std::uint64_t{1} << from;
    taken |= std::uint64_t{1} << to;
    if (rank > 0) order[to] = static_cast<Index>(from);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    if (order[i] >= 0) continue;
    while ((moved >> next & 1U) != 0) ++next;
    order[i] = static_cast<Index>(next++);
  }
  return permute(layout, order);
}
constexpr Layout moveaxis(const Layout& layout, const Dims& source, const Dims& destination) {
  return movedim(layout, source, destination, "moveaxis");
}

/// All axes in reverse order: the attribute `T`, at any rank.
constexpr Layout reverse_axes(const Layout& layout) {
  Layout result = layout;
  std::reverse(result.shape.begin(), result.shape.end());
  std::reverse(result.strides.begin(), result.strides.end());
  return result;
}

/// Swaps the two axes of a matrix; ranks 0 and 1 stay as they are, higher ones are refused.
constexpr Layout t(const Layout& layout) {
  if (layout.rank() > 2)
    detail::throw_rank("t", layout.shape, "must have at most 2 axes; use .mT or .permute(...)");
  return layout.rank() == 2 ? transpose(layout, 0, 1) : layout;
}

/// Swaps the last two axes: `mT`, and the axes of `mH` and `adjoint`. Rank 1 is refused, rank 0 stays.
constexpr Layout matrix_transpose(const Layout& layout, std::string_view operation = "mT") {
  if (layout.rank() == 1) detail::throw_rank(operation, layout.shape, "must have 0 or at least 2 axes");
  return layout.rank() == 0 ? layout : transpose(layout, -2, -1);
}

/// Drops every axis of size 1. Example: `squeeze({{1, 3, 1}, {3, 1, 1}})` is `(3):(1)+0`.
constexpr Layout squeeze(const Layout& layout) {
  Layout result{{}, {}, layout.offset};
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1) continue;
    result.shape.push_back(layout.shape[d]);
    result.strides.push_back(layout.strides[d]);
  }
  return result;
}

/// Drops the named axis if its size is 1.
constexpr Layout squeeze(const Layout& source, Index axis) {
  Layout layout = source;
  const std::size_t d = wrap_axis("squeeze", axis, layout.shape);
  if (layout.rank() == 0 || layout.shape[d] != 1) return layout;
  layout.shape.erase(d);
  layout.strides.erase(d);
  return layout;
}

/// Drops those of the named axes whose size is 1; an axis named twice is refused.
constexpr Layout squeeze(const Layout& layout, const Dims& axes) {
  std::uint64_t named = 0;
  for (const Index axis : axes) {
    const std::size_t d = wrap_axis("squeeze", axis, layout.shape);
    if ((named >> d & 1U) != 0) detail::throw_repeated_axis("squeeze", axes, axis, layout.shape);
    named |= std::uint64_t{1} << d;
  }
  Layout result{{}, {}, layout.offset};
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if ((named >> d & 1U) != 0 && layout.shape[d] == 1) continue;
    result.shape.push_back(layout.shape[d]);
    result.strides.push_back(layout.strides[d]);
  }
  return result;
}

/// Puts an axis of size 1 before the axis; its stride is size*stride of the axis to its right, 1 at the end.
/// Example: `unsqueeze({{2, 3}, {3, 1}}, 0)` is `(1,2,3):(6,3,1)+0`.
constexpr Layout unsqueeze(const Layout& source, Index axis) {
  Layout layout = source;
  const std::size_t d = detail::wrap_axis("unsqueeze", axis, layout.shape, layout.rank() + 1);
  const Index stride =
      d < layout.rank() ? checked_multiply(layout.shape[d], layout.strides[d], "unsqueeze") : 1;
  layout.shape.insert(d, 1);
  layout.strides.insert(d, stride);
  return layout;
}

/// Repeats axes of size 1 with stride 0; -1 keeps a size; new axes may stand in front.
/// Example: `expand({{3, 1}, {1, 1}}, {2, 3, 4})` is `(2,3,4):(0,1,0)+0`.
constexpr Layout expand(const Layout& layout, const Dims& sizes, std::string_view operation = "expand") {
  const std::size_t rank = layout.rank();
  if (sizes.size() < rank) detail::throw_expand_rank(operation, sizes, layout.shape);
  Layout result{Dims::filled(sizes.size(), 1), Dims::filled(sizes.size(), 0), layout.offset};
  const std::size_t added = sizes.size() - rank;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    const bool is_old = i >= added;
    Index size = is_old ? layout.shape[i - added] : 1;
    Index stride = 0;
    if (is_old) {
      stride = layout.strides[i - added];
    } else if (rank > 0) {
      stride = checked_multiply(result.shape[i + 1], result.strides[i + 1], operation);
    }
    const Index target = sizes[i] == -1 && is_old ? size : sizes[i];
    if (target < 0 || (target != size && size != 1)) {
      detail::throw_expand_size(operation, sizes, i, layout.shape);
    }
    if (target != size) {
      size = target;
      stride = 0;
    }
    result.shape[i] = size;
    result.strides[i] = stride;
  }
  count_elements(result.shape, operation);
  return result;
}

/// The shape that all the given shapes broadcast to. Throws ShapeError where two sizes differ and neither
/// is 1. Example: `broadcast_shapes({2, 1}, {3})` is `(2,3)`.
constexpr Dims broadcast_shapes(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims result = longer;
  const std::size_t added = longer.size() - shorter.size();
  for (std::size_t i = added; i < longer.size(); ++i) {
    const Index other = shorter[i - added];
    if (result[i] == other || other == 1) continue;
    if (result[i] != 1) detail::throw_broadcast(a, b, i);
    result[i] = other;
  }
  count_elements(result, "broadcast_shapes");
  return result;
}
constexpr Dims broadcast_shapes(std::span<const Dims> shapes) {
  Dims result;
  for (const Dims& shape : shapes) result = broadcast_shapes(result, shape);
  return result;
}

/// The layout as given, after checking that no stride is negative, that all of it lies inside a storage of
/// `storage_size` elements (unless it is empty) and that the offset is not negative.
constexpr Layout as_strided(const Dims& sizes, const Dims& strides, Index offset, Index storage_size,
                            std::string_view operation = "as_strided") {
  if (sizes.size() != strides.size()) detail::throw_lengths_differ(operation, sizes, strides);
  for (const Index stride : strides) {
    if (stride < 0) detail::throw_negative_stride(operation, strides);
  }
  count_elements(sizes, operation);
  Layout result{sizes, strides, offset};
  const std::optional<Reach> touched = reach(result, operation);
  if (touched && touched->highest >= storage_size)
    detail::throw_storage_reach(operation, result, storage_size);
  if (offset < 0) detail::throw_negative_offset(operation, offset);
  return result;
}

/// At least 1, 2 or 3 axes, added as `atleast_1d`, `atleast_2d` and `atleast_3d` add them.
constexpr Layout at_least(const Layout& layout, std::size_t rank) {
  if (layout.rank() >= rank) return layout;
  if (layout.rank() == 0) return {Dims::filled(rank, 1), Dims::filled(rank, 1), layout.offset};
  if (rank == 2) return unsqueeze(layout, 0);
  return layout.rank() == 1 ? unsqueeze(unsqueeze(layout, 0), -1) : unsqueeze(layout, -1);
}

}  // namespace tenstride
