// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "layout/reshape_text.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/layout/views_axes.hpp"

/// What keeps a layout from being row-major.
namespace tenstride {
namespace {

/// Whether the axis has more than one position.
bool moves(const Layout& layout, std::size_t axis) {
  return layout.shape[axis] != 1 && layout.strides[axis] != 0;
}

std::uint64_t step_of(const Layout& layout, std::size_t axis) {
  return detail::magnitude(layout.strides[axis]);
}

/// Sorts the axes that move by their step, the largest first; the others stay where they are. Empty where
/// they are sorted.
Dims sorting_order(const Layout& layout) {
  std::vector<std::size_t> moving;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (moves(layout, d)) moving.push_back(d);
  }
  std::vector<std::size_t> sorted = moving;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t a, std::size_t b) { return step_of(layout, a) > step_of(layout, b); });
  if (sorted == moving) return {};
  Dims order = Dims::filled(layout.rank(), 0);
  for (std::size_t d = 0; d < layout.rank(); ++d) order[d] = static_cast<Index>(d);
  for (std::size_t i = 0; i < moving.size(); ++i) order[moving[i]] = static_cast<Index>(sorted[i]);
  return order;
}

Layout without_repeats(const Layout& layout) {
  Layout result{{}, {}, layout.offset};
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (!moves(layout, d)) continue;
    result.shape.push_back(layout.shape[d]);
    result.strides.push_back(layout.strides[d]);
  }
  return result;
}

std::string axes_where(const Layout& layout, bool (*holds)(Index stride)) {
  std::string text;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1 || !holds(layout.strides[d])) continue;
    text += detail::message(text.empty() ? "axis " : ", ", d, " has stride ", layout.strides[d]);
  }
  return text;
}

Index span_of(const Layout& layout) {
  const Reach touched = *reach(layout);
  return touched.highest - touched.lowest + 1;
}

}  // namespace

std::optional<ContiguityObstacle> why_not_contiguous(const Layout& layout) {
  if (is_contiguous(layout)) return std::nullopt;
  ContiguityObstacle obstacle;
  obstacle.layout = layout;
  const Dims needed = row_major_strides(layout.shape);
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1) continue;
    if (layout.strides[d] != needed[d]) {
      obstacle.axis = d;
      obstacle.stride_found = layout.strides[d];
      obstacle.stride_needed = needed[d];
    }
    obstacle.repeats |= layout.strides[d] == 0;
    obstacle.is_backwards |= layout.strides[d] < 0;
  }
  obstacle.order = sorting_order(layout);
  const Layout moving = without_repeats(layout);
  obstacle.may_overlap = !is_provably_unique(moving);
  obstacle.has_gaps = span_of(moving) > numel(moving);
  return obstacle;
}

std::string summary(const ContiguityObstacle& obstacle) {
  std::string text;
  const auto add = [&](bool is_so, std::string_view words) {
    if (is_so) text.append(text.empty() ? "" : ", ").append(words);
  };
  add(!obstacle.order.empty(), "axes out of order");
  add(obstacle.repeats, "repeats elements");
  add(obstacle.is_backwards, "backwards");
  add(obstacle.has_gaps, "gaps");
  add(obstacle.may_overlap, "overlaps itself");
  return text;
}

std::string to_string(const ContiguityObstacle& obstacle, std::size_t item_size) {
  using detail::message;
  const Layout& layout = obstacle.layout;
  std::string text = message("  strides ", layout.strides, ", row-major would be ",
                             row_major_strides(layout.shape), ": axis ", obstacle.axis, " moves ",
                             obstacle.stride_found, " and would move ", obstacle.stride_needed, "\n");
  bool is_free = false;
  if (!obstacle.order.empty()) {
    is_free = is_contiguous(permute(layout, obstacle.order));
    text += message("  axes out of order: in memory they stand as in .permute", obstacle.order,
                    is_free ? ", which is contiguous and copies nothing" : "", "\n");
  }
  if (obstacle.repeats) {
    text += message("  repeats elements: ", axes_where(layout, [](Index stride) { return stride == 0; }),
                    ", all its indexes reach the same element\n");
  }
  if (obstacle.is_backwards) {
    text += message("  backwards: ", axes_where(layout, [](Index stride) { return stride < 0; }), "\n");
  }
  if (obstacle.has_gaps) {
    const Layout moving = without_repeats(layout);
    text += message("  gaps: ", numel(moving), " elements lie in a span of ", span_of(moving), "\n");
  }
  if (obstacle.may_overlap) text += "  overlaps itself: an element may be reached by several indexes\n";
  return text + "  .contiguous() " + detail::price(numel(layout), item_size);
}

}  // namespace tenstride
