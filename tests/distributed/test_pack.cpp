// SPDX-License-Identifier: Apache-2.0
// Redistributions carried out by all ranks in one process, against the tensor that each is to hold.
#include <gtest/gtest.h>

#include "support/copy_oracle.hpp"
#include "support/held_tensors.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/distributed/pack.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::distributed {
namespace {

using oracle::backward;
using oracle::held_part;
using oracle::Random;

void check(const RedistributionProblem& problem, Index max_bytes, bool is_backward) {
  const RedistributionPlan plan = plan_redistribution(problem);
  const Tensor whole = oracle::numbered(problem.from.shape, DType::int32);
  const Tensor result = whole.permute(problem.order).reshape(problem.to.shape);
  const Index ranks = problem.from.mesh.size();
  std::vector<Tensor> destinations;
  std::vector<RankTensors> tensors;
  tensors.reserve(static_cast<std::size_t>(ranks));
  for (Index rank = 0; rank < ranks; ++rank) {
    const Tensor source = held_part(whole, problem.from, rank);
    const Tensor empty_one = full(problem.to.held_by(rank).local_shape(), -1, {.dtype = DType::int32});
    destinations.push_back(is_backward ? backward(empty_one) : empty_one);
    tensors.emplace_back(plan, rank, is_backward ? backward(source) : source, destinations.back());
  }
  for (RankTensors& rank : tensors) rank.keep();
  for (const ExchangeRound& round : plan.rounds_of(max_bytes)) {
    for (const ExchangePart& part : round) {
      Tensor buffer = empty({part.elements}, {.dtype = DType::int32});
      const Exchange& exchange = plan.exchanges[part.exchange];
      tensors[static_cast<std::size_t>(exchange.sender)].pack(part, buffer);
      tensors[static_cast<std::size_t>(exchange.receiver)].unpack(part, buffer);
    }
  }
  for (RankTensors& rank : tensors) rank.finish();
  for (Index rank = 0; rank < ranks; ++rank) {
    ASSERT_TRUE(destinations[static_cast<std::size_t>(rank)].equal(held_part(result, problem.to, rank)))
        << plan.to_string() << "\nrank " << rank << ", rounds of " << max_bytes;
  }
}

TEST(Pack, GivesEachRankWhatItIsToHold) {
  Random random(4);
  for (int trial = 0; trial < 500; ++trial) {
    const RedistributionProblem problem = oracle::drawn_redistribution(random, random.between(1, 8), 4);
    const Index limits[] = {8, 24, 64, 1 << 20};
    check(problem, limits[random.between(0, 3)], random.between(0, 2) == 0);
    if (HasFatalFailure()) return;
  }
}

TEST(Pack, RefusesTensorsThatARankDoesNotHold) {
  const RedistributionPlan plan = plan_redistribution(
      {distribute({4, 6}, {{2}}, {shard(0)}), {1, 0}, distribute({6, 4}, {{2}}, {shard(0)}), 4});
  const auto message_of = [&](const Tensor& source, const Tensor& destination) {
    return oracle::message_of([&] { return RankTensors(plan, 1, source, destination), 0; });
  };
  EXPECT_EQ(message_of(empty({4, 6}), empty({3, 4})),
            "RuntimeError: redistribute: the source of rank 1 of shape (4,6) must have the shape (2,6) of "
            "what the rank "
            "holds");
  EXPECT_EQ(message_of(empty({2, 6}), empty({2, 6})),
            "RuntimeError: redistribute: the destination of rank 1 of shape (2,6) must have the shape (3,4) "
            "of what the "
            "rank holds");
  EXPECT_EQ(message_of(empty({2, 6}), empty({3, 4}, {.dtype = DType::int32})),
            "RuntimeError: redistribute: the source's dtype float32 must be the destination's, int32");
}

}  // namespace
}  // namespace tenstride::distributed
