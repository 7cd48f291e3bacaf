// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tenstride/error.hpp"
#include "tenstride/layout.hpp"
#include "tenstride/views.hpp"

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
constexpr bool run_ends(const Layout& layout, std::size_t d, Index count, Index base) {
  return d == 0 || (layout.shape[d - 1] != 1 && layout.strides[d - 1] != try_multiply(count, base));
}

/// Fills `strides` for the shape; gives the old axis where the run closed on a new axis that crosses its end
/// and the new axis, or nothing where all fits. Pre: equal element counts, not empty, rank > 0.
constexpr std::optional<std::pair<std::size_t, std::size_t>> find_crossing(const Layout& layout,
                                                                           const Dims& shape, Dims& strides) {
  std::size_t open = shape.size();  // new axes left of this one have no stride yet
  Index base = layout.strides.back();
  Index run = 1;
  Index filled = 1;
  for (std::size_t d = layout.rank(); d-- > 0;) {
    run *= layout.shape[d];
    if (!run_ends(layout, d, run, base)) continue;
    while (open > 0 && (filled < run || shape[open - 1] == 1)) {
      strides[open - 1] = checked_multiply(filled, base, "view");
      filled *= shape[open - 1];
      --open;
    }
    if (filled != run) {
      while (shape[open] == 1) ++open;  // taken after the axis that went too far
      return std::pair{d, open};
    }
    if (d == 0) break;
    base = layout.strides[d - 1];
    run = 1;
    filled = 1;
  }
  return std::nullopt;
}
}  // namespace detail

/// The sizes with a single -1 replaced by what makes them hold `count` elements. Throws ShapeError: two -1, a
/// size below -1, another product, or a -1 beside a product of 0. `shape` is the source's, for the message.
/// Example: `infer_shape({2, -1}, 12, {12}) == Dims{2, 6}`.
constexpr Dims infer_shape(const Dims& sizes, Index count, const Dims& shape,
                           std::string_view operation = "view") {
  Dims result = sizes;
  std::optional<std::size_t> unknown;
  bool has_zero = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (unknown) detail::throw_two_unknowns(operation, sizes);
      unknown = i;
    } else if (sizes[i] < 0) {
      detail::throw_size_below_minus_one(operation, sizes);
    }
    has_zero = has_zero || sizes[i] == 0;
  }
  Index product = has_zero ? 0 : 1;
  for (std::size_t i = 0; !has_zero && i < sizes.size(); ++i) {
    if (i != unknown) product = checked_multiply(product, sizes[i], operation);
  }
  if (!unknown) {
    if (product != count) detail::throw_count(operation, sizes, count, shape);
    return result;
  }
  if (product == 0 && count == 0) detail::throw_ambiguous_unknown(operation, sizes);
  if (product == 0 || count % product != 0) detail::throw_count(operation, sizes, count, shape);
  result[*unknown] = count / product;
  return result;
}

/// The same elements in another shape without moving any, or nothing where that needs a copy. The shape must
/// hold as many elements (no -1; see infer_shape). The rule is PyTorch's (ATen, `computeStride`): runs of
/// axes whose strides nest are merged and split freely. Example: `try_view({{2, 3, 2}, {6, 2, 1}}, {2, 6})`
/// is `(2,6):(6,1)+0`; of `(2,2,3):(6,1,2)` to `(12)` nothing.
constexpr std::optional<Layout> try_view(const Layout& layout, const Dims& shape) {
  const Index count = count_elements(shape, "view");
  if (count != numel(layout)) detail::throw_count("view", shape, numel(layout), layout.shape);
  if (layout.rank() == 0) return Layout{shape, Dims::filled(shape.size(), 1), layout.offset};
  if (count == 0) {
    if (shape == layout.shape) return layout;
    return Layout{shape, row_major_strides(shape, "view"), layout.offset};
  }
  Layout result{shape, Dims::filled(shape.size(), 0), layout.offset};
  if (detail::find_crossing(layout, shape, result.strides)) return std::nullopt;
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
    if (!is_empty(layout) && !detail::run_ends(layout, d, run, layout.strides[last])) continue;
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
  const auto [axis, open] = *detail::find_crossing(layout, shape, strides);
  std::size_t right = axis;
  while (layout.shape[right] == 1) ++right;
  ViewObstacle obstacle{layout, shape, axis - 1, right, 0, 0, open, mergeable_groups(layout)};
  obstacle.stride_found = layout.strides[axis - 1];
  obstacle.stride_needed = layout.shape[right] * layout.strides[right];
  return obstacle;
}

/// PyTorch's `view`: one size may be -1. Throws ShapeError for sizes that do not fit, ViewError where a copy
/// would be needed. Example: `view({{4, 4}, {4, 1}}, {-1, 8})` is `(2,8):(8,1)+0`.
constexpr Layout view(const Layout& layout, const Dims& sizes) {
  const Dims shape = infer_shape(sizes, numel(layout), layout.shape, "view");
  std::optional<Layout> result = try_view(layout, shape);
  if (!result) detail::throw_view(layout, shape);
  return *std::move(result);
}

/// The shape with axes start..end as one. Rank 0 gives (1). Example: `flatten_shape({2, 3, 4}, 1, -1)` is
/// `(2,12)`.
constexpr Dims flatten_shape(const Dims& shape, Index start_axis = 0, Index end_axis = -1) {
  const std::size_t start = wrap_axis("flatten", start_axis, shape);
  const std::size_t end = wrap_axis("flatten", end_axis, shape);
  if (start > end) detail::throw_flatten_order(start_axis, end_axis, shape);
  if (shape.empty()) return {1};
  Dims result;
  for (std::size_t d = 0; d < start; ++d) result.push_back(shape[d]);
  const std::span<const Index> merged = std::span<const Index>(shape).subspan(start, end - start + 1);
  result.push_back(count_elements(merged, "flatten"));
  for (std::size_t d = end + 1; d < shape.size(); ++d) result.push_back(shape[d]);
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
  Dims shape;
  for (std::size_t i = 0; i < d; ++i) shape.push_back(layout.shape[i]);
  for (const Index part : parts) shape.push_back(part);
  for (std::size_t i = d + 1; i < layout.rank(); ++i) shape.push_back(layout.shape[i]);
  return view(layout, shape);
}

}  // namespace tenstride
