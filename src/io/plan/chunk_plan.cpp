// SPDX-License-Identifier: Apache-2.0
#include "io/plan/chunk_plan.hpp"

#include <algorithm>
#include <numeric>

#include "base/message.hpp"
#include "io/plan/boxes.hpp"
#include "io/plan/tile_choice.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::io {
namespace {

/// Reads and writes of flat sides are this long, so that several threads have some.
constexpr double flat_chunk_nbytes = 8 << 20;

/// A flat side is read and written in parts of a tile: cut along its slowest axes until they are short
/// enough.
Dims flat_part(const ChunkSide& side, Dims box) {
  for (std::size_t i = side.fastest.size(); i-- > 0 && box_nbytes(box, side.item) > flat_chunk_nbytes;) {
    Index& extent = box[static_cast<std::size_t>(side.fastest[i])];
    const double rest = box_nbytes(box, side.item) / static_cast<double>(extent);
    extent = std::clamp<Index>(static_cast<Index>(flat_chunk_nbytes / rest), 1, extent);
  }
  return box;
}

/// The box of the source that a tile needs, at most.
Dims source_box(const ChunkProblem& problem, const Dims& tile) {
  Dims box = Dims::filled(problem.src.grid.shape.size(), 1);
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const IndexMap::Axis& from = problem.map.axes[d];
    if (!from.source) continue;
    box[*from.source] =
        std::min(problem.src.grid.shape[*from.source], (tile[d] - 1) * std::abs(from.step) + 1);
  }
  return box;
}

}  // namespace

std::optional<ChunkPlan> plan_chunks(const ChunkProblem& problem, std::uint64_t memory,
                                     std::uint64_t& least) {
  const TileChoices choices(problem);
  const auto threads = static_cast<double>(problem.threads);
  const double chunk = problem.src.is_flat ? flat_chunk_nbytes : choices.src_chunk_nbytes();
  const double beside = threads * (chunk + static_cast<double>(problem.scratch_nbytes));
  const double room = static_cast<double>(memory) - beside;
  std::optional<TileChoice> chosen = room > 0 ? choices.cheapest(room) : std::nullopt;
  if (!chosen) {
    Dims unit = problem.dst.grid.shape;
    for (std::size_t d = 0; d < unit.size(); ++d) unit[d] = choices.unit(d);
    least = static_cast<std::uint64_t>(beside + box_nbytes(unit, problem.dst.item)) + 1;
    return std::nullopt;
  }
  // With half the memory for a tile one is written while the next is read: worth half as many bytes more.
  std::optional<TileChoice> half = choices.cheapest(room / 2);
  if (half && half->cost <= 1.5 * chosen->cost) chosen = std::move(half);
  ChunkPlan plan;
  plan.tile = chosen->tile;
  plan.order = chosen->order;
  plan.tiles = 1;
  double needed = static_cast<double>(problem.dst.item);
  for (std::size_t d = 0; d < plan.tile.size(); ++d) {
    const Index size = problem.dst.grid.shape[d];
    plan.tiles *= ceil_divide(size, plan.tile[d]);
    needed *= static_cast<double>(size);
  }
  plan.decoded_nbytes = choices.decoded_nbytes(plan.tile);
  const double source_nbytes =
      needed / static_cast<double>(problem.dst.item) * static_cast<double>(problem.src.item);
  plan.repetition = source_nbytes > 0 ? plan.decoded_nbytes / source_nbytes : 1;
  plan.src_chunk =
      problem.src.is_flat ? flat_part(problem.src, source_box(problem, plan.tile)) : problem.src.grid.chunk;
  plan.dst_unit = problem.dst.is_flat ? flat_part(problem.dst, plan.tile) : problem.dst.grid.chunk;
  plan.units_nbytes = static_cast<std::uint64_t>(
      std::min(room, std::max(chosen->open_nbytes, box_nbytes(problem.dst.grid.shape, problem.dst.item))));
  plan.memory = static_cast<std::uint64_t>(
      std::min(static_cast<double>(memory), beside + static_cast<double>(plan.units_nbytes)));
  return plan;
}

std::optional<TwoPasses> plan_two_passes(const ChunkProblem& problem, std::uint64_t memory) {
  constexpr std::size_t max_candidates = 200;
  const Index smaller = std::min(problem.src.item, problem.dst.item);
  const Index item = problem.between_item == 0 ? smaller : problem.between_item;
  ChunkProblem first = problem, second = problem;
  first.dst = {{problem.dst.grid.shape, {}}, item, true, {}};
  second.src = {{problem.dst.grid.shape, {}}, item, true, {}};
  second.map = IndexMap::identity(problem.dst.grid.shape.size());
  // What a slot takes beside the tiles is not known yet: an eighth is left for it.
  const double beside = static_cast<double>(problem.threads) * static_cast<double>(problem.scratch_nbytes);
  const double room = 0.875 * (static_cast<double>(memory) - beside);
  const TileChoices first_choices(first), second_choices(second);
  const double chunk = static_cast<double>(problem.threads) * first_choices.src_chunk_nbytes();
  const std::vector<Dims> first_tiles = first_choices.large_ones(room - chunk, max_candidates);
  const std::vector<Dims> second_tiles = second_choices.large_ones(room, max_candidates);
  TwoPasses best;
  double largest = 0;
  for (const Dims& a : first_tiles) {
    for (const Dims& b : second_tiles) {
      Dims common = a;
      for (std::size_t d = 0; d < a.size(); ++d) common[d] = std::gcd(a[d], b[d]);
      const double nbytes = box_nbytes(common, item);
      if (nbytes <= largest) continue;
      largest = nbytes;
      best.chunk = common;
      best.first.tile = a;
      best.second.tile = b;
    }
  }
  if (largest == 0) return std::nullopt;
  const auto complete = [&](ChunkPlan& plan, const TileChoices& choices, const ChunkSide& src,
                            const Dims& unit, Index dst_item) {
    plan.tiles = 1;
    for (std::size_t d = 0; d < plan.tile.size(); ++d) {
      plan.tiles *= ceil_divide(problem.dst.grid.shape[d], plan.tile[d]);
    }
    plan.decoded_nbytes = choices.decoded_nbytes(plan.tile);
    plan.src_chunk = src.grid.chunk;
    plan.dst_unit = unit;
    plan.units_nbytes = static_cast<std::uint64_t>(
        std::max(box_nbytes(plan.tile, dst_item),
                 std::min(room - chunk, box_nbytes(problem.dst.grid.shape, dst_item))));
    plan.memory = memory;
  };
  complete(best.first, first_choices, problem.src, best.chunk, item);
  complete(best.second, second_choices, {{problem.dst.grid.shape, best.chunk}, item}, problem.dst.grid.chunk,
           problem.dst.item);
  return best;
}

std::string to_string(const ChunkPlan& plan) {
  return tenstride::detail::message(
      "chunks  ", plan.tiles, plan.tiles == 1 ? " tile" : " tiles", " of ", plan.tile, ", units of ",
      plan.dst_unit, "; ", bytes_to_text(static_cast<Index>(plan.decoded_nbytes)), " decoded from chunks of ",
      plan.src_chunk, ", ", bytes_to_text(static_cast<Index>(plan.memory)), " of memory\n");
}

}  // namespace tenstride::io
