// SPDX-License-Identifier: Apache-2.0
// The ledger of a chain on meta is the ledger of the same chain in memory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tenstride/copy/lazy.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

class Dice {
 public:
  explicit Dice(std::size_t seed) : bits_(static_cast<std::mt19937::result_type>(seed)) {}
  Index roll(Index sides) { return static_cast<Index>(bits_() % static_cast<std::uint32_t>(sides)); }

 private:
  std::mt19937 bits_;
};

Dims shuffled(Dice& dice, std::size_t rank) {
  Dims order;
  for (std::size_t d = 0; d < rank; ++d) order.push_back(static_cast<Index>(d));
  for (std::size_t d = rank; d > 1; --d) {
    std::swap(order[d - 1], order[static_cast<std::size_t>(dice.roll(static_cast<Index>(d)))]);
  }
  return order;
}

/// Sizes of the same product.
Dims regrouped(Dice& dice, Index count) {
  Dims sizes;
  while (count > 1 && sizes.size() < 5) {
    Index part = 1 + dice.roll(count);
    while (count % part != 0) ++part;
    sizes.push_back(part);
    count /= part;
  }
  if (count > 1 || sizes.empty()) sizes.push_back(count);
  return sizes;
}

/// One step; the dice decide on the shape alone, so that both chains take the same one.
Tensor step(Dice& dice, const Tensor& x) {
  const Index rank = x.dim();
  const Index axis = rank == 0 ? 0 : dice.roll(rank);
  const Index size = rank == 0 ? 1 : x.size(axis);
  const bool is_large = x.numel() > 20000;
  switch (dice.roll(20)) {
    case 0:
      return x.permute(shuffled(dice, x.shape().size()));
    case 1:
      return x.reshape(regrouped(dice, x.numel()));
    case 2:
      return x.reshape(regrouped(dice, x.numel()), CopyRule::always);
    case 3:
      return x.contiguous();
    case 4:
      return x.clone();
    case 5:
      return x.to(dice.roll(2) == 0 ? DType::float64 : DType::int16);
    case 6:
      return rank == 0 ? x.flip({}) : x.flip({axis});
    case 7:
      return rank == 0 ? x.roll({1}) : x.roll({dice.roll(5) - 2}, {axis});
    case 8:
      return x.roll({3});
    case 9:
      return is_large ? x : x.repeat(Dims::filled(x.shape().size(), 1 + dice.roll(2)));
    case 10:
      return is_large || rank == 0 ? x : cat({x, x.narrow(axis, 0, size), x}, axis);
    case 11:
      return is_large ? x : stack({x, x}, dice.roll(rank + 1));
    case 12:
      return rank == 0 ? x : x.narrow(axis, size / 3, size - size / 3);
    case 13:
      return is_large ? x : x.unsqueeze(0).expand([&] {
        Dims wider = x.shape();
        wider.insert(0, 3);
        return wider;
      }());
    case 14:
      return rank == 0 ? x : x.index({Ellipsis{}, tensor({0, 0, 0})});
    case 15: {
      Tensor y = empty(x.shape(), {.dtype = x.dtype(), .device = x.device()});
      y.copy_(x);
      return y.fill_(2);
    }
    case 16:
      return rank < 2 ? x : x.tril(1);
    case 17:
      return is_large ? x : x.repeat_interleave(2, rank == 0 ? std::optional<Index>() : axis);
    case 18:
      return lazy(x)
          .permute(shuffled(dice, x.shape().size()))
          .reshape(regrouped(dice, x.numel()))
          .materialize();
    default:
      return rank == 0 || is_large ? x : repeat(x, "... a -> a ... 2");
  }
}

void run_chain(std::size_t seed, Device device) {
  Dice dice(seed);
  Dims shape;
  for (Index d = dice.roll(4); d >= 0; --d) shape.push_back(1 + dice.roll(6));
  Tensor x = zeros(shape, {.device = device});
  std::vector<Tensor> kept;
  for (Index steps = 3 + dice.roll(6); steps > 0; --steps) {
    if (dice.roll(3) == 0) kept.push_back(x);
    x = step(dice, x);
  }
}

std::size_t chains_to_try() {
  const char* const wanted = std::getenv("TENSTRIDE_FUZZ_CHAINS");
  return wanted == nullptr ? 4000 : static_cast<std::size_t>(std::strtoul(wanted, nullptr, 10));
}

TEST(Forecast, HoldsForRandomChains) {
  std::size_t copies = 0;
  for (std::size_t seed = 0; seed < chains_to_try(); ++seed) {
    const auto ledger_of = [seed](Device device) {
      auto ledger = std::make_unique<CopyLedger>();
      run_chain(seed, device);
      return ledger;
    };
    std::vector<LedgerEntry> expected;
    LedgerTotals totals;
    {
      const auto forecast = ledger_of(Device::meta);
      expected = forecast->entries();
      totals = forecast->totals();
    }
    const auto ledger = ledger_of(Device::cpu);
    const LedgerTotals& found = ledger->totals();
    ASSERT_EQ(found.copies, totals.copies) << seed;
    ASSERT_EQ(found.fills, totals.fills) << seed;
    ASSERT_EQ(found.allocations, totals.allocations) << seed;
    ASSERT_EQ(found.scrambles, totals.scrambles) << seed;
    ASSERT_EQ(found.bytes_read, totals.bytes_read) << seed;
    ASSERT_EQ(found.bytes_written, totals.bytes_written) << seed;
    ASSERT_EQ(found.bytes_allocated, totals.bytes_allocated) << seed;
    ASSERT_EQ(found.peak_bytes, totals.peak_bytes) << seed;
    ASSERT_EQ(totals.seconds, 0) << seed;
    ASSERT_EQ(ledger->entries().size(), expected.size()) << seed;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const LedgerEntry& entry = ledger->entries()[i];
      ASSERT_EQ(entry.kind, expected[i].kind) << seed << " entry " << i;
      ASSERT_EQ(entry.operation, expected[i].operation) << seed << " entry " << i;
      ASSERT_EQ(entry.reason, expected[i].reason) << seed << " entry " << i;
      ASSERT_EQ(entry.src, expected[i].src) << seed << " entry " << i;
      ASSERT_EQ(entry.dst, expected[i].dst) << seed << " entry " << i;
      ASSERT_EQ(entry.bytes_written, expected[i].bytes_written) << seed << " entry " << i;
      ASSERT_EQ(entry.bytes_allocated, expected[i].bytes_allocated) << seed << " entry " << i;
      ASSERT_EQ(entry.caller.line(), expected[i].caller.line()) << seed << " entry " << i;
    }
    copies += found.copies;
  }
  EXPECT_GT(copies, chains_to_try());
}

}  // namespace
}  // namespace tenstride
