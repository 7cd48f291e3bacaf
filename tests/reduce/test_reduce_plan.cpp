// SPDX-License-Identifier: Apache-2.0
// Which way reductions take, what their plans say, and where they are recorded. That plans compute what is
// asked is tested by all other tests of reductions, which go through them.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/reduce/reduce_plan.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

/// The problem of reducing some axes of a layout.
ReduceProblem problem_of(Reduction reduction, DType dtype, const Layout& layout, const Dims& axes) {
  ReduceProblem problem{reduction, dtype, {{}, {}, layout.offset}, {{}, {}, 0}};
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), static_cast<Index>(d)) != axes.end();
    Layout& side = is_reduced ? problem.reduced : problem.results;
    side.shape.push_back(layout.shape[d]);
    side.strides.push_back(layout.strides[d]);
  }
  return problem;
}

ReducePlan plan_of(Reduction reduction, DType dtype, const Layout& layout, const Dims& axes) {
  return plan_reduction(problem_of(reduction, dtype, layout, axes));
}

TEST(ReducePlan, TakesTheWayOfTheLayout) {
  struct Case {
    std::string_view way;
    Reduction reduction;
    DType dtype;
    Layout layout;
    Dims axes;
  };
  constexpr DType f32 = DType::float32;
  const Case cases[] = {
      {"runs", Reduction::sum, f32, row_major({1000, 1000}), {1}},
      {"rows", Reduction::sum, f32, row_major({1000, 1000}), {0}},
      {"gapped runs", Reduction::sum, f32, {{1000, 1000}, {2000, 2}, 0}, {1}},
      {"gapped rows", Reduction::sum, f32, {{1000, 1000}, {2000, 2}, 0}, {0}},
      {"packed runs", Reduction::sum, DType::float64, {{1000, 1000}, {2000, 2}, 0}, {1}},
      {"packed rows", Reduction::sum, f32, {{1000, 1000}, {1000, -1}, 999}, {0}},
      {"pixels", Reduction::mean, f32, row_major({100, 4}), {0}},
      {"three channels", Reduction::max, DType::uint8, row_major({480, 640, 3}), {1}},
      {"pools", Reduction::max, f32, row_major({64, 24, 2, 24, 2, 3}), {2, 4}},
      {"multiples", Reduction::mean, DType::bfloat16, {{100, 4}, {0, 1}, 0}, {0}},
      {"nothing", Reduction::sum, f32, row_major({0, 4}), {1}},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(name(plan_of(each.reduction, each.dtype, each.layout, each.axes).way), each.way);
  }
}

TEST(ReducePlan, TakesRepeatedElementsOut) {
  const Layout repeated{{100, 4}, {0, 1}, 0};
  const ReducePlan sum = plan_of(Reduction::sum, DType::int32, repeated, {0});
  EXPECT_EQ(sum.repeats, 100);
  EXPECT_EQ(sum.problem.reduced.shape, (Dims{1}));
  const ReducePlan max = plan_of(Reduction::max, DType::float64, repeated, {0});
  EXPECT_EQ(max.repeats, 1);
  EXPECT_EQ(max.problem.reduced.shape, (Dims{1}));
  // A sum of doubles is rounded at each of them.
  EXPECT_EQ(plan_of(Reduction::sum, DType::float64, repeated, {0}).problem.reduced.shape, (Dims{100}));
  const ReducePlan expanded = plan_of(Reduction::sum, DType::float64, repeated, {1});
  EXPECT_TRUE(expanded.is_expanded);
  EXPECT_EQ(expanded.problem.results.shape, (Dims{1}));
}

TEST(ReducePlan, IsText) {
  EXPECT_EQ(plan_of(Reduction::mean, DType::float32, row_major({64, 512, 100}), {1}).to_string(),
            "mean of 3276800 elements float32 -> 6400 float32\n"
            "  way      rows, tiles of 1024, 4 cuts, ordinary stores\n"
            "  result   64   src stride 51200\n"
            "  result   100  src stride 1\n"
            "  reduced  512  src stride 100");
  EXPECT_EQ(
      plan_of(Reduction::sum, DType::float32, {{2048, 2048, 64}, {1, 2048, 4194304}, 0}, {2}).to_string(),
      "sum of 268435456 elements float32 -> 4194304 float32\n"
      "  way      rows, tiles of 1024, streaming stores\n"
      "  result   4194304  src stride 1\n"
      "  reduced  64       src stride 4194304\n"
      "  blocks   none: computed in the order of memory, then transposed into the result");
  EXPECT_EQ(plan_of(Reduction::max, DType::float32, row_major({4}), {0}).to_string(),
            "max of 4 elements float32 -> 1 float32\n"
            "  way      runs, tiles of 1, ordinary stores\n"
            "  reduced  4  src stride 1");
}

TEST(ReducePlan, TransposesResultsInBlocks) {
  // Images with channels last, whose results are wanted with channels first.
  const ReducePlan plan = plan_of(Reduction::max, DType::float32,
                                  {{64, 32, 64, 2, 64, 2}, {524288, 1, 8192, 4096, 64, 32}, 0}, {3, 5});
  EXPECT_EQ(plan.way, ReduceWay::pools);
  ASSERT_EQ(plan.block.size(), 4U);
  EXPECT_LE(count_elements(plan.block) * 4, 1 << 18);
}

TEST(ReducePlan, CutsTheOutermostAxisOfMemoryFirstWhereTheOrderIsFree) {
  // Maxima over the third of four axes, results in the opposite order.
  const Layout layout{{10, 13, 2, 122902}, {13, 1, 130, 260}, 0};
  const ReducePlan max = plan_of(Reduction::max, DType::int32, layout, {0});
  ASSERT_EQ(max.block.size(), 3U);
  EXPECT_EQ(max.block[0], 13);
  EXPECT_EQ(max.block[1], 2);
  EXPECT_LT(max.block[2], 122902);
  // The rounding of a sum depends on its blocks, which stay what they were.
  EXPECT_EQ(plan_of(Reduction::sum, DType::float32, layout, {0}).block, (Dims{13, 1, 4917}));
}

TEST(ReducePlan, TakesResultsThatLieTogetherAsATileWhereTheOrderIsFree) {
  const Layout layout{{525, 72, 6, 123}, {106272, 738, 123, 1}, 0};
  for (const Reduction reduction : {Reduction::min, Reduction::any, Reduction::sum}) {
    const ReducePlan plan = plan_of(reduction, DType::int16, layout, {1, 3});
    EXPECT_EQ(plan.tile, 6) << name(reduction);
    EXPECT_EQ(plan.cuts, 1) << name(reduction);
  }
  // The rounding of a sum depends on its cuts, which stay what they were.
  EXPECT_EQ(plan_of(Reduction::sum, DType::float32, layout, {1, 3}).tile, 1024);
}

TEST(ReducePlan, DependsNotOnThreads) {
  const ReduceProblem problem =
      problem_of(Reduction::sum, DType::float32, row_major({100, 1000, 77}), {0, 2});
  const auto text_with = [&](int threads) {
    const ThreadScope scope(threads);
    return plan_reduction(problem).to_string();
  };
  EXPECT_EQ(text_with(1), text_with(7));
}

TEST(ReducePlan, OfMoreElementsThanMemoryHolds) {
  constexpr Index most = std::numeric_limits<Index>::max() / 8;
  for (const Layout& layout : {Layout{{3, most / 3}, {0, 1}, 0}, Layout{{most / 7, 7}, {0, 0}, 0},
                               Layout{{2, most / 4, 2}, {most, 2, 0}, 0}}) {
    for (const Reduction reduction : {Reduction::sum, Reduction::prod, Reduction::max}) {
      for (const Dims& axes : {Dims{0}, Dims{1}, Dims{0, 1}}) {
        EXPECT_NE(plan_of(reduction, DType::float64, layout, axes).to_string(), "");
      }
    }
  }
}

TEST(ReducePlan, StandsInTheLedger) {
  const Tensor x = ones({6, 1000, 20});
  CopyLedger ledger;
  const Tensor y = sum(x.permute({1, 0, 2}), {1});
  const auto find = [&] {
    return std::find_if(ledger.entries().begin(), ledger.entries().end(),
                        [](const LedgerEntry& entry) { return entry.kind == LedgerKind::reduction; });
  };
  ASSERT_EQ(ledger.totals().reductions, 1U);
  EXPECT_EQ(ledger.totals().copies, 0U);
  EXPECT_EQ(ledger.totals().bytes_reduced, 480000);
  EXPECT_EQ(ledger.totals().bytes_read, 0);
  EXPECT_EQ(ledger.totals().bytes_allocated, 80000);
  ASSERT_EQ(ledger.entries().size(), 1U);
  const LedgerEntry& entry = *find();
  EXPECT_EQ(entry.operation, "sum");
  EXPECT_EQ(entry.kernel, "rows");
  EXPECT_EQ(entry.src->shape, (Dims{1000, 6, 20}));
  EXPECT_EQ(entry.dst->shape, (Dims{1000, 20}));
  EXPECT_EQ(entry.bytes_read, 480000);
  EXPECT_EQ(entry.bytes_written, 80000);
  EXPECT_EQ(entry.bytes_allocated, 80000);
  ASSERT_NE(entry.reduction, nullptr);
  EXPECT_EQ(entry.reduction->way, ReduceWay::rows);
  ledger.clear();
  (void)sum(empty({10, 10}, {.device = Device::meta}), {0});
  EXPECT_EQ(ledger.totals().reductions, 1U);
  const NoCopy none;  // a reduction is no copy
  (void)sum(x, {0});
}

}  // namespace
}  // namespace tenstride
