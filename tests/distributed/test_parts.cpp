// SPDX-License-Identifier: Apache-2.0
// Nests of loops over the indices that two holdings have in common, against these indices one by one.
#include <gtest/gtest.h>

#include "distributed/parts.hpp"
#include "support/copy_oracle.hpp"
#include "support/distributions.hpp"
#include "tenstride/distribution/redistribution.hpp"

namespace tenstride::distributed {
namespace {

using Ranges = std::vector<IndexRange>;
using Pairs = std::vector<std::array<Index, 2>>;

std::vector<Index> indices_of(const Ranges& ranges) {
  std::vector<Index> indices;
  for (const IndexRange& range : ranges) {
    for (Index i = range.begin; i < range.end; ++i) indices.push_back(i);
  }
  return indices;
}

/// Where each index of a part is in two lists.
Pairs positions(const Ranges& part, const Ranges& a, const Ranges& b) {
  const auto place = [](const std::vector<Index>& in, Index index) {
    return static_cast<Index>(std::find(in.begin(), in.end(), index) - in.begin());
  };
  Pairs pairs;
  for (const Index i : indices_of(part)) pairs.push_back({place(indices_of(a), i), place(indices_of(b), i)});
  return pairs;
}

void visit(const AxisNest& nest, std::size_t loop, std::array<Index, 2> at, Pairs& pairs) {
  if (loop == nest.counts.size()) return pairs.push_back(at);
  for (Index i = 0; i < nest.counts[loop]; ++i) {
    visit(nest, loop + 1, at, pairs);
    at[0] += nest.steps[0][loop];
    at[1] += nest.steps[1][loop];
  }
}

Ranges drawn_ranges(oracle::Random& random, Index size) {
  std::vector<bool> has(static_cast<std::size_t>(size));
  const Index period = random.between(1, 6);
  for (std::size_t i = 0; i < has.size(); ++i)
    has[i] = random.between(0, 9) == 0 || static_cast<Index>(i) % period < 2;
  Ranges ranges;
  for (Index i = 0; i < size; ++i) {
    if (!has[static_cast<std::size_t>(i)]) continue;
    if (ranges.empty() || ranges.back().end != i) ranges.push_back({i, i});
    ++ranges.back().end;
  }
  return ranges;
}

Ranges both_of(const Ranges& a, const Ranges& b) {
  Ranges common;
  for (const IndexRange& x : a) {
    for (const IndexRange& y : b) {
      const IndexRange range{std::max(x.begin, y.begin), std::min(x.end, y.end)};
      if (range.size() > 0) common.push_back(range);
    }
  }
  return common;
}

TEST(Parts, NestsHaveEachCommonIndexOnce) {
  oracle::Random random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const Index size = random.between(1, 40);
    const Ranges a = drawn_ranges(random, size);
    const Ranges b = drawn_ranges(random, size);
    const Ranges part = both_of(a, b);
    const auto max_loops = static_cast<std::size_t>(random.between(1, 4));
    Pairs pairs;
    for (const AxisNest& nest : axis_nests(part, a, b, max_loops)) {
      EXPECT_LE(nest.counts.size(), max_loops);
      visit(nest, 0, nest.first, pairs);
    }
    ASSERT_EQ(pairs, positions(part, a, b)) << "trial " << trial;
  }
}

/// Blocks of 64 to blocks of 256: two loops around the blocks, whatever their number.
TEST(Parts, BlocksOfBlocksAreOneNest) {
  const Distribution from = distribute({4096}, {{2}}, {block_cyclic(0, 64)});
  const Distribution to = distribute({4096}, {{2}}, {block_cyclic(0, 256)});
  const Ranges a = from.held_by(0).ranges[0];
  const Ranges b = to.held_by(1).ranges[0];
  const std::vector<AxisNest> nests = axis_nests(both_of(a, b), a, b, 64);
  ASSERT_EQ(nests.size(), 1U);
  EXPECT_EQ(nests[0].first, (std::array<Index, 2>{128, 0}));
  EXPECT_EQ(nests[0].counts, (Dims{8, 2, 64}));
  EXPECT_EQ(nests[0].steps[0], (Dims{256, 64, 1}));
  EXPECT_EQ(nests[0].steps[1], (Dims{256, 128, 1}));
}

TEST(Parts, WithinIsAHoldingOfABox) {
  const Holding holding{{{{0, 3}, {5, 9}}, {{2, 4}}}};
  EXPECT_EQ(within(holding, {{2, 5}, {1, 2}}), (Holding{{{{2, 3}, {5, 7}}, {{3, 4}}}}));
  EXPECT_EQ(within(holding, {{0, 0}, {0, 2}}), (Holding{{{}, {{2, 4}}}}));
}

}  // namespace
}  // namespace tenstride::distributed
