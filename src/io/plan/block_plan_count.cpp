// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <vector>

#include "io/plan/block_plan_parts.hpp"

/// The reads and writes of a pass, counted run by run as the requests will be made.
namespace tenstride::detail {
namespace {

constexpr Index max_counted = Index{1} << 24;

struct Extents {
  bool operator()(const Dims& a, const Dims& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
};

Index tiles_of(const Dims& shape, const Dims& tile) {
  Index count = 1;
  for (const Index n : tile_counts(shape, tile)) count *= n;
  return count;
}

Index requests_for(Index first, Index last, Index request_bytes) {
  return (last - first + request_bytes - 1) / request_bytes;
}

/// An estimate for more runs than can be counted: as if all tiles were full, and each run began anywhere in a
/// page.
BlockTraffic estimated(const FileRuns& runs, Index tiles, Index item, const BlockBudget& budget) {
  BlockTraffic traffic;
  traffic.run_bytes = runs.span * item;
  traffic.runs = runs.count() * tiles;
  const Index page_bytes = traffic.run_bytes + budget.page - 1;
  traffic.requests = traffic.runs * ((page_bytes + budget.request_bytes - 1) / budget.request_bytes);
  traffic.bytes = traffic.runs * page_bytes;
  return traffic;
}

/// Counts the pieces of tiles in the order in which they are written.
class PieceCounter {
 public:
  PieceCounter(const Dims& src_strides, const BlockBudget& budget)
      : src_strides_(src_strides), budget_(budget) {}

  void add_box(const Box& box, const Layout& dst, Index item, Index begin) {
    for (const Box& group :
         cut_into_groups(box, dst.strides, src_strides_, item, budget_.page, budget_.group_bytes)) {
      const TileBuffer buffer = group_buffer(group.extents, dst.strides, item, budget_.page);
      const Index first_byte = begin + position_of(group.first, dst) * item;
      for_each_run(buffer.runs, buffer.pitch, [&](Index file, Index) {
        const Index begin_byte = first_byte + file * item;
        add(range_of(begin_byte, begin_byte + buffer.runs.span * item, budget_.page));
      });
    }
  }
  /// Ends a tile: its last page is written.
  void close() {
    if (open_.last != open_.first) {
      traffic_.requests += requests_for(open_.first, open_.last, budget_.request_bytes);
      traffic_.bytes += open_.last - open_.first;
    }
    open_ = {};
  }
  [[nodiscard]] const BlockTraffic& traffic() const { return traffic_; }

 private:
  void add(const WriteRange& next) {
    ++traffic_.runs;
    open_ = range_before(open_, next.first);
    close();
    open_ = next;
  }

  const Dims& src_strides_;
  const BlockBudget& budget_;
  BlockTraffic traffic_;
  WriteRange open_;  ///< the last piece, whose last page the next one may take over
};

}  // namespace

BlockTraffic count_reads(const FileSide& side, const Dims& tile, const BlockBudget& budget,
                         bool& is_counted) {
  const auto& [src, item, begin] = side;
  const Index tiles = tiles_of(src.shape, tile);
  const FileRuns full = tile_buffer(tile, src.strides, item, begin, budget.page).runs;
  if (full.count() > max_counted / tiles) {
    is_counted = false;
    return estimated(full, tiles, item, budget);
  }
  BlockTraffic traffic;
  traffic.run_bytes = full.span * item;
  std::map<Dims, TileBuffer, Extents> buffers;  // one for each shape: the last tile of an axis is shorter
  for (Index number = 0; number < tiles; ++number) {
    const Box box = tile_box(src.shape, tile, number);
    auto found = buffers.find(box.extents);
    if (found == buffers.end()) {
      found =
          buffers.emplace(box.extents, tile_buffer(box.extents, src.strides, item, begin, budget.page)).first;
    }
    const FileRuns& runs = found->second.runs;
    const Index lowest = position_of(box.first, src) + lowest_of_box(box.extents, src.strides);
    const Index first_byte = begin + lowest * item;
    const Index nbytes = runs.span * item;
    for_each_run(runs, found->second.pitch, [&, item = item](Index file, Index) {
      const Index begin_byte = first_byte + file * item;
      const Index first = begin_byte / budget.page * budget.page;
      const Index last = (begin_byte + nbytes + budget.page - 1) / budget.page * budget.page;
      ++traffic.runs;
      traffic.requests += requests_for(first, last, budget.request_bytes);
      traffic.bytes += last - first;
    });
  }
  return traffic;
}

BlockTraffic count_writes(const FileSide& side, const Dims& src_strides, const Dims& tile,
                          const BlockBudget& budget, bool& is_counted) {
  const auto& [dst, item, begin] = side;
  const Index tiles = tiles_of(dst.shape, tile);
  const FileRuns full = runs_of_box(tile, dst.strides, 0);
  if (full.count() > max_counted / tiles) {
    is_counted = false;
    return estimated(full, tiles, item, budget);
  }
  PieceCounter counter(src_strides, budget);
  for (Index number = 0; number < tiles; ++number) {
    counter.add_box(tile_box(dst.shape, tile, number), dst, item, begin);
    counter.close();
  }
  BlockTraffic traffic = counter.traffic();
  traffic.run_bytes = full.span * item;
  return traffic;
}

void count_blocks(TilePlan& plan, const BlockBudget& budget) {
  TilePass& first = plan.passes[0];
  TilePass& second = plan.passes[1];
  const Dims& shape = plan.problem.src.shape;
  PieceCounter counter(plan.problem.src.strides, budget);
  for (Index number = 0; number < first.tiles; ++number) {
    for (const Box& block : blocks_of(plan, tile_box(shape, first.tile, number))) {
      const Layout inside = row_major(block.extents);
      const Box whole{Dims::filled(shape.size(), 0), block.extents};
      counter.add_box(whole, inside, plan.temporary_item, block_offset(plan, block.first));
      counter.close();
    }
  }
  first.write = counter.traffic();
  first.write.run_bytes = numel(row_major(plan.block)) * plan.temporary_item;

  second.read = {};
  for (Index number = 0; number < second.tiles; ++number) {
    const Index nbytes = tiles_of(tile_box(shape, second.tile, number).extents, plan.block) * plan.slot_bytes;
    ++second.read.runs;
    second.read.requests += requests_for(0, nbytes, budget.request_bytes);
    second.read.bytes += nbytes;
  }
  second.read.run_bytes = tiles_of(second.tile, plan.block) * plan.slot_bytes;
}

std::vector<Box> blocks_of(const TilePlan& plan, const Box& tile) {
  const Dims& step = plan.passes[1].tile;
  Dims first_tile = tile.first, counts = tile.first;
  Index count = 1;
  for (std::size_t d = 0; d < step.size(); ++d) {
    first_tile[d] = tile.first[d] / step[d];
    counts[d] = (tile.first[d] + tile.extents[d] - 1) / step[d] - first_tile[d] + 1;
    count *= counts[d];
  }
  std::vector<Box> blocks;
  for (Index number = 0; number < count; ++number) {
    const Box of = tile_box(counts, Dims::filled(counts.size(), 1), number);
    Box block = tile;
    for (std::size_t d = 0; d < step.size(); ++d) {
      const Index begin = (first_tile[d] + of.first[d]) * step[d];
      const Index end = std::min(begin + step[d], tile.first[d] + tile.extents[d]);
      block.first[d] = std::max(begin, tile.first[d]);
      block.extents[d] = end - block.first[d];
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace tenstride::detail

namespace tenstride {

Index block_offset(const TilePlan& plan, const Dims& first) {
  const Dims& shape = plan.problem.src.shape;
  const Dims& tile = plan.passes[1].tile;
  Index number = 0, slot = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index of = first[d] / tile[d];
    const Index extent = std::min(tile[d], shape[d] - of * tile[d]);
    number = number * ((shape[d] + tile[d] - 1) / tile[d]) + of;
    slot = slot * ((extent + plan.block[d] - 1) / plan.block[d]) + (first[d] - of * tile[d]) / plan.block[d];
  }
  return (number * detail::tiles_of(tile, plan.block) + slot) * plan.slot_bytes;
}

}  // namespace tenstride
