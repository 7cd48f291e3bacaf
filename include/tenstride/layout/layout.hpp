// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride {

/// The dense orders PyTorch knows. `preserve` stands for "as the source, where that is dense".
enum class MemoryFormat : unsigned char { contiguous, channels_last, channels_last_3d, preserve };

/// Where the elements of a tensor lie in a storage: element (i, j, …) is at position
/// offset + i*strides[0] + j*strides[1] + …, all in elements. A value with no memory behind it.
/// Invariant of every layout the library hands out: shape and strides have one length, and no size is
/// negative.
struct Layout {
  Dims shape;
  Dims strides;
  Index offset = 0;

  [[nodiscard]] constexpr std::size_t rank() const noexcept { return shape.size(); }
  friend constexpr bool operator==(const Layout&, const Layout&) noexcept = default;
};

namespace detail {
[[noreturn]] TENSTRIDE_API void throw_negative_size(std::string_view operation, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_lengths_differ(std::string_view operation, const Dims& shape,
                                                     const Dims& strides);
[[noreturn]] TENSTRIDE_API void throw_index_rank(std::string_view operation, const Dims& index,
                                                 const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_index_range(std::string_view operation, Index index, std::size_t axis,
                                                  const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_format_rank(std::string_view operation, MemoryFormat format,
                                                  const Dims& shape);

constexpr std::size_t at(Index axis) {
  return static_cast<std::size_t>(axis);
}
}  // namespace detail

/// "contiguous", "channels_last", "channels_last_3d" or "preserve".
TENSTRIDE_API std::string_view name(MemoryFormat format);

/// The number of elements of a shape. 1 for rank 0. Throws ShapeError where a size is negative and
/// OverflowError where the product does not fit (a size of 0 makes it 0, whatever the others).
/// Example: `count_elements({2, 3, 4}) == 24`.
constexpr Index count_elements(const Dims& shape, std::string_view operation = "shape") {
  Index count = 1;
  bool is_empty = false;
  bool overflows = false;
  for (const Index size : shape) {
    if (size < 0) detail::throw_negative_size(operation, shape);
    is_empty |= size == 0;
    overflows |= __builtin_mul_overflow(count, size, &count);
  }
  if (is_empty) return 0;
  if (overflows) [[unlikely]] {
    count = 1;
    for (const Index size : shape) count = checked_multiply(count, size, operation);
  }
  return count;
}

constexpr bool is_empty(const Layout& layout) noexcept {
  for (const Index size : layout.shape) {
    if (size == 0) return true;
  }
  return false;
}

/// The number of elements of a layout whose shape was checked when it was made.
constexpr Index numel(const Layout& layout) noexcept {
  Index count = 1;
  // Without the high bits where the other sizes alone are too many for 64: a size of 0 makes it 0 all the
  // same.
  for (const Index size : layout.shape) static_cast<void>(__builtin_mul_overflow(count, size, &count));
  return count;
}

namespace detail {
/// Computes row_major_strides step by step, for shapes that are refused or hold a 0.
[[gnu::noinline, gnu::cold]] constexpr void fill_row_major_strides(const Dims& shape, Dims& strides,
                                                                   std::string_view operation) {
  count_elements(shape, operation);
  Index step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    if (d > 0) step = checked_multiply(step, std::max<Index>(shape[d], 1), operation);
  }
}
}  // namespace detail

/// Strides of a dense tensor whose last axis is the fastest; a size of 0 counts as 1, as PyTorch counts it.
/// Throws as `count_elements`, also where only the strides of an empty shape would not fit.
/// Example: `row_major_strides({2, 3, 4}) == Dims{12, 4, 1}`.
constexpr Dims row_major_strides(const Dims& shape, std::string_view operation = "shape") {
  Dims strides = Dims::of_size(shape.size());
  const Index* const sizes = shape.data();
  Index* const steps = strides.data();
  Index step = 1;
  bool is_plain = true;
  for (std::size_t d = shape.size(); d-- > 0;) {
    steps[d] = step;
    is_plain = is_plain && !__builtin_mul_overflow(step, sizes[d], &step) && sizes[d] > 0;
    if (!is_plain) [[unlikely]] {
      break;
    }
  }
  if (!is_plain) [[unlikely]] {
    detail::fill_row_major_strides(shape, strides, operation);
  }
  return strides;
}

/// Strides of a dense tensor whose first axis is the fastest (Fortran's order).
/// Example: `column_major_strides({2, 3, 4}) == Dims{1, 2, 6}`.
constexpr Dims column_major_strides(const Dims& shape, std::string_view operation = "shape") {
  count_elements(shape, operation);
  Dims strides = Dims::filled(shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) {
    strides[d] = checked_multiply(strides[d - 1], std::max<Index>(shape[d - 1], 1), operation);
  }
  return strides;
}

/// A fresh dense layout. Example: `row_major({2, 3}) == Layout{{2, 3}, {3, 1}, 0}`.
constexpr Layout row_major(const Dims& shape, std::string_view operation = "shape") {
  return {shape, row_major_strides(shape, operation), 0};
}
constexpr Layout column_major(const Dims& shape) {
  return {shape, column_major_strides(shape), 0};
}

namespace detail {
/// The axes from the fastest to the slowest; only for the two channels_last formats.
constexpr Dims axes_from_fastest(MemoryFormat format) {
  return format == MemoryFormat::channels_last ? Dims{1, 3, 2, 0} : Dims{1, 4, 3, 2, 0};
}
constexpr std::size_t rank_of(MemoryFormat format) {
  return format == MemoryFormat::channels_last ? std::size_t{4} : std::size_t{5};
}
}  // namespace detail

/// Strides of a dense tensor in the format. In the channels_last formats the strides behind a size of 0 are 0
/// (PyTorch's rule; the row-major ones count it as 1). Throws ShapeError where a channels_last format meets
/// another rank than its own (4, or 5 for 3d). Pre: format is not preserve.
///
/// Example: `format_strides({2, 3, 4, 5}, MemoryFormat::channels_last) == Dims{60, 1, 15, 3}`.
constexpr Dims format_strides(const Dims& shape, MemoryFormat format, std::string_view operation = "shape") {
  if (format == MemoryFormat::contiguous) return row_major_strides(shape, operation);
  if (shape.size() != detail::rank_of(format)) detail::throw_format_rank(operation, format, shape);
  count_elements(shape, operation);
  Dims strides = Dims::filled(shape.size(), 1);
  Index step = 1;
  for (const Index axis : detail::axes_from_fastest(format)) {
    strides[detail::at(axis)] = step;
    step = checked_multiply(step, shape[detail::at(axis)], operation);  // a size of 0 counts as 0 here
  }
  return strides;
}

/// The lowest and the highest position a layout touches; both inclusive.
struct Reach {
  Index lowest = 0;
  Index highest = 0;
  friend constexpr bool operator==(const Reach&, const Reach&) = default;
};

namespace detail {
/// Finds the number at which `reach` overflows, in the order in which it adds.
[[noreturn]] TENSTRIDE_API void throw_reach_overflow(std::string_view operation, const Layout& layout);
}  // namespace detail

/// The positions between which all elements lie; nothing for an empty layout. Throws OverflowError.
/// Example: `reach({{2, 3}, {3, 1}, 4}) == Reach{4, 9}`.
constexpr std::optional<Reach> reach(const Layout& layout, std::string_view operation = "reach") {
  const Index* const sizes = layout.shape.data();
  const Index* const steps = layout.strides.data();
  Index lowest = layout.offset;
  Index highest = layout.offset;
  bool overflows = false;
  bool has_none = false;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    Index span = 0;
    has_none |= sizes[d] == 0;
    overflows |= __builtin_mul_overflow(sizes[d] - 1, steps[d], &span);
    overflows |= __builtin_add_overflow(lowest, std::min<Index>(span, 0), &lowest);
    overflows |= __builtin_add_overflow(highest, std::max<Index>(span, 0), &highest);
  }
  if (has_none) return std::nullopt;
  if (overflows) [[unlikely]] {
    detail::throw_reach_overflow(operation, layout);
  }
  return Reach{lowest, highest};
}

/// The storage position of an element. A negative index counts from the end of its axis. Throws IndexError
/// out of range, OverflowError where the position does not fit 64 bits. Example: `position({{2, 3, 2}, {6, 2,
/// 1}, 0}, {1, 2, 0}) == 10`.
constexpr Index position(const Layout& layout, const Dims& index) {
  if (index.size() != layout.rank()) detail::throw_index_rank("position", index, layout.shape);
  Index result = layout.offset;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const Index size = layout.shape[d];
    if (index[d] < -size || index[d] >= size)
      detail::throw_index_range("position", index[d], d, layout.shape);
    const Index step =
        checked_multiply(index[d] < 0 ? index[d] + size : index[d], layout.strides[d], "position");
    result = checked_add(result, step, "position");
  }
  return result;
}

/// The multi-dimensional index of the n-th element in row-major order of the logical tensor. Pre: 0 <= n <
/// numel. Example: `unravel(7, {2, 3, 2}) == Dims{1, 0, 1}`.
constexpr Dims unravel(Index n, const Dims& shape) {
  Dims index = Dims::filled(shape.size(), 0);
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = n % shape[d];
    n /= shape[d];
  }
  return index;
}

namespace detail {
/// Visits axes from the largest step to the smallest, and asks at each whether the rest can still be reached.
constexpr bool find_index(const Layout& layout, std::span<const std::size_t> axes, Index rest, Dims& index) {
  if (axes.empty()) return rest == 0;
  Index lowest = 0;
  Index highest = 0;
  for (const std::size_t axis : axes.subspan(1)) {
    const Index span = (layout.shape[axis] - 1) * layout.strides[axis];
    (span < 0 ? lowest : highest) += span;
  }
  const std::size_t axis = axes.front();
  const Index stride = layout.strides[axis];
  const Index tries = stride == 0 ? 1 : layout.shape[axis];
  for (Index i = 0; i < tries; ++i) {
    const Index left = rest - i * stride;
    if (left < lowest || left > highest) continue;
    index[axis] = i;
    if (find_index(layout, axes.subspan(1), left, index)) return true;
  }
  return false;
}
/// |value|, exact also for the lowest of all numbers.
constexpr std::uint64_t magnitude(Index value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}
}  // namespace detail

/// An index whose element lies at the position; nothing where no element does. Where several do (an expanded
/// axis, overlapping windows) one of them, with 0 along axes of stride 0. Cost: O(sum of sizes) for layouts
/// whose strides nest; more where they interleave.
/// Example: `index_at({{2, 3, 2}, {6, 2, 1}, 0}, 10) == Dims{1, 2, 0}`.
constexpr std::optional<Dims> index_at(const Layout& layout, Index position) {
  const std::optional<Reach> touched = reach(layout, "index_at");
  if (!touched || position < touched->lowest || position > touched->highest) return std::nullopt;
  std::array<std::size_t, max_rank> axes{};
  for (std::size_t d = 0; d < layout.rank(); ++d) axes[d] = d;
  std::sort(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(layout.rank()),
            [&](std::size_t a, std::size_t b) {
              return detail::magnitude(layout.strides[a]) > detail::magnitude(layout.strides[b]);
            });
  Dims index = Dims::filled(layout.rank(), 0);
  const std::span<const std::size_t> order(axes.data(), layout.rank());
  if (!detail::find_index(layout, order, position - layout.offset, index)) return std::nullopt;
  return index;
}

/// Whether the strides are those of the format; sizes of 1 never matter, and for row-major order an empty
/// tensor always is (PyTorch's rule). Another rank than the format's gives false. Pre: format is not
/// preserve. Example: `is_contiguous({{2, 3}, {3, 1}, 7})`; `!is_contiguous({{3, 2}, {1, 3}, 0})`.
constexpr bool is_contiguous(const Layout& layout, MemoryFormat format = MemoryFormat::contiguous) {
  if (format == MemoryFormat::contiguous) {
    const Index* const sizes = layout.shape.data_of(layout.rank());
    const Index* const steps = layout.strides.data_of(layout.rank());
    Index expected = 1;
    for (std::size_t d = layout.rank(); d-- > 0;) {
      if (sizes[d] == 1) continue;
      if (steps[d] != expected) return is_empty(layout);
      static_cast<void>(__builtin_mul_overflow(expected, sizes[d], &expected));  // only beside a size of 0
    }
    return true;
  }
  std::optional<Index> expected = 1;  // nothing: more than any stride
  if (layout.rank() != detail::rank_of(format)) return false;
  for (const Index axis : detail::axes_from_fastest(format)) {
    const std::size_t d = detail::at(axis);
    if (layout.shape[d] == 1) continue;
    if (layout.strides[d] != expected) return false;
    expected = try_multiply(*expected, layout.shape[d]);
  }
  return true;
}

namespace detail {
constexpr bool suggests(const Layout& layout, MemoryFormat format) {
  if (layout.rank() != rank_of(format) || layout.strides[1] == 0) return false;
  std::optional<Index> least = 0;  // nothing: more than any stride
  for (const Index axis : axes_from_fastest(format)) {
    const std::size_t d = at(axis);
    if (layout.shape[d] == 0 || !least || layout.strides[d] < *least) return false;
    if (d == 0 && least == layout.strides[1]) return false;  // N1H1 and 1C1W are ambiguous: row-major
    least = try_multiply(layout.strides[d], layout.shape[d]);
  }
  return true;
}
}  // namespace detail

/// The format PyTorch takes the tensor to be in (`suggest_memory_format`): stricter than `is_contiguous` in
/// ambiguous cases, laxer on gaps. Example: channels_last for `{{2, 3, 4, 5}, {60, 1, 15, 3}, 0}`.
constexpr MemoryFormat suggested_memory_format(const Layout& layout) {
  if (detail::suggests(layout, MemoryFormat::channels_last)) return MemoryFormat::channels_last;
  if (detail::suggests(layout, MemoryFormat::channels_last_3d)) return MemoryFormat::channels_last_3d;
  return MemoryFormat::contiguous;
}

/// True where the elements fill a run of the storage without gaps and without sharing, in whatever order of
/// axes (PyTorch's `is_non_overlapping_and_dense`). Example: true for `{{3, 2}, {1, 3}, 5}`.
constexpr bool is_non_overlapping_and_dense(const Layout& layout) {
  if (is_contiguous(layout)) return true;  // also where it is empty; no list of axes then
  std::array<std::size_t, max_rank> axes{};
  std::size_t count = 0;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] < 2) continue;
    std::size_t at = count++;
    while (at > 0 && layout.strides[axes[at - 1]] > layout.strides[d]) {
      axes[at] = axes[at - 1];
      --at;
    }
    axes[at] = d;
  }
  Index expected = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (layout.strides[axes[i]] != expected) return false;
    expected *= layout.shape[axes[i]];
  }
  return true;
}

/// The dense strides that keep the order of the source's axes: PyTorch's rule for `preserve` on a source that
/// is not dense (`infer_dense_strides`). A stride of 0 leaves its axis where it is; a negative one counts by
/// its magnitude. Example: `{{2, 3, 4}, {1, 8, 24}}` gives `(1,2,6)`.
constexpr Dims inferred_dense_strides(const Layout& layout) {
  const std::size_t rank = layout.rank();
  Dims strides = Dims::filled(rank, 1);
  if (rank <= 1) return strides;
  std::array<std::size_t, max_rank> axes{};
  for (std::size_t i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
  const auto order = [&layout](std::size_t a, std::size_t b) {
    const std::uint64_t step_a = detail::magnitude(layout.strides[a]);
    const std::uint64_t step_b = detail::magnitude(layout.strides[b]);
    if (step_a == 0 || step_b == 0) return 0;
    if (step_a != step_b) return step_a < step_b ? -1 : 1;
    return layout.shape[a] > layout.shape[b] ? 1 : 0;
  };
  for (std::size_t i = 1; i < rank; ++i) {
    std::size_t moving = i;
    for (std::size_t left = i; left-- > 0;) {
      const int compared = order(axes[left], axes[moving]);
      if (compared < 0) break;
      if (compared > 0) {
        std::swap(axes[left], axes[moving]);
        moving = left;
      }
    }
  }
  Index step = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    strides[axes[i]] = step;
    step = checked_multiply(step, std::max<Index>(layout.shape[axes[i]], 1), "preserve");
  }
  return strides;
}

/// The layout of a new tensor made "like" this one (empty_like, clone, to): offset 0, strides by the format.
/// Throws ShapeError where a channels_last format meets another rank.
constexpr Layout layout_like(const Layout& layout, MemoryFormat format, std::string_view operation) {
  if (format != MemoryFormat::preserve) {
    return {layout.shape, format_strides(layout.shape, format, operation), 0};
  }
  if (is_non_overlapping_and_dense(layout)) return {layout.shape, layout.strides, 0};
  return {layout.shape, inferred_dense_strides(layout), 0};
}

}  // namespace tenstride
