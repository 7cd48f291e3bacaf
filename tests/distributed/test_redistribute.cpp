// SPDX-License-Identifier: Apache-2.0
// Redistributions by ranks that are threads, against the tensor that each is to hold.
#include <gtest/gtest.h>

#include "support/copy_oracle.hpp"
#include "support/held_tensors.hpp"
#include "support/ops_oracle.hpp"
#include "support/thread_transport.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/distributed/redistribute.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::distributed {
namespace {

using oracle::backward;
using oracle::held_part;
using oracle::on_thread_ranks;
using oracle::Random;
using oracle::ThreadRanks;

/// How ranks of a trial do it. Each draws what is its own matter.
struct Way {
  Index ranks_per_machine = 1;
  RedistributeOptions options;
  bool may_share = false;
};

/// A tensor of a rank with these elements, in memory of one kind or another.
Tensor placed(Transport& ranks, Random& random, const Tensor& x, bool is_shared) {
  Tensor result =
      is_shared ? ranks.empty_shared(x.shape(), x.dtype()) : empty(x.shape(), {.dtype = x.dtype()});
  copy_elements(result, x);
  return !is_shared && random.between(0, 2) == 0 ? backward(result) : result;
}

TEST(RedistributeThread, GivesEachRankWhatItIsToHold) {
  Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const Index size = random.between(1, 8);
    const RedistributionProblem problem = oracle::drawn_redistribution(random, size, 4);
    const RedistributionPlan plan = plan_redistribution(problem);
    const Index limits[] = {16, 48, 200, Index{1} << 20};
    const Way way{random.between(1, size),
                  {limits[random.between(0, 3)], random.between(0, 3) != 0},
                  random.between(0, 1) == 0};
    const Tensor whole = oracle::numbered(problem.from.shape, DType::int32);
    const Tensor result = whole.permute(problem.order).reshape(problem.to.shape);
    ThreadRanks ranks(size, way.ranks_per_machine);
    std::vector<unsigned> seeds;
    for (Index rank = 0; rank < size; ++rank) seeds.push_back(static_cast<unsigned>(trial * 8 + rank));
    on_thread_ranks(ranks, [&](Transport& transport) {
      const Index rank = transport.rank();
      Random own(seeds[static_cast<std::size_t>(rank)]);
      Redistributor redistributor(transport, plan, way.options);
      for (int call = 0; call < 2; ++call) {
        const Tensor part = held_part(call == 0 ? whole : add(whole, 1), problem.from, rank);
        const Tensor wanted = held_part(call == 0 ? result : add(result, 1), problem.to, rank);
        Tensor source = placed(transport, own, part, way.may_share && trial % 3 != 0);
        const Tensor destination =
            placed(transport, own, full(wanted.shape(), -1, {.dtype = DType::int32}), false);
        redistributor.run(source, destination);
        EXPECT_TRUE(destination.equal(wanted)) << plan.to_string() << "\nrank " << rank << ", call " << call;
        EXPECT_TRUE(source.equal(part)) << "the source was changed";
        EXPECT_LE(redistributor.buffer_bytes(), way.options.max_bytes);
        copy_elements(source, full(source.shape(), -2, {.dtype = DType::int32}));  // others have read it
      }
    });
    if (HasFailure()) return;
  }
}

TEST(RedistributeThread, NeedsNoBufferWhereSourcesAreShared) {
  const RedistributionPlan plan = plan_redistribution(
      {distribute({64, 48}, {{4}}, {shard(0)}), {1, 0}, distribute({48, 64}, {{4}}, {shard(0)}), 4});
  const Tensor whole = oracle::numbered({64, 48}, DType::int32);
  ThreadRanks ranks(4, 4);
  on_thread_ranks(ranks, [&](Transport& transport) {
    const Index rank = transport.rank();
    Redistributor redistributor(transport, plan);
    Tensor source = transport.empty_shared({16, 48}, DType::int32);
    copy_elements(source, held_part(whole, plan.problem.from, rank));
    const Tensor destination = empty({12, 64}, {.dtype = DType::int32});
    redistributor.run(source, destination);
    EXPECT_TRUE(destination.equal(held_part(whole.t(), plan.problem.to, rank)));
    EXPECT_EQ(redistributor.buffer_bytes(), 0);
  });
}

TEST(RedistributeThread, GivesSharedMemoryBackOnceNoRankHasAView) {
  ThreadRanks ranks(3, 3);
  on_thread_ranks(ranks, [&](Transport& transport) {
    Tensor first = transport.empty_shared({4}, DType::float64);
    Tensor second = transport.empty_shared({transport.rank()}, DType::float32);
    const Tensor view = first.narrow(0, 1, 2);
    first = second = Tensor();
    const Tensor third = transport.empty_shared({2, 3}, DType::uint8);
    const std::byte go{};
    std::vector<std::byte> all(3);
    transport.all_gather({&go, 1}, all);
    EXPECT_EQ(ranks.pieces_shared, 2);  // `view` keeps the first, the second is gone
    EXPECT_TRUE(transport.place_of(view.data_ptr()).has_value());
    EXPECT_EQ(transport.place_of(view.data_ptr())->offset, 8);
    EXPECT_FALSE(transport.place_of(&go).has_value());
    transport.all_gather({&go, 1}, all);
  });
  EXPECT_EQ(ranks.pieces_shared, 0);
}

TEST(RedistributeThread, ThrowsOnAllRanksWhatOneFindsWrong) {
  const RedistributionPlan plan = plan_redistribution(
      {distribute({4, 6}, {{2}}, {shard(0)}), {1, 0}, distribute({6, 4}, {{2}}, {shard(0)}), 4});
  ThreadRanks ranks(2, 2);
  on_thread_ranks(ranks, [&](Transport& transport) {
    Redistributor redistributor(transport, plan);
    const auto message_of = [&](const Tensor& source, const Tensor& destination) {
      return oracle::message_of([&] { return redistributor.run(source, destination), 0; });
    };
    const bool is_wrong = transport.rank() == 1;
    EXPECT_EQ(message_of(empty({2, is_wrong ? 5 : 6}), empty({3, 4})),
              "RuntimeError: rank 1: redistribute: the source of rank 1 of shape (2,5) must have the shape "
              "(2,6) of "
              "what the rank holds");
    EXPECT_EQ(message_of(empty({2, 6}, {.dtype = DType::float64}), empty({3, 4}, {.dtype = DType::float64})),
              "RuntimeError: rank 0: redistribute: elements of float64 have 8 B, and the plan is for 4 B");
    const Tensor both = empty({12});
    EXPECT_EQ(
        message_of(both.view({2, 6}), both.view({3, 4})),
        "RuntimeError: rank 0: redistribute: the source and the destination must not share memory; clone() "
        "the source first");
    EXPECT_EQ(message_of(empty({2, 6}, {.device = Device::meta}), empty({3, 4})),
              "RuntimeError: rank 0: redistribute: a meta tensor has no elements to be read (shape (2,6))");
    EXPECT_EQ(
        message_of(empty({2, 6}), empty({3, 4}).read_only()),
        "RuntimeError: rank 0: redistribute: the destination must not be read-only; use .clone() first");
    EXPECT_EQ(oracle::message_of([&] {
                if (is_wrong) redistributor.refuse("no memory");
                return redistributor.run(empty({2, 6}), empty({3, 4})), 0;
              }),
              "RuntimeError: rank 1: no memory");
    const DType own = is_wrong ? DType::int32 : DType::float32;
    EXPECT_EQ(message_of(empty({2, 6}, {.dtype = own}), empty({3, 4}, {.dtype = own})),
              "RuntimeError: redistribute: the dtype int32 of rank 1 must be that of rank 0, float32");
    redistributor.run(empty({2, 6}), empty({3, 4}));  // and goes on
  });
}

/// What ledgers record of a run on each rank is what `forecast` says without one.
TEST(RedistributeThread, IsForetoldInTheLedger) {
  Random random(5);
  for (int trial = 0; trial < 60; ++trial) {
    const Index size = random.between(1, 6);
    const RedistributionPlan plan = plan_redistribution(oracle::drawn_redistribution(random, size, 8));
    RedistributeOptions options;
    options.uses_shared_memory = random.between(0, 1) == 0;
    if (random.between(0, 1) == 0) options.max_bytes = 64;
    ThreadRanks ranks(size, size);
    on_thread_ranks(ranks, [&](Transport& transport) {
      const Index rank = transport.rank();
      Redistributor redistributor(transport, plan, options);
      const Dims shape = plan.problem.from.held_by(rank).local_shape();
      Tensor source = options.uses_shared_memory ? transport.empty_shared(shape, DType::float64)
                                                 : empty(shape, {.dtype = DType::float64});
      copy_elements(source, ones(shape, {.dtype = DType::float64}));
      const Tensor destination =
          empty(plan.problem.to.held_by(rank).local_shape(), {.dtype = DType::float64});
      CopyLedger seen;
      redistributor.run(source, destination);
      seen.close();
      CopyLedger foretold;
      forecast(plan, rank, DType::float64, options);
      foretold.close();
      EXPECT_EQ(foretold.totals().copies, seen.totals().copies) << plan.to_string();
      EXPECT_EQ(foretold.totals().bytes_read, seen.totals().bytes_read);
      EXPECT_EQ(foretold.totals().bytes_written, seen.totals().bytes_written);
      for (const LedgerEntry& entry : seen.entries()) EXPECT_EQ(entry.operation, "redistribute");
      for (const LedgerEntry& entry : foretold.entries()) EXPECT_EQ(entry.operation, "redistribute");
    });
    if (HasFailure()) return;
  }
}

TEST(RedistributeThread, IsRefusedOnAllRanksWhereOneForbidsCopies) {
  const RedistributionPlan plan = plan_redistribution(
      {distribute({4, 6}, {{2}}, {shard(0)}), {0, 1}, distribute({4, 6}, {{2}}, {shard(1)}), 4});
  ThreadRanks ranks(2, 2);
  on_thread_ranks(ranks, [&](Transport& transport) {
    Redistributor redistributor(transport, plan);
    const Tensor source = zeros({2, 6});
    const Tensor destination = zeros({4, 3});
    std::optional<NoCopy> none;
    if (transport.rank() == 1) none.emplace();
    const std::string refusal = oracle::message_of([&] { return redistributor.run(source, destination), 0; });
    EXPECT_TRUE(refusal.starts_with("RuntimeError: rank 1: redistribute")) << refusal;
  });
}

TEST(RedistributeThread, RefusesPlansThatRanksDoNotShare) {
  const auto plan_of = [&](Index ranks, Index axis) {
    return plan_redistribution(
        {distribute({4, 6}, {{ranks}}, {shard(0)}), {0, 1}, distribute({4, 6}, {{ranks}}, {shard(axis)}), 4});
  };
  ThreadRanks ranks(2, 2);
  on_thread_ranks(ranks, [&](Transport& transport) {
    const auto message_of = [&](const RedistributionPlan& plan, const RedistributeOptions& options) {
      return oracle::message_of([&] { return Redistributor(transport, plan, options), 0; });
    };
    EXPECT_EQ(
        message_of(plan_of(2, transport.rank()), {}),
        "ValueError: redistribute: rank 1 has another plan or other options than rank 0; all ranks must have "
        "the same");
    EXPECT_EQ(
        message_of(plan_of(2, 1), {.max_bytes = 1000 + transport.rank()}),
        "ValueError: redistribute: rank 1 has another plan or other options than rank 0; all ranks must have "
        "the same");
    EXPECT_EQ(message_of(plan_of(3, 1), {}),
              "ValueError: redistribute: mesh (3) must have as many ranks as there are, 2");
    EXPECT_EQ(message_of(plan_of(2, 1), {.max_bytes = 4}),
              "ValueError: redistribute: 4 B for a round must be 8 B or more, an element to send and one to "
              "receive");
  });
}

}  // namespace
}  // namespace tenstride::distributed
