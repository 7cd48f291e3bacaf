// SPDX-License-Identifier: Apache-2.0
// Plans of redistributions, carried out element by element, against what each rank is to hold.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "support/copy_oracle.hpp"
#include "support/distributions.hpp"
#include "support/drawn_distributions.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/distribution/redistribution.hpp"
#include "tenstride/layout/views.hpp"

namespace tenstride::distributed {
namespace {

using oracle::message_of;
using oracle::Random;

/// The row-major positions of a part of a shape.
std::vector<Index> positions_of(const Holding& part, const Dims& shape) {
  std::vector<Index> positions{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<Index> next;
    for (const Index position : positions) {
      for (const IndexRange& range : part.ranges[d]) {
        for (Index i = range.begin; i < range.end; ++i) next.push_back(position * shape[d] + i);
      }
    }
    positions = next;
  }
  return positions;
}

/// The positions in the result of what a rank holds of the source, from the definition alone.
std::vector<Index> held_in_result(const RedistributionProblem& problem, Index rank) {
  const Layout source = row_major(problem.from.shape);
  const Layout moved = permute(source, problem.order);
  std::map<Index, Index> position_of;  // position in the source -> in the result
  Index next = 0;
  oracle::each_index(moved.shape, [&](const Dims& index) {
    Index at = 0;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * moved.strides[d];
    position_of[at] = next++;
  });
  std::vector<Index> positions;
  for (const Index position : oracle::held_positions(problem.from, rank))
    positions.push_back(position_of[position]);
  std::sort(positions.begin(), positions.end());
  return positions;
}

void check(const RedistributionProblem& problem) {
  const RedistributionPlan plan = plan_redistribution(problem);
  const std::string what = plan.to_string();
  const Index ranks = problem.from.mesh.size();
  std::vector<std::vector<Index>> held;
  for (Index rank = 0; rank < ranks; ++rank) {
    held.push_back(held_in_result(problem, rank));
    ASSERT_EQ(positions_of(plan.held[static_cast<std::size_t>(rank)], plan.common), held.back()) << what;
  }
  std::vector<std::vector<Index>> received(static_cast<std::size_t>(ranks));
  Index sent = 0;
  for (const Exchange& exchange : plan.exchanges) {
    const std::vector<Index> part = positions_of(plan.part_of(exchange), plan.common);
    ASSERT_EQ(static_cast<Index>(part.size()), exchange.elements) << what;
    ASSERT_GT(exchange.elements, 0);
    const std::vector<Index>& from = held[static_cast<std::size_t>(exchange.sender)];
    ASSERT_TRUE(std::includes(from.begin(), from.end(), part.begin(), part.end())) << what;
    std::vector<Index>& to = received[static_cast<std::size_t>(exchange.receiver)];
    to.insert(to.end(), part.begin(), part.end());
    if (exchange.sender != exchange.receiver) sent += exchange.elements;
  }
  Index least = 0;
  for (Index rank = 0; rank < ranks; ++rank) {
    std::vector<Index>& to = received[static_cast<std::size_t>(rank)];
    std::sort(to.begin(), to.end());
    const std::vector<Index> wanted = oracle::held_positions(problem.to, rank);
    ASSERT_EQ(to, wanted) << what << "\nrank " << rank;  // each element once
    const std::vector<Index>& own = held[static_cast<std::size_t>(rank)];
    std::vector<Index> missing;
    std::set_difference(wanted.begin(), wanted.end(), own.begin(), own.end(), std::back_inserter(missing));
    least += static_cast<Index>(missing.size());
  }
  ASSERT_EQ(sent, least) << what;
  ASSERT_EQ(plan.bytes_sent(), least * static_cast<Index>(problem.itemsize));
  Index packed = 0;
  Index unpacked = 0;
  for (Index rank = 0; rank < ranks; ++rank) {
    packed += plan.buffers_of(rank).sent;
    unpacked += plan.buffers_of(rank).received;
  }
  EXPECT_EQ(packed, plan.bytes_sent());
  EXPECT_EQ(unpacked, plan.bytes_sent());
}

/// The same elements in as many or other axes.
Dims drawn_shape(Random& random, Index elements) {
  Dims shape;
  while (elements > 1) {
    std::vector<Index> divisors;
    for (Index d = 2; d <= elements; ++d) {
      if (elements % d == 0) divisors.push_back(d);
    }
    const Index d =
        divisors[static_cast<std::size_t>(random.between(0, static_cast<Index>(divisors.size()) - 1))];
    shape.push_back(d);
    if (random.between(0, 6) == 0) shape.push_back(1);
    elements /= d;
  }
  return shape;
}

TEST(Redistribution, GivesEachRankWhatItIsToHold) {
  Random random(1);
  const Dims meshes[][2] = {{{2}, {2}},       {{4}, {2, 2}},    {{2, 2}, {4}}, {{6}, {2, 3}}, {{8}, {8}},
                            {{2, 4}, {4, 2}}, {{2, 2, 2}, {8}}, {{5}, {5}},    {{1}, {}},     {{3}, {3}}};
  for (int trial = 0; trial < 4000; ++trial) {
    const auto& mesh = meshes[random.between(0, static_cast<Index>(std::size(meshes)) - 1)];
    const Index sizes[] = {1, 7, 12, 24, 30, 36, 60, 64};
    const Dims shape = drawn_shape(random, sizes[random.between(0, 7)]);
    RedistributionProblem problem;
    problem.from = oracle::drawn_distribution(random, shape, {mesh[0]});
    problem.order = oracle::drawn_order(random, shape.size());
    const Dims moved = permute(row_major(shape), problem.order).shape;
    const Dims to = random.between(0, 1) == 0 ? moved : drawn_shape(random, count_elements(shape));
    problem.to = oracle::drawn_distribution(random, to, {mesh[1]});
    problem.itemsize = static_cast<std::size_t>(Index{1} << random.between(0, 4));
    check(problem);
    if (HasFatalFailure()) return;
  }
}

/// The rounds of a plan, in which each rank packs and unpacks at most `max_bytes` together.
void check_rounds(const RedistributionPlan& plan, Index max_bytes) {
  const auto itemsize = static_cast<Index>(plan.problem.itemsize);
  std::vector<Index> done(plan.exchanges.size(), 0);
  Index max_rounds = 0;
  for (Index rank = 0; rank < plan.problem.from.mesh.size(); ++rank) {
    const ExchangeBuffers buffers = plan.buffers_of(rank);
    const Index half = max_bytes / 2 / itemsize * itemsize;
    max_rounds += (buffers.sent + half - 1) / half + (buffers.received + half - 1) / half;
  }
  const std::vector<ExchangeRound> rounds = plan.rounds_of(max_bytes);
  EXPECT_LE(static_cast<Index>(rounds.size()), max_rounds);
  for (const ExchangeRound& round : rounds) {
    EXPECT_FALSE(round.empty());
    std::map<Index, Index> bytes;  // by rank
    for (const ExchangePart& part : round) {
      const Exchange& exchange = plan.exchanges[part.exchange];
      ASSERT_NE(exchange.sender, exchange.receiver);
      ASSERT_EQ(part.first, done[part.exchange]);
      ASSERT_GT(part.elements, 0);
      done[part.exchange] += part.elements;
      bytes[exchange.sender] += part.elements * itemsize;
      bytes[exchange.receiver] += part.elements * itemsize;
    }
    for (const auto& [rank, held] : bytes) EXPECT_LE(held, max_bytes) << rank;
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    const Exchange& exchange = plan.exchanges[i];
    EXPECT_EQ(done[i], exchange.sender == exchange.receiver ? 0 : exchange.elements);
  }
}

TEST(Redistribution, KeepsToTheMemoryOfARound) {
  Random random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const Mesh mesh{{random.between(1, 8)}};
    const RedistributionPlan plan = plan_redistribution({oracle::drawn_distribution(random, {12, 10}, mesh),
                                                         {1, 0},
                                                         oracle::drawn_distribution(random, {10, 12}, mesh),
                                                         static_cast<std::size_t>(random.between(1, 16))});
    for (const Index bytes : {32, 33, 100, 1000, 1 << 20}) check_rounds(plan, bytes);
  }
  // All ranks send and receive in each round: a transpose over eight ranks in the rounds that its bytes need.
  const RedistributionPlan transpose = plan_redistribution(
      {distribute({800, 800}, {{8}}, {shard(0)}), {1, 0}, distribute({800, 800}, {{8}}, {shard(0)}), 4});
  EXPECT_EQ(transpose.buffers_of(3).sent, 7 * 40000);
  EXPECT_EQ(transpose.rounds_of(80000).size(), 7U);
  EXPECT_EQ(transpose.rounds_of(20000).size(), 28U);
  EXPECT_EQ(transpose.rounds_of(INT64_MAX).size(), 1U);
  EXPECT_EQ(
      message_of([&] { return transpose.rounds_of(7); }),
      "ValueError: redistribute: 7 B for a round must be 8 B or more, an element to send and one to receive");
}

TEST(Redistribution, OfNoElement) {
  const RedistributionPlan plan = plan_redistribution(
      {distribute({0, 4}, {{2}}, {shard(1)}), {1, 0}, distribute({4, 0}, {{2}}, {shard(0)}), 4});
  EXPECT_TRUE(plan.exchanges.empty());
  EXPECT_EQ(plan.bytes_sent(), 0);
}

TEST(Redistribution, IsText) {
  const RedistributionPlan plan = plan_redistribution(
      {distribute({4, 6}, {{2}}, {shard(0)}), {1, 0}, distribute({6, 4}, {{2}}, {shard(0)}), 4});
  EXPECT_EQ(plan.to_string(),
            "redistribute 24 elements of 4 B\n"
            "  from   (4,6) on (2): Shard(0)\n"
            "  order  (1,0)\n"
            "  to     (6,4) on (2): Shard(0)\n"
            "  sent   48 B of 96 B, no plan sends less; kept 48 B\n"
            "  rank 1 -> 0  6 elements\n"
            "  rank 0 -> 1  6 elements");
  EXPECT_EQ(plan.common, (Dims{6, 4}));
  EXPECT_TRUE(plan.is_source_viewed);
}

TEST(Redistribution, KeepsWhatARankHoldsAlready) {
  // From all to a part of it, nothing is sent; from a part to all, each rank sends its own to all others.
  const Mesh mesh{{4}};
  const Distribution all = distribute({8, 8}, mesh, {replicate()});
  const Distribution part = distribute({8, 8}, mesh, {shard(1)});
  EXPECT_EQ(plan_redistribution({all, {0, 1}, part, 4}).bytes_sent(), 0);
  EXPECT_EQ(plan_redistribution({part, {0, 1}, all, 4}).bytes_sent(), 3 * 256);
  // Replicas take turns.
  const RedistributionPlan plan = plan_redistribution({distribute({8}, {{2, 2}}, {shard(0), replicate()}),
                                                       {0},
                                                       distribute({8}, {{2, 2}}, {replicate(), replicate()}),
                                                       4});
  for (Index rank = 0; rank < 4; ++rank) EXPECT_EQ(plan.buffers_of(rank).sent, 16);
}

TEST(Redistribution, OfPartsThatNoAxisHas) {
  // Parts of 10 elements, and rows of 4: elements are counted in pairs.
  const RedistributionPlan plan = plan_redistribution(
      {distribute({20}, {{2}}, {shard(0)}), {0}, distribute({5, 4}, {{2}}, {shard(1)}), 4});
  EXPECT_EQ(plan.common, (Dims{10, 2}));
  EXPECT_FALSE(plan.is_source_viewed);
  EXPECT_EQ(plan.bytes_sent(), 32);
}

TEST(Redistribution, RefusesWhatDoesNotFit) {
  const Distribution from = distribute({4, 6}, {{2}}, {shard(0)});
  EXPECT_EQ(message_of([&] {
              return plan_redistribution({from, {0, 1}, distribute({5, 5}, {{2}}, {shard(0)}), 4});
            }),
            "RuntimeError: redistribute: shape (5,5) must have as many elements as (4,6), 24");
  EXPECT_EQ(message_of([&] {
              return plan_redistribution({from, {0, 1}, distribute({4, 6}, {{3}}, {shard(0)}), 4});
            }),
            "ValueError: redistribute: mesh (3) must have as many ranks as (2), 2");
  EXPECT_EQ(message_of([&] {
              return plan_redistribution({from, {0, 0}, from, 4});
            }),
            message_of([] {
              return permute(row_major({4, 6}), {0, 0});
            }));
}

}  // namespace
}  // namespace tenstride::distributed
