// SPDX-License-Identifier: Apache-2.0
#include "io/chunks/chunk_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/message.hpp"
#include "tenstride/text.hpp"

namespace tenstride::io {
namespace {

/// A request for a run of a flat side costs as much as so many bytes.
constexpr double run_cost_nbytes = 16384;
/// Reads and writes of flat sides are this long, so that several threads have some.
constexpr double flat_chunk_nbytes = 8 << 20;

/// What a plan may choose along one axis of the destination.
struct AxisChoices {
  std::vector<Index> extents;
  /// For each of them: chunks of the source that all tiles along the axis touch, and the tiles.
  std::vector<double> touched;
  std::vector<double> tiles;
};

class Planner {
 public:
  Planner(const ChunkProblem& problem) : problem_(problem) {
    for (std::size_t axis = 0; axis < shape().size(); ++axis) choices_.push_back(choices_of(axis));
  }

  /// The best tile of at most `nbytes` of units; false where there is none.
  bool choose(double nbytes, Dims& tile, double& cost) const {
    cost = HUGE_VAL;
    for_each_tile([&](const Dims& candidate, double found) {
      const double size = tile_nbytes(candidate);
      if (size > nbytes) return;
      // Of equal ones the smaller: more of them overlap.
      if (found < cost * (1 - 1e-9) || (found <= cost && size < tile_nbytes(tile))) {
        cost = found;
        tile = candidate;
      }
    });
    return cost < HUGE_VAL;
  }

  /// Calls `visit(tile, cost)` for all tiles that are considered.
  template <class Visit>
  void for_each_tile(const Visit& visit) const {
    std::vector<std::size_t> at(choices_.size(), 0);
    Dims candidate = shape();
    for (;;) {
      for (std::size_t axis = 0; axis < at.size(); ++axis) candidate[axis] = choices_[axis].extents[at[axis]];
      visit(candidate, cost_of(at, candidate));
      std::size_t axis = at.size();
      while (axis > 0 && ++at[axis - 1] == choices_[axis - 1].extents.size()) at[--axis] = 0;
      if (axis == 0) return;
    }
  }

  /// The tiles of at most `nbytes` that need the fewest bytes, or not many more, largest first; `count` of
  /// them.
  [[nodiscard]] std::vector<Dims> good_tiles(double nbytes, std::size_t count) const {
    Dims best;
    double cost = 0;
    std::vector<std::pair<double, Dims>> found;
    if (!choose(nbytes, best, cost)) return {};
    for_each_tile([&](const Dims& tile, double own) {
      if (tile_nbytes(tile) <= nbytes && own <= 1.1 * cost) found.emplace_back(tile_nbytes(tile), tile);
    });
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Dims> tiles;
    for (std::size_t i = 0; i < std::min(count, found.size()); ++i) tiles.push_back(found[i].second);
    return tiles;
  }

  [[nodiscard]] double tile_nbytes(const Dims& tile) const {
    double nbytes = static_cast<double>(problem_.dst.item);
    for (const Index extent : tile) nbytes *= static_cast<double>(extent);
    return nbytes;
  }
  [[nodiscard]] double decoded_nbytes(const Dims& tile) const {
    double chunks = 1;
    for (std::size_t axis = 0; axis < tile.size(); ++axis) chunks *= touched_by(axis, tile[axis]);
    return chunks * src_chunk_nbytes();
  }
  [[nodiscard]] double src_chunk_nbytes() const {
    if (problem_.src.is_flat) return static_cast<double>(problem_.src.item);
    double nbytes = static_cast<double>(problem_.src.item);
    for (const Index extent : problem_.src.grid.chunk) nbytes *= static_cast<double>(extent);
    return nbytes;
  }
  [[nodiscard]] Index unit(std::size_t axis) const {
    return problem_.dst.is_flat ? 1 : std::max<Index>(1, problem_.dst.grid.chunk[axis]);
  }

 private:
  [[nodiscard]] const Dims& shape() const { return problem_.dst.grid.shape; }

  /// Indices of the destination's axis that a chunk of the source has.
  [[nodiscard]] Index chunk_extent(std::size_t axis) const {
    const AxisMap::Axis& from = problem_.map.axes[axis];
    if (problem_.src.is_flat || !from.source) return 1;
    return ceil_divide(problem_.src.grid.chunk[*from.source], std::abs(from.step));
  }

  /// Doubled from a unit on, and from what a chunk of the source has of the axis; always all of the axis.
  [[nodiscard]] AxisChoices choices_of(std::size_t axis) const {
    const Index size = std::max<Index>(1, shape()[axis]), step = unit(axis);
    const Index whole = ceil_divide(size, step) * step;
    std::vector<Index> extents{whole};
    const Index chunk = chunk_extent(axis);
    for (const Index begin : {step, ceil_divide(chunk, step) * step, std::lcm(chunk, step)}) {
      for (Index extent = begin; extent < whole; extent *= 2) extents.push_back(extent);
    }
    std::sort(extents.begin(), extents.end());
    extents.erase(std::unique(extents.begin(), extents.end()), extents.end());
    AxisChoices choices;
    choices.extents = extents;
    for (const Index extent : extents) {
      choices.touched.push_back(touched_by(axis, extent));
      choices.tiles.push_back(static_cast<double>(ceil_divide(size, extent)));
    }
    return choices;
  }

  /// Chunks of the source along the axis, once for each tile that touches them.
  [[nodiscard]] double touched_by(std::size_t axis, Index extent) const {
    const AxisMap::Axis& from = problem_.map.axes[axis];
    const Index size = shape()[axis];
    if (!from.source) return static_cast<double>(ceil_divide(size, extent));
    if (problem_.src.is_flat) return static_cast<double>(size);
    const Index chunk = problem_.src.grid.chunk[*from.source], first = problem_.map.first[*from.source];
    double touched = 0;
    for (Index begin = 0; begin < size; begin += extent) {
      const Index a = first + from.step * begin;
      const Index b = first + from.step * (std::min(size, begin + extent) - 1);
      touched += static_cast<double>(std::max(a, b) / chunk - std::min(a, b) / chunk + 1);
    }
    return touched;
  }

  /// Elements of a tile that lie one after the other in a flat side. `axis_of`: the tile's axis of one of the
  /// side's.
  template <class AxisOf>
  [[nodiscard]] static double run_of(const ChunkSide& side, const Dims& tile, const AxisOf& axis_of) {
    double run = 1;
    for (const Index own : side.fastest) {
      const auto axis = static_cast<std::size_t>(own);
      const Index extent = axis_of(axis, tile);
      run *= static_cast<double>(extent);
      if (extent < side.grid.shape[axis]) break;
    }
    return run;
  }

  [[nodiscard]] double cost_of(const std::vector<std::size_t>& at, const Dims& tile) const {
    double chunks = 1, tiles = 1;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      chunks *= choices_[axis].touched[at[axis]];
      tiles *= choices_[axis].tiles[at[axis]];
    }
    double cost = chunks * src_chunk_nbytes();
    const double elements = tiles * tile_nbytes(tile) / static_cast<double>(problem_.dst.item);
    if (!problem_.src.fastest.empty()) {
      const double run = run_of(problem_.src, tile, [&](std::size_t axis, const Dims& extents) -> Index {
        for (std::size_t d = 0; d < problem_.map.axes.size(); ++d) {
          if (problem_.map.axes[d].source == axis) return extents[d] * std::abs(problem_.map.axes[d].step);
        }
        return 1;
      });
      cost += elements / run * run_cost_nbytes;
    }
    if (!problem_.dst.fastest.empty()) {
      const double run =
          run_of(problem_.dst, tile, [](std::size_t axis, const Dims& extents) { return extents[axis]; });
      cost += elements / run * run_cost_nbytes;
    }
    return cost;
  }

  const ChunkProblem& problem_;
  std::vector<AxisChoices> choices_;
};

/// A flat side is read and written in parts of a tile: cut along its slowest axes until they are short
/// enough.
Dims flat_part(const ChunkSide& side, Dims box) {
  const auto nbytes = [&] {
    double product = static_cast<double>(side.item);
    for (const Index extent : box) product *= static_cast<double>(extent);
    return product;
  };
  for (std::size_t i = side.fastest.size(); i-- > 0 && nbytes() > flat_chunk_nbytes;) {
    Index& extent = box[static_cast<std::size_t>(side.fastest[i])];
    const double rest = nbytes() / static_cast<double>(extent);
    extent = std::clamp<Index>(static_cast<Index>(flat_chunk_nbytes / rest), 1, extent);
  }
  return box;
}

/// The box of the source that a tile needs, at most.
Dims source_box(const ChunkProblem& problem, const Dims& tile) {
  Dims box = Dims::filled(problem.src.grid.shape.size(), 1);
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const AxisMap::Axis& from = problem.map.axes[d];
    if (!from.source) continue;
    box[*from.source] =
        std::min(problem.src.grid.shape[*from.source], (tile[d] - 1) * std::abs(from.step) + 1);
  }
  return box;
}

double volume(const Dims& extents, Index item) {
  double product = static_cast<double>(item);
  for (const Index extent : extents) product *= static_cast<double>(extent);
  return product;
}

}  // namespace

std::optional<ChunkPlan> plan_chunks(const ChunkProblem& problem, std::uint64_t memory,
                                     std::uint64_t& least) {
  const Planner planner(problem);
  const auto threads = static_cast<double>(problem.threads);
  const double chunk = problem.src.is_flat ? flat_chunk_nbytes : planner.src_chunk_nbytes();
  const double beside = threads * (chunk + static_cast<double>(problem.scratch_nbytes));
  const double room = static_cast<double>(memory) - beside;
  ChunkPlan plan;
  double all = 0, half = 0;
  Dims whole_tile;
  if (room <= 0 || !planner.choose(room, whole_tile, all)) {
    Dims unit = problem.dst.grid.shape;
    for (std::size_t d = 0; d < unit.size(); ++d) unit[d] = planner.unit(d);
    least = static_cast<std::uint64_t>(beside + planner.tile_nbytes(unit)) + 1;
    return std::nullopt;
  }
  // With two tiles at once one is written while the next is read: worth half as many bytes more.
  const bool overlaps = planner.choose(room / 2, plan.tile, half) && half <= 1.5 * all;
  if (!overlaps) plan.tile = whole_tile;
  plan.tiles = 1;
  double needed = static_cast<double>(problem.dst.item);
  for (std::size_t d = 0; d < plan.tile.size(); ++d) {
    const Index size = problem.dst.grid.shape[d];
    plan.tiles *= ceil_divide(size, plan.tile[d]);
    needed *= static_cast<double>(size);
  }
  plan.decoded_nbytes = planner.decoded_nbytes(plan.tile);
  const double source_nbytes =
      needed / static_cast<double>(problem.dst.item) * static_cast<double>(problem.src.item);
  plan.repetition = source_nbytes > 0 ? plan.decoded_nbytes / source_nbytes : 1;
  plan.src_chunk =
      problem.src.is_flat ? flat_part(problem.src, source_box(problem, plan.tile)) : problem.src.grid.chunk;
  plan.dst_unit = problem.dst.is_flat ? flat_part(problem.dst, plan.tile) : problem.dst.grid.chunk;
  plan.units_nbytes = static_cast<std::uint64_t>(std::min(
      room, std::max(planner.tile_nbytes(plan.tile), volume(problem.dst.grid.shape, problem.dst.item))));
  plan.memory = static_cast<std::uint64_t>(
      std::min(static_cast<double>(memory), beside + static_cast<double>(plan.units_nbytes)));
  return plan;
}

std::optional<TwoPasses> plan_two_passes(const ChunkProblem& problem, std::uint64_t memory) {
  constexpr std::size_t max_candidates = 200;
  // Between the passes elements have the smaller of both types.
  const Index item = std::min(problem.src.item, problem.dst.item);
  ChunkProblem first = problem, second = problem;
  first.dst = {{problem.dst.grid.shape, {}}, item, true, {}};
  second.src = {{problem.dst.grid.shape, {}}, item, true, {}};
  second.map = identity_map(problem.dst.grid.shape.size());
  // What a slot takes beside the tiles is not known yet: an eighth is left for it.
  const double beside = static_cast<double>(problem.threads) * static_cast<double>(problem.scratch_nbytes);
  const double room = 0.875 * (static_cast<double>(memory) - beside);
  const Planner first_planner(first), second_planner(second);
  const double chunk = static_cast<double>(problem.threads) * first_planner.src_chunk_nbytes();
  const std::vector<Dims> first_tiles = first_planner.good_tiles(room - chunk, max_candidates);
  const std::vector<Dims> second_tiles = second_planner.good_tiles(room, max_candidates);
  TwoPasses best;
  double largest = 0;
  for (const Dims& a : first_tiles) {
    for (const Dims& b : second_tiles) {
      Dims common = a;
      for (std::size_t d = 0; d < a.size(); ++d) common[d] = std::gcd(a[d], b[d]);
      const double nbytes = volume(common, item);
      if (nbytes <= largest) continue;
      largest = nbytes;
      best.chunk = common;
      best.first.tile = a;
      best.second.tile = b;
    }
  }
  if (largest == 0) return std::nullopt;
  const auto complete = [&](ChunkPlan& plan, const Planner& planner, const ChunkSide& src, const Dims& unit,
                            Index dst_item) {
    plan.tiles = 1;
    for (std::size_t d = 0; d < plan.tile.size(); ++d) {
      plan.tiles *= ceil_divide(problem.dst.grid.shape[d], plan.tile[d]);
    }
    plan.decoded_nbytes = planner.decoded_nbytes(plan.tile);
    plan.src_chunk = src.grid.chunk;
    plan.dst_unit = unit;
    plan.units_nbytes = static_cast<std::uint64_t>(std::max(
        volume(plan.tile, dst_item), std::min(room - chunk, volume(problem.dst.grid.shape, dst_item))));
    plan.memory = memory;
  };
  complete(best.first, first_planner, problem.src, best.chunk, item);
  complete(best.second, second_planner, {{problem.dst.grid.shape, best.chunk}, item}, problem.dst.grid.chunk,
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
