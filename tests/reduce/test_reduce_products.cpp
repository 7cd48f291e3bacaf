// SPDX-License-Identifier: Apache-2.0
// Products of integers of any bits are the products modulo 2^64, whatever widths are used in between: short
// runs and pooled squares, between guard pages. And sums of float16 of every exponent.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "support/guarded.hpp"
#include "support/reduce_oracle.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/print/format.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using testing::Guarded;

constexpr DType integers[] = {DType::uint8,  DType::int8,  DType::uint16, DType::int16,
                              DType::uint32, DType::int32, DType::int64};

/// Random bits that end at the guard behind them, or begin at the one before them. A product with a 0 tests
/// little, so most numbers are made odd.
Tensor random_bits(const Guarded& memory, const Dims& shape, const Dims& strides, DType dtype,
                   bool is_at_back, unsigned seed) {
  const auto bytes =
      static_cast<std::size_t>(reach(Layout{shape, strides, 0})->highest + 1) * item_size(dtype);
  std::byte* const place = is_at_back ? memory.at_back(bytes) : memory.at_front();
  std::mt19937 random(seed);
  constexpr unsigned char frequent[] = {0xff, 0x80, 0x7f, 0x01};
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto bits = static_cast<unsigned>(random());
    const auto any = static_cast<unsigned char>(bits % 64 == 0 ? bits >> 8 : bits >> 8 | 1U);
    place[i] = static_cast<std::byte>(bits >> 28 < 4 ? frequent[bits >> 28] : any);
  }
  return from_blob(place, shape, strides, dtype);
}

/// Of each row of a matrix.
Tensor slow_products(const Tensor& rows) {
  const Tensor values = rows.to(DType::int64).contiguous();
  Tensor result = empty({values.size(0)}, {.dtype = DType::int64});
  for (Index i = 0; i < values.size(0); ++i) {
    std::uint64_t product = 1;
    for (Index k = 0; k < values.size(1); ++k) {
      std::uint64_t factor = 0;
      std::memcpy(&factor, values.storage_data() + (i * values.size(1) + k) * 8, 8);
      product *= factor;
    }
    std::memcpy(result.mutable_storage_data() + i * 8, &product, 8);
  }
  return result;
}

TEST(ReduceProducts, OfRunsOfEveryLengthAreModulo2To64) {
  const Guarded memory(1 << 18);
  for (const DType dtype : integers) {
    for (Index run = 1; run <= 300; run += run < 140 ? 1 : 13) {
      const Index count = 3 + run % 19;
      const Tensor x = random_bits(memory, {count, run}, {run + run % 2, 1}, dtype, run % 3 != 0,
                                   static_cast<unsigned>(run));
      ASSERT_TRUE(reduce_axes(x, {1}, Reduction::prod).equal(slow_products(x))) << name(dtype) << ' ' << run;
    }
  }
}

/// Runs too long to be accumulated many at a time, with distances below and above the prefetch distance.
/// All numbers are odd: products of many others are 0.
TEST(ReduceProducts, OfLongRunsAreModulo2To64) {
  const Guarded memory(1 << 20);
  for (const DType dtype : integers) {
    for (const Index run : {129, 255, 511, 513, 640, 1023, 1025, 2049, 4097, 8191}) {
      for (const Index count : {1, 2, 5}) {
        for (const Index gap : {0, 1, 9000}) {
          if ((run + gap) * count * static_cast<Index>(item_size(dtype)) > 1 << 19) continue;
          Tensor x = random_bits(memory, {count, run}, {run + gap, 1}, dtype, run % 3 != 0,
                                 static_cast<unsigned>(run));
          std::byte* const bytes = x.mutable_storage_data();
          for (std::size_t i = 0; i < x.storage().nbytes(); ++i) bytes[i] |= std::byte{1};
          ASSERT_TRUE(reduce_axes(x, {1}, Reduction::prod).equal(slow_products(x)))
              << name(dtype) << ' ' << run << ' ' << count << ' ' << gap;
          const Tensor all = x.reshape({1, -1});
          ASSERT_EQ(reduce_axes(x, {0, 1}, Reduction::prod).item<std::int64_t>(),
                    slow_products(all).item<std::int64_t>());
        }
      }
    }
  }
}

/// Squares of contiguous pixels, with a gap of an element between rows.
template <class F>
void each_pool(F&& f) {
  unsigned seed = 0;
  for (const Index channels : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 64}) {
    for (const Index square : {2, 3}) {
      for (const Index wide : {1, 2, 5, 8, 15, 16, 33, 64, 190}) {
        if (wide * channels > 1600) continue;
        const Index row = wide * square * channels;
        f(Dims{2, square, wide, square, channels},
          Dims{square * (row + 1), row + 1, square * channels, channels, 1}, ++seed);
      }
    }
  }
}

TEST(ReduceProducts, OfPooledSquaresAreModulo2To64) {
  const Guarded memory(1 << 18);
  for (const DType dtype : integers) {
    each_pool([&](const Dims& shape, const Dims& strides, unsigned seed) {
      const Tensor x = random_bits(memory, shape, strides, dtype, seed % 3 != 0, seed);
      const Tensor squares = x.permute({0, 2, 4, 1, 3}).reshape({-1, shape[1] * shape[3]});
      ASSERT_TRUE(reduce_axes(x, {1, 3}, Reduction::prod).view({-1}).equal(slow_products(squares)))
          << name(dtype) << ' ' << to_string(x.layout());
    });
  }
}

TEST(ReducePools, OfEveryBitPatternAreTheDefinition) {
  const Guarded memory(1 << 18);
  for (const DType dtype : {DType::uint8, DType::int8, DType::uint16, DType::int16, DType::float16}) {
    for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
      each_pool([&](const Dims& shape, const Dims& strides, unsigned seed) {
        Tensor x = random_bits(memory, shape, strides, dtype, seed % 3 != 0, seed);
        if (dtype == DType::float16) {  // no infinities, whose sums may be NaN
          const Tensor bits = x.view(DType::int16);
          std::byte* const at = x.mutable_storage_data() + x.storage_offset() * 2;
          for (Index i = 0; i <= reach(bits.layout())->highest; ++i) at[2 * i + 1] &= std::byte{0xbf};
        }
        ASSERT_TRUE(reduce_axes(x, {1, 3}, reduction).equal(testing::slow_reduce(x, {1, 3}, reduction)))
            << name(reduction) << " of " << name(dtype) << ' ' << to_string(x.layout());
      });
    }
  }
}

TEST(ReduceProducts, VanishWhereOneHalfOverflowsAndTheOtherVanishes) {
  const Tensor x = arange(1, 60001, 1, {.dtype = DType::float64});
  const Tensor ramp = div(x, 30000);
  EXPECT_EQ(reduce_axes(ramp, {0}, Reduction::prod).item<double>(), 0.0);
  EXPECT_EQ(reduce_axes(ramp.expand({3, 60000}), {1}, Reduction::prod).to_vector<double>(),
            (std::vector<double>{0, 0, 0}));
  const Tensor columns = ramp.view({300, 200}).t();
  EXPECT_EQ(reduce_axes(columns, {0, 1}, Reduction::prod).item<double>(), 0.0);
  EXPECT_TRUE(std::isnan(reduce_axes(tensor({0.0, INFINITY}), {0}, Reduction::prod).item<double>()));
}

TEST(ReduceProducts, AreRecomputedWhereTheyStandAmongOthers) {
  Tensor x = ones({600, 64}, {.dtype = DType::float64});
  const std::vector<Index> places{0, 255, 256, 511, 599};
  for (const Index place : places) {
    for (Index k = 0; k < 64; ++k) x.select(0, place).select(0, k).fill_(k % 2 == 0 ? 1e-200 : 1e200);
  }
  const std::vector<double> products = reduce_axes(x, {1}, Reduction::prod).to_vector<double>();
  for (const double product : products) EXPECT_NEAR(product, 1, 1e-12);
  x.select(0, 300).select(0, 5).fill_(std::nan(""));
  EXPECT_TRUE(std::isnan(reduce_axes(x, {1}, Reduction::prod).to_vector<double>()[300]));
}

/// Such a product is recomputed element by element, from where its elements lie.
TEST(ReduceProducts, OfPartsOfAStorageThatAreNanAreThoseOfTheirCopies) {
  const double inf = std::numeric_limits<double>::infinity();
  // Of the last row one half vanishes and the other overflows.
  const std::vector<double> numbers{3, 3, 7, 2, inf, 0, 5, 5, 1e-300, 1e300, 1e-300, 1e300};
  Tensor x = empty({3, 4}, {.dtype = DType::float64});
  std::memcpy(x.mutable_storage_data(), numbers.data(), sizeof(double) * numbers.size());
  const auto number = [](const Tensor& product) { return product.item().to<double>(); };
  const auto product = [](const Tensor& of) { return reduce_axes(of, {0}, Reduction::prod); };
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
    EXPECT_TRUE(std::isnan(number(product(with_layout(x.to(dtype), {{2}, {1}, 4}))))) << name(dtype);
  }
  EXPECT_EQ(number(product(with_layout(x, {{4}, {1}, 8}))), 1);
  for (const DType dtype : {DType::float64, DType::float16, DType::complex64, DType::complex128}) {
    const Tensor part = with_layout(x.to(dtype), {{2, 4}, {4, 1}, 4});
    const Tensor found = product(part), expected = product(part.clone());
    EXPECT_EQ(to_string(found), to_string(expected)) << name(dtype);
  }
}

}  // namespace
}  // namespace tenstride
