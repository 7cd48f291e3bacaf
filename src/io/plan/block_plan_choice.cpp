// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "io/plan/block_plan_parts.hpp"

/// Chooses the tiles of a plan by the time that they take.
namespace tenstride::detail {
namespace {

constexpr double infeasible = std::numeric_limits<double>::infinity();

/// Overhead of a tile beside its bytes and requests: threads wait for each other.
constexpr double seconds_per_tile = 2e-5;

/// The bytes in flight that keep a disk busy: measured on a virtio disk with requests of 112 KiB to 1 MiB.
constexpr double bytes_in_flight = 4e6;

/// The disk's speed while copies use processors and memory, as a share of its speed without them: seven
/// orders of 8 GB took 1.20 to 1.74 times the time of the requests alone, measured for a few seconds just
/// before.
constexpr double speed_beside_copies = 0.75;

/// The number of elements of a box.
double volume(const Dims& extents) {
  double product = 1;
  for (const Index extent : extents) product *= static_cast<double>(extent);
  return product;
}

/// Seconds of reading and writing at the same time, by `DiskRates::contention`.
double overlapped_seconds(double reading, double writing, double contention) {
  return std::max(reading, writing) + contention * std::min(reading, writing);
}

/// The model of one side of a pass: bytes and requests of all tiles, as if all were full.
struct ModelTraffic {
  double bytes = 0;
  double requests = 0;
};

ModelTraffic model_traffic(const FileRuns& runs, double tiles, Index item, const BlockBudget& budget,
                           Index longest) {
  const auto run = static_cast<double>(runs.span * item);
  const double count = static_cast<double>(runs.count()) * tiles;
  const double pieces = std::max(1.0, run / static_cast<double>(longest));
  return {count * (run + static_cast<double>(budget.page - 1)),
          count * std::max(pieces, run / static_cast<double>(budget.request_bytes))};
}

/// Searches for the fastest plan of a problem.
class Chooser {
 public:
  Chooser(BlockProblem problem, const BlockLimits& limits)
      : problem_(std::move(problem)), limits_(limits), budget_(budget_of(problem_, limits)) {}

  /// Whether any tile fits the memory.
  [[nodiscard]] bool has_tile() const {
    const std::vector<Dims> tiles = all_candidates();
    return std::any_of(tiles.begin(), tiles.end(),
                       [&](const Dims& tile) { return one_pass_seconds(tile) < infeasible; });
  }

  /// The fastest plan; nothing where not even the smallest tile fits.
  [[nodiscard]] std::optional<TilePlan> choose() const {
    const std::vector<Dims> tiles = all_candidates();
    Dims best;
    double fewest_seconds = infeasible;
    for (const Dims& tile : tiles) {
      const double seconds = one_pass_seconds(tile);
      if (seconds < fewest_seconds) {
        fewest_seconds = seconds;
        best = tile;
      }
    }
    if (fewest_seconds == infeasible) return std::nullopt;
    TilePlan plan;
    plan.problem = problem_;
    plan.page = budget_.page;
    plan.request_bytes = budget_.request_bytes;
    plan.requests_in_flight = budget_.requests_in_flight;
    std::optional<Pair> pair;
    if (limits_.max_passes > 1) pair = best_pair(tiles, fewest_seconds);
    if (pair) {
      fill_two(plan, *pair);
    } else {
      fill_one(plan, best);
    }
    for (const TilePass& pass : plan.passes) plan.seconds += pass.seconds;
    return plan;
  }

 private:
  struct Pair {
    Dims first;
    Dims second;
  };

  [[nodiscard]] std::vector<Dims> all_candidates() const {
    const Index item = std::max<Index>(problem_.src_item, 1);
    const Index max_elements = std::max<Index>(1, (budget_.memory - 2 * budget_.group_bytes) / (2 * item));
    Dims smallest = Dims::filled(problem_.src.rank(), 1);
    for (std::size_t d = 0; d < smallest.size(); ++d) {
      if (problem_.dst.strides[d] == 0) smallest[d] = problem_.src.shape[d];
    }
    std::vector<Dims> tiles{smallest};
    // Padding and kept pages take a part of the memory, a larger one where runs are short.
    for (const double share : {1.0, 0.9, 0.75, 0.5, 0.25, 0.1}) {
      const auto elements = static_cast<Index>(share * static_cast<double>(max_elements));
      const std::vector<Dims> candidates = tile_candidates(problem_, std::max<Index>(1, elements));
      tiles.insert(tiles.end(), candidates.begin(), candidates.end());
    }
    return tiles;
  }

  /// The most pages that are kept at the same time: where an axis is cut, each run that ends there shares a
  /// page with the next tile along the axis, and with the tile in which the axis begins again.
  [[nodiscard]] Index max_kept_pages(const Dims& tile) const {
    if (budget_.page == 1) return 0;
    Index pages = 64, outside = 1;
    for (std::size_t d = 0; d < tile.size(); ++d) {
      if (tile[d] < problem_.src.shape[d]) pages += 2 * outside;
      outside *= tile[d];
    }
    return pages;
  }

  [[nodiscard]] Index memory_of(const TileBuffer& buffer, Index item, Index pages) const {
    // A kept page has an entry of about 100 bytes that finds it.
    const bool has_pages = budget_.page > 1 && !buffer.runs.extents.empty();
    const Index bounce = has_pages ? budget_.requests_in_flight *
                                         bounce_slot_bytes(buffer, item, budget_.page, budget_.request_bytes)
                                   : 0;
    return 2 * buffer.nbytes + bounce + 2 * budget_.group_bytes + pages * (budget_.page + 128);
  }

  [[nodiscard]] double tiles_of(const Dims& tile) const { return volume(problem_.src.shape) / volume(tile); }

  /// Seconds of one side of a pass. Tiles so small that all their requests leave room for more in flight are
  /// slower, as the other threads wait for them.
  [[nodiscard]] double traffic_seconds(const ModelTraffic& side, double bytes_per_second,
                                       double tiles) const {
    const double busy = side.bytes / bytes_per_second + side.requests * limits_.disk.seconds_per_request;
    const double missing = std::min(bytes_in_flight * tiles / side.bytes,
                                    static_cast<double>(budget_.requests_in_flight) * tiles / side.requests);
    return busy * std::max(1.0, missing);
  }

  /// Seconds of a pass whose reading and writing overlap with each other and with the copies of other tiles.
  [[nodiscard]] double pass_seconds(const ModelTraffic& reads, const ModelTraffic& writes, double tiles,
                                    Index src_item, Index dst_item) const {
    const double read = traffic_seconds(reads, limits_.disk.read_bytes_per_second, tiles);
    const double written = traffic_seconds(writes, limits_.disk.write_bytes_per_second, tiles);
    const double elements = volume(problem_.src.shape);
    // The copy reads and writes each element once; the checksum reads it once more.
    const double copied =
        elements * static_cast<double>(src_item + 2 * dst_item) / limits_.copy_bytes_per_second;
    const double alone = 1 / std::max(tiles, 1.0);
    const double disk = (overlapped_seconds(read, written, limits_.disk.contention) * (1 - alone) +
                         (read + written) * alone) /
                        speed_beside_copies;
    return std::max(disk, copied) + std::min(disk, copied) * alone + tiles * seconds_per_tile;
  }

  [[nodiscard]] double one_pass_seconds(const Dims& tile) const {
    const TileBuffer buffer =
        tile_buffer(tile, problem_.src.strides, problem_.src_item, problem_.src_begin, budget_.page);
    if (memory_of(buffer, problem_.src_item, max_kept_pages(tile)) > budget_.memory) return infeasible;
    const FileRuns writes = runs_of_box(tile, problem_.dst.strides, 0);
    const double tiles = tiles_of(tile);
    const ModelTraffic read =
        model_traffic(buffer.runs, tiles, problem_.src_item, budget_, budget_.request_bytes);
    const ModelTraffic written =
        model_traffic(writes, tiles, problem_.dst_item, budget_, budget_.group_bytes);
    return pass_seconds(read, written, tiles, problem_.src_item, problem_.dst_item);
  }

  [[nodiscard]] Index temporary_item() const { return std::min(problem_.src_item, problem_.dst_item); }

  /// The pair of tiles with parts adjusted so that along each axis one divides the other: blocks are the
  /// intersections of the tiles of both passes.
  static Pair fitted(Dims first, Dims second, const Dims& shape) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      Index& larger = first[d] > second[d] ? first[d] : second[d];
      const Index smaller = std::min(first[d], second[d]);
      if (larger < shape[d]) larger = larger / smaller * smaller;
    }
    return {std::move(first), std::move(second)};
  }
  static Dims common(const Pair& pair) {
    Dims block = pair.first;
    for (std::size_t d = 0; d < block.size(); ++d) block[d] = std::min(block[d], pair.second[d]);
    return block;
  }
  [[nodiscard]] Index slot_of(const Dims& block) const {
    Index bytes = temporary_item();
    for (const Index extent : block) bytes *= extent;
    return (bytes + budget_.page - 1) / budget_.page * budget_.page;
  }
  [[nodiscard]] static Index slots(const Dims& tile, const Dims& block) {
    Index count = 1;
    for (const Index n : tile_counts(tile, block)) count *= n;
    return count;
  }
  [[nodiscard]] Index second_buffer(const Pair& pair) const {
    const Dims block = common(pair);
    return slots(pair.second, block) * slot_of(block) + budget_.page;
  }

  [[nodiscard]] double first_seconds(const Pair& pair) const {
    const TileBuffer buffer =
        tile_buffer(pair.first, problem_.src.strides, problem_.src_item, problem_.src_begin, budget_.page);
    if (memory_of(buffer, problem_.src_item, 0) > budget_.memory) return infeasible;
    const Dims block = common(pair);
    const double tiles = tiles_of(pair.first);
    const ModelTraffic read =
        model_traffic(buffer.runs, tiles, problem_.src_item, budget_, budget_.request_bytes);
    const auto blocks = tiles_of(block);
    const auto slot = static_cast<double>(slot_of(block));
    const double pieces = std::max(1.0, slot / static_cast<double>(budget_.request_bytes));
    return pass_seconds(read, {blocks * slot, blocks * pieces}, tiles, problem_.src_item, temporary_item());
  }
  [[nodiscard]] double second_seconds(const Pair& pair) const {
    TileBuffer buffer;
    buffer.nbytes = second_buffer(pair);
    buffer.is_in_place = true;
    if (memory_of(buffer, temporary_item(), max_kept_pages(pair.second)) > budget_.memory) return infeasible;
    const double tiles = tiles_of(pair.second);
    const FileRuns runs = runs_of_box(pair.second, problem_.dst.strides, 0);
    const ModelTraffic written = model_traffic(runs, tiles, problem_.dst_item, budget_, budget_.group_bytes);
    const auto nbytes = tiles * static_cast<double>(buffer.nbytes);
    return pass_seconds({nbytes, nbytes / static_cast<double>(budget_.request_bytes)}, written, tiles,
                        temporary_item(), problem_.dst_item);
  }

  /// The tiles with the lowest costs, at most 64.
  template <class Cost>
  static std::vector<Dims> cheapest(const std::vector<Dims>& tiles, const Cost& cost) {
    constexpr std::size_t max_tiles = 64;
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const double seconds = cost(tiles[i]);
      if (seconds < infeasible) order.emplace_back(seconds, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<Dims> result;
    for (std::size_t i = 0; i < std::min(max_tiles, order.size()); ++i)
      result.push_back(tiles[order[i].second]);
    return result;
  }

  /// The fastest two passes; nothing where none take less than `limit` seconds.
  [[nodiscard]] std::optional<Pair> best_pair(const std::vector<Dims>& tiles, double limit) const {
    for (const Index stride : problem_.dst.strides) {
      if (stride == 0) return std::nullopt;  // a reduction takes one pass
    }
    const double elements = volume(problem_.src.shape);
    const double unavoidable = elements * static_cast<double>(problem_.src_item + temporary_item()) /
                                   limits_.disk.read_bytes_per_second +
                               elements * static_cast<double>(problem_.dst_item + temporary_item()) /
                                   limits_.disk.write_bytes_per_second;
    if (limit < 0.5 * unavoidable)
      return std::nullopt;  // without contention reading and writing take half of it
    const std::vector<Dims> firsts = cheapest(tiles, [&](const Dims& tile) {
      return first_seconds({tile, tile});
    });
    const std::vector<Dims> seconds = cheapest(tiles, [&](const Dims& tile) {
      return second_seconds({tile, tile});
    });
    std::optional<Pair> best;
    for (const Dims& first : firsts) {
      for (const Dims& second : seconds) {
        Pair pair = fitted(first, second, problem_.src.shape);
        const double both = first_seconds(pair) + second_seconds(pair);
        if (both >= limit) continue;
        limit = both;
        best = std::move(pair);
      }
    }
    return best;
  }

  [[nodiscard]] Index count_tiles(const Dims& tile) const {
    Index count = 1;
    for (const Index n : tile_counts(problem_.src.shape, tile)) count *= n;
    return count;
  }

  [[nodiscard]] double seconds_of(const TilePass& pass, Index src_item, Index dst_item) const {
    const ModelTraffic read{static_cast<double>(pass.read.bytes), static_cast<double>(pass.read.requests)};
    const ModelTraffic written{static_cast<double>(pass.write.bytes),
                               static_cast<double>(pass.write.requests)};
    return pass_seconds(read, written, static_cast<double>(pass.tiles), src_item, dst_item);
  }

  void fill_one(TilePlan& plan, const Dims& tile) const {
    const TileBuffer buffer =
        tile_buffer(tile, problem_.src.strides, problem_.src_item, problem_.src_begin, budget_.page);
    TilePass pass;
    pass.tile = tile;
    pass.tiles = count_tiles(tile);
    pass.tile_bytes = buffer.nbytes;
    pass.group_bytes = budget_.group_bytes;
    pass.kept_pages = max_kept_pages(tile);
    pass.read = count_reads(src_side(problem_), tile, budget_, plan.is_counted);
    pass.write = count_writes(dst_side(problem_), problem_.src.strides, tile, budget_, plan.is_counted);
    pass.seconds = seconds_of(pass, problem_.src_item, problem_.dst_item);
    plan.memory = memory_of(buffer, problem_.src_item, pass.kept_pages);
    plan.passes = {std::move(pass)};
  }

  void fill_two(TilePlan& plan, const Pair& pair) const {
    plan.block = common(pair);
    plan.slot_bytes = slot_of(plan.block);
    plan.temporary_item = temporary_item();
    const Index per_tile = slots(pair.second, plan.block) * plan.slot_bytes;
    plan.temporary_bytes = per_tile * count_tiles(pair.second);

    const TileBuffer buffer =
        tile_buffer(pair.first, problem_.src.strides, problem_.src_item, problem_.src_begin, budget_.page);
    TilePass first;
    first.tile = pair.first;
    first.tiles = count_tiles(pair.first);
    first.tile_bytes = buffer.nbytes;
    first.group_bytes = budget_.group_bytes;
    first.read = count_reads(src_side(problem_), pair.first, budget_, plan.is_counted);
    plan.passes.push_back(std::move(first));
    TilePass second;
    second.tile = pair.second;
    second.tiles = count_tiles(pair.second);
    second.tile_bytes = second_buffer(pair);
    second.group_bytes = budget_.group_bytes;
    second.kept_pages = max_kept_pages(pair.second);
    plan.passes.push_back(std::move(second));
    count_blocks(plan, budget_);
    // Blocks lie in the order of the destination.
    plan.passes[1].write =
        count_writes(dst_side(problem_), problem_.dst.strides, pair.second, budget_, plan.is_counted);
    plan.passes[0].seconds = seconds_of(plan.passes[0], problem_.src_item, temporary_item());
    plan.passes[1].seconds = seconds_of(plan.passes[1], temporary_item(), problem_.dst_item);
    TileBuffer slots_buffer;
    slots_buffer.nbytes = plan.passes[1].tile_bytes;
    slots_buffer.is_in_place = true;
    plan.memory = std::max(memory_of(buffer, problem_.src_item, 0),
                           memory_of(slots_buffer, temporary_item(), plan.passes[1].kept_pages));
  }

  BlockProblem problem_;
  BlockLimits limits_;
  BlockBudget budget_;
};

}  // namespace

std::optional<TilePlan> choose_plan(const BlockProblem& problem, const BlockLimits& limits) {
  return Chooser(problem, limits).choose();
}

bool has_plan(const BlockProblem& problem, const BlockLimits& limits) {
  return Chooser(problem, limits).has_tile();
}

}  // namespace tenstride::detail
