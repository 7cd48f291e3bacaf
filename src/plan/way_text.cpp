// SPDX-License-Identifier: Apache-2.0
#include "plan/way_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "base/message.hpp"

namespace tenstride::detail {
namespace {

std::string_view text_of(RowMethod method) {
  switch (method) {
    case RowMethod::together:
      return "many rows by one call";
    case RowMethod::collected:
      return "rows collected in the L1 cache and streamed";
    case RowMethod::alternating:
      return "pieces of several rows streamed alternately";
    case RowMethod::single:
      return "row by row";
    case RowMethod::converted:
      return "row by row, converted";
  }
  return {};
}

std::string_view text_of(TileMethod method) {
  switch (method) {
    case TileMethod::straight:
      return "straight into the destination";
    case TileMethod::lines:
      return "whole lines streamed from registers";
    case TileMethod::panels:
      return "long rows transposed straight to memory";
    case TileMethod::joined:
      return "columns joined in a buffer and written as one run";
    case TileMethod::blocks:
      return "through a buffer";
  }
  return {};
}

std::string_view text_of(TileKernel kernel) {
  switch (kernel) {
    case TileKernel::transpose:
      return "transposed";
    case TileKernel::interleave:
      return "interleaved";
    case TileKernel::deinterleave:
      return "deinterleaved";
  }
  return {};
}

std::string_view text_of(CacheMethod method) {
  switch (method) {
    case CacheMethod::items:
      return "item by item";
    case CacheMethod::rows:
      return "row by row";
    case CacheMethod::gathered:
      return "gathered by a table";
    case CacheMethod::tiles:
      return "tiles transposed in registers";
    case CacheMethod::interleaved:
      return "matrices interleaved";
    case CacheMethod::deinterleaved:
      return "matrices deinterleaved";
    case CacheMethod::pixels:
      return "pixels transposed";
  }
  return {};
}

struct Text {
  const CopyPlan& plan;

  std::string operator()(const Contiguous& /*way*/) const { return "one run"; }

  std::string operator()(const RowByRow& rows) const {
    if (rows.times == 1) return std::string(text_of(rows.method));
    return message(text_of(rows.method), ", each ", rows.times, " times");
  }

  std::string operator()(const RepeatedRows& rows) const {
    return message("rows of ", rows.row / static_cast<Index>(item_size(plan.conversion.dst_type)),
                   " elements, each packed once in a cache and written ", plan.nest[rows.loop].extent,
                   " times");
  }

  std::string operator()(const RowScatter& scatter) const {
    return message("rows of ", plan.nest.inner().extent * plan.nest.dst_item,
                   " bytes read in the source's order and scattered by streaming stores",
                   scatter.has_partial_lines ? ", partial lines joined in a buffer" : "");
  }

  std::string operator()(const Tiles& tiles) const {
    return message(text_of(tiles.kernel), ", ", text_of(tiles.method),
                   tiles.has_partial_lines ? ", partial lines kept from strip to strip" : "",
                   tiles.prefetches_near ? ", lines prefetched near each row" : "");
  }

  std::string operator()(const CachedTiles& cached) const {
    return message(text_of(cached.method), ", within the caches");
  }

  std::string operator()(const Small& small) const {
    if (small.converts) return "packed in a buffer, converted by one call";
    return std::string(text_of(small.method));
  }

  std::string operator()(const Blocks& blocks) const {
    std::string text = "in blocks of ";
    for (std::size_t d = 0; d < blocks.nest.size(); ++d)
      text += (d == 0 ? "" : " x ") + std::to_string(blocks.extents[d]);
    return text.append(", ")
        .append(packing_names[static_cast<std::size_t>(blocks.packing)])
        .append(blocks.block_stores == BlockStores::burst ? ", written in bursts" : "");
  }
};

struct Size {
  template <class Way>
  std::string operator()(const Way& /*way*/) const {
    return {};
  }
  std::string operator()(const Tiles& tiles) const {
    return message(" ", tiles.tile_dst, " x ", tiles.tile_src);
  }
  std::string operator()(const Channels& channels) const {
    return (*this)(static_cast<const Tiles&>(channels));
  }
};

}  // namespace

std::string size_text(const CopyPlan& plan) {
  return std::visit(Size{}, plan.way);
}

std::string way_text(const CopyPlan& plan) {
  return std::visit(Text{plan}, plan.way);
}

std::vector<NamedCost> sorted_costs(const WayCosts& costs) {
  std::vector<NamedCost> all;
  constexpr std::size_t blocks = way_names.size() - 2;
  for (std::size_t i = 0; i < blocks; ++i) {
    if (costs.ways[i] > 0) all.push_back({std::string(way_names[i]), costs.ways[i]});
  }
  for (std::size_t p = 0; p < packing_names.size(); ++p) {
    if (costs.packings[p] > 0)
      all.push_back({message(way_names[blocks], ", ", packing_names[p]), costs.packings[p]});
  }
  std::sort(all.begin(), all.end(), [](const NamedCost& a, const NamedCost& b) { return a.cost < b.cost; });
  return all;
}

std::string costs_text(const WayCosts& costs) {
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
