// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "tenstride/layout.hpp"

/// Every view operation as a pure function Layout -> Layout, with PyTorch's names, argument order and
/// defaults. All are constexpr; none allocates for ranks up to 8. Axes may be negative. Refusals are
/// exceptions of the kind PyTorch raises; what each function refuses is PyTorch's rule unless said otherwise.
namespace tenstride {

namespace detail {
[[noreturn]] TENSTRIDE_API void throw_axis(std::string_view operation, Index axis, const Dims& shape,
                                           std::size_t rank);
[[noreturn]] TENSTRIDE_API void throw_order(std::string_view operation, const Dims& order, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_repeated_axis(std::string_view operation, const Dims& axes, Index axis,
                                                    const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_axis_counts(std::string_view operation, const Dims& source,
                                                  const Dims& destination);
[[noreturn]] TENSTRIDE_API void throw_equal_axes(std::string_view operation, Index axis, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_rank(std::string_view operation, const Dims& shape,
                                           std::string_view rule);
[[noreturn]] TENSTRIDE_API void throw_no_axes(std::string_view operation);
[[noreturn]] TENSTRIDE_API void throw_expand_rank(std::string_view operation, const Dims& sizes,
                                                  const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_expand_size(std::string_view operation, const Dims& sizes,
                                                  std::size_t at, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_broadcast(const Dims& a, const Dims& b, std::size_t axis);
[[noreturn]] TENSTRIDE_API void throw_negative_stride(std::string_view operation, const Dims& strides);
[[noreturn]] TENSTRIDE_API void throw_storage_reach(std::string_view operation, const Layout& layout,
                                                    Index storage_size);
[[noreturn]] TENSTRIDE_API void throw_negative_offset(std::string_view operation, Index offset);
[[noreturn]] TENSTRIDE_API void throw_narrow_start(Index axis, Index start, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_narrow_length(Index axis, Index start, Index length, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_step(std::string_view operation, Index step);
[[noreturn]] TENSTRIDE_API void throw_index_step(Index step);
[[noreturn]] TENSTRIDE_API void throw_unfold_size(Index axis, Index size, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_too_many_indices(std::size_t given, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_two_ellipses();
[[noreturn]] TENSTRIDE_API void throw_split_size(std::string_view operation, Index size, Index axis,
                                                 const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_split_sizes(const Dims& sizes, Index axis, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_sections(std::string_view operation, Index sections);
[[noreturn]] TENSTRIDE_API void throw_uneven_sections(std::string_view operation, Index sections, Index axis,
                                                      const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_view_dtype(std::string_view rule, const Layout& layout,
                                                 std::size_t from_item_size, std::size_t to_item_size);
[[noreturn]] TENSTRIDE_API void throw_view_as_complex(std::string_view rule, const Layout& layout);

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

/// The index-th slice along the axis, which goes away. Rank 0 is refused.
/// Example: `select({{2, 3}, {3, 1}}, 0, 1)` is `(3):(1)+3`.
constexpr Layout select(const Layout& source, Index axis, Index index,
                        std::string_view operation = "select") {
  Layout layout = source;
  if (layout.rank() == 0) detail::throw_no_axes(operation);
  const std::size_t d = wrap_axis(operation, axis, layout.shape);
  const Index size = layout.shape[d];
  if (index < -size || index >= size) detail::throw_index_range(operation, index, d, layout.shape);
  detail::advance(layout, d, index < 0 ? index + size : index, operation);
  layout.shape.erase(d);
  layout.strides.erase(d);
  return layout;
}

/// Part of an axis: `length` elements from `start`, which may be negative and may equal the size.
/// Example: `narrow({{5}, {1}}, 0, 1, 3)` is `(3):(1)+1`.
constexpr Layout narrow(const Layout& source, Index axis, Index start, Index length) {
  Layout layout = source;
  if (layout.rank() == 0) detail::throw_rank("narrow", layout.shape, "must have at least 1 axis");
  if (length < 0) detail::throw_narrow_length(axis, start, length, layout.shape);
  const std::size_t d = wrap_axis("narrow", axis, layout.shape);
  const Index size = layout.shape[d];
  if (start < -size || start > size) detail::throw_narrow_start(axis, start, layout.shape);
  const Index first = start < 0 ? start + size : start;
  if (length > size - first) detail::throw_narrow_length(axis, start, length, layout.shape);
  detail::advance(layout, d, first, "narrow");
  layout.shape[d] = length;
  return layout;
}

/// `start:stop:step` of Python; an entry left out is nothing.
struct Slice {
  std::optional<Index> start{};
  std::optional<Index> stop{};
  Index step = 1;
  friend constexpr bool operator==(const Slice&, const Slice&) = default;
};

namespace detail {
constexpr void slice_forward(Layout& layout, std::size_t d, const Slice& slice) {
  const Index size = layout.shape[d];
  Index start = slice.start.value_or(0);
  Index stop = slice.stop.value_or(size);
  if (start < 0) start = std::max<Index>(start + size, 0);
  if (stop < 0) stop = std::max<Index>(stop + size, 0);
  start = std::min(start, size);
  stop = std::clamp(stop, start, size);
  advance(layout, d, start, "slice");
  layout.shape[d] = ceil_divide(stop - start, slice.step);
  layout.strides[d] = checked_multiply(layout.strides[d], slice.step, "slice");
}

/// NumPy's rule for a step below 0: start defaults to the last element, stop to before the first.
constexpr void slice_backward(Layout& layout, std::size_t d, const Slice& slice) {
  const Index size = layout.shape[d];
  Index start = slice.start.value_or(size - 1);
  if (start < 0 && slice.start) start = std::max<Index>(start + size, -1);
  start = std::min(start, size - 1);
  Index stop = -1;
  if (slice.stop)
    stop = *slice.stop < 0 ? std::max<Index>(*slice.stop + size, -1) : std::min(*slice.stop, size - 1);
  const Index stride_back = slice.step == INT64_MIN ? INT64_MAX : -slice.step;  // no axis is longer
  const Index length = start > stop ? (start - stop - 1) / stride_back + 1 : 0;
  if (length > 0) advance(layout, d, start, "slice");
  layout.shape[d] = length;
  layout.strides[d] = checked_multiply(layout.strides[d], slice.step, "slice");
}
}  // namespace detail

/// Every step-th element of an axis from start up to stop, both clamped, as PyTorch's `slice`; step > 0.
/// Example: `slice({{8}, {1}}, 0, 1, 7, 2)` is `(3):(2)+1`.
constexpr Layout slice(const Layout& layout, Index axis = 0, std::optional<Index> start = {},
                       std::optional<Index> end = {}, Index step = 1) {
  if (layout.rank() == 0) detail::throw_no_axes("slice");
  const std::size_t d = wrap_axis("slice", axis, layout.shape);
  if (step <= 0) detail::throw_step("slice", step);
  Layout result = layout;
  detail::slice_forward(result, d, {start, end, step});
  return result;
}

/// The entries of basic indexing: `x[1, 2:5, None, ...]`.
struct NewAxis {
  friend constexpr bool operator==(NewAxis, NewAxis) = default;
};
struct Ellipsis {
  friend constexpr bool operator==(Ellipsis, Ellipsis) = default;
};
using BasicIndex = std::variant<Index, Slice, NewAxis, Ellipsis>;

/// Whether a slice with a negative step gives NumPy's negative-stride view or is refused as PyTorch refuses
/// it.
enum class NegativeStep : unsigned char { view, refuse };

/// Basic indexing, entry by entry: an int selects, a slice slices, NewAxis unsqueezes, one Ellipsis stands
/// for the axes not named. Example: `index({{4, 3}, {3, 1}}, {{Slice{{}, {}, 2}, Index{-1}}})` is
/// `(2):(6)+2`.
constexpr Layout index(const Layout& source, std::span<const BasicIndex> entries,
                       NegativeStep negative_step = NegativeStep::view) {
  std::size_t named = 0;
  bool has_ellipsis = false;
  for (const BasicIndex& entry : entries) {
    if (std::holds_alternative<Index>(entry) || std::holds_alternative<Slice>(entry)) ++named;
    if (!std::holds_alternative<Ellipsis>(entry)) continue;
    if (has_ellipsis) detail::throw_two_ellipses();
    has_ellipsis = true;
  }
  const std::size_t rank = source.rank();
  if (named > rank) detail::throw_too_many_indices(named, source.shape);
  Layout result{{}, {}, source.offset};
  const auto append = [&result](Index size, Index stride) {
    result.shape.push_back(size);
    result.strides.push_back(stride);
  };
  std::size_t axis = 0;  // of the source: those left of it are done
  const auto keep_until = [&](std::size_t end) {
    for (; axis < end; ++axis) append(source.shape[axis], source.strides[axis]);
  };
  for (const BasicIndex& entry : entries) {
    if (const Index* i = std::get_if<Index>(&entry)) {
      const Index size = source.shape[axis];
      if (*i < -size || *i >= size) detail::throw_index_range("index", *i, axis, source.shape);
      const Index step = checked_multiply(*i < 0 ? *i + size : *i, source.strides[axis], "index");
      result.offset = checked_add(result.offset, step, "index");
      ++axis;
    } else if (const Slice* s = std::get_if<Slice>(&entry)) {
      if (s->step == 0 || (s->step < 0 && negative_step == NegativeStep::refuse)) {
        detail::throw_index_step(s->step);
      }
      keep_until(axis + 1);
      const std::size_t d = result.rank() - 1;
      s->step > 0 ? detail::slice_forward(result, d, *s) : detail::slice_backward(result, d, *s);
    } else if (std::holds_alternative<NewAxis>(entry)) {  // as unsqueeze, before the axis to its right is cut
      append(1, axis < rank ? checked_multiply(source.shape[axis], source.strides[axis], "index") : 1);
    } else {
      keep_until(axis + rank - named);
    }
  }
  keep_until(rank);
  return result;
}

/// The elements (i, i+offset) of two axes, as a last axis of the summed stride; the two axes go away.
/// Example: `diagonal({{3, 3}, {3, 1}})` is `(3):(4)+0`.
constexpr Layout diagonal(const Layout& source, Index offset = 0, Index axis1 = 0, Index axis2 = 1) {
  Layout layout = source;
  const std::size_t a = wrap_axis("diagonal", axis1, layout.shape);
  const std::size_t b = wrap_axis("diagonal", axis2, layout.shape);
  if (a == b) detail::throw_equal_axes("diagonal", axis1, layout.shape);
  const Index size_a = layout.shape[a];
  const Index size_b = layout.shape[b];
  const Index length = offset >= 0 ? (offset >= size_b ? 0 : std::min(size_a, size_b - offset))
                                   : (offset <= -size_a ? 0 : std::min(size_a + offset, size_b));
  if (length > 0) detail::advance(layout, offset >= 0 ? b : a, offset >= 0 ? offset : -offset, "diagonal");
  const Index stride = checked_add(layout.strides[a], layout.strides[b], "diagonal");
  for (const std::size_t d : {std::max(a, b), std::min(a, b)}) {
    layout.shape.erase(d);
    layout.strides.erase(d);
  }
  layout.shape.push_back(length);
  layout.strides.push_back(stride);
  return layout;
}

/// All windows of `size` elements along an axis, `step` apart; the window is a new last axis.
/// Example: `unfold({{7}, {1}}, 0, 3, 2)` is `(3,3):(2,1)+0`.
constexpr Layout unfold(const Layout& source, Index axis, Index size, Index step) {
  Layout layout = source;
  const std::size_t d = wrap_axis("unfold", axis, layout.shape);
  const bool is_scalar = layout.rank() == 0;
  const Index extent = is_scalar ? 1 : layout.shape[d];
  if (size < 0 || size > extent) detail::throw_unfold_size(axis, size, layout.shape);
  if (step <= 0) detail::throw_step("unfold", step);
  const Index stride = is_scalar ? 1 : layout.strides[d];
  if (!is_scalar) {
    layout.shape[d] = (extent - size) / step + 1;
    layout.strides[d] = checked_multiply(stride, step, "unfold");
  }
  layout.shape.push_back(size);
  layout.strides.push_back(stride);
  return layout;
}

/// The axes walked backwards, as a view with negative strides (NumPy's flip; PyTorch's copies).
/// Example: `flip_view({{4}, {1}}, {0})` is `(4):(-1)+3`.
constexpr Layout flip_view(const Layout& source, const Dims& axes) {
  Layout layout = source;
  std::uint64_t flipped = 0;
  for (const Index axis : axes) {
    const std::size_t d = wrap_axis("flip", axis, layout.shape);
    if ((flipped >> d & 1U) != 0) detail::throw_repeated_axis("flip", axes, axis, layout.shape);
    flipped |= std::uint64_t{1} << d;
    if (layout.rank() == 0) continue;
    if (layout.shape[d] > 0) detail::advance(layout, d, layout.shape[d] - 1, "flip");
    layout.strides[d] = checked_multiply(layout.strides[d], -1, "flip");
  }
  return layout;
}

/// One layout for each index of the axis, which goes away.
constexpr std::vector<Layout> unbind(const Layout& layout, Index axis = 0) {
  if (layout.rank() == 0) detail::throw_no_axes("unbind");
  const std::size_t d = wrap_axis("unbind", axis, layout.shape);
  std::vector<Layout> parts;
  for (Index i = 0; i < layout.shape[d]; ++i) parts.push_back(select(layout, static_cast<Index>(d), i));
  return parts;
}

/// Pieces of `size` along the axis, the last one maybe shorter; a size of 0 only for an axis of size 0.
constexpr std::vector<Layout> split(const Layout& layout, Index size, Index axis = 0) {
  if (layout.rank() == 0) detail::throw_rank("split", layout.shape, "must have at least 1 axis");
  if (size < 0) detail::throw_split_size("split", size, axis, layout.shape);
  const std::size_t d = wrap_axis("split", axis, layout.shape);
  const Index extent = layout.shape[d];
  if (size == 0 && extent != 0) detail::throw_split_size("split", size, axis, layout.shape);
  std::vector<Layout> parts;
  Index start = 0;
  do {
    const Index length = std::min(size, extent - start);
    parts.push_back(narrow(layout, static_cast<Index>(d), start, length));
    start += length;
  } while (start < extent);
  return parts;
}

/// Pieces of the given sizes, which must be at least 0 and sum to the axis.
constexpr std::vector<Layout> split_with_sizes(const Layout& layout, const Dims& sizes, Index axis = 0) {
  if (layout.rank() == 0) detail::throw_rank("split_with_sizes", layout.shape, "must have at least 1 axis");
  const std::size_t d = wrap_axis("split_with_sizes", axis, layout.shape);
  Index total = 0;
  for (const Index size : sizes) {
    if (size < 0) detail::throw_split_sizes(sizes, axis, layout.shape);
    total = checked_add(total, size, "split_with_sizes");
  }
  if (total != layout.shape[d]) detail::throw_split_sizes(sizes, axis, layout.shape);
  std::vector<Layout> parts;
  Index start = 0;
  for (const Index size : sizes) {
    parts.push_back(narrow(layout, static_cast<Index>(d), start, size));
    start += size;
  }
  return parts;
}

/// At most `chunks` equal pieces (the last one maybe shorter): 7 in 5 gives 2,2,2,1. An axis of size 0 gives
/// `chunks` empty pieces.
constexpr std::vector<Layout> chunk(const Layout& layout, Index chunks, Index axis = 0) {
  if (layout.rank() == 0) detail::throw_rank("chunk", layout.shape, "must have at least 1 axis");
  if (chunks <= 0) detail::throw_sections("chunk", chunks);
  const std::size_t d = wrap_axis("chunk", axis, layout.shape);
  if (layout.shape[d] == 0) return std::vector<Layout>(static_cast<std::size_t>(chunks), layout);
  return split(layout, ceil_divide(layout.shape[d], chunks), axis);
}

/// Exactly `sections` pieces whose sizes differ by at most 1: 7 in 3 gives 3,2,2.
constexpr std::vector<Layout> tensor_split(const Layout& layout, Index sections, Index axis = 0,
                                           std::string_view operation = "tensor_split") {
  if (layout.rank() == 0) detail::throw_rank(operation, layout.shape, "must have at least 1 axis");
  const std::size_t d = wrap_axis(operation, axis, layout.shape);
  if (sections <= 0) detail::throw_sections(operation, sections);
  const Index extent = layout.shape[d];
  std::vector<Layout> parts;
  Index start = 0;
  for (Index i = 0; i < sections; ++i) {
    const Index length = extent / sections + (i < extent % sections ? 1 : 0);
    parts.push_back(narrow(layout, static_cast<Index>(d), start, length));
    start += length;
  }
  return parts;
}

/// The pieces between the given indexes, each cut as a slice (clamped; negative ones count from the end).
constexpr std::vector<Layout> tensor_split(const Layout& layout, const Dims& indices, Index axis = 0,
                                           std::string_view operation = "tensor_split") {
  if (layout.rank() == 0) detail::throw_rank(operation, layout.shape, "must have at least 1 axis");
  const std::size_t d = wrap_axis(operation, axis, layout.shape);
  std::vector<Layout> parts;
  Index start = 0;
  for (const Index stop : indices) {
    detail::slice_forward(parts.emplace_back(layout), d, {start, stop, 1});
    start = stop;
  }
  detail::slice_forward(parts.emplace_back(layout), d, {start, {}, 1});
  return parts;
}

namespace detail {
/// The axis hsplit (1, or 0 for rank 1), vsplit (0) and dsplit (2) cut.
constexpr Index named_split_axis(std::string_view operation, const Layout& layout) {
  const std::size_t least = operation == "hsplit" ? 1 : operation == "vsplit" ? 2 : 3;
  if (layout.rank() < least) {
    throw_rank(operation, layout.shape,
               least == 1   ? "must have at least 1 axis"
               : least == 2 ? "must have at least 2 axes"
                            : "must have at least 3 axes");
  }
  return least == 1 ? (layout.rank() == 1 ? 0 : 1) : least == 2 ? 0 : 2;
}
constexpr std::vector<Layout> named_split(std::string_view operation, const Layout& layout, Index sections) {
  const Index axis = named_split_axis(operation, layout);
  if (sections <= 0) throw_sections(operation, sections);
  if (layout.shape[at(axis)] % sections != 0) throw_uneven_sections(operation, sections, axis, layout.shape);
  return tensor_split(layout, sections, axis, operation);
}
constexpr std::vector<Layout> named_split(std::string_view operation, const Layout& layout,
                                          const Dims& indices) {
  return tensor_split(layout, indices, named_split_axis(operation, layout), operation);
}
}  // namespace detail

/// Equal pieces along axis 1 (0 for rank 1); the sections must divide it. Or cut at indices.
constexpr std::vector<Layout> hsplit(const Layout& layout, Index sections) {
  return detail::named_split("hsplit", layout, sections);
}
constexpr std::vector<Layout> hsplit(const Layout& layout, const Dims& indices) {
  return detail::named_split("hsplit", layout, indices);
}
/// Equal pieces along axis 0 of rank >= 2, or cut at indices.
constexpr std::vector<Layout> vsplit(const Layout& layout, Index sections) {
  return detail::named_split("vsplit", layout, sections);
}
constexpr std::vector<Layout> vsplit(const Layout& layout, const Dims& indices) {
  return detail::named_split("vsplit", layout, indices);
}
/// Equal pieces along axis 2 of rank >= 3, or cut at indices.
constexpr std::vector<Layout> dsplit(const Layout& layout, Index sections) {
  return detail::named_split("dsplit", layout, sections);
}
constexpr std::vector<Layout> dsplit(const Layout& layout, const Dims& indices) {
  return detail::named_split("dsplit", layout, indices);
}

/// The same bytes as elements of another size. To smaller elements the last axis grows by the ratio; to
/// larger ones it must divide, as must the offset and all other strides; the last stride must be 1 unless the
/// sizes are equal. Example: `view_dtype({{4, 4}, {4, 1}}, 4, 1)` is `(4,16):(16,1)+0`.
constexpr Layout view_dtype(const Layout& source, std::size_t from_item_size, std::size_t to_item_size) {
  Layout layout = source;
  if (from_item_size == to_item_size) return layout;
  const bool grows = to_item_size < from_item_size;
  const auto ratio =
      static_cast<Index>(grows ? from_item_size / to_item_size : to_item_size / from_item_size);
  if (layout.rank() == 0)
    detail::throw_view_dtype("the tensor must have at least 1 axis", layout, from_item_size, to_item_size);
  const std::size_t last = layout.rank() - 1;
  if (grows) {
    if (layout.strides[last] != 1)
      detail::throw_view_dtype("the last stride must be 1", layout, from_item_size, to_item_size);
    layout.shape[last] = checked_multiply(layout.shape[last], ratio, "view");
    layout.offset = checked_multiply(layout.offset, ratio, "view");
    for (std::size_t d = 0; d < last; ++d)
      layout.strides[d] = checked_multiply(layout.strides[d], ratio, "view");
    return layout;
  }
  if (layout.shape[last] % ratio != 0) {
    detail::throw_view_dtype("the last size must be a multiple of their ratio", layout, from_item_size,
                             to_item_size);
  }
  if (layout.offset % ratio != 0)
    detail::throw_view_dtype("the offset must be a multiple of their ratio", layout, from_item_size,
                             to_item_size);
  if (layout.strides[last] != 1)
    detail::throw_view_dtype("the last stride must be 1", layout, from_item_size, to_item_size);
  for (std::size_t d = 0; d < last; ++d) {
    if (layout.strides[d] % ratio != 0) {
      detail::throw_view_dtype("every stride but the last must be a multiple of their ratio", layout,
                               from_item_size, to_item_size);
    }
    layout.strides[d] /= ratio;
  }
  layout.shape[last] /= ratio;
  layout.offset /= ratio;
  return layout;
}

/// A complex tensor as pairs of real numbers: strides and offset doubled, a last axis `(2):(1)`.
constexpr Layout view_as_real(const Layout& source) {
  Layout layout = source;
  for (Index& stride : layout.strides) stride = checked_multiply(stride, 2, "view_as_real");
  layout.offset = checked_multiply(layout.offset, 2, "view_as_real");
  layout.shape.push_back(2);
  layout.strides.push_back(1);
  return layout;
}

/// The inverse of view_as_real: a last axis of size 2 and stride 1, all other strides and the offset even.
constexpr Layout view_as_complex(const Layout& layout) {
  if (layout.rank() == 0) detail::throw_view_as_complex("the tensor must have at least 1 axis", layout);
  if (layout.shape.back() != 2) detail::throw_view_as_complex("the last size must be 2", layout);
  if (layout.strides.back() != 1) detail::throw_view_as_complex("the last stride must be 1", layout);
  Layout result = layout;
  result.shape.pop_back();
  result.strides.pop_back();
  for (Index& stride : result.strides) {
    if (stride % 2 != 0) detail::throw_view_as_complex("every stride but the last must be even", layout);
    stride /= 2;
  }
  if (layout.offset % 2 != 0) detail::throw_view_as_complex("the offset must be even", layout);
  result.offset /= 2;
  return result;
}

/// The real (component 0) or imaginary (1) parts of a complex tensor: strides doubled.
constexpr Layout complex_component(const Layout& source, Index component) {
  Layout layout = source;
  for (Index& stride : layout.strides) stride = checked_multiply(stride, 2, "real");
  layout.offset = checked_multiply(layout.offset, 2, "real") + component;
  return layout;
}

/// At least 1, 2 or 3 axes, added as `atleast_1d`, `atleast_2d` and `atleast_3d` add them.
constexpr Layout at_least(const Layout& layout, std::size_t rank) {
  if (layout.rank() >= rank) return layout;
  if (layout.rank() == 0) return {Dims::filled(rank, 1), Dims::filled(rank, 1), layout.offset};
  if (rank == 2) return unsqueeze(layout, 0);
  return layout.rank() == 1 ? unsqueeze(unsqueeze(layout, 0), -1) : unsqueeze(layout, -1);
}

}  // namespace tenstride
