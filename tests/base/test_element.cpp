// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/element.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tenstride {
namespace {

static_assert(float16(65520.0F).bits == 0x7c00);
static_assert(bfloat16(1.00390625F).bits == 0x3f80);
static_assert(float8_e4m3fn(464.0F).bits == 0x7e);
static_assert(float8_e5m2(61440.0F).bits == 0x7c);
static_assert(convert_element<std::uint8_t>(300.7F) == 255);
static_assert(convert_element<bool>(0.5F));
static_assert(scale_element<float>(std::uint8_t{51}, 0.5, 1.0) == 26.5F);
static_assert(dtype_of<float> == DType::float32 && dtype_of<float8_e5m2> == DType::float8_e5m2);
static_assert(!Element<long double> && Element<std::complex<double>>);

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T>
class SmallFloat : public testing::Test {
 public:
  using Bits = decltype(T::bits);
  static constexpr int count = 1 << (8 * sizeof(Bits));
  static T from(int bits) { return T::from_bits(static_cast<Bits>(bits)); }
};
using SmallFloats = testing::Types<float16, bfloat16, float8_e4m3fn, float8_e5m2>;
TYPED_TEST_SUITE(SmallFloat, SmallFloats);

TYPED_TEST(SmallFloat, KeepsItsOwnValuesThroughFloat) {
  for (int bits = 0; bits < TestFixture::count; ++bits) {
    const TypeParam value = TestFixture::from(bits);
    const auto wide = static_cast<float>(value);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(wide)))) << bits;
    } else {
      ASSERT_EQ(TypeParam(wide).bits, value.bits) << wide;
    }
  }
}

/// The slow definition of rounding: the nearest of all values, the one with an even last bit where two are as
/// near.
TYPED_TEST(SmallFloat, RoundsToTheNearestEvenValue) {
  std::vector<TypeParam> values;  // the finite ones from 0 up, rising
  for (int bits = 0; bits < TestFixture::count / 2; ++bits) {
    const TypeParam value = TestFixture::from(bits);
    if (std::isfinite(static_cast<float>(value))) values.push_back(value);
  }
  std::mt19937 random(1);
  const auto check = [&](float x) {
    const auto upper = std::lower_bound(values.begin(), values.end(), x,
                                        [](TypeParam v, float y) { return static_cast<float>(v) < y; });
    if (upper == values.end()) return;  // overflow has tests of its own
    TypeParam expected = *upper;
    if (upper != values.begin()) {
      const double below = double{x} - double{static_cast<float>(*(upper - 1))};
      const double above = double{static_cast<float>(*upper)} - double{x};
      if (below < above || (below == above && (upper - 1)->bits % 2 == 0)) expected = *(upper - 1);
    }
    ASSERT_EQ(TypeParam(x).bits, expected.bits) << x;
    ASSERT_EQ(static_cast<float>(TypeParam(-x)), -static_cast<float>(expected)) << x;
  };
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const auto low = static_cast<float>(values[i]);
    const auto high = static_cast<float>(values[i + 1]);
    const float middle = low + (high - low) / 2;
    for (const float x : {low, middle, std::nextafter(middle, 0.0F), std::nextafter(middle, infinity)})
      check(x);
  }
  for (int i = 0; i < 20000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()) >> 1);
    if (!std::isnan(x)) check(x);
  }
}

TEST(Float16, OverflowsToInfinityAndMakesNanQuiet) {
  EXPECT_EQ(float16(65519.99F).bits, 0x7bff);
  EXPECT_EQ(float16(65520.0F).bits, 0x7c00);
  EXPECT_EQ(float16(-infinity).bits, 0xfc00);
  EXPECT_EQ(float16(nan).bits, 0x7e00);
  EXPECT_EQ(float16(std::bit_cast<float>(0xff800001U)).bits, 0xfe00);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(float16::from_bits(0x7c01))), 0x7fc02000U);
  EXPECT_EQ(float16(0x1p-25F).bits, 0);  // half of the smallest: a tie, to even
  EXPECT_EQ(float16(0x1.8p-25F).bits, 1);
  EXPECT_EQ(float16(-0.0F).bits, 0x8000);
}

TEST(Bfloat16, OverflowsToInfinityAndHasOneNan) {
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(bfloat16(nan).bits, 0x7fc0);
  EXPECT_EQ(bfloat16(-nan).bits, 0x7fc0);
  EXPECT_EQ(bfloat16(-infinity).bits, 0xff80);
}

TEST(Float8E4m3fn, HasNoInfinity) {
  EXPECT_EQ(float8_e4m3fn(448.0F).bits, 0x7e);
  EXPECT_EQ(float8_e4m3fn(464.0F).bits, 0x7e);  // a tie
  EXPECT_EQ(float8_e4m3fn(464.1F).bits, 0x7f);
  EXPECT_EQ(float8_e4m3fn(480.0F).bits, 0x7f);
  EXPECT_EQ(float8_e4m3fn(-infinity).bits, 0xff);
  EXPECT_EQ(float8_e4m3fn(nan).bits, 0x7f);
  EXPECT_TRUE(std::isnan(static_cast<float>(float8_e4m3fn::from_bits(0xff))));
  EXPECT_EQ(static_cast<float>(float8_e4m3fn::from_bits(0x01)), 0x1p-9F);
}

TEST(Float8E5m2, OverflowsToInfinity) {
  EXPECT_EQ(float8_e5m2(57344.0F).bits, 0x7b);
  EXPECT_EQ(float8_e5m2(61439.0F).bits, 0x7b);
  EXPECT_EQ(float8_e5m2(61440.0F).bits, 0x7c);
  EXPECT_EQ(float8_e5m2(infinity).bits, 0x7c);
  EXPECT_EQ(float8_e5m2(-nan).bits, 0xff);
  EXPECT_EQ(static_cast<float>(float8_e5m2::from_bits(0x01)), 0x1p-16F);
}

TEST(ConvertElement, FollowsCppInRangeAndSaturatesOutside) {
  EXPECT_EQ(convert_element<std::int8_t>(-1.9F), -1);
  EXPECT_EQ(convert_element<std::int8_t>(-200.0), -128);
  EXPECT_EQ(convert_element<std::int32_t>(2147483648.0F), 2147483647);
  EXPECT_EQ(convert_element<std::int64_t>(9.3e18), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(convert_element<std::int64_t>(-infinity), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(convert_element<std::uint64_t>(1.9e19F), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(convert_element<std::uint16_t>(-0.5F), 0);
  EXPECT_EQ(convert_element<std::int32_t>(nan), 0);
  EXPECT_EQ(convert_element<std::uint8_t>(float16(-3.0F)), 0);
  EXPECT_EQ(convert_element<std::uint8_t>(std::int32_t{-1}), 255);
  EXPECT_EQ(convert_element<std::int8_t>(std::int64_t{300}), 44);
}

TEST(ConvertElement, TakesBoolAsWhetherNotZero) {
  EXPECT_TRUE(convert_element<bool>(0.5F));
  EXPECT_TRUE(convert_element<bool>(nan));
  EXPECT_TRUE(convert_element<bool>(std::int64_t{256}));
  EXPECT_FALSE(convert_element<bool>(float16(-0.0F)));
  EXPECT_TRUE(convert_element<bool>(std::complex<float>(0, 1)));
  EXPECT_EQ(convert_element<double>(true), 1.0);
  EXPECT_EQ(convert_element<float8_e4m3fn>(true).bits, 0x38);
}

TEST(ConvertElement, DropsTheImaginaryPart) {
  EXPECT_EQ(convert_element<float>(std::complex<double>(2.5, 9)), 2.5F);
  EXPECT_EQ(convert_element<std::int16_t>(std::complex<float>(-2.5F, 9)), -2);
  EXPECT_EQ(convert_element<std::complex<float>>(std::int8_t{-3}), std::complex<float>(-3, 0));
  EXPECT_EQ(convert_element<std::complex<double>>(std::complex<float>(1, 2)), std::complex<double>(1, 2));
  EXPECT_EQ(conjugate(std::complex<float>(1, 2)), std::complex<float>(1, -2));
}

TEST(ConvertElement, GoesThroughFloatToTheSmallFloats) {
  // 1 + 2^-11 + 2^-40 lies above the tie for float16, and on it once rounded to float.
  EXPECT_EQ(convert_element<float16>(1.0 + 0x1p-11 + 0x1p-40).bits, 0x3c00);
  EXPECT_EQ(convert_element<float16>(std::int64_t{2049}).bits, float16(2049.0F).bits);
  EXPECT_EQ(convert_element<bfloat16>(float16(3.0F)).bits, bfloat16(3.0F).bits);
}

TEST(ConvertElement, RoundsBothPartsToComplex32) {
  const auto rounded = convert_element<complex32>(std::complex<double>(1.0 + 0x1p-11 + 0x1p-40, 1e5));
  EXPECT_EQ(rounded.real().bits, 0x3c00);  // through float, as float16 itself
  EXPECT_EQ(rounded.imag().bits, 0x7c00);
  EXPECT_EQ(convert_element<complex32>(std::int64_t{2049}).real().bits, float16(2049.0F).bits);
  EXPECT_EQ(convert_element<std::int8_t>(complex32(float16(-2.5F), float16(9.0F))), -2);
  EXPECT_TRUE(convert_element<bool>(complex32(float16(0.0F), float16(1.0F))));
  EXPECT_EQ(conjugate(complex32(float16(1.0F), float16(2.0F))), complex32(float16(1.0F), float16(-2.0F)));
}

TEST(Negate, ChangesTheSign) {
  EXPECT_EQ(negate(std::uint8_t{3}), 253);
  EXPECT_EQ(negate(std::int16_t{-32768}), -32768);
  EXPECT_EQ(negate(float16(0.0F)).bits, 0x8000);
  EXPECT_EQ(negate(float8_e5m2(1.0F)).bits, 0xbc);
  EXPECT_EQ(negate(std::complex<float>(1, -2)), std::complex<float>(-1, 2));
  EXPECT_TRUE(negate(true));
}

TEST(ScaleElement, RoundsAfterEachOperation) {
  EXPECT_EQ(scale_element<float>(std::uint8_t{255}, 1.0 / 255, 0.0), 255.0F * static_cast<float>(1.0 / 255));
  EXPECT_EQ(scale_element<double>(std::uint8_t{255}, 1.0 / 255, 0.5), 255.0 * (1.0 / 255) + 0.5);
  EXPECT_EQ(scale_element<std::uint8_t>(2.0F, 100.0, 100.0), 255);
  EXPECT_EQ(scale_element<std::complex<float>>(std::complex<float>(1, 2), 3.0, 4.0),
            std::complex<float>(7, 6));
}

TEST(Visit, GivesTheTypeOfEveryDType) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<DType>(i);
    visit(type, [type]<class T>(std::type_identity<T>) {
      EXPECT_EQ(dtype_of<T>, type);
      EXPECT_EQ(sizeof(T), item_size(type));
      EXPECT_EQ(is_complex_element<T>, is_complex(type));
    });
  }
}

TEST(LoadElement, ReadsAnyAddressAndAnyBool) {
  std::array<std::byte, 9> bytes{};
  store_element(bytes.data() + 1, 1.5);
  EXPECT_EQ(load_element<double>(bytes.data() + 1), 1.5);
  bytes[0] = std::byte{2};
  EXPECT_TRUE(load_element<bool>(bytes.data()));
}

}  // namespace
}  // namespace tenstride
