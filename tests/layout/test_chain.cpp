// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/chain.hpp"

#include <gtest/gtest.h>

#include "support/layouts.hpp"
#include "support/refusal.hpp"
#include "support/slow.hpp"

namespace tenstride {
namespace {

using testing::positions;
using testing::refusal;

constexpr Layout dense234{{2, 3, 4}, {12, 4, 1}, 0};

// A chain of constant shapes folds at compile time.
static_assert(Chain(dense234).permute({2, 0, 1}).reshape({4, 6}).try_view() == Layout{{4, 6}, {1, 4}, 0});
static_assert(Chain(dense234).permute({0, 2, 1}).reshape({2, 12}).plan().copies.at(0) ==
              ChainCopy{{{2, 4, 3}, {12, 1, 4}, 0}, row_major({2, 4, 3})});
static_assert(Chain(dense234)
                  .permute({0, 2, 1})
                  .reshape({2, 12})
                  .reshape({2, 4, 3})
                  .permute({0, 2, 1})  //
                  .try_view() == dense234);
static_assert(Chain({{4, 6}, {6, 1}}).transpose(0, 1).reshape({4, 6}).plan().copies.size() == 1);
static_assert(Chain({{4, 6}, {6, 1}}).transpose(0, 1).reshape({4, 6}).cuts().size() == 1);
static_assert(Chain({{4, 6}, {6, 1}}).transpose(0, 1).reshape({4, 6}).reshape({6, 4}).is_view());
static_assert(Chain({{4, 6}, {6, 1}}).transpose(0, 1).reshape({4, 6}).reshape({6, 4}).cuts().empty());
static_assert(Chain({{8}, {1}}).flip({0}).slice(0, 1, 7, 2).try_view() == Layout{{3}, {-2}, 6});

/// The storage positions that a chain visits, found by carrying its plan out on numbers.
std::vector<Index> carried_out(const ChainPlan& plan) {
  std::vector<Index> memory;  // empty: the source, where position p holds p
  for (const ChainCopy& copy : plan.copies) {
    std::vector<Index> fresh(static_cast<std::size_t>(numel(copy.dst)), -1);
    const std::vector<Index> from = positions(copy.src);
    const std::vector<Index> to = positions(copy.dst);
    EXPECT_EQ(from.size(), to.size());
    for (std::size_t n = 0; n < to.size(); ++n) {
      const Index value =
          &copy == plan.copies.data() ? from[n] : memory.at(static_cast<std::size_t>(from[n]));
      fresh.at(static_cast<std::size_t>(to[n])) = value;
    }
    memory = fresh;
  }
  std::vector<Index> result = positions(plan.result);
  if (plan.is_view()) return result;
  for (Index& position : result) position = memory.at(static_cast<std::size_t>(position));
  return result;
}

TEST(Chain, TheHeadersExample) {
  const Chain chain = Chain(dense234).permute({2, 0, 1}).reshape({4, 6});
  EXPECT_EQ(chain.to_string(), "(4,6):(1,4)+0");
  EXPECT_EQ(Chain({{2, 3, 4}, {16, 5, 1}}).permute({2, 0, 1}).reshape({4, 6}).to_string(),
            "(4,(2,3)):(1,(16,5))+0");
}

TEST(Chain, SaysAViewACopyOrACut) {
  const Chain view = Chain(dense234).permute({2, 0, 1});
  EXPECT_EQ(to_string(view.plan()), "view    (4,2,3):(1,12,4)+0");
  const Chain copy = Chain(dense234).permute({0, 2, 1}).reshape({2, 12});
  EXPECT_EQ(to_string(copy.plan()),
            "copy 1  24 elements  (2,4,3):(12,1,4)+0 -> (2,4,3):(12,3,1)+0\n"
            "result  (2,12):(12,1)+0");
  const Chain cut = Chain({{4, 6}, {6, 1}}).transpose(0, 1).reshape({4, 6});
  EXPECT_EQ(to_string(cut), "(4,6):(6@A,1@A)+0 with A = (6,4):(1,6)");
  ASSERT_EQ(cut.cuts().size(), 1U);
  EXPECT_EQ(to_string(cut.cuts()[0]),
            "reshape: (6,4) to (4,6) cuts across axes 0..1\n"
            "  atoms  (6,4), wanted as (4,6): of 4 and 6 neither divides the other\n"
            "  takes  a copy that lays these 24 indexes in a row");
  EXPECT_EQ(to_string(cut.plan()),
            "copy 1  24 elements  (6,4):(1,6)+0 -> (6,4):(4,1)+0\n"
            "result  (4,6):(6,1)+0");
}

TEST(Chain, KeepsMergedAxesThatStridesCannot) {
  const Chain chain = Chain(dense234).permute({0, 2, 1}).flatten(1).transpose(0, 1);
  EXPECT_FALSE(chain.is_view());
  EXPECT_EQ(chain.plan().copies.size(), 1U);
  EXPECT_EQ(chain.reshape({4, 3, 2}).try_view(), (Layout{{4, 3, 2}, {1, 4, 12}, 0}));
}

TEST(Chain, CutsOnlyTheAxesThatMust) {
  // (7,4,6) with the last two exchanged: 7 stays out of the block, so a later select makes the copy smaller.
  const Chain cut = Chain(row_major({7, 4, 6})).transpose(1, 2).reshape({7, 4, 6});
  EXPECT_EQ(cut.to_string(), "(7,4,6):(24,6@A,1@A)+0 with A = (6,4):(1,6)");
  EXPECT_EQ(cut.cuts()[0].first_axis, 1U);
  EXPECT_EQ(cut.cuts()[0].last_axis, 2U);
  const ChainPlan plan = cut.select(0, 3).plan();
  ASSERT_EQ(plan.copies.size(), 1U);
  EXPECT_EQ(numel(plan.copies[0].dst), 24);
  EXPECT_EQ(plan.copies[0].src.offset, 72);
}

TEST(Chain, CopiesOnlyTheRowsOfABlockThatAreReached) {
  const Chain cut = Chain(row_major({4, 6})).transpose(0, 1).reshape({4, 6});
  const ChainPlan plan = cut.narrow(0, 1, 1).plan();  // numbers 6..11 of rows of 4: rows 1 and 2
  ASSERT_EQ(plan.copies.size(), 1U);
  EXPECT_EQ(numel(plan.copies[0].dst), 8);
  EXPECT_TRUE(cut.select(0, 0).narrow(0, 0, 4).is_view());  // within one row
}

TEST(Chain, LeavesOutOfTheCopyWhatIsOnlyRepeated) {
  const Chain cut = Chain(row_major({4, 6, 1})).transpose(0, 1).expand({6, 4, 100}).reshape({4, 6, 100});
  const ChainPlan plan = cut.plan();
  ASSERT_EQ(plan.copies.size(), 1U);
  EXPECT_EQ(numel(plan.copies[0].dst), 24);
  EXPECT_EQ(plan.result, (Layout{{4, 6, 100}, {6, 1, 0}, 0}));
}

TEST(Chain, TakesOneCopyForEachNestedCut) {
  const Chain chain =
      Chain(row_major({5, 7})).transpose(0, 1).reshape({5, 7}).transpose(0, 1).reshape({5, 7});
  EXPECT_EQ(chain.plan().copies.size(), 2U);
  EXPECT_EQ(chain.cuts().size(), 2U);
  EXPECT_EQ(chain.transpose(0, 1).flatten().plan().copies.size(), 3U);
}

TEST(Chain, IsPyTorchsLayoutWhereEveryStepIsAView) {
  for (const Layout& layout : testing::odd_layouts()) {
    EXPECT_EQ(Chain(layout).try_view(), layout);
    if (layout.rank() == max_rank) continue;
    EXPECT_EQ(Chain(layout).unsqueeze(0).squeeze(0).try_view(), layout);
    EXPECT_EQ(Chain(layout).unsqueeze(-1).try_view(), unsqueeze(layout, -1));
  }
}

/// Every target shape of the same number of elements with extents from a short list.
std::vector<Dims> shapes_of(Index count) {
  std::vector<Dims> result;
  for (Index a = 1; a <= count; ++a) {
    if (count % a != 0) continue;
    result.push_back({a, count / a});
    for (Index b = 1; b <= count / a; ++b) {
      if (count / a % b == 0) result.push_back({a, b, count / a / b});
    }
  }
  return result;
}

TEST(Chain, EveryReshapeOfEveryOrderIsRight) {
  for (const Dims& shape :
       {Dims{2, 3, 4}, Dims{6, 5, 2}, Dims{4, 6}, Dims{2, 2, 3, 2}, Dims{3, 3, 3}, Dims{5, 1, 7}}) {
    const Layout dense = row_major(shape);
    for (const Dims& order : testing::all_orders(shape.size())) {
      const Layout permuted = permute(dense, order);
      const std::vector<Index> wanted = positions(permuted);
      for (const Dims& target : shapes_of(numel(dense))) {
        const Chain chain = Chain(dense).permute(order).reshape(target);
        EXPECT_EQ(chain.shape(), target);
        EXPECT_EQ(chain.is_view(), try_view(permuted, target).has_value());
        const ChainPlan plan = chain.plan();
        EXPECT_LE(plan.copies.size(), 1U);  // one reshape at the end: as an eager reshape
        EXPECT_EQ(carried_out(plan), wanted) << chain.to_string();
        EXPECT_EQ(carried_out(chain.copy_plan()), wanted) << chain.to_string();
        EXPECT_EQ(chain.copy_plan().result, row_major(target));
        for (const Dims& back : shapes_of(numel(dense))) {
          EXPECT_EQ(carried_out(chain.reshape(back).plan()), wanted) << chain.to_string();
        }
        EXPECT_EQ(chain.reshape(permuted.shape).try_view().has_value(), true) << chain.to_string();
      }
    }
  }
}

TEST(Chain, EveryPartOfAMergedAxisIsRight) {
  for (const Layout& layout : {Layout{{2, 3, 4}, {16, 5, 1}, 3}, Layout{{4, 3, 2}, {1, 8, 4}, 0},
                               Layout{{3, 4, 2}, {-8, 2, -1}, 17}}) {
    const Chain merged = Chain(layout).reshape({24});
    const std::vector<Index> all = positions(layout);
    for (Index start = 0; start < 24; ++start) {
      EXPECT_EQ(merged.select(0, start).plan().result.offset, all[static_cast<std::size_t>(start)]);
      EXPECT_TRUE(merged.select(0, start).is_view());
      for (Index end = start; end <= 24; ++end) {
        for (Index step = 1; step < 9; ++step) {
          std::vector<Index> wanted;
          for (Index n = start; n < end; n += step) wanted.push_back(all[static_cast<std::size_t>(n)]);
          const Chain part = merged.slice(0, start, end, step);
          EXPECT_EQ(carried_out(part.plan()), wanted) << start << ":" << end << ":" << step;
          std::reverse(wanted.begin(), wanted.end());
          EXPECT_EQ(carried_out(part.flip({0}).plan()), wanted) << start << ":" << end << ":" << step;
        }
      }
    }
  }
}

TEST(Chain, PartsThatFallOnAtomsAreFree) {
  const Chain merged = Chain({{4, 6}, {1, 4}}).flatten();
  EXPECT_EQ(merged.narrow(0, 6, 12).to_string(), "((2,6)):((1,4))+1");
  EXPECT_EQ(merged.narrow(0, 8, 3).to_string(), "(3):(4)+9");
  EXPECT_EQ(merged.slice(0, 2, {}, 6).to_string(), "(4):(1)+8");
  EXPECT_EQ(merged.slice(0, 1, {}, 2).to_string(), "((4,3)):((1,8))+4");
  ASSERT_EQ(merged.narrow(0, 1, 8).cuts().size(), 1U);
  EXPECT_EQ(to_string(merged.narrow(0, 1, 8).cuts()[0]),
            "narrow: (24) to (8) cuts across axis 0\n"
            "  atoms  (4,6): the part begins or ends inside the faster ones\n"
            "  takes  a copy that lays these 24 indexes in a row");
}

TEST(Chain, DiagonalsRunInStepOrAreCopied) {
  const Layout layout = row_major({3, 4, 3, 4});
  const Chain free = Chain(layout).reshape({12, 12}).diagonal();
  EXPECT_EQ(free.try_view(), (Layout{{12}, {13}, 0}));
  const Chain paired = Chain(layout).permute({1, 0, 3, 2}).reshape({12, 12}).diagonal();
  EXPECT_EQ(paired.to_string(), "((4,3)):((13,52))+0");
  const Chain moved = Chain(layout).permute({1, 0, 3, 2}).reshape({12, 12});
  for (Index offset = -12; offset <= 12; ++offset) {
    const std::vector<Index> all = positions(permute(layout, {1, 0, 3, 2}));
    std::vector<Index> wanted;
    for (Index i = 0; i < 12; ++i) {
      if (i + offset >= 0 && i + offset < 12)
        wanted.push_back(all[static_cast<std::size_t>(13 * i + offset)]);
    }
    EXPECT_EQ(carried_out(moved.diagonal(offset).plan()), wanted) << offset;
  }
  EXPECT_EQ(to_string(moved.diagonal(1).cuts().at(0)),
            "diagonal: (12,12) to (11) cuts across axes 0 and 1\n"
            "  atoms  (4,3,4,3): no two of them run in step\n"
            "  takes  a copy that lays these 144 indexes in a row");
}

TEST(Chain, EmptyChainsAreViews) {
  const Chain empty = Chain(row_major({2, 0, 3})).permute({1, 2, 0}).reshape({0, 5}).transpose(0, 1);
  EXPECT_EQ(empty.shape(), (Dims{5, 0}));
  EXPECT_TRUE(empty.is_view());
  const Chain cut = Chain(row_major({4, 6})).transpose(0, 1).reshape({4, 6}).narrow(0, 2, 0).reshape({0, 9});
  EXPECT_TRUE(cut.is_view());
  EXPECT_EQ(cut.expand({2, 0, 9}).shape(), (Dims{2, 0, 9}));
  EXPECT_EQ(numel(cut.copy_plan().result), 0);
}

TEST(Chain, RefusesWhatATensorRefuses) {
  const Chain chain = Chain(dense234).permute({0, 2, 1}).flatten();
  EXPECT_EQ(refusal<ShapeError>([&] {
              return chain.reshape({5, 5});
            }),
            "reshape: sizes (5,5) make 25 elements and must make the tensor's 24 (shape (24))");
  EXPECT_EQ(refusal<AxisError>([&] { return chain.transpose(0, 3); }),
            "transpose: axis 3 must lie in [-1,0] (shape (24))");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return chain.permute({0, 0});
            }),
            "permute: order (0,0) must list each axis 0..0 once (shape (24))");
  EXPECT_EQ(refusal<AxisError>([&] { return chain.atoms(1); }),
            "atoms: axis 1 must lie in [-1,0] (shape (24))");
  EXPECT_EQ(chain.atoms(0).size(), 3U);
}

}  // namespace
}  // namespace tenstride
