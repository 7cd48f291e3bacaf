// SPDX-License-Identifier: Apache-2.0
#include "io/plan/chunk_plan.hpp"

#include <algorithm>
#include <numeric>

#include "io/plan/boxes.hpp"
#include "io/plan/tile_choice.hpp"

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

/// What a plan of so many passes is before their tiles are known.
TilePlan in_parts(const ChunkProblem& problem, std::size_t passes) {
  TilePlan plan;
  plan.problem.src = plan.problem.dst = plan.problem.positions = row_major(problem.dst.grid.shape);
  plan.problem.src_item = problem.src.item;
  plan.problem.dst_item = problem.dst.item;
  plan.is_in_parts = true;
  plan.map = problem.map;
  plan.threads = problem.threads;
  plan.passes.resize(passes);
  return plan;
}

/// Forecasts of any size: four of them can be added.
Index bytes_of(double nbytes) {
  return static_cast<Index>(std::min(nbytes, 2e18));
}

Index count_tiles(const Dims& shape, const Dims& tile) {
  return count_elements(tile_counts(shape, tile));
}

}  // namespace

double repetition(const TilePlan& plan) {
  const double needed = box_nbytes(plan.problem.src.shape, plan.problem.src_item);
  return needed > 0 ? static_cast<double>(plan.passes[0].read.bytes) / needed : 1;
}

std::optional<TilePlan> plan_chunks(const ChunkProblem& problem, std::uint64_t memory, std::uint64_t& least) {
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
  TilePlan plan = in_parts(problem, 1);
  const Dims& shape = problem.dst.grid.shape;
  TilePass& pass = plan.passes[0];
  pass.tile = chosen->tile;
  pass.order = chosen->order;
  pass.tiles = count_tiles(shape, pass.tile);
  pass.read.bytes = bytes_of(choices.decoded_nbytes(pass.tile));
  pass.write.bytes = bytes_of(box_nbytes(shape, problem.dst.item));
  pass.part =
      problem.src.is_flat ? flat_part(problem.src, source_box(problem, pass.tile)) : problem.src.grid.chunk;
  pass.unit = problem.dst.is_flat ? flat_part(problem.dst, pass.tile) : problem.dst.grid.chunk;
  pass.units_bytes =
      static_cast<Index>(std::min(room, std::max(chosen->open_nbytes, box_nbytes(shape, problem.dst.item))));
  plan.memory = static_cast<Index>(
      std::min(static_cast<double>(memory), beside + static_cast<double>(pass.units_bytes)));
  return plan;
}

std::optional<TilePlan> plan_two_passes(const ChunkProblem& problem, std::uint64_t memory) {
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
  const Dims& shape = problem.dst.grid.shape;
  TilePlan best = in_parts(problem, 2);
  double largest = 0;
  for (const Dims& a : first_tiles) {
    for (const Dims& b : second_tiles) {
      Dims common = a;
      for (std::size_t d = 0; d < a.size(); ++d) common[d] = std::gcd(a[d], b[d]);
      const double nbytes = box_nbytes(common, item);
      if (nbytes <= largest) continue;
      largest = nbytes;
      best.block = common;
      best.passes[0].tile = a;
      best.passes[1].tile = b;
    }
  }
  if (largest == 0) return std::nullopt;
  // Blocks at the end of an axis have whole slots.
  best.temporary_item = item;
  best.slot_bytes = static_cast<Index>(largest);
  best.temporary_bytes = bytes_of(largest * static_cast<double>(count_tiles(shape, best.block)));
  best.memory = static_cast<Index>(memory);
  const auto complete = [&](TilePass& pass, const Dims& part, const Dims& unit, Index dst_item) {
    pass.tiles = count_tiles(shape, pass.tile);
    pass.part = part;
    pass.unit = unit;
    pass.units_bytes = static_cast<Index>(
        std::max(box_nbytes(pass.tile, dst_item), std::min(room - chunk, box_nbytes(shape, dst_item))));
  };
  complete(best.passes[0], problem.src.grid.chunk, best.block, item);
  complete(best.passes[1], best.block, problem.dst.grid.chunk, problem.dst.item);
  best.passes[0].read.bytes = bytes_of(first_choices.decoded_nbytes(best.passes[0].tile));
  best.passes[0].write.bytes = best.passes[1].read.bytes = best.temporary_bytes;
  best.passes[1].write.bytes = bytes_of(box_nbytes(shape, problem.dst.item));
  return best;
}

}  // namespace tenstride::io
