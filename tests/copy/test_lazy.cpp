// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/lazy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/tensors.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using testing::Dice;
using testing::refusal;

Tensor counted(const Dims& shape) {
  return arange(count_elements(shape), {.dtype = DType::int32}).view(shape);
}

TEST(Lazy, CopiesOnceWhereEagerCopiesTwice) {
  const Tensor x = counted({2, 3, 4, 5});
  const Tensor once = x.permute({0, 2, 1, 3}).reshape({2, 4, 15});
  const Tensor twice = once.transpose(0, 1).flatten();
  EXPECT_FALSE(once.shares_storage(x));
  EXPECT_FALSE(twice.shares_storage(once));
  const Lazy held = lazy(x).permute({0, 2, 1, 3}).reshape({2, 4, 15}).transpose(0, 1).flatten();
  EXPECT_EQ(held.plan().copies.size(), 1U);
  EXPECT_TRUE(held.materialize().equal(twice));
  EXPECT_TRUE(held.materialize().is_contiguous());
  EXPECT_EQ(held.cost(), (ChainCost{1, 120, 480, 480, 480}));
}

TEST(Lazy, IsAViewWhereEagerWouldCopy) {
  const Tensor x = counted({4, 6, 5});
  const Lazy held = lazy(x).permute({0, 2, 1}).reshape({4, 30}).unflatten(1, {5, 6}).transpose(1, 2);
  EXPECT_TRUE(held.is_view());
  EXPECT_TRUE(held.materialize().is_same(x));
  EXPECT_FALSE(held.materialize(CopyRule::always).shares_storage(x));
  EXPECT_TRUE(held.materialize(CopyRule::always).equal(x));
}

TEST(Lazy, TellsWhatItWouldDo) {
  const Lazy held = lazy(counted({4, 6})).transpose(0, 1).reshape({4, 6}).transpose(0, 1).flatten();
  EXPECT_EQ(held.to_string(),
            "chain   ((6,4)):((1@A,6@A))+0 with A = (6,4):(1,6)\n"
            "copy 1  24 elements  (6,4):(1,6)+0 -> (6,4):(4,1)+0\n"
            "copy 2  24 elements  (6,4):(1,6)+0 -> (6,4):(4,1)+0\n"
            "result  (24):(1)+0\n"
            "reshape: (6,4) to (4,6) cuts across axes 0..1\n"
            "  atoms  (6,4), wanted as (4,6): of 4 and 6 neither divides the other\n"
            "  takes  a copy that lays these 24 indexes in a row\n"
            "cost    2 copies, 192 bytes written, 192 bytes at the same time");
  EXPECT_EQ(refusal<ValueError>([&] { return held.materialize(CopyRule::never); }),
            "materialize: copy = never, but it takes 2 copies (((6,4)):((1@A,6@A))+0 with A = (6,4):(1,6)); "
            "allow it "
            "with copy = if_needed");
}

TEST(Lazy, SpeaksPatterns) {
  const Tensor x = counted({2, 3, 4, 5});
  const Lazy held = lazy(x).rearrange("b h t d -> b t (h d)").rearrange("b t (h d) -> b h t d", {{"h", 3}});
  EXPECT_TRUE(held.materialize().is_same(x));
  EXPECT_EQ(lazy(x).repeat("a b c d -> a b c d r", {{"r", 9}}).materialize().strides(),
            (Dims{60, 20, 5, 1, 0}));
}

/// One operation, done to a tensor at once and to a chain.
struct Pair {
  Tensor eager;
  Lazy held;
  std::string story;

  template <class Op>
  void apply(const std::string& name, const Op& op) {
    story += " " + name;
    eager = op(eager);
    held = op(held);
  }
};

Index any_axis(Dice& dice, const Tensor& x) {
  return static_cast<Index>(dice.roll(static_cast<std::size_t>(x.dim())));
}

/// A shape of as many elements, split into factors at random: of those the axes have, or of any.
Dims any_shape(Dice& dice, const Tensor& x) {
  std::vector<Index> factors;
  for (Index rest : x.shape()) {
    for (Index p = 2; rest > 1; ++p) {
      for (; rest % p == 0; rest /= p) factors.push_back(p);
    }
  }
  if (dice.roll(2) == 0) std::reverse(factors.begin(), factors.end());
  Dims shape{1};
  for (const Index factor : factors) {
    if (dice.roll(2) == 0 && shape.size() < 6) {
      shape.push_back(factor);
    } else {
      shape.back() *= factor;
    }
  }
  if (dice.roll(2) == 0 && shape.front() == 1 && shape.size() > 1) shape.erase(0);
  return shape;
}

void step(Dice& dice, Pair& pair) {
  const Tensor& x = pair.eager;
  const std::size_t kind = dice.roll(13);
  if (kind < 4) {
    const Dims shape = any_shape(dice, x);
    if (x.numel() > 0)
      pair.apply("reshape" + to_string(shape), [&](const auto& t) { return t.reshape(shape); });
    return;
  }
  if (x.dim() == 0) return pair.apply("unsqueeze", [](const auto& t) { return t.unsqueeze(0); });
  const Index a = any_axis(dice, x);
  const Index b = any_axis(dice, x);
  const Index size = x.size(a);
  switch (kind) {
    case 4:
    case 5:
      return pair.apply("transpose", [&](const auto& t) { return t.transpose(a, b); });
    case 6: {
      Dims order;
      for (Index d = 0; d < x.dim(); ++d) order.insert(dice.roll(order.size() + 1), d);
      return pair.apply("permute" + to_string(order), [&](const auto& t) { return t.permute(order); });
    }
    case 7:
      return pair.apply("flip", [&](const auto& t) { return t.flip({a}); });
    case 8: {
      const Index start = static_cast<Index>(dice.roll(static_cast<std::size_t>(size) + 1));
      const Index end = start + static_cast<Index>(dice.roll(static_cast<std::size_t>(size - start) + 1));
      const Index step = 1 + static_cast<Index>(dice.roll(3));
      if (end == start && dice.roll(10) != 0) return;  // few empty ones
      return pair.apply("slice(" + std::to_string(a) + "," + std::to_string(start) + "," +
                            std::to_string(end) + "," + std::to_string(step) + ")",
                        [&](const auto& t) { return t.slice(a, start, end, step); });
    }
    case 9: {
      if (size == 0 || dice.roll(4) != 0) return;
      const Index at = static_cast<Index>(dice.roll(static_cast<std::size_t>(size)));
      return pair.apply("select", [&](const auto& t) { return t.select(a, at); });
    }
    case 10: {
      if (x.dim() > 5 || x.numel() > 300) return;
      Dims sizes = x.shape();
      for (Index& extent : sizes) extent = extent == 1 && dice.roll(2) == 0 ? 3 : extent;
      if (dice.roll(2) == 0) sizes.insert(0, 2);
      return pair.apply("expand" + to_string(sizes), [&](const auto& t) { return t.expand(sizes); });
    }
    case 11:
      if (dice.roll(2) == 0) return pair.apply("squeeze", [](const auto& t) { return t.squeeze(); });
      return pair.apply("unsqueeze", [&](const auto& t) { return t.unsqueeze(a); });
    default: {
      if (a == b) return;
      const Index offset = static_cast<Index>(dice.roll(5)) - 2;
      return pair.apply("diagonal", [&](const auto& t) { return t.diagonal(offset, a, b); });
    }
  }
}

std::size_t chains_to_try() {
  const char* const wanted = std::getenv("TENSTRIDE_FUZZ_CHAINS");
  return wanted == nullptr ? 4000 : static_cast<std::size_t>(std::strtoul(wanted, nullptr, 10));
}

TEST(Lazy, RandomChainsAreTheEagerResultBitForBit) {
  std::size_t views = 0;
  std::size_t single = 0;
  std::size_t more = 0;
  const std::size_t chains = chains_to_try();
  for (std::size_t n = 0; n < chains; ++n) {
    Dice dice(n);
    Dims shape;
    for (std::size_t d = 1 + dice.roll(4); d-- > 0;) shape.push_back(1 + static_cast<Index>(dice.roll(7)));
    const Tensor x = counted(shape);
    Pair pair{x, lazy(x), to_string(shape)};
    for (std::size_t steps = 2 + dice.roll(12); steps-- > 0;) step(dice, pair);
    const ChainPlan plan = pair.held.plan();
    const CopyLedger ledger;
    const Tensor result = pair.held.materialize();
    // What was planned is what happened.
    ASSERT_EQ(ledger.totals().copies, result.numel() == 0 ? 0 : plan.copies.size())
        << n << ": " << pair.story;
    ASSERT_EQ(result.shape(), pair.eager.shape()) << n << ": " << pair.story;
    ASSERT_TRUE(result.equal(pair.eager)) << n << ": " << pair.story << "\n" << pair.held.to_string();
    ASSERT_TRUE(pair.held.materialize(CopyRule::always).equal(pair.eager)) << n << ": " << pair.story;
    ASSERT_TRUE(pair.held.materialize(CopyRule::always).is_contiguous()) << n << ": " << pair.story;
    // One copy where nothing cuts, one more for each cut.
    ASSERT_LE(plan.copies.size(), pair.held.chain().cuts().size() + 1) << n << ": " << pair.story;
    ASSERT_EQ(result.shares_storage(x), plan.is_view()) << n << ": " << pair.story;
    // Where the eager steps never copied, neither does the chain.
    ASSERT_TRUE(plan.is_view() || !pair.eager.shares_storage(x)) << n << ": " << pair.story;
    ++(plan.copies.empty() ? views : plan.copies.size() == 1 ? single : more);
  }
  EXPECT_GT(views, chains / 10);
  EXPECT_GT(single, chains / 10);
  EXPECT_GT(more, chains / 100);
}

}  // namespace
}  // namespace tenstride
