// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tenstride/base/error.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/layout/views.hpp"

/// When a tensor can be seen in another shape without a copy, and why not.
namespace tenstride {

/// A run of neighbouring axes, first and last inclusive.
struct AxisGroup {
  std::size_t first = 0;
  std::size_t last = 0;
  friend constexpr bool operator==(const AxisGroup&, const AxisGroup&) = default;
};

/// Why a layout cannot be viewed in a shape: two old axes would have to become one, and their strides do not
/// nest.
struct ViewObstacle {
  Layout from;
  Dims to;
  /// The two axes of `from` that would have to merge; between them stand at most axes of size 1.
  std::size_t left_axis = 0;
  std::size_t right_axis = 0;
  /// strides[left_axis] as it is, and as it would have to be: size * stride of right_axis.
  Index stride_found = 0;
  Index stride_needed = 0;
  /// The axis of `to` whose elements would have come from both.
  std::size_t new_axis = 0;
  /// All axes of `from`, grouped by what merges: inside a group a view may merge and split freely.
  std::vector<AxisGroup> groups;
};

/// A view that would need a copy. The message begins with PyTorch's line and goes on with the obstacle.
class TENSTRIDE_API ViewError : public RuntimeError {
 public:
  /// `item_size` (bytes) prices the fixes; 0 leaves the bytes out.
  explicit ViewError(ViewObstacle obstacle, std::size_t item_size = 0);
  [[nodiscard]] const ViewObstacle& obstacle() const noexcept { return obstacle_; }

 private:
  ViewObstacle obstacle_;
};

/// The obstacle in words, as it stands in the error after PyTorch's line: from and to, the axes and numbers,
/// the groups, the fixes and what each copies. Lines are indented by two spaces.
TENSTRIDE_API std::string to_string(const ViewObstacle& obstacle, std::size_t item_size = 0);

namespace detail {
[[noreturn]] TENSTRIDE_API void throw_two_unknowns(std::string_view operation, const Dims& sizes);
[[noreturn]] TENSTRIDE_API void throw_size_below_minus_one(std::string_view operation, const Dims& sizes);
[[noreturn]] TENSTRIDE_API void throw_count(std::string_view operation, const Dims& sizes, Index count,
                                            const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_ambiguous_unknown(std::string_view operation, const Dims& sizes);
[[noreturn]] TENSTRIDE_API void throw_view(const Layout& layout, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_no_sizes(std::string_view operation);
[[noreturn]] TENSTRIDE_API void throw_flatten_order(Index start_axis, Index end_axis, const Dims& shape);

/// Whether axis d-1 does not continue the run of `count` elements, `base` apart, that begins at axis d.
constexpr bool run_ends(const Index* sizes, const Index* steps, std::size_t d, Index count, Index base) {
  if (d == 0) return true;
  Index reached = 0;
  const bool overflows = __builtin_mul_overflow(count, base, &reached);
  return sizes[d - 1] != 1 && (steps[d - 1] != reached || overflows);
}

inline constexpr std::size_t no_axis = max_rank + 1;
/// Where a view is not possible: `old_axis` is no_axis where it is.
struct Crossing {
  std::size_t old_axis = no_axis;
  std::size_t new_axis = no_axis;
};

/// Fills `strides` for the shape; gives the old axis where the run closed on a new axis that crosses its end
/// and the new axis, or none where all fits. Pre: equal element counts, not empty, rank > 0.
constexpr Crossing find_crossing(const Layout& layout, const Dims& shape, Dims& strides) {
  const Index* const old_sizes = layout.shape.data();
  const Index* const old_steps = layout.strides.data();
  const Index* const sizes = shape.data();
  Index* const steps = strides.data();
  std::size_t open = shape.size();  // new axes left of this one have no stride yet
  Index base = old_steps[layout.rank() - 1];
  Index run = 1;
  Index filled = 1;
  for (std::size_t d = layout.rank(); d-- > 0;) {
    run *= old_sizes[d];
    if (!run_ends(old_sizes, old_steps, d, run, base)) continue;
    while (open > 0 && (filled < run || sizes[open - 1] == 1)) {
      --open;
      steps[open] = checked_multiply(filled, base, "view");
      filled *= sizes[open];
    }
    if (filled != run) {
      while (sizes[open] == 1) ++open;  // taken after the axis that went too far
      return {d, open};
    }
    if (d == 0) break;
    base = old_steps[d - 1];
    run = 1;
    filled = 1;
  }
  return {};
}

/// The product of the sizes but for one -1, which is 0 beside a 0 whatever the others are. Throws where two
/// are below 0, one is below -1, or the product does not fit.
[[gnu::noinline, gnu::cold]] constexpr Index known_product(const Dims& sizes, std::string_view operation) {
  bool has_unknown = false;
  bool has_zero = false;
  for (const Index size : sizes) {
    if (size == -1) {
      if (has_unknown) throw_two_unknowns(operation, sizes);
      has_unknown = true;
    } else if (size < 0) {
      throw_size_below_minus_one(operation, sizes);
    }
    has_zero = has_zero || size == 0;
  }
  if (has_zero) return 0;
  Index product = 1;
  for (const Index size : sizes) {
    if (size != -1) product = checked_multiply(product, size, operation);
  }
  return product;
}

/// count / divisor, by the short division where both fit: the long one costs as much as the rest of a view.
constexpr Index divide(Index count, Index divisor) {
  if (((count | divisor) >> 32) == 0) {
    return static_cast<Index>(static_cast<std::uint32_t>(count) / static_cast<std::uint32_t>(divisor));
  }
  return count / divisor;
}
}  // namespace detail

/// The sizes with a single -1 replaced by what makes them hold `count` elements. Throws ShapeError: two -1, a
/// size below -1, another product, or a -1 beside a product of 0. `shape` is the source's, for the message.
/// Example: `infer_shape({2, -1}, 12, {12}) == Dims{2, 6}`.
constexpr Dims infer_shape(const Dims& sizes, Index count, const Dims& shape,
                           std::string_view operation = "view") {
  const Index* const given = sizes.data();
  std::size_t unknown = detail::no_axis;
  Index product = 1;
  bool is_plain = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (given[i] >= 0) [[likely]] {
      is_plain &= !__builtin_mul_overflow(product, given[i], &product);
    } else {
      is_plain &= given[i] == -1 && unknown == detail::no_axis;
      unknown = i;
    }
  }
  if (is_plain && unknown == detail::no_axis && product == count) [[likely]] {
    return sizes;
  }
  if (!is_plain) [[unlikely]] {
    product = detail::known_product(sizes, operation);
  }
  if (unknown == detail::no_axis) {
    if (product != count) detail::throw_count(operation, sizes, count, shape);
    return sizes;
  }
  if (product == 0 && count == 0) detail::throw_ambiguous_unknown(operation, sizes);
  if (product == 0) detail::throw_count(operation, sizes, count, shape);
  const Index inferred = detail::divide(count, product);
  if (inferred * product != count) detail::throw_count(operation, sizes, count, shape);
  Dims result = sizes;
  result[unknown] = inferred;
  return result;
}

namespace detail {
/// Fills the strides of a view in the shape; false where that needs a copy. Pre: both hold `count` elements,
/// and `strides` is as long as the shape.
constexpr bool fit_strides(const Layout& layout, const Dims& shape, Index count, Dims& strides) {
  if (layout.rank() == 0) {
    for (Index& stride : strides) stride = 1;
    return true;
  }
  if (count == 0) [[unlikely]] {
    strides = shape == layout.shape ? layout.strides : row_major_strides(shape, "view");
    return true;
  }
  return find_crossing(layout, shape, strides).old_axis == no_axis;
}

/// How many elements a layout has that lie one after the other, the last axis fastest; -1 where they do not,
/// and where an axis of size 1 has another stride than that of such a layout.
constexpr Index dense_count(const Layout& layout) {
  const Entries from(layout);
  Index count = 1;
#pragma GCC unroll 4
  for (std::size_t d = layout.rank(); d-- > 0;) {
    if (from.steps[d] != count) return -1;
    static_cast<void>(__builtin_mul_overflow(count, from.sizes[d], &count));  // only beside a size of 0
  }
  return count;
}

/// The view of a dense layout of few elements in sizes without a -1: the most frequent case by far. False,
/// with anything in `result`, in other cases. Pre: `result` is blank, as long as the sizes.
constexpr bool view_dense(const Layout& layout, const Dims& sizes, Layout& result) {
  const Index count = dense_count(layout);
  if (count < 0) return false;
  const std::size_t rank = sizes.size();
  const Index* const given = sizes.data_of(rank);
  const MutableEntries to(result, rank);
  SmallNumbers seen;
  std::uint64_t product = 1;
#pragma GCC unroll 4
  for (std::size_t d = rank; d-- > 0;) {
    to.set(d, given[d], static_cast<Index>(product));
    const auto size = static_cast<std::uint64_t>(given[d]);
    product *= size;
    seen.add(size - 1);
    seen.add(product);
  }
  return seen.are_small() && product == static_cast<std::uint64_t>(count);
}
}  // namespace detail

/// The same elements in another shape without moving any, or nothing where that needs a copy. The shape must
/// hold as many elements (no -1; see infer_shape). The rule is PyTorch's (ATen, `computeStride`): runs of
/// axes whose strides nest are merged and split freely. Example: `try_view({{2, 3, 2}, {6, 2, 1}}, {2, 6})`
/// is `(2,6):(6,1)+0`; of `(2,2,3):(6,1,2)` to `(12)` nothing.
constexpr std::optional<Layout> try_view(const Layout& layout, const Dims& shape) {
  std::optional<Layout> result(std::in_place, Dims::of_size(shape.size()), Dims::of_size(shape.size()),
                               layout.offset);
  if (detail::view_dense(layout, shape, *result)) return result;
  const Index count = count_elements(shape, "view");
  if (count != numel(layout)) detail::throw_count("view", shape, numel(layout), layout.shape);
  result->shape = shape;
  if (!detail::fit_strides(layout, shape, count, result->strides)) result.reset();
  return result;
}

/// The runs of axes that a view may merge. Example: `mergeable_groups({{2, 2, 3}, {6, 1, 2}})` is [0] [1]
/// [2].
constexpr std::vector<AxisGroup> mergeable_groups(const Layout& layout) {
  std::vector<AxisGroup> groups;
  if (layout.rank() == 0) return groups;
  std::size_t last = layout.rank() - 1;
  Index run = 1;
  for (std::size_t d = layout.rank(); d-- > 0;) {
    run *= layout.shape[d];
    if (!is_empty(layout) &&
        !detail::run_ends(layout.shape.data(), layout.strides.data(), d, run, layout.strides[last])) {
      continue;
    }
    if (is_empty(layout) && d > 0) continue;
    groups.insert(groups.begin(), AxisGroup{d, last});
    if (d > 0) last = d - 1;
    run = 1;
  }
  return groups;
}

/// What stands in the way of a view; nothing where the view is possible. The shape must hold as many
/// elements. Example: `why_not_view({{2, 2, 3}, {6, 1, 2}}, {12})` names axes 1 and 2, stride 1 found, 6
/// needed.
constexpr std::optional<ViewObstacle> why_not_view(const Layout& layout, const Dims& shape) {
  if (try_view(layout, shape)) return std::nullopt;
  Dims strides = Dims::filled(shape.size(), 0);
  const auto [axis, open] = detail::find_crossing(layout, shape, strides);
  std::size_t right = axis;
  while (layout.shape[right] == 1) ++right;
  ViewObstacle obstacle{layout, shape, axis - 1, right, 0, 0, open, mergeable_groups(layout)};
  obstacle.stride_found = layout.strides[axis - 1];
  obstacle.stride_needed = layout.shape[right] * layout.strides[right];
  return obstacle;
}

namespace detail {
/// What else there is to a view.
[[gnu::noinline]] constexpr bool view_any(const Layout& layout, const Dims& sizes, std::string_view operation,
                                          Layout& result) {
  const Index count = numel(layout);
  result.shape = infer_shape(sizes, count, layout.shape, operation);
  return fit_strides(layout, result.shape, count, result.strides);
}

/// The view of a layout in the sizes, of which one may be -1: its shape, and its strides where it needs no
/// copy. False where it does. Throws as infer_shape. Pre: `result` is blank, as long as the sizes.
constexpr bool view_into(const Layout& layout, const Dims& sizes, std::string_view operation,
                         Layout& result) {
  return view_dense(layout, sizes, result) || view_any(layout, sizes, operation, result);
}
}  // namespace detail

/// PyTorch's `view`: one size may be -1. Throws ShapeError for sizes that do not fit, ViewError where a copy
/// would be needed. Example: `view({{4, 4}, {4, 1}}, {-1, 8})` is `(2,8):(8,1)+0`.
constexpr Layout view(const Layout& layout, const Dims& sizes) {
  Layout result = detail::blank(sizes.size(), layout.offset);
  if (!detail::view_into(layout, sizes, "view", result)) detail::throw_view(layout, result.shape);
  return result;
}

/// The shape with axes start..end as one. Rank 0 gives (1). Example: `flatten_shape({2, 3, 4}, 1, -1)` is
/// `(2,12)`.
constexpr Dims flatten_shape(const Dims& shape, Index start_axis = 0, Index end_axis = -1) {
  const std::size_t start = wrap_axis("flatten", start_axis, shape);
  const std::size_t end = wrap_axis("flatten", end_axis, shape);
  if (start > end) detail::throw_flatten_order(start_axis, end_axis, shape);
  if (shape.empty()) return {1};
  Dims result = Dims::of_size(shape.size() - (end - start));
  const Index* const sizes = shape.data();
  Index* const to = result.data();
  Index merged = 1;
  bool is_plain = true;
  for (std::size_t d = start; d <= end; ++d) {
    is_plain &= sizes[d] > 0 && !__builtin_mul_overflow(merged, sizes[d], &merged);
  }
  if (!is_plain) [[unlikely]] {
    merged = count_elements(std::span<const Index>(shape).subspan(start, end - start + 1), "flatten");
  }
  for (std::size_t d = 0; d < start; ++d) to[d] = sizes[d];
  to[start] = merged;
  for (std::size_t d = end + 1; d < shape.size(); ++d) to[d - (end - start)] = sizes[d];
  return result;
}

/// Axes start..end as one, where that is a view. Throws ViewError where it would need a copy.
constexpr Layout flatten(const Layout& layout, Index start_axis = 0, Index end_axis = -1) {
  return view(layout, flatten_shape(layout.shape, start_axis, end_axis));
}

/// One axis split into several; one size may be -1. Rank 0 is refused.
/// Example: `unflatten({{2, 12}, {12, 1}}, 1, {3, 4})` is `(2,3,4):(12,4,1)+0`.
constexpr Layout unflatten(const Layout& layout, Index axis, const Dims& sizes) {
  if (sizes.empty()) detail::throw_no_sizes("unflatten");
  const std::size_t d = wrap_axis("unflatten", axis, layout.shape);
  if (layout.rank() == 0) detail::throw_no_axes("unflatten");
  const Dims parts = infer_shape(sizes, layout.shape[d], layout.shape, "unflatten");
  const Index dense = detail::dense_count(layout);
  Layout result = detail::blank(layout.rank() + parts.size() - 1, layout.offset);
  const detail::Entries from(layout);
  const detail::MutableEntries to(result);
  const Index* const split = parts.data();
  std::size_t next = result.rank();
  Index step = 1;
  const auto put = [&](Index size) {
    to.set(--next, size, step);
    static_cast<void>(__builtin_mul_overflow(step, size, &step));  // only beside a size of 0
  };
  for (std::size_t i = layout.rank(); i-- > d + 1;) put(from.sizes[i]);
  for (std::size_t i = parts.size(); i-- > 0;) put(split[i]);
  for (std::size_t i = d; i-- > 0;) put(from.sizes[i]);
  if (dense > 0) [[likely]] {
    return result;
  }
  if (!detail::fit_strides(layout, result.shape, numel(layout), result.strides))
    detail::throw_view(layout, result.shape);
  return result;
}

}  // namespace tenstride
