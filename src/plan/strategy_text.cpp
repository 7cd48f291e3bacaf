// SPDX-License-Identifier: Apache-2.0
#include "plan/strategy_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/nest.hpp"

namespace tenstride::detail {
namespace {

/// By Packing.
constexpr std::array<std::string_view, 4> packings{"transposed", "row by row", "permuted", "gathered"};

}  // namespace

std::string pipelined_blocks_text(const PipelinedBlocks& strategy, const CopyPlan& plan) {
  const std::optional<Nest> nest = nest_of(plan);
  std::string text = "in pipelined blocks of ";
  for (std::size_t d = 0; d < nest->count; ++d)
    text += (d == 0 ? "" : " x ") + std::to_string(strategy.part[d]);
  return text.append(", ").append(packings[static_cast<std::size_t>(strategy.packing)]);
}

std::string costs_text(const StrategyCosts& costs) {
  std::vector<std::pair<double, std::string_view>> weighed;
  if (costs.loops > 0) weighed.emplace_back(costs.loops, "loops");
  for (std::size_t p = 0; p < packings.size(); ++p) {
    if (costs.blocks[p] > 0) weighed.emplace_back(costs.blocks[p], packings[p]);
  }
  std::sort(weighed.begin(), weighed.end());
  std::string text;
  for (const auto& [cost, name] : weighed) {
    std::array<char, 32> figure{};
    std::snprintf(figure.data(), figure.size(), " %.2f", cost);
    text.append(text.empty() ? "" : ", ").append(name).append(figure.data());
  }
  return text.empty() ? text : text + " times a plain copy";
}

}  // namespace tenstride::detail
