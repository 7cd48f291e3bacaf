// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>

#include "base/message.hpp"
#include "plan/way_text.hpp"
#include "plan/ways/grids.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride {
namespace {

std::string bytes_text(Index bytes) {
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + " " + std::string(units[unit]);
}

std::string number_text(const std::vector<double>& numbers, std::string_view none) {
  if (numbers.empty()) return std::string(none);
  if (numbers.size() > 1) return "[" + std::to_string(numbers.size()) + "]";
  std::string text = std::to_string(numbers[0]);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string pad(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

/// The loops that the way calls its runs.
struct Runs {
  /// The source run: loops [source, source_end). None where the way has no such run.
  std::size_t source = 0;
  std::size_t source_end = 0;
  /// The first loop of the destination run.
  std::size_t destination = no_loop;
};

Runs runs_of(const CopyPlan& plan) {
  const auto of = [](const Tiles& tiles) {
    return Runs{tiles.source_loop + 1 - tiles.source_loops, tiles.source_loop + 1, tiles.strip_loop};
  };
  if (const auto* tiles = std::get_if<Tiles>(&plan.way)) return of(*tiles);
  if (const auto* channels = std::get_if<Channels>(&plan.way)) return of(*channels);
  if (plan.nest.inner().dst_stride != plan.nest.dst_item) return {};
  return {0, 0, plan.nest.size() - 1};
}

std::string loops_text(const CopyPlan& plan, const Nest& nest) {
  std::size_t extent_width = 0;
  std::size_t dst_width = 0;
  std::size_t src_width = 0;
  for (const Loop& loop : nest.loops) {
    extent_width = std::max(extent_width, std::to_string(loop.extent).size());
    dst_width = std::max(dst_width, std::to_string(loop.dst_stride).size());
    src_width = std::max(src_width, std::to_string(loop.src_stride).size());
  }
  const Runs runs = runs_of(plan);
  std::string text =
      "\n  offset   dst " + std::to_string(nest.dst_offset) + ", src " + std::to_string(nest.src_offset);
  for (std::size_t d = 0; d < nest.size(); ++d) {
    const Loop& loop = nest[d];
    std::string line = "\n  loop " + std::to_string(d) + "   " +
                       pad(std::to_string(loop.extent), extent_width) + "  dst stride " +
                       pad(std::to_string(loop.dst_stride), dst_width) + "  src stride " +
                       pad(std::to_string(loop.src_stride), src_width);
    if (d >= runs.source && d < runs.source_end) line += "  source run";
    if (d >= runs.destination) line += "  destination run";
    if (d == nest.scaled_loop) line += "  scaled";
    line.erase(line.find_last_not_of(' ') + 1);
    text += line;
  }
  return text;
}

/// How the work is divided among threads. Example: "32 of 2 MiB, units along loop 0 by 1, loop 2 by 128".
std::string shares_text(const CopyPlan& plan) {
  const std::vector<Index> bytes = plan.share_bytes();
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  std::string text = detail::message(bytes.size(), " of ", bytes_text(*least));
  if (*least != *most) text += " to " + bytes_text(*most);
  const detail::Grid grid = detail::grid_of(plan);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const std::size_t number = grid.outermost() + i;
    text += detail::message(i == 0 ? ", units along loop " : ", loop ", grid.of(number), " by ",
                            grid.part(number));
  }
  return text;
}

std::string conversion_text(const Conversion& conversion) {
  std::string text;
  if (conversion.conjugation == Conjugation::conjugate) text += ", conjugated";
  if (conversion.negation != Negation::none) text += ", negated";
  if (conversion.kind == CopyConversion::scale) {
    text += ", times " + number_text(conversion.scale, "1") + " plus " + number_text(conversion.shift, "0");
  }
  return text;
}

}  // namespace

Stores CopyPlan::stores() const {
  return std::visit(
      []<class Way>(const Way& of) {
        if constexpr (requires { of.stores; }) {
          return of.stores;
        } else {
          return std::is_same_v<Way, RowScatter> ? Stores::streaming : Stores::ordinary;
        }
      },
      way);
}

std::string CopyPlan::name() const {
  const auto* const blocks = std::get_if<Blocks>(&way);
  if (blocks == nullptr) return std::string(method());
  return detail::message(method(), ", ", packing_names[static_cast<std::size_t>(blocks->packing)]);
}

Nest CopyPlan::in_elements() const {
  Nest result = std::visit(
      [this]<class Way>(const Way& of) {
        if constexpr (requires { of.nest; }) {
          return of.nest;
        } else {
          return nest;
        }
      },
      way);
  if (result.loops.empty()) return result;
  const auto dst_element = static_cast<Index>(item_size(conversion.dst_type));
  const auto src_element = static_cast<Index>(item_size(conversion.src_type));
  for (Loop& loop : result.loops) {
    loop.dst_stride /= dst_element;
    loop.src_stride /= src_element;
  }
  result.dst_offset /= dst_element;
  result.src_offset /= src_element;
  // Rows are told in elements, also where they are copied by larger items; blocks have extents in items.
  if (Loop& inner = result.loops.back(); !std::holds_alternative<Blocks>(way) &&
                                         inner.dst_stride == result.elements &&
                                         inner.src_stride == result.elements) {
    inner = {inner.extent * result.elements, 1, 1};
    result.elements = 1;
  }
  result.dst_item = result.src_item = result.elements;
  return result;
}

std::string CopyPlan::to_string() const {
  if (count == 0) return "copy 0 elements";
  const auto bytes = [this](DType type) {
    return bytes_text(saturating_multiply(count, static_cast<Index>(item_size(type))));
  };
  const DType src_type = conversion.src_type;
  const DType dst_type = conversion.dst_type;
  std::string text = "copy " + std::to_string(count) + (count == 1 ? " element " : " elements ");
  text += std::string(tenstride::name(src_type)) + " -> " + std::string(tenstride::name(dst_type)) + ", " +
          bytes(src_type) + " -> " + bytes(dst_type);
  text += "\n  way      " + std::string(method()) + detail::size_text(*this);
  const Nest visited = in_elements();
  if (visited.elements != 1) text += ", items of " + std::to_string(visited.elements) + " elements";
  text += conversion_text(conversion);
  text += stores() != Stores::ordinary ? ", streaming stores" : ", ordinary stores";
  text += threads == 1 ? ", one thread" : detail::message(", ", threads, " threads");
  if (nest.loops.empty()) return text + "\n  run      never: no memory holds such layouts";
  text += loops_text(*this, visited);
  if (threads > 1) text += "\n  shares   " + shares_text(*this);
  const std::string compared = detail::costs_text(costs);
  return compared.empty() ? text : text + "\n  costs    " + compared;
}

}  // namespace tenstride
