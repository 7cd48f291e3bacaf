// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "io/plan/block_plan_parts.hpp"
#include "support/block_problems.hpp"
#include "support/copy_oracle.hpp"
#include "support/slow.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using oracle::Random;
using testing::for_each_index;
using testing::transpose;

TEST(TilePlan, TakesOnePassOfLongRunsAndTwoOfShortOnes) {
  BlockLimits limits;
  limits.memory = Index{4} << 20;
  // Rows of 64 KiB that stay whole.
  BlockProblem rows = transpose(64, 64, 1);
  rows.src = {{64, 64, 65536}, {64 * 65536, 65536, 1}, 0};
  rows.dst = {{64, 64, 65536}, {65536, 64 * 65536, 1}, 0};
  EXPECT_EQ(plan_blocks(rows, limits).passes.size(), 1U);
  // A matrix of 2^28 bytes: no run on both sides can be longer than 2 KiB.
  const BlockProblem matrix = transpose(16384, 16384, 1);
  limits.disk.seconds_per_request = 1e-4;
  EXPECT_EQ(plan_blocks(matrix, limits).passes.size(), 2U);
  limits.disk.seconds_per_request = 1e-9;
  limits.disk.page = 1;  // otherwise a run takes up to a page more than its bytes
  EXPECT_EQ(plan_blocks(matrix, limits).passes.size(), 1U);
}

/// Seconds of one pass by the linear model, with at least the necessary bytes or requests in flight; copies
/// take no time.
double slow_seconds(const BlockProblem& problem, const Dims& tile, const BlockLimits& limits) {
  const detail::BlockBudget budget = detail::budget_of(problem, limits);
  const Index elements = numel(row_major(tile));
  if (2 * elements * problem.src_item + 2 * budget.group_bytes > limits.memory) {
    return std::numeric_limits<double>::infinity();
  }
  bool is_counted = true;
  const BlockTraffic read = detail::count_reads(detail::src_side(problem), tile, budget, is_counted);
  const BlockTraffic written =
      detail::count_writes(detail::dst_side(problem), problem.src.strides, tile, budget, is_counted);
  Index tiles = 1;
  for (const Index n : tile_counts(problem.src.shape, tile)) tiles *= n;
  const auto seconds = [&](const BlockTraffic& traffic, double rate) {
    const auto bytes = static_cast<double>(traffic.bytes), requests = static_cast<double>(traffic.requests);
    const double share_of_bytes = bytes / static_cast<double>(tiles) / 4e6;
    const double share_of_requests =
        requests / static_cast<double>(tiles) / static_cast<double>(budget.requests_in_flight);
    const double in_flight = std::min(1.0, std::max(share_of_bytes, share_of_requests));
    return (bytes / rate + requests * limits.disk.seconds_per_request) / in_flight;
  };
  const double reading = seconds(read, limits.disk.read_bytes_per_second);
  const double writing = seconds(written, limits.disk.write_bytes_per_second);
  const double together = std::max(reading, writing) + limits.disk.contention * std::min(reading, writing);
  const double alone = 1 / static_cast<double>(tiles);
  const double disk = together * (1 - alone) + (reading + writing) * alone;
  return disk / 0.75 + 2e-5 * static_cast<double>(tiles);
}

TEST(TilePlan, CostsLittleMoreThanTheBestOfAllTiles) {
  Random random(37);
  for (int trial = 0; trial < 40; ++trial) {
    const BlockProblem given =
        transpose(random.between(3, 40), random.between(3, 40), Index{1} << random.between(0, 3));
    BlockLimits limits;
    limits.memory = min_block_memory(given) + random.between(0, 1500);
    limits.disk.page = 1;
    limits.disk.contention = random.one_in(2) ? 1 : 0.3;
    limits.copy_bytes_per_second = 1e30;
    const TilePlan plan = plan_blocks(given, limits);
    const BlockProblem& problem = plan.problem;
    double best = std::numeric_limits<double>::infinity();
    for_each_index(problem.src.shape, [&](const Dims& last) {
      Dims tile = last;
      for (Index& extent : tile) ++extent;
      best = std::min(best, slow_seconds(problem, tile, limits));
    });
    EXPECT_LE(plan.seconds, 1.25 * best) << to_string(plan);
  }
}

TEST(TilePlan, PrintsAsText) {
  BlockLimits limits;
  limits.memory = 100'000;
  limits.disk.page = 1;
  EXPECT_EQ(to_string(plan_blocks(transpose(300, 200, 4), limits)),
            "axes    source (200,300):(1,200)+0, 4 B each; destination (200,300):(300,1)+0, 4 B each\n"
            "pass 1  6 tiles of (200,50), each read into 39.1 KiB\n"
            "  read   234.4 KiB in 624 requests, runs of 39.1 KiB\n"
            "  write  234.4 KiB in 1200 requests, runs of 200 B\n"
            "total   234.4 KiB read, 234.4 KiB written, 1824 requests, pages of 1 B, 90.3 KiB of memory, "
            "about 0.0248 s");
  limits.disk.seconds_per_request = 0.1;
  EXPECT_EQ(to_string(plan_blocks(transpose(600, 610, 4), limits)),
            "axes    source (610,600):(1,610)+0, 4 B each; destination (610,600):(600,1)+0, 4 B each\n"
            "pass 1  40 tiles of (610,15), each read into 35.7 KiB\n"
            "  read   1.4 MiB in 3800 requests, runs of 35.7 KiB\n"
            "  write  1.4 MiB in 4080 requests, runs of 1080 B, into blocks\n"
            "pass 2  34 tiles of (18,600), each read into 42.2 KiB\n"
            "  read   1.4 MiB in 3808 requests, runs of 42.2 KiB, from blocks\n"
            "  write  1.4 MiB in 3965 requests, runs of 42.2 KiB\n"
            "blocks  (18,15) in slots of 1080 B, temporary space of 1.4 MiB\n"
            "total   2.8 MiB read, 2.8 MiB written, 15653 requests, pages of 1 B, 96.6 KiB of memory, "
            "about 2.09e+03 s");
}

TEST(TilePlan, PrintsAsJson) {
  BlockLimits limits;
  limits.memory = 100'000;
  limits.disk.page = 1;
  limits.disk.seconds_per_request = 0.1;
  const TilePlan plan = plan_blocks(transpose(600, 610, 4), limits);
  const nlohmann::json json = nlohmann::json::parse(to_json(plan));
  EXPECT_EQ(json["source"], to_string(plan.problem.src));
  EXPECT_EQ(json["destination"], to_string(plan.problem.dst));
  EXPECT_EQ(json["passes"].size(), 2U);
  EXPECT_EQ(json["passes"][0]["tile"], plan.passes[0].tile.to_vector());
  EXPECT_EQ(json["passes"][1]["read"]["requests"], plan.passes[1].read.requests);
  EXPECT_EQ(json["passes"][1]["write"]["bytes"], plan.passes[1].write.bytes);
  EXPECT_EQ(json["block"], plan.block.to_vector());
  EXPECT_EQ(json["temporary_bytes"], plan.temporary_bytes);
  EXPECT_EQ(json["bytes_read"], plan.bytes_read());
  EXPECT_EQ(json["bytes_written"], plan.bytes_written());
  EXPECT_EQ(json["requests"], plan.requests());
  EXPECT_EQ(json["memory"], plan.memory);
  EXPECT_EQ(json["seconds"], plan.seconds);
}

}  // namespace
}  // namespace tenstride
