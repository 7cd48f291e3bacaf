// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/index_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/slow.hpp"
#include "tenstride/layout/chain.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using testing::positions;

Chain start(const Dims& shape) {
  return Chain::with_index_map(row_major(shape));
}

IndexMap map_of(const Chain& chain) {
  return chain.index_map().value();
}

/// "1+2s3" is axis 1 from index 2 on by steps of 3, "." an axis of repeated elements, "?" a merged one.
std::string text(const Chain& chain) {
  const IndexMap map = map_of(chain);
  std::string result;
  for (const IndexMap::Axis& axis : map.axes) {
    if (!result.empty()) result += ' ';
    if (axis.is_merged) result += '?';
    if (!axis.is_merged && !axis.source) result += '.';
    if (!axis.source) continue;
    result += std::to_string(*axis.source) + '+' + std::to_string(map.first[*axis.source]) + 's' +
              std::to_string(axis.step);
  }
  return result;
}

static_assert(!Chain({{4, 9}, {9, 1}}).index_map());

TEST(IndexMap, AxesKeepTheirIdentity) {
  EXPECT_EQ(text(start({4, 9})), "0+0s1 1+0s1");
  EXPECT_EQ(text(start({4, 9}).permute({1, 0}).narrow(0, 2, 7)), "1+2s1 0+0s1");
  EXPECT_EQ(text(start({4, 9}).flip({1}).slice(1, 1, 9, 3)), "0+0s1 1+7s-3");
  EXPECT_EQ(text(start({4, 9}).select(0, -1)), "1+0s1");
  EXPECT_EQ(map_of(start({4, 9}).select(0, -1)).first, (Dims{3, 0}));
  EXPECT_EQ(text(start({4, 9}).unsqueeze(1).expand({4, 2, 9})), "0+0s1 . 1+0s1");
  EXPECT_EQ(text(start({4, 9}).reshape({36})), "?");
  EXPECT_EQ(text(start({4, 9}).reshape({36}).reshape({4, 9})), "0+0s1 1+0s1");
  EXPECT_EQ(text(start({4, 9}).reshape({4, 3, 3})), "0+0s1 ? ?");
  EXPECT_EQ(text(start({4, 9}).reshape({4, 3, 3}).select(2, 1)), "0+0s1 1+1s3");
  EXPECT_EQ(text(start({4, 9}).reshape({4, 3, 3}).select(1, 2)), "0+0s1 1+6s1");
  EXPECT_EQ(text(start({4, 6}).transpose(0, 1).reshape({4, 6})), "? ?");
  EXPECT_EQ(text(start({5, 4, 6}).transpose(1, 2).reshape({5, 4, 6})), "0+0s1 ? ?");
  EXPECT_EQ(text(start({4, 4, 3}).diagonal()), "2+0s1 ?");
  EXPECT_FALSE(map_of(start({4, 4, 3}).diagonal().select(1, 2)).is_axis_wise());
  EXPECT_TRUE(map_of(start({4, 9}).reshape({36}).select(0, 12)).is_axis_wise());
  EXPECT_EQ(map_of(start({4, 9}).reshape({36}).select(0, 12)).first, (Dims{1, 3}));
}

TEST(IndexMap, SoDoAxesOfOneIndexAndOfNone) {
  EXPECT_EQ(text(start({1, 5, 1}).permute({2, 0, 1})), "2+0s1 0+0s1 1+0s1");
  EXPECT_EQ(text(start({1, 5}).unsqueeze(0)), ". 0+0s1 1+0s1");
  EXPECT_EQ(text(start({4, 9}).narrow(0, 2, 1)), "0+2s1 1+0s1");
  EXPECT_EQ(text(start({4, 9}).narrow(0, 2, 1).squeeze(0)), "1+0s1");
  EXPECT_EQ(text(start({1, 9}).expand({4, 9})), ". 1+0s1");
  EXPECT_EQ(text(start({1, 4, 6}).reshape({1, 24})), "0+0s1 ?");
  EXPECT_EQ(text(start({4, 1, 6}).reshape({4, 6})), "0+0s1 2+0s1");
  EXPECT_EQ(text(start({4, 1, 6}).reshape({4, 1, 1, 6})), "0+0s1 . . 2+0s1");
  EXPECT_EQ(text(start({4, 9}).reshape({4, 3, 3}).narrow(2, 1, 1)), "0+0s1 1+1s3 .");
  EXPECT_EQ(text(start({0, 5}).transpose(0, 1)), "1+0s1 0+0s1");
  EXPECT_EQ(text(start({4, 5}).narrow(0, 1, 0).flip({0, 1})), "0+0s-1 1+4s-1");
}

TEST(IndexMap, AReductionRemovesAxes) {
  const Chain axes = start({4, 5, 6}).flip({0}).permute({0, 2, 1});
  EXPECT_EQ(text(axes.reduced(2, {4, 6})), "0+3s-1 2+0s1");
  EXPECT_EQ(text(axes.reduced(2, {4, 1, 6})), "0+3s-1 . 2+0s1");
  EXPECT_EQ(text(axes.reduced(2, {24})), "?");
}

/// One random operation that the shape allows.
Chain step(const Chain& chain, std::mt19937& random) {
  const auto draw = [&](std::size_t count) { return static_cast<Index>(random() % count); };
  const auto rank = static_cast<Index>(chain.rank());
  if (rank == 0) return chain.unsqueeze(0);
  const Index axis = draw(chain.rank());
  const Index size = chain.shape()[static_cast<std::size_t>(axis)];
  switch (draw(9)) {
    case 0:
      return chain.transpose(axis, draw(chain.rank()));
    case 1:
      return chain.flip({axis});
    case 2:
      return rank < 6 ? chain.unsqueeze(axis) : chain;
    case 3:
      return chain.slice(axis, draw(2), size, 1 + draw(3));
    case 4:
      return rank > 2 && size > 0 ? chain.select(axis, draw(static_cast<std::size_t>(size))) : chain;
    case 5:
      return rank > 1 ? chain.flatten(std::max<Index>(axis - 1, 0), axis) : chain;
    case 6: {
      const Index part = 1 + draw(4);
      return rank < 6 && size % part == 0 ? chain.unflatten(axis, {part, size / part}) : chain;
    }
    case 7: {
      Dims wider = chain.shape();
      if (size == 1) wider[static_cast<std::size_t>(axis)] = 3;
      return chain.expand(wider);
    }
    default:
      return rank > 1 ? chain.diagonal(0, 0, 1) : chain;
  }
}

/// The storage positions of a chain's elements on the source, in row-major order of its shape.
std::vector<Index> source_positions(const Chain& chain) {
  std::vector<Index> memory(static_cast<std::size_t>(1), 0);
  bool is_source = true;
  const ChainPlan plan = chain.plan();
  for (const ChainCopy& copy : plan.copies) {
    const std::vector<Index> from = positions(copy.src), to = positions(copy.dst);
    std::vector<Index> fresh(to.size());
    for (std::size_t n = 0; n < to.size(); ++n) {
      fresh[static_cast<std::size_t>(to[n])] =
          is_source ? from[n] : memory[static_cast<std::size_t>(from[n])];
    }
    memory = std::move(fresh);
    is_source = false;
  }
  std::vector<Index> result = positions(plan.result);
  for (Index& position : result) position = is_source ? position : memory[static_cast<std::size_t>(position)];
  return result;
}

/// What the map says is true of every element; and where the elements say that an axis moves along one axis
/// of the source, alone and in even steps, the map says so.
void expect_true(const Chain& chain, const Dims& source, const std::string& trace) {
  const IndexMap map = map_of(chain);
  const Dims& shape = chain.shape();
  ASSERT_EQ(map.axes.size(), shape.size()) << trace;
  const std::vector<Index> found = source_positions(chain);
  if (found.empty()) return;
  const Dims rows = row_major_strides(shape);
  const Dims origin = index_at(row_major(source), found[0]).value();
  std::vector<std::vector<bool>> moves(shape.size(), std::vector<bool>(source.size()));
  std::vector<Dims> steps(shape.size(), Dims::filled(source.size(), 0));
  std::vector<bool> is_even(shape.size(), true);
  for (std::size_t n = 0; n < found.size(); ++n) {
    const Dims here = index_at(row_major(source), found[n]).value();
    Dims wanted = map.first;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Index at = static_cast<Index>(n) / rows[d] % shape[d];
      if (map.axes[d].source) wanted[*map.axes[d].source] += at * map.axes[d].step;
      if (at + 1 == shape[d]) continue;
      const Dims next = index_at(row_major(source), found[n + static_cast<std::size_t>(rows[d])]).value();
      for (std::size_t s = 0; s < source.size(); ++s) {
        if (next[s] != here[s]) moves[d][s] = true;
        if (n == 0) steps[d][s] = next[s] - here[s];
        if (steps[d][s] != next[s] - here[s]) is_even[d] = false;
      }
    }
    for (std::size_t s = 0; s < source.size(); ++s) {
      const bool is_known =
          map.is_axis_wise() || std::any_of(map.axes.begin(), map.axes.end(),
                                            [s](const IndexMap::Axis& axis) { return axis.source == s; });
      if (!is_known) continue;
      ASSERT_EQ(here[s], wanted[s]) << trace;
    }
  }
  for (std::size_t d = 0; d < shape.size() && !map.has_cuts; ++d) {
    const auto along = std::count(moves[d].begin(), moves[d].end(), true);
    if (along == 0 && !map.axes[d].is_merged) continue;
    std::optional<std::size_t> alone;
    for (std::size_t s = 0; along == 1 && is_even[d] && s < source.size(); ++s) {
      const auto movers = std::count_if(moves.begin(), moves.end(), [s](const auto& of) { return of[s]; });
      if (moves[d][s] && movers == 1) alone = s;
    }
    EXPECT_EQ(map.axes[d].source, alone) << trace << " axis " << d;
  }
}

TEST(IndexMap, SaysOfRandomChainsWhatTheirElementsSay) {
  std::mt19937 random(1);
  std::size_t parts = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Dims source;
    for (std::size_t d = 0; d < 1 + random() % 4; ++d) source.push_back(1 + static_cast<Index>(random() % 6));
    Chain chain = start(source);
    std::string trace = to_string(chain);
    for (int i = 0; i < 5; ++i) {
      chain = step(chain, random);
      trace += " > " + to_string(chain);
    }
    if (numel(row_major(chain.shape())) > 5000) continue;
    expect_true(chain, source, trace);
    if (::testing::Test::HasFailure()) return;
    for (const IndexMap::Axis& axis : map_of(chain).axes) parts += axis.source ? 1U : 0U;
  }
  EXPECT_GT(parts, 4000U);
}

TEST(IndexMap, CopiesAreSplitAlongTheResult) {
  const ChainCopy whole{row_major({162}), row_major({162})};
  const std::optional<AxisCopy> parts = copy_by_axes(whole, {18, 9});
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->copy, (ChainCopy{row_major({18, 9}), row_major({18, 9})}));
  EXPECT_EQ(parts->axes, (Dims{0, 1}));
  EXPECT_FALSE(copy_by_axes({{{3, 1208}, {1208, 1}, 0}, row_major({3, 1208})}, {604, 6}));
  EXPECT_EQ(copy_by_axes({{{2, 3, 4}, {1, 2, 6}, 5}, row_major({2, 3, 4})}, {6, 1, 4})->axes,
            (Dims{0, 0, 2}));
}

}  // namespace
}  // namespace tenstride
