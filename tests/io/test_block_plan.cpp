// SPDX-License-Identifier: Apache-2.0
#include "io/plan/tile_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "io/plan/block_plan_parts.hpp"
#include "support/block_problems.hpp"
#include "support/copy_oracle.hpp"
#include "support/refusal.hpp"
#include "support/slow.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using oracle::Random;
using testing::for_each_index;
using testing::refusal;
using testing::slow_position;
using testing::transpose;

/// A dense destination of axes in any order, and a source of any strides.
BlockProblem random_problem(Random& random) {
  const auto rank = static_cast<std::size_t>(random.between(0, 6));
  const Dims shape = oracle::random_shape(random, rank, random.one_in(4) ? 30000 : 2000);
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random.engine());
  BlockProblem problem;
  problem.src = oracle::random_layout(random, shape, true).layout;
  problem.dst = {shape, Dims::filled(rank, 1), 0};
  Index stride = 1;
  for (const std::size_t d : order) {
    problem.dst.strides[d] = stride;
    stride *= std::max<Index>(shape[d], 1);
  }
  problem.src_item = Index{1} << random.between(0, 4);
  problem.dst_item = Index{1} << random.between(0, 4);
  problem.src_begin = 64 * random.between(0, 100);
  problem.dst_begin = 64 * random.between(0, 100);
  return problem;
}

BlockLimits random_limits(Random& random, const BlockProblem& problem) {
  BlockLimits limits;
  const Index min_memory = std::max<Index>(1, min_block_memory(problem));
  limits.memory = random.one_in(4) ? min_memory : min_memory + (Index{1} << random.between(10, 23));
  limits.disk.page = random.one_in(2) ? 4096 : 1;
  limits.disk.seconds_per_request = random.one_in(2) ? 1e-5 : 0.1;
  return limits;
}

Index whole_pages(Index first, Index last, Index page) {
  return (last + page - 1) / page * page - first / page * page;
}
Index requests_for(Index nbytes, Index longest) {
  return (nbytes + longest - 1) / longest;
}

/// Consecutive bytes of a file.
struct Stretch {
  Index first = 0;
  Index last = 0;
};

/// The stretches of bytes that a box consists of, in the order of the file: runs of elements whose gaps are
/// at most `max_gap` elements.
std::vector<Stretch> stretches(const Layout& layout, const Box& box, Index item, Index begin, Index max_gap) {
  std::vector<Index> positions;
  for_each_index(box.extents, [&](const Dims& index) {
    Dims at = index;
    for (std::size_t d = 0; d < at.size(); ++d) at[d] += box.first[d];
    positions.push_back(slow_position(layout, at));
  });
  std::sort(positions.begin(), positions.end());
  std::vector<Stretch> result;
  for (const Index position : positions) {
    const Index first = begin + position * item;
    if (!result.empty() && first <= result.back().last + max_gap * item) {
      result.back().last = std::max(result.back().last, first + item);
    } else {
      result.push_back({first, first + item});
    }
  }
  return result;
}

void add(BlockTraffic& traffic, Index nbytes, Index longest) {
  traffic.requests += requests_for(nbytes, longest);
  traffic.bytes += nbytes;
}

/// The stretches of a dense box as they are written part by part: a page that a stretch begins in is not
/// written by the stretch before it.
BlockTraffic slow_writes(const Layout& dst, const Dims& src_strides, const Box& box, Index item, Index begin,
                         const TilePlan& plan) {
  std::vector<Stretch> pieces;
  Index elements = 0;
  for (const Box& group :
       detail::cut_into_groups(box, dst.strides, src_strides, item, plan.page, plan.passes[0].group_bytes)) {
    const std::size_t before = pieces.size();
    for (const Stretch& piece : stretches(dst, group, item, begin, 0)) {
      EXPECT_TRUE(pieces.size() == before || pieces.back().last <= piece.first)
          << "not in the order of the file";
      pieces.push_back(piece);
      elements += (piece.last - piece.first) / item;
    }
  }
  EXPECT_EQ(elements, numel(row_major(box.extents)));
  BlockTraffic traffic;
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    const Index first = pieces[n].first / plan.page * plan.page;
    Index last = (pieces[n].last + plan.page - 1) / plan.page * plan.page;
    for (Index page = first; n + 1 < pieces.size() && page < last; page += plan.page) {
      if (pieces[n + 1].first / plan.page * plan.page == page) last = page;
    }
    if (last > first) add(traffic, last - first, plan.request_bytes);
    ++traffic.runs;
  }
  return traffic;
}

void add(BlockTraffic& traffic, const BlockTraffic& more) {
  traffic.runs += more.runs;
  traffic.requests += more.requests;
  traffic.bytes += more.bytes;
}

std::vector<Box> boxes_of(const TilePlan& plan, std::size_t pass) {
  std::vector<Box> boxes;
  for (Index n = 0; n < plan.passes[pass].tiles; ++n) {
    boxes.push_back(tile_box(plan.problem.src.shape, plan.passes[pass].tile, n));
  }
  return boxes;
}

void expect_covered(const TilePlan& plan, const std::vector<Box>& boxes) {
  const Layout numbers = row_major(plan.problem.src.shape);
  std::vector<int> covered(static_cast<std::size_t>(numel(numbers)), 0);
  for (const Box& box : boxes) {
    for_each_index(box.extents, [&](const Dims& index) {
      Dims at = index;
      for (std::size_t d = 0; d < at.size(); ++d) at[d] += box.first[d];
      ++covered.at(static_cast<std::size_t>(slow_position(numbers, at)));
    });
  }
  EXPECT_TRUE(std::all_of(covered.begin(), covered.end(), [](int count) { return count == 1; }));
}

/// Blocks are the intersections of the tiles of both passes; their slots follow each other without gaps.
void expect_blocks(const TilePlan& plan) {
  std::vector<Box> blocks;
  std::set<Index> offsets;
  for (const Box& tile : boxes_of(plan, 0)) {
    for (const Box& block : detail::blocks_of(plan, tile)) {
      blocks.push_back(block);
      for (std::size_t d = 0; d < block.first.size(); ++d) {
        const Index step = plan.passes[1].tile[d];
        EXPECT_EQ(block.first[d] / step, (block.first[d] + block.extents[d] - 1) / step)
            << "two second tiles";
        EXPECT_LE(block.extents[d], plan.block[d]);
      }
      const Index offset = block_offset(plan, block.first);
      EXPECT_GE(offset, 0);
      EXPECT_LE(offset + plan.slot_bytes, plan.temporary_bytes);
      EXPECT_EQ(offset % plan.slot_bytes, 0);
      EXPECT_TRUE(offsets.insert(offset).second) << "two blocks in one slot";
      EXPECT_LE(numel(row_major(block.extents)) * plan.temporary_item, plan.slot_bytes);
    }
  }
  expect_covered(plan, blocks);
}

BlockTraffic slow_blocks_written(const TilePlan& plan) {
  BlockTraffic traffic;
  for (const Box& tile : boxes_of(plan, 0)) {
    for (const Box& block : detail::blocks_of(plan, tile)) {
      const Box whole{Dims::filled(block.first.size(), 0), block.extents};
      add(traffic, slow_writes(row_major(block.extents), plan.problem.src.strides, whole, plan.temporary_item,
                               block_offset(plan, block.first), plan));
    }
  }
  return traffic;
}

BlockTraffic slow_blocks_read(const TilePlan& plan) {
  BlockTraffic traffic;
  for (const Box& tile : boxes_of(plan, 1)) {
    Index first = std::numeric_limits<Index>::max(), last = 0;
    for (const Box& of : boxes_of(plan, 0)) {
      for (const Box& block : detail::blocks_of(plan, of)) {
        bool is_inside = true;
        for (std::size_t d = 0; d < tile.first.size(); ++d) {
          is_inside = is_inside && block.first[d] >= tile.first[d] &&
                      block.first[d] < tile.first[d] + tile.extents[d];
        }
        if (!is_inside) continue;
        first = std::min(first, block_offset(plan, block.first));
        last = std::max(last, block_offset(plan, block.first) + plan.slot_bytes);
      }
    }
    ++traffic.runs;
    add(traffic, last - first, plan.request_bytes);
  }
  return traffic;
}

void expect_same(const BlockTraffic& counted, const BlockTraffic& slow, const char* side) {
  EXPECT_EQ(counted.runs, slow.runs) << side;
  EXPECT_EQ(counted.requests, slow.requests) << side;
  EXPECT_EQ(counted.bytes, slow.bytes) << side;
}

/// Compares what is written, and what passes through blocks, element by element.
void expect_counted(const TilePlan& plan) {
  ASSERT_TRUE(plan.is_counted);
  const BlockProblem& problem = plan.problem;
  BlockTraffic written;
  // Blocks lie in the order of the destination.
  const Dims& from = plan.passes.size() == 2 ? problem.dst.strides : problem.src.strides;
  for (const Box& box : boxes_of(plan, plan.passes.size() - 1)) {
    add(written, slow_writes(problem.dst, from, box, problem.dst_item, problem.dst_begin, plan));
  }
  expect_same(plan.passes.back().write, written, "written");
  if (plan.passes.size() == 2) {
    expect_same(plan.passes[0].write, slow_blocks_written(plan), "blocks written");
    expect_same(plan.passes[1].read, slow_blocks_read(plan), "blocks read");
  }
}

void expect_plan(const BlockProblem& problem, const BlockLimits& limits, const TilePlan& plan) {
  EXPECT_LE(plan.memory, limits.memory);
  EXPECT_EQ(plan.request_bytes % plan.page, 0);
  EXPECT_TRUE(nlohmann::json::accept(to_json(plan)));
  if (is_empty(problem.src)) {
    EXPECT_EQ(plan.passes.at(0).tiles, 0);
    return;
  }
  for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
    Index tiles = 1;
    for (const Index n : tile_counts(plan.problem.src.shape, plan.passes[pass].tile)) tiles *= n;
    EXPECT_EQ(plan.passes[pass].tiles, tiles);
    expect_covered(plan, boxes_of(plan, pass));
  }
  expect_counted(plan);
  if (plan.passes.size() == 2) expect_blocks(plan);
}

TEST(TilePlan, CoversEveryElementWithinItsMemory) {
  Random random(31);
  for (int trial = 0; trial < 200 && !HasFailure(); ++trial) {
    const BlockProblem problem = random_problem(random);
    const BlockLimits limits = random_limits(random, problem);
    const TilePlan plan = plan_blocks(problem, limits);
    SCOPED_TRACE("trial " + std::to_string(trial) + "\n" + to_string(plan));
    expect_plan(problem, limits, plan);
  }
}

TEST(TilePlan, CutsBlocksThatBothPassesHaveInCommon) {
  Random random(36);
  int two = 0;
  for (int trial = 0; trial < 12 && !HasFailure(); ++trial) {
    const bool has_pages = trial % 6 == 0;
    const Index min_extent = has_pages ? 400 : 500, max_extent = has_pages ? 500 : 600;
    BlockProblem problem =
        transpose(random.between(min_extent, max_extent), random.between(min_extent, max_extent),
                  has_pages ? 16 : Index{1} << random.between(0, 3));
    if (random.one_in(2)) problem.dst_item = Index{1} << random.between(0, 3);
    BlockLimits limits;
    limits.memory = has_pages ? 1'200'000 : random.between(20'000, 25'000) * problem.src_item;
    limits.disk.page = has_pages ? 4096 : 1;
    limits.disk.seconds_per_request = 0.1;
    const TilePlan plan = plan_blocks(problem, limits);
    SCOPED_TRACE("trial " + std::to_string(trial) + "\n" + to_string(plan));
    expect_plan(problem, limits, plan);
    two += plan.passes.size() == 2 ? 1 : 0;
  }
  EXPECT_GE(two, 6);
}

TEST(TilePlan, CountsReadsByTheRunsOfDenseSources) {
  Random random(32);
  for (int trial = 0; trial < 300 && !HasFailure(); ++trial) {
    BlockProblem problem = random_problem(random);
    if (is_empty(problem.src)) continue;
    // Dense, in the order of the axes.
    problem.src = row_major(problem.dst.shape);
    const TilePlan plan = plan_blocks(problem, random_limits(random, problem));
    SCOPED_TRACE(to_string(plan));
    const Index item = plan.problem.src_item;
    BlockTraffic read;
    for (const Box& box : boxes_of(plan, 0)) {
      for (const Stretch& run :
           stretches(plan.problem.src, box, item, plan.problem.src_begin, detail::disk_page / item)) {
        ++read.runs;
        add(read, whole_pages(run.first, run.last, plan.page), plan.request_bytes);
      }
    }
    expect_same(plan.passes[0].read, read, "read");
  }
}

TEST(TilePlan, MovesEveryElementOfTheProblem) {
  Random random(33);
  for (int trial = 0; trial < 200; ++trial) {
    const BlockProblem problem = random_problem(random);
    const TilePlan plan = plan_blocks(problem, random_limits(random, problem));
    const auto pairs = [](const BlockProblem& of) {
      std::vector<std::pair<Index, Index>> result;
      for_each_index(of.src.shape, [&](const Dims& index) {
        result.emplace_back(slow_position(of.dst, index), slow_position(of.src, index));
      });
      std::sort(result.begin(), result.end());
      return result;
    };
    EXPECT_EQ(pairs(plan.problem), pairs(problem));
  }
}

TEST(TilePlan, DoesNotMergeTheAxisThatNumbersRunAlong) {
  Random random(34);
  for (int trial = 0; trial < 200; ++trial) {
    BlockProblem problem = random_problem(random);
    if (problem.src.rank() == 0 || is_empty(problem.src)) continue;
    const auto axis = static_cast<std::size_t>(random.between(0, static_cast<Index>(problem.src.rank()) - 1));
    problem.unmerged_axis = axis;
    const TilePlan plan = plan_blocks(problem, random_limits(random, problem));
    if (problem.src.shape[axis] == 1) continue;  // one number holds for every index
    ASSERT_TRUE(plan.problem.unmerged_axis) << to_string(problem.src) << " axis " << axis;
    const std::size_t axis_of_plan = *plan.problem.unmerged_axis;
    EXPECT_EQ(plan.problem.src.shape[axis_of_plan], problem.src.shape[axis]);
    EXPECT_EQ(plan.problem.src.strides[axis_of_plan], problem.src.strides[axis]);
    EXPECT_EQ(plan.problem.dst.strides[axis_of_plan], problem.dst.strides[axis]);
  }
}

TEST(TilePlan, NamesTheSmallestMemory) {
  Random random(35);
  for (int trial = 0; trial < 100; ++trial) {
    const BlockProblem problem = random_problem(random);
    if (is_empty(problem.src)) continue;
    const Index min_memory = min_block_memory(problem);
    BlockLimits limits;
    limits.memory = min_memory;
    EXPECT_LE(plan_blocks(problem, limits).memory, min_memory);
    limits.memory = min_memory - min_memory / 16 - 2;
    if (limits.memory < 1) continue;
    EXPECT_EQ(refusal<ValueError>([&] { return plan_blocks(problem, limits); }),
              "plan_blocks: memory of " + std::to_string(limits.memory) + " bytes must be at least " +
                  std::to_string(min_memory) + " bytes for these axes");
  }
}

}  // namespace
}  // namespace tenstride
