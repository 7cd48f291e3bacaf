// SPDX-License-Identifier: Apache-2.0
#include "plan/strategy_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "base/message.hpp"
#include "plan/nest.hpp"

namespace tenstride::detail {
namespace {

/// By Packing.
constexpr std::array<std::string_view, 4> packings{"transposed", "row by row", "permuted", "gathered"};

struct Text {
  const CopyPlan& plan;

  template <class Strategy>
  std::string operator()(const Strategy& /*strategy*/) const {
    return {};
  }

  std::string operator()(const RepeatedRows& rows) const {
    return message("rows of ", rows.elements, " elements, each packed once in a cache and written ",
                   plan.loops[rows.loop].extent, " times");
  }

  std::string operator()(const RowScatter& scatter) const {
    const Index row = plan.loops[plan.loops.size() - 1].extent * plan.item_elements *
                      static_cast<Index>(item_size(plan.dst_type));
    return message("rows of ", row, " bytes read in the source's order and scattered by streaming stores",
                   scatter.has_partial_lines ? ", partial lines joined in a buffer" : "");
  }

  std::string operator()(const CachedTiles& /*strategy*/) const {
    return "directly into the destination, within the caches";
  }

  std::string operator()(const PipelinedBlocks& blocks) const {
    const std::optional<Nest> nest = nest_of(plan);
    std::string text = "in pipelined blocks of ";
    for (std::size_t d = 0; d < nest->count; ++d)
      text += (d == 0 ? "" : " x ") + std::to_string(blocks.extents[d]);
    return text.append(", ")
        .append(packings[static_cast<std::size_t>(blocks.packing)])
        .append(blocks.stores == BlockStores::burst ? ", written in bursts" : "");
  }
};

}  // namespace

std::string strategy_text(const CopyPlan& plan) {
  return std::visit(Text{plan}, plan.strategy);
}

std::vector<NamedCost> sorted_costs(const StrategyCosts& costs) {
  std::vector<NamedCost> all;
  constexpr std::size_t blocks = strategy_names.size() - 1;
  for (std::size_t i = 0; i < blocks; ++i) {
    if (costs.strategies[i] > 0) all.push_back({std::string(strategy_names[i]), costs.strategies[i]});
  }
  for (std::size_t p = 0; p < packings.size(); ++p) {
    if (costs.packings[p] > 0)
      all.push_back({message(strategy_names[blocks], ", ", packings[p]), costs.packings[p]});
  }
  std::sort(all.begin(), all.end(), [](const NamedCost& a, const NamedCost& b) { return a.cost < b.cost; });
  return all;
}

std::string costs_text(const StrategyCosts& costs) {
  const std::vector<NamedCost> all = sorted_costs(costs);
  if (all.size() < 2) return {};
  std::string text;
  for (const NamedCost& one : all) {
    std::array<char, 32> figure{};
    std::snprintf(figure.data(), figure.size(), " %.2f", one.cost);
    text.append(text.empty() ? "" : ", ").append(one.name).append(figure.data());
  }
  return text + " times a plain copy";
}

}  // namespace tenstride::detail
