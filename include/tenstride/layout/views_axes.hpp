// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "tenstride/layout/layout.hpp"

/// Views that move, add, drop and widen axes (see views.hpp).
namespace tenstride {

namespace detail {
[[noreturn]] TENSTRIDE_API void throw_axis(std::string_view operation, Index axis, const Dims& shape,
                                           std::size_t rank);
[[noreturn]] TENSTRIDE_API void throw_order(std::string_view operation, const Dims& order, const Dims& shape);
/// For an order of the right length: what of it comes first, an axis out of range or one listed twice.
[[noreturn]] TENSTRIDE_API void throw_bad_order(std::string_view operation, const Dims& order,
                                                const Dims& shape);
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
  const std::size_t wrapped = at(axis < 0 ? axis + static_cast<Index>(rank) : axis);
  if (wrapped >= rank) [[unlikely]] {  // what is still negative too
    throw_axis(operation, axis, shape, rank);
  }
  return wrapped;
}

/// Whether all of some numbers are from 0 to 2^30-1, asked once for all of them: two such do not overflow
/// where they are multiplied, and a product that is added here before it is multiplied again is seen where it
/// grows.
class SmallNumbers {
 public:
  constexpr void add(std::uint64_t number) noexcept { bits_ |= number; }
  [[nodiscard]] constexpr bool are_small() const noexcept { return bits_ >> 30 == 0; }

 private:
  std::uint64_t bits_ = 0;
};

/// A layout whose sizes and strides are still to be written.
constexpr Layout blank(std::size_t rank, Index offset) {
  return {Dims::of_size(rank), Dims::of_size(rank), offset};
}

/// Where a layout's sizes and strides begin, asked once.
struct Entries {
  const Index* sizes;
  const Index* steps;
  constexpr explicit Entries(const Layout& layout)
      : sizes(layout.shape.data_of(layout.rank())), steps(layout.strides.data_of(layout.rank())) {}
};
struct MutableEntries {
  Index* sizes;
  Index* steps;
  constexpr explicit MutableEntries(Layout& layout) : MutableEntries(layout, layout.rank()) {}
  /// Pre: rank == layout.rank().
  constexpr MutableEntries(Layout& layout, std::size_t rank)
      : sizes(layout.shape.data_of(rank)), steps(layout.strides.data_of(rank)) {}
  constexpr void set(std::size_t d, Index size, Index step) const {
    sizes[d] = size;
    steps[d] = step;
  }
  /// The axes first..last-1 of `from`, `shift` places further on (modulo 2^64, so that it may be -1).
  constexpr void copy(const Entries& from, std::size_t first, std::size_t last, std::size_t shift) const {
    for (std::size_t i = first; i < last; ++i) {
      set(i + shift, from.sizes[i], from.steps[i]);
      // Nothing, which keeps the loop from being made one of vectors: for a few axes that takes longer.
      if (!std::is_constant_evaluated()) asm("");
    }
  }
};

/// The layout without axis d.
constexpr Layout without_axis(const Layout& source, std::size_t d, Index offset) {
  Layout result = blank(source.rank() - 1, offset);
  const Entries from(source);
  const MutableEntries to(result);
  to.copy(from, 0, d, 0);
  to.copy(from, d + 1, source.rank(), ~std::size_t{0});
  return result;
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
  Layout result = detail::blank(rank, layout.offset);
  const Index* const axes = order.data();
  const detail::Entries from(layout);
  const detail::MutableEntries to(result);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = detail::at(axes[i] < 0 ? axes[i] + static_cast<Index>(rank) : axes[i]);
    if (axis >= rank) [[unlikely]] {
      detail::throw_bad_order("permute", order, layout.shape);
    }
    seen |= std::uint64_t{1} << axis;
    to.set(i, from.sizes[axis], from.steps[axis]);
  }
  if (rank > 0 && seen != ~std::uint64_t{0} >> (max_rank - rank)) [[unlikely]] {
    detail::throw_bad_order("permute", order, layout.shape);
  }
  return result;
}

/// Swaps two axes. Example: `transpose({{2, 3}, {3, 1}}, 0, 1)` is `(3,2):(1,3)+0`.
constexpr Layout transpose(const Layout& source, Index axis0, Index axis1) {
  const std::size_t a = wrap_axis("transpose", axis0, source.shape);
  const std::size_t b = wrap_axis("transpose", axis1, source.shape);
  Layout result = source;
  if (source.rank() == 0) return result;
  const detail::Entries from(source);
  const detail::MutableEntries to(result);
  to.set(a, from.sizes[b], from.steps[b]);
  to.set(b, from.sizes[a], from.steps[a]);
  return result;
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
  Layout result = detail::blank(rank, layout.offset);
  const detail::Entries from(layout);
  const detail::MutableEntries to(result);
  std::uint64_t moved = 0;
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::size_t old_axis = wrap_axis(operation, source[i], layout.shape);
    const std::size_t new_axis = wrap_axis(operation, destination[i], layout.shape);
    if ((moved >> old_axis & 1U) != 0)
      detail::throw_repeated_axis(operation, source, source[i], layout.shape);
    if ((taken >> new_axis & 1U) != 0)
      detail::throw_repeated_axis(operation, destination, destination[i], layout.shape);
    moved |= std::uint64_t{1} << old_axis;
    taken |= std::uint64_t{1} << new_axis;
    if (rank > 0) to.set(new_axis, from.sizes[old_axis], from.steps[old_axis]);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    if ((taken >> i & 1U) != 0) continue;
    while ((moved >> next & 1U) != 0) ++next;
    to.set(i, from.sizes[next], from.steps[next]);
    ++next;
  }
  return result;
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

namespace detail {
/// The axes whose bit is set, which are `rank`.
constexpr Layout kept_axes(const Layout& source, std::uint64_t kept, std::size_t rank) {
  Layout result = blank(rank, source.offset);
  const Entries from(source);
  const MutableEntries to(result);
  std::size_t next = 0;
  for (std::size_t d = 0; next < rank; ++d) {
    if ((kept >> d & 1U) != 0) to.set(next++, from.sizes[d], from.steps[d]);
  }
  return result;
}
}  // namespace detail

/// Drops every axis of size 1. Example: `squeeze({{1, 3, 1}, {3, 1, 1}})` is `(3):(1)+0`.
constexpr Layout squeeze(const Layout& layout) {
  const Index* const sizes = layout.shape.data();
  std::uint64_t kept = 0;
  std::size_t rank = 0;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    kept |= std::uint64_t{sizes[d] != 1} << d;
    rank += sizes[d] != 1 ? 1 : 0;
  }
  return detail::kept_axes(layout, kept, rank);
}

/// Drops the named axis if its size is 1.
constexpr Layout squeeze(const Layout& source, Index axis) {
  const std::size_t d = wrap_axis("squeeze", axis, source.shape);
  if (source.rank() == 0 || source.shape[d] != 1) return source;
  return detail::without_axis(source, d, source.offset);
}

/// Drops those of the named axes whose size is 1; an axis named twice is refused.
constexpr Layout squeeze(const Layout& layout, const Dims& axes) {
  std::uint64_t named = 0;
  for (const Index axis : axes) {
    const std::size_t d = wrap_axis("squeeze", axis, layout.shape);
    if ((named >> d & 1U) != 0) detail::throw_repeated_axis("squeeze", axes, axis, layout.shape);
    named |= std::uint64_t{1} << d;
  }
  std::uint64_t kept = 0;
  std::size_t rank = 0;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const bool stays = (named >> d & 1U) == 0 || layout.shape[d] != 1;
    kept |= std::uint64_t{stays} << d;
    rank += stays ? 1 : 0;
  }
  return detail::kept_axes(layout, kept, rank);
}

/// Puts an axis of size 1 before the axis; its stride is size*stride of the axis to its right, 1 at the end.
/// Example: `unsqueeze({{2, 3}, {3, 1}}, 0)` is `(1,2,3):(6,3,1)+0`.
constexpr Layout unsqueeze(const Layout& source, Index axis) {
  const std::size_t rank = source.rank();
  const std::size_t d = detail::wrap_axis("unsqueeze", axis, source.shape, rank + 1);
  Layout result = detail::blank(rank + 1, source.offset);
  const detail::Entries from(source);
  const detail::MutableEntries to(result);
  to.copy(from, 0, d, 0);
  to.set(d, 1, d < rank ? checked_multiply(from.sizes[d], from.steps[d], "unsqueeze") : 1);
  to.copy(from, d, rank, 1);
  return result;
}

/// Repeats axes of size 1 with stride 0; -1 keeps a size; new axes may stand in front.
/// Example: `expand({{3, 1}, {1, 1}}, {2, 3, 4})` is `(2,3,4):(0,1,0)+0`.
constexpr Layout expand(const Layout& layout, const Dims& sizes, std::string_view operation = "expand") {
  const std::size_t rank = layout.rank();
  if (sizes.size() < rank) detail::throw_expand_rank(operation, sizes, layout.shape);
  const std::size_t added = sizes.size() - rank;
  Layout result = detail::blank(sizes.size(), layout.offset);
  const Index* const targets = sizes.data();
  const detail::Entries from(layout);
  const detail::MutableEntries to(result);
  detail::SmallNumbers seen;
  std::uint64_t count = 1;
  Index size = 1;
  Index stride = 0;
#pragma GCC unroll 4
  for (std::size_t i = sizes.size(); i-- > added;) {
    size = from.sizes[i - added];
    stride = from.steps[i - added];
    if (targets[i] != size && targets[i] != -1) {
      if (targets[i] < 0 || size != 1) detail::throw_expand_size(operation, sizes, i, layout.shape);
      size = targets[i];
      stride = 0;
    }
    count *= static_cast<std::uint64_t>(size);
    seen.add(static_cast<std::uint64_t>(size) | count);
    to.set(i, size, stride);
  }
  for (std::size_t i = added; i-- > 0;) {
    stride = targets[i] == 1 ? checked_multiply(size, stride, operation) : 0;
    size = targets[i];
    if (size < 0) detail::throw_expand_size(operation, sizes, i, layout.shape);
    count *= static_cast<std::uint64_t>(size);
    seen.add(static_cast<std::uint64_t>(size) | count);
    to.set(i, size, stride);
  }
  if (!seen.are_small()) [[unlikely]] {
    count_elements(result.shape, operation);
  }
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

namespace detail {
/// What as_strided refuses, in the order in which it says so.
[[gnu::noinline, gnu::cold]] constexpr void check_strided(const Layout& layout, Index storage_size,
                                                          std::string_view operation) {
  for (const Index stride : layout.strides) {
    if (stride < 0) throw_negative_stride(operation, layout.strides);
  }
  count_elements(layout.shape, operation);
  const std::optional<Reach> touched = reach(layout, operation);
  if (touched && touched->highest >= storage_size) throw_storage_reach(operation, layout, storage_size);
  if (layout.offset < 0) throw_negative_offset(operation, layout.offset);
}
}  // namespace detail

/// The layout as given, after checking that no stride is negative, that all of it lies inside a storage of
/// `storage_size` elements (unless it is empty) and that the offset is not negative.
constexpr Layout as_strided(const Dims& sizes, const Dims& strides, Index offset, Index storage_size,
                            std::string_view operation = "as_strided") {
  if (sizes.size() != strides.size()) detail::throw_lengths_differ(operation, sizes, strides);
  const std::size_t rank = sizes.size();
  Layout result = detail::blank(rank, offset);
  const Index* const extents = sizes.data_of(rank);
  const Index* const steps = strides.data_of(rank);
  const detail::MutableEntries to(result);
  detail::SmallNumbers seen;
  seen.add(static_cast<std::uint64_t>(offset));
  std::uint64_t count = 1;
  auto highest = static_cast<std::uint64_t>(offset);
#pragma GCC unroll 4
  for (std::size_t d = 0; d < rank; ++d) {
    to.set(d, extents[d], steps[d]);
    const auto size = static_cast<std::uint64_t>(extents[d]);
    const auto step = static_cast<std::uint64_t>(steps[d]);
    highest += (size - 1) * step;
    count *= size;
    seen.add((size - 1) | step);
    seen.add(count);
  }
  // Of at most 8 axes: each reaches less than 2^60 further, and all of them do not overflow.
  const bool is_plain = rank <= Dims::inline_capacity && seen.are_small();
  if (!is_plain || highest >= static_cast<std::uint64_t>(storage_size)) [[unlikely]] {
    detail::check_strided(result, storage_size, operation);
  }
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
