// SPDX-License-Identifier: Apache-2.0
// Tests that a copy has the strategy with the lowest cost, and that the ledger names it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/copy_oracle.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/views.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

/// A copy to row-major order, its strategy, and the name of its method.
struct Case {
  std::string_view strategy;
  std::string_view method;
  Layout src;
  DType from = DType::float32;
  DType to = DType::float32;
};

Layout permuted(const Dims& shape, const Dims& order) {
  return permute(row_major(shape), order);
}

/// Copies larger than the caches, on a machine whose sequential stores stream.
std::vector<Case> cases() {
  return {{"contiguous", "memcpy", row_major({2000000})},
          {"row loops", "memcpy", row_major({2000000}), DType::float32, DType::float64},
          {"row loops", "rows", {{2000, 700}, {1000, 1}, 0}},
          {"row loops", "gather", {{2000, 700}, {1400, 2}, 0}},
          {"row loops", "fill", {{2000, 700}, {1, 0}, 0}},
          {"repeated rows", "repeated rows", {{300, 5, 1000}, {2000, 0, 2}, 0}},
          {"row scatter", "row scatter", permuted({100, 200, 64}, {1, 0, 2})},
          {"tiles", "tile", permuted({1024, 1536}, {1, 0})},
          {"tiles", "deinterleave", permuted({1000000, 3}, {1, 0})},
          {"tiles", "interleave", permuted({3, 1000000}, {1, 0})},
          {"cached tiles", "cached tiles", permuted({200, 200}, {1, 0})},
          {"pipelined blocks", "pipelined blocks", permuted({40000, 7, 5}, {0, 2, 1})},
          {"pipelined blocks", "pipelined blocks", permuted({2000, 3, 200, 5}, {2, 1, 0, 3})}};
}

Machine streaming_machine() {
  Machine machine;
  machine.stores = SequentialStores::streaming;
  return machine;
}

CopyPlan planned(const Case& c, std::string_view strategy = {}) {
  PlanOptions options;
  options.machine = streaming_machine();
  options.strategy = strategy;
  return plan_copy(row_major(c.src.shape), c.to, c.src, c.from, options);
}

TEST(Strategies, AreTakenWhereTheyCostLeast) {
  for (const Case& c : cases()) {
    const CopyPlan made = planned(c);
    EXPECT_EQ(strategy_names[made.strategy.index()], c.strategy) << made.to_string();
    EXPECT_EQ(made.method(), c.method) << made.to_string();
    const double cost = made.costs.strategies[made.strategy.index()];
    EXPECT_GT(cost, 0);
    for (const double other : made.costs.strategies)
      EXPECT_TRUE(other == 0 || other >= cost) << made.to_string();
  }
}

TEST(Strategies, AreWhatTheLedgerNames) {
  const MachineScope scope(streaming_machine());
  for (const Case& c : cases()) {
    const Index elements = reach(c.src)->highest + 1;
    const Tensor memory = zeros({elements}, {.dtype = c.from});
    const Tensor x = memory.as_strided(c.src.shape, c.src.strides, c.src.offset);
    Tensor y = empty(c.src.shape, {.dtype = c.to});
    y.fill_(1);
    CopyLedger ledger;
    y.copy_(x);
    ASSERT_EQ(ledger.entries().size(), 1U) << c.method;
    EXPECT_EQ(ledger.entries()[0].kernel, c.method);
    ASSERT_NE(ledger.entries()[0].plan, nullptr) << c.method;
    EXPECT_EQ(ledger.entries()[0].plan->method(), c.method);
  }
}

/// A named strategy is used where it can make the copy, otherwise the cheapest one.
TEST(Strategies, CanBeNamed) {
  oracle::Random random(3);
  for (const Case& c : cases()) {
    const auto in = random.bytes(static_cast<std::size_t>(reach(c.src)->highest + 1) * item_size(c.from));
    std::vector<std::byte> expected(static_cast<std::size_t>(numel(c.src)) * item_size(c.to));
    oracle::copy(row_major(c.src.shape), c.to, expected.data(), c.src, c.from, in.data(), {});
    int had = 0;
    for (const std::string_view name : strategy_names) {
      const CopyPlan made = planned(c, name);
      const std::string_view taken = strategy_names[made.strategy.index()];
      EXPECT_TRUE(taken == name || taken == c.strategy) << name << '\n' << made.to_string();
      had += taken == name ? 1 : 0;
      std::vector<std::byte> given(expected.size());
      run_plan(made, given.data(), in.data());
      EXPECT_TRUE(given == expected) << made.to_string();
    }
    EXPECT_GE(had, 1) << c.method;
  }
}

TEST(Strategies, SayWhatTheyDo) {
  for (const Case& c : cases()) {
    const CopyPlan made = planned(c);
    EXPECT_EQ(run_text(made).empty(),
              c.strategy == "contiguous" || c.strategy == "row loops" || c.strategy == "tiles")
        << made.to_string();
  }
}

}  // namespace
}  // namespace tenstride
