// SPDX-License-Identifier: Apache-2.0
// Tests that a copy has the way with the lowest cost, and that the ledger names it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "copy/kernels/kernels.hpp"
#include "support/copy_oracle.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/views.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

/// A copy to row-major order, and its way.
struct Case {
  std::string_view way;
  Layout src;
  DType from = DType::float32;
  DType to = DType::float32;
};

Layout permuted(const Dims& shape, const Dims& order) {
  return permute(row_major(shape), order);
}

/// Copies larger than the caches, on a machine whose sequential stores stream.
std::vector<Case> cases() {
  return {{"contiguous", row_major({2000000})},
          {"rows", row_major({2000000}), DType::float32, DType::float64},
          {"rows", {{2000, 700}, {1000, 1}, 0}},
          {"gather", {{2000, 700}, {1400, 2}, 0}},
          {"fill", {{2000, 700}, {1, 0}, 0}},
          {"repeated rows", {{300, 5, 1000}, {2000, 0, 2}, 0}},
          {"row scatter", permuted({100, 200, 64}, {1, 0, 2})},
          {"tiles", permuted({1024, 1536}, {1, 0})},
          {"channels", permuted({1000000, 3}, {1, 0})},
          {"channels", permuted({3, 1000000}, {1, 0})},
          {"cached tiles", permuted({200, 200}, {1, 0})},
          {"blocks", permuted({40000, 7, 5}, {0, 2, 1})},
          {"blocks", permuted({2000, 3, 200, 5}, {2, 1, 0, 3})}};
}

Machine streaming_machine() {
  Machine machine;
  machine.stores = SequentialStores::streaming;
  return machine;
}

CopyPlan planned(const Case& c, std::string_view way = {}) {
  PlanOptions options;
  options.machine = streaming_machine();
  options.way = way;
  return plan_copy(row_major(c.src.shape), c.to, c.src, c.from, options);
}

TEST(Ways, AreTakenWhereTheyCostLeast) {
  for (const Case& c : cases()) {
    const CopyPlan made = planned(c);
    EXPECT_EQ(made.method(), c.way) << made.to_string();
    const double cost = made.costs.ways[made.way.index()];
    EXPECT_GT(cost, 0);
    for (const double other : made.costs.ways) EXPECT_TRUE(other == 0 || other >= cost) << made.to_string();
  }
}

TEST(Ways, AreWhatTheLedgerNames) {
  const MachineScope scope(streaming_machine());
  for (const Case& c : cases()) {
    const Index elements = reach(c.src)->highest + 1;
    const Tensor memory = zeros({elements}, {.dtype = c.from});
    const Tensor x = memory.as_strided(c.src.shape, c.src.strides, c.src.offset);
    Tensor y = empty(c.src.shape, {.dtype = c.to});
    y.fill_(1);
    CopyLedger ledger;
    y.copy_(x);
    ASSERT_EQ(ledger.entries().size(), 1U) << c.way;
    EXPECT_EQ(ledger.entries()[0].kernel, c.way);
    ASSERT_NE(ledger.entries()[0].plan, nullptr) << c.way;
    EXPECT_EQ(ledger.entries()[0].plan->method(), c.way);
  }
}

/// A named way is used where it can make the copy, otherwise the cheapest one.
TEST(Ways, CanBeNamed) {
  oracle::Random random(3);
  for (const Case& c : cases()) {
    const auto in = random.bytes(static_cast<std::size_t>(reach(c.src)->highest + 1) * item_size(c.from));
    std::vector<std::byte> expected(static_cast<std::size_t>(numel(c.src)) * item_size(c.to));
    oracle::copy(row_major(c.src.shape), c.to, expected.data(), c.src, c.from, in.data(), {});
    int had = 0;
    for (const std::string_view name : way_names) {
      const CopyPlan made = planned(c, name);
      const std::string_view taken = made.method();
      EXPECT_TRUE(taken == name || taken == c.way) << name << '\n' << made.to_string();
      had += taken == name ? 1 : 0;
      std::vector<std::byte> given(expected.size());
      run_plan(made, given.data(), in.data());
      EXPECT_TRUE(given == expected) << made.to_string();
    }
    EXPECT_GE(had, 1) << c.way;
  }
}

/// Copies that run differently say so.
TEST(Ways, SayWhatTheyDo) {
  std::set<std::string> texts;
  for (const Case& c : cases()) texts.insert(std::string(c.way) + ": " + run_text(planned(c)));
  EXPECT_EQ(texts.size(), cases().size());
}

/// Tiles that convert are planned as panels where some instruction set has a kernel for them, and with AVX2
/// or AVX-512 nowhere else.
TEST(Ways, ConvertInPanelsWhereThereIsAKernel) {
  PlanOptions options;
  options.machine = streaming_machine();
  options.way = "tiles";
  const Layout view = permuted({2048, 4096}, {1, 0});
  for (std::size_t to = 0; to < dtype_count; ++to) {
    for (std::size_t from = 0; from < dtype_count; ++from) {
      if (to == from) continue;
      const auto to_type = static_cast<DType>(to);
      const auto from_type = static_cast<DType>(from);
      const CopyPlan made = plan_copy(row_major(view.shape), to_type, view, from_type, options);
      const bool are_panels = std::get<Tiles>(made.way).method == TileMethod::panels;
      for (const copy::Kernels* const table : copy::available_kernels()) {
        const bool has_kernel = table->converting->transpose(to_type, from_type).run != nullptr;
        const bool has_all = std::string_view(table->name).starts_with("avx");
        EXPECT_TRUE(has_kernel ? are_panels : !(has_all && are_panels)) << table->name << '\n'
                                                                        << made.to_string();
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
