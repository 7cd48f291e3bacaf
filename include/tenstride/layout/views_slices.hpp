// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <variant>

#include "tenstride/layout/views_axes.hpp"

/// Views that keep part of an axis: select, narrow, slices, basic indexing, diagonals, windows, reversal (see
/// views.hpp).
namespace tenstride {

namespace detail {
[[noreturn]] TENSTRIDE_API void throw_equal_axes(std::string_view operation, Index axis, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_no_axes(std::string_view operation);
[[noreturn]] TENSTRIDE_API void throw_narrow_start(Index axis, Index start, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_narrow_length(Index axis, Index start, Index length, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_step(std::string_view operation, Index step);
[[noreturn]] TENSTRIDE_API void throw_index_step(Index step);
[[noreturn]] TENSTRIDE_API void throw_unfold_size(Index axis, Index size, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_too_many_indices(std::size_t given, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_two_ellipses();
}  // namespace detail

/// The index-th slice along the axis, which goes away. Rank 0 is refused.
/// Example: `select({{2, 3}, {3, 1}}, 0, 1)` is `(3):(1)+3`.
constexpr Layout select(const Layout& source, Index axis, Index index,
                        std::string_view operation = "select") {
  if (source.rank() == 0) detail::throw_no_axes(operation);
  const std::size_t d = wrap_axis(operation, axis, source.shape);
  const Index size = source.shape[d];
  const Index wrapped = index < 0 ? index + size : index;
  if (wrapped < 0 || wrapped >= size) [[unlikely]] {
    detail::throw_index_range(operation, index, d, source.shape);
  }
  const Index step = checked_multiply(wrapped, source.strides[d], operation);
  return detail::without_axis(source, d, checked_add(source.offset, step, operation));
}

/// Part of an axis: `length` elements from `start`, which may be negative and may equal the size.
/// Example: `narrow({{5}, {1}}, 0, 1, 3)` is `(3):(1)+1`.
constexpr Layout narrow(const Layout& source, Index axis, Index start, Index length) {
  if (source.rank() == 0) detail::throw_rank("narrow", source.shape, "must have at least 1 axis");
  if (length < 0) detail::throw_narrow_length(axis, start, length, source.shape);
  const std::size_t d = wrap_axis("narrow", axis, source.shape);
  const Index size = source.shape[d];
  if (start < -size || start > size) detail::throw_narrow_start(axis, start, source.shape);
  const Index first = start < 0 ? start + size : start;
  if (length > size - first) detail::throw_narrow_length(axis, start, length, source.shape);
  const Index step = checked_multiply(first, source.strides[d], "narrow");
  Layout result = source;
  result.offset = checked_add(source.offset, step, "narrow");
  result.shape[d] = length;
  return result;
}

/// `start:stop:step` of Python; an entry left out is nothing.
struct Slice {
  std::optional<Index> start{};
  std::optional<Index> stop{};
  Index step = 1;
  friend constexpr bool operator==(const Slice&, const Slice&) = default;
};

namespace detail {
/// `size` elements of an axis from `first` on.
struct Cut {
  Index first;
  Index size;
};

/// The step is not asked where it is 1: a division costs more than all the rest.
constexpr Cut cut_forward(Index size, const std::optional<Index>& from, const std::optional<Index>& to,
                          Index step) {
  Index start = from.value_or(0);
  Index stop = to.value_or(size);
  if (start < 0) start = std::max<Index>(start + size, 0);
  if (stop < 0) stop = std::max<Index>(stop + size, 0);
  start = std::min(start, size);
  stop = std::min(std::max(stop, start), size);
  return {start, step == 1 ? stop - start : ceil_divide(stop - start, step)};
}

/// NumPy's rule for a step below 0: start defaults to the last element, stop to before the first.
constexpr Cut cut_backward(Index size, const Slice& slice) {
  Index start = slice.start.value_or(size - 1);
  if (start < 0 && slice.start) start = std::max<Index>(start + size, -1);
  start = std::min(start, size - 1);
  Index stop = -1;
  if (slice.stop)
    stop = *slice.stop < 0 ? std::max<Index>(*slice.stop + size, -1) : std::min(*slice.stop, size - 1);
  if (start <= stop) return {0, 0};
  const Index stride_back = slice.step == INT64_MIN ? INT64_MAX : -slice.step;  // no axis is longer
  return {start, (start - stop - 1) / stride_back + 1};
}

constexpr Cut cut(Index size, const Slice& slice) {
  return slice.step > 0 ? cut_forward(size, slice.start, slice.stop, slice.step) : cut_backward(size, slice);
}
}  // namespace detail

/// Every step-th element of an axis from start up to stop, both clamped, as PyTorch's `slice`; step > 0.
/// Example: `slice({{8}, {1}}, 0, 1, 7, 2)` is `(3):(2)+1`.
constexpr Layout slice(const Layout& layout, Index axis = 0, const std::optional<Index>& start = {},
                       const std::optional<Index>& end = {}, Index step = 1) {
  if (layout.rank() == 0) detail::throw_no_axes("slice");
  const std::size_t d = wrap_axis("slice", axis, layout.shape);
  if (step <= 0) detail::throw_step("slice", step);
  const detail::Cut cut = detail::cut_forward(layout.shape[d], start, end, step);
  const Index stride = layout.strides[d];
  const Index moved = checked_multiply(cut.first, stride, "slice");
  Layout result = layout;
  result.offset = checked_add(layout.offset, moved, "slice");
  result.shape[d] = cut.size;
  if (step != 1) result.strides[d] = checked_multiply(stride, step, "slice");
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

namespace detail {
/// Basic indexing by any entries: `value(entry)` is a variant that holds an Index, Slice, NewAxis or
/// Ellipsis.
template <class Entry, class Value>
constexpr Layout index_by(const Layout& source, std::span<const Entry> entries, NegativeStep negative_step,
                          const Value& value) {
  std::size_t named = 0;
  std::size_t selected = 0;
  std::size_t added = 0;
  std::size_t ellipses = 0;
  for (const Entry& entry : entries) {
    const bool selects = std::holds_alternative<Index>(value(entry));
    selected += std::size_t{selects};
    named += std::size_t{selects || std::holds_alternative<Slice>(value(entry))};
    added += std::size_t{std::holds_alternative<NewAxis>(value(entry))};
    ellipses += std::size_t{std::holds_alternative<Ellipsis>(value(entry))};
  }
  if (ellipses > 1) throw_two_ellipses();
  const std::size_t rank = source.rank();
  if (named > rank) throw_too_many_indices(named, source.shape);
  Layout result = blank(rank - selected + added, source.offset);
  const Entries from(source);
  const MutableEntries to(result);
  std::size_t axis = 0;  // of the source: those left of it are done
  std::size_t next = 0;  // of the result
  const auto keep_until = [&](std::size_t end) {
    for (; axis < end; ++axis) to.set(next++, from.sizes[axis], from.steps[axis]);
  };
  for (const Entry& entry : entries) {
    if (const Index* i = std::get_if<Index>(&value(entry))) {
      const Index size = from.sizes[axis];
      if (*i < -size || *i >= size) throw_index_range("index", *i, axis, source.shape);
      const Index step = checked_multiply(*i < 0 ? *i + size : *i, from.steps[axis], "index");
      result.offset = checked_add(result.offset, step, "index");
      ++axis;
    } else if (const Slice* s = std::get_if<Slice>(&value(entry))) {
      if (s->step == 0 || (s->step < 0 && negative_step == NegativeStep::refuse)) throw_index_step(s->step);
      const Cut kept = cut(from.sizes[axis], *s);
      const Index step = from.steps[axis++];
      result.offset = checked_add(result.offset, checked_multiply(kept.first, step, "slice"), "slice");
      to.set(next++, kept.size, checked_multiply(step, s->step, "slice"));
    } else if (std::holds_alternative<NewAxis>(value(entry))) {  // as unsqueeze, before its neighbour is cut
      to.set(next++, 1, axis < rank ? checked_multiply(from.sizes[axis], from.steps[axis], "index") : 1);
    } else {
      keep_until(axis + rank - named);
    }
  }
  keep_until(rank);
  return result;
}
}  // namespace detail

/// Basic indexing, entry by entry: an int selects, a slice slices, NewAxis unsqueezes, one Ellipsis stands
/// for the axes not named. Example: `index({{4, 3}, {3, 1}}, {{Slice{{}, {}, 2}, Index{-1}}})` is
/// `(2):(6)+2`.
constexpr Layout index(const Layout& source, std::span<const BasicIndex> entries,
                       NegativeStep negative_step = NegativeStep::view) {
  return detail::index_by(source, entries, negative_step,
                          [](const BasicIndex& entry) -> const BasicIndex& { return entry; });
}

/// The elements (i, i+offset) of two axes, as a last axis of the summed stride; the two axes go away.
/// Example: `diagonal({{3, 3}, {3, 1}})` is `(3):(4)+0`.
constexpr Layout diagonal(const Layout& source, Index offset = 0, Index axis1 = 0, Index axis2 = 1) {
  const std::size_t a = wrap_axis("diagonal", axis1, source.shape);
  const std::size_t b = wrap_axis("diagonal", axis2, source.shape);
  if (a == b) detail::throw_equal_axes("diagonal", axis1, source.shape);
  const std::size_t rank = source.rank();
  const detail::Entries from(source);
  const Index size_a = from.sizes[a];
  const Index size_b = from.sizes[b];
  const Index length = offset >= 0 ? (offset >= size_b ? 0 : std::min(size_a, size_b - offset))
                                   : (offset <= -size_a ? 0 : std::min(size_a + offset, size_b));
  Layout result = detail::blank(rank - 1, source.offset);
  if (length > 0) {
    const Index step =
        checked_multiply(offset >= 0 ? offset : -offset, from.steps[offset >= 0 ? b : a], "diagonal");
    result.offset = checked_add(source.offset, step, "diagonal");
  }
  const detail::MutableEntries to(result);
  std::size_t next = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    if (d != a && d != b) to.set(next++, from.sizes[d], from.steps[d]);
  }
  to.set(next, length, checked_add(from.steps[a], from.steps[b], "diagonal"));
  return result;
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
    layout.shape[d] = step == 1 ? extent - size + 1 : (extent - size) / step + 1;
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

}  // namespace tenstride
