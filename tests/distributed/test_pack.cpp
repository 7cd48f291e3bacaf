// SPDX-License-Identifier: Apache-2.0
// Redistributions carried out by all ranks in one process, against the tensor that each is to hold.
#include <gtest/gtest.h>

#include "support/copy_oracle.hpp"
#include "support/distributions.hpp"
#include "support/drawn_distributions.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/distributed/pack.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/ops.hpp"

namespace tenstride::distributed {
namespace {

using oracle::Random;

/// What a rank holds of a tensor, picked index by index.
Tensor held(const Tensor& whole, const Distribution& spread, Index rank) {
  Tensor part = whole;
  for (std::size_t d = 0; d < spread.shape.size(); ++d) {
    std::vector<Tensor> picked{part.narrow(static_cast<Index>(d), 0, 0)};
    for (const Index i : oracle::held_indices(spread, rank, d))
      picked.push_back(part.narrow(static_cast<Index>(d), i, 1));
    part = cat(picked, static_cast<Index>(d));
  }
  return part.contiguous();
}

/// The same elements with their axes in the opposite order in memory.
Tensor backward(const Tensor& x) {
  Dims order;
  for (Index d = x.dim(); d-- > 0;) order.push_back(d);
  return x.permute(order).contiguous().permute(order);
}

void check(const RedistributionProblem& problem, Index max_bytes, bool is_backward) {
  const RedistributionPlan plan = plan_redistribution(problem);
  const Tensor whole = oracle::numbered(problem.from.shape, DType::int32);
  const Tensor result = whole.permute(problem.order).reshape(problem.to.shape);
  const Index ranks = problem.from.mesh.size();
  std::vector<Tensor> destinations;
  std::vector<RankTensors> tensors;
  tensors.reserve(static_cast<std::size_t>(ranks));
  for (Index rank = 0; rank < ranks; ++rank) {
    const Tensor source = held(whole, problem.from, rank);
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
    ASSERT_TRUE(destinations[static_cast<std::size_t>(rank)].equal(held(result, problem.to, rank)))
        << plan.to_string() << "\nrank " << rank << ", rounds of " << max_bytes;
  }
}

TEST(Pack, GivesEachRankWhatItIsToHold) {
  Random random(4);
  const Dims meshes[][2] = {{{2}, {2}}, {{4}, {2, 2}}, {{2, 3}, {6}}, {{8}, {2, 4}}, {{5}, {5}}};
  for (int trial = 0; trial < 500; ++trial) {
    const auto& mesh = meshes[random.between(0, std::ssize(meshes) - 1)];
    const Dims shapes[] = {{24}, {4, 6}, {6, 4}, {2, 3, 4}, {3, 8}, {2, 2, 6}};
    const Dims& shape = shapes[random.between(0, std::ssize(shapes) - 1)];
    const Dims order = oracle::drawn_order(random, shape.size());
    const Dims& to = shapes[random.between(0, std::ssize(shapes) - 1)];
    const RedistributionProblem problem{oracle::drawn_distribution(random, shape, {mesh[0]}), order,
                                        oracle::drawn_distribution(random, to, {mesh[1]}), 4};
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
