// SPDX-License-Identifier: Apache-2.0
#include "tenstride/reshape.hpp"

#include "message.hpp"

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

std::string price(const ViewObstacle& obstacle, std::size_t item_size) {
  const Index count = numel(obstacle.from);
  const std::optional<Index> bytes = try_multiply(count, static_cast<Index>(item_size));
  if (item_size == 0 || !bytes) return plural(count, "element");
  return detail::message(plural(count, "element"), " (", *bytes, " B)");
}

}  // namespace

std::string to_string(const ViewObstacle& obstacle, std::size_t item_size) {
  const Layout& from = obstacle.from;
  const std::size_t right = obstacle.right_axis;
  const bool has_merges = obstacle.groups.size() < from.rank();
  const std::string to = detail::to_text(obstacle.to);
  const std::string plain = detail::message("  fixes: .reshape", to);
  const std::string visible = detail::message("         .contiguous().view", to);
  const std::size_t width = std::max(plain.size(), visible.size()) + 2;
  std::string text =
      detail::message("  from   ", from.shape, ":", from.strides, "+", from.offset, "   to ", to, "\n");
  text += detail::message(
      "  axes ", obstacle.left_axis, " and ", right, " would merge, but a step along axis ",
      obstacle.left_axis, " moves ", plural(obstacle.stride_found, "element"), " and running through axis ",
      right, " moves ", from.shape[right], "*", from.strides[right], " = ", obstacle.stride_needed, "\n");
  text += detail::message("  free:  the axes group as", group_list(obstacle.groups), "; ",
                          has_merges ? "inside a group they may be split and merged, across groups not"
                                     : "each may be split, none may be merged",
                          "\n");
  text += plain + std::string(width - plain.size(), ' ') + "copies " + price(obstacle, item_size) +
          ", silently\n";
  text += visible + std::string(width - visible.size(), ' ') + "copies " + price(obstacle, item_size) +
          ", visibly";
  return text;
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
