// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/reshape.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "layout/reshape_text.hpp"
#include "tenstride/layout/scramble.hpp"
#include "tenstride/layout/views_axes.hpp"

namespace tenstride {
namespace {

constexpr std::string_view famous_line =
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
    "two "
    "contiguous subspaces). Use .reshape(...) instead.";

std::string plural(Index count, std::string_view word) {
  return detail::message(count, " ", word, count == 1 || count == -1 ? "" : "s");
}

std::string group_list(const std::vector<AxisGroup>& groups) {
  std::string text;
  for (const AxisGroup& group : groups) {
    text += " [";
    for (std::size_t axis = group.first; axis <= group.last; ++axis) {
      if (axis > group.first) text += ' ';
      text += std::to_string(axis);
    }
    text += ']';
  }
  return text;
}

/// "0 2 4", "7 9 … 105": `count` positions from the first on.
std::string run_of_positions(Index first, Index stride, Index count) {
  std::string text = std::to_string(first);
  for (Index i = 1; i < count; ++i) {
    if (count > 4 && i == 2) {
      text += " …";
      i = count - 1;
    }
    text += ' ' + std::to_string(first + i * stride);
  }
  return text;
}

/// Where the elements lie that the merged axis would walk: once through the right axis, then a step along the
/// left. Empty where a position does not fit 64 bits.
std::string walk(const ViewObstacle& obstacle) {
  const Layout& from = obstacle.from;
  const Index size = from.shape[obstacle.right_axis];
  const Index stride = from.strides[obstacle.right_axis];
  const std::optional<Index> next = try_add(from.offset, obstacle.stride_needed);
  const std::optional<Index> second = try_add(from.offset, obstacle.stride_found);
  if (!next || !second || !try_add(*second, obstacle.stride_needed)) return {};
  return detail::message("  walk:  the elements lie at ", run_of_positions(from.offset, stride, size),
                         ", then at ", run_of_positions(*second, stride, size), "; one axis of stride ",
                         stride, " would go on at ", *next, "\n");
}

}  // namespace

std::string detail::price(Index count, std::size_t item_size) {
  const std::optional<Index> bytes = try_multiply(count, static_cast<Index>(item_size));
  if (item_size == 0 || !bytes) return "copies " + plural(count, "element");
  return message("copies ", plural(count, "element"), " (", *bytes, " B)");
}

std::string detail::obstacle_lines(const ViewObstacle& obstacle) {
  const Layout& from = obstacle.from;
  const std::size_t right = obstacle.right_axis;
  const bool has_merges = obstacle.groups.size() < from.rank();
  std::string text = message("  from   ", from.shape, ":", from.strides, "+", from.offset, "   to ",
                             to_text(obstacle.to), "   (shape:strides+offset, in elements)\n");
  text += message("  axes ", obstacle.left_axis, " and ", right, " would merge, but a step along axis ",
                  obstacle.left_axis, " moves ", plural(obstacle.stride_found, "element"),
                  " and running through axis ", right, " moves ", from.shape[right], "*", from.strides[right],
                  " = ", obstacle.stride_needed, "\n");
  text += walk(obstacle);
  return text + message("  free:  the axes group as", group_list(obstacle.groups), "; ",
                        has_merges ? "inside a group they may be split and merged, across groups not"
                                   : "each may be split, none may be merged",
                        "\n");
}

std::vector<detail::FixLine> detail::copying_fix_lines(const ViewObstacle& obstacle, std::size_t item_size) {
  const std::string cost = price(numel(obstacle.from), item_size);
  return {{message(".reshape", obstacle.to), cost + ", silently"},
          {message(".contiguous().view", obstacle.to), cost + ", visibly"}};
}

std::optional<Dims> detail::memory_order(const Layout& layout) {
  Dims order;
  for (std::size_t d = 0; d < layout.rank(); ++d) order.push_back(static_cast<Index>(d));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return layout.strides[static_cast<std::size_t>(a)] > layout.strides[static_cast<std::size_t>(b)];
  });
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (order[d] != static_cast<Index>(d)) return order;
  }
  return std::nullopt;
}

std::string detail::to_text(const std::vector<FixLine>& fixes) {
  std::size_t width = 0;
  for (const FixLine& fix : fixes) width = std::max(width, fix.code.size());
  std::string text;
  for (const FixLine& fix : fixes) {
    text += (text.empty() ? "  fixes: " : "\n         ") + fix.code +
            std::string(width + 2 - fix.code.size(), ' ') + fix.price;
  }
  return text;
}

std::string detail::scramble_note(const ViewObstacle& obstacle) {
  const std::optional<Scramble> scramble = find_scramble(obstacle.from.shape, obstacle.to);
  return scramble ? "\n  note:  " + to_string(*scramble) : std::string();
}

std::string to_string(const ViewObstacle& obstacle, std::size_t item_size) {
  std::vector<detail::FixLine> fixes = detail::copying_fix_lines(obstacle, item_size);
  const std::optional<Dims> order = detail::memory_order(obstacle.from);
  if (order && try_view(permute(obstacle.from, *order), obstacle.to)) {
    fixes.push_back(
        {detail::message(".permute", *order, ".view", obstacle.to), std::string(detail::free_but_reordered)});
  }
  return detail::obstacle_lines(obstacle) + detail::to_text(fixes) + detail::scramble_note(obstacle);
}

ViewError::ViewError(ViewObstacle obstacle, std::size_t item_size)
    : RuntimeError(detail::message(famous_line, "\n", to_string(obstacle, item_size))),
      obstacle_(std::move(obstacle)) {}

namespace detail {

void throw_two_unknowns(std::string_view operation, const Dims& sizes) {
  throw ShapeError(message(operation, ": sizes ", sizes, " must have at most one -1"), sizes, sizes);
}

void throw_size_below_minus_one(std::string_view operation, const Dims& sizes) {
  throw ShapeError(message(operation, ": sizes ", sizes, " must be at least 0, or -1 for one to be inferred"),
                   sizes, sizes);
}

void throw_count(std::string_view operation, const Dims& sizes, Index count, const Dims& shape) {
  Dims known = sizes;
  for (Index& size : known) size = size == -1 ? 1 : size;
  const Index product = count_elements(known, operation);
  const std::string_view whole = operation == "unflatten" ? "the axis's " : "the tensor's ";
  if (known != sizes) {
    throw ShapeError(message(operation, ": sizes ", sizes, " must divide ", whole, count,
                             " elements, the known ones make ", product, " (shape ", shape, ")"),
                     shape, sizes);
  }
  throw ShapeError(message(operation, ": sizes ", sizes, " make ", product, " elements and must make ", whole,
                           count, " (shape ", shape, ")"),
                   shape, sizes);
}

void throw_ambiguous_unknown(std::string_view operation, const Dims& sizes) {
  throw ShapeError(message(operation, ": sizes ", sizes,
                           " must not leave a size open beside a 0: any size would do for the -1"),
                   sizes, sizes);
}

void throw_view(const Layout& layout, const Dims& shape) {
  throw ViewError(*why_not_view(layout, shape));
}

void throw_no_sizes(std::string_view operation) {
  throw ShapeError(message(operation, ": sizes () must name at least one size"), {}, {});
}

void throw_flatten_order(Index start_axis, Index end_axis, const Dims& shape) {
  throw ShapeError(message("flatten: start axis ", start_axis, " must not come after end axis ", end_axis,
                           " (shape ", shape, ")"),
                   shape, shape);
}

}  // namespace detail
}  // namespace tenstride
