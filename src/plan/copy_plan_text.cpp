// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>

#include "plan/strategy_text.hpp"
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

std::string loops_text(const CopyPlan& plan) {
  std::size_t extent_width = 0;
  std::size_t dst_width = 0;
  std::size_t src_width = 0;
  for (const CopyLoop& loop : plan.loops) {
    extent_width = std::max(extent_width, std::to_string(loop.extent).size());
    dst_width = std::max(dst_width, std::to_string(loop.dst_stride).size());
    src_width = std::max(src_width, std::to_string(loop.src_stride).size());
  }
  const bool is_tiled = plan.tile_dst != 0;
  const std::size_t destination_loop = plan.transposes() ? plan.strip_loop : plan.loops.size() - 1;
  const bool is_scaled_per_index = plan.scale.size() > 1 || plan.shift.size() > 1;
  std::string text;
  for (std::size_t d = 0; d < plan.loops.size(); ++d) {
    const CopyLoop& loop = plan.loops[d];
    std::string line = "\n  loop " + std::to_string(d) + "   " +
                       pad(std::to_string(loop.extent), extent_width) + "  dst stride " +
                       pad(std::to_string(loop.dst_stride), dst_width) + "  src stride " +
                       pad(std::to_string(loop.src_stride), src_width);
    if (is_tiled && d <= plan.source_loop && plan.source_loop < d + plan.source_loops) line += "  source run";
    if (d >= destination_loop && plan.kernel != CopyKernel::strided) line += "  destination run";
    if (is_scaled_per_index && d == plan.scale_loop) line += "  scaled";
    line.erase(line.find_last_not_of(' ') + 1);
    text += line;
  }
  return text;
}

}  // namespace

std::string_view name(CopyKernel kernel) {
  switch (kernel) {
    case CopyKernel::nothing:
      return "nothing";
    case CopyKernel::memcpy:
      return "memcpy";
    case CopyKernel::rows:
      return "rows";
    case CopyKernel::fill:
      return "fill";
    case CopyKernel::gather:
      return "gather";
    case CopyKernel::tile:
      return "tile";
    case CopyKernel::interleave:
      return "interleave";
    case CopyKernel::deinterleave:
      return "deinterleave";
    case CopyKernel::strided:
      return "strided";
  }
  return "nothing";
}

std::string_view CopyPlan::method() const {
  const bool is_by_kernel = std::holds_alternative<Contiguous>(strategy) ||
                            std::holds_alternative<RowLoops>(strategy) ||
                            std::holds_alternative<Tiles>(strategy);
  return is_by_kernel ? tenstride::name(kernel) : strategy_names[strategy.index()];
}

std::string CopyPlan::to_string() const {
  if (count == 0) return "copy 0 elements";
  const auto bytes = [this](DType type) { return bytes_text(count * static_cast<Index>(item_size(type))); };
  std::string text = "copy " + std::to_string(count) + (count == 1 ? " element " : " elements ");
  text += std::string(tenstride::name(src_type)) + " -> " + std::string(tenstride::name(dst_type)) + ", " +
          bytes(src_type) + " -> " + bytes(dst_type);
  text += "\n  kernel   " + std::string(tenstride::name(kernel));
  if (tile_dst != 0) text += " " + std::to_string(tile_dst) + " x " + std::to_string(tile_src);
  if (item_elements != 1) text += ", items of " + std::to_string(item_elements) + " elements";
  if (conjugation == Conjugation::conjugate) text += ", conjugated";
  if (negation != Negation::none) text += ", negated";
  if (conversion == CopyConversion::scale) {
    text += ", times " + number_text(scale, "1") + " plus " + number_text(shift, "0");
  }
  text += streaming ? ", streaming stores" : ", ordinary stores";
  text += threads == 1   ? ", one thread"
          : threads == 0 ? ", threads"
                         : ", at most " + std::to_string(threads) + " threads";
  text += "\n  offset   dst " + std::to_string(dst_offset) + ", src " + std::to_string(src_offset);
  text += loops_text(*this);
  const std::string compared = detail::costs_text(costs);
  return compared.empty() ? text : text + "\n  costs    " + compared;
}

}  // namespace tenstride
