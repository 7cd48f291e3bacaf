// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/scalar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tenstride {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Scalar, HasTheTypeOfItsKind) {
  EXPECT_EQ(Scalar().dtype(), DType::int64);
  EXPECT_EQ(Scalar(3).dtype(), DType::int64);
  EXPECT_EQ(Scalar(std::uint8_t{3}).dtype(), DType::int64);
  EXPECT_EQ(Scalar(std::uint64_t{1} << 63).dtype(), DType::uint64);
  EXPECT_EQ(Scalar((std::uint64_t{1} << 63) - 1).dtype(), DType::int64);
  EXPECT_EQ(Scalar(true).dtype(), DType::bool_);
  EXPECT_EQ(Scalar(2.5).dtype(), DType::float32);
  EXPECT_EQ(Scalar(std::complex<float>(1, 2)).dtype(), DType::complex64);
  EXPECT_EQ(Scalar(2.5).to<float>(), 2.5F);
}

TEST(Scalar, KnowsItsKind) {
  EXPECT_TRUE(Scalar(3).is_integer());
  EXPECT_TRUE(Scalar(3U).is_integer());
  EXPECT_FALSE(Scalar(true).is_integer());
  EXPECT_FALSE(Scalar(3.0).is_integer());
  EXPECT_FALSE(Scalar(std::complex<double>(3, 0)).is_integer());
}

// Recorded from Python 3.11's repr().
TEST(Scalar, PrintsFloatsAsPython) {
  const std::pair<double, const char*> table[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {2.5, "2.5"},
      {0.1, "0.1"},
      {-0.1, "-0.1"},
      {0.1F, "0.10000000149011612"},
      {100.0, "100.0"},
      {123456.789, "123456.789"},
      {1e15, "1000000000000000.0"},
      {9007199254740993.0, "9007199254740992.0"},
      {9999999999999998.0, "9999999999999998.0"},
      {1e16, "1e+16"},
      {1.5e16, "1.5e+16"},
      {1.2345678901234567e19, "1.2345678901234567e+19"},
      {1e22, "1e+22"},
      {1e100, "1e+100"},
      {1e-4, "0.0001"},
      {0.00012345, "0.00012345"},
      {1e-5, "1e-05"},
      {1.5e-5, "1.5e-05"},
      {1e-300, "1e-300"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {infinity, "inf"},
      {-infinity, "-inf"},
      {nan, "nan"},
      {-nan, "nan"},
  };
  for (const auto& [value, text] : table) EXPECT_EQ(Scalar(value).to_string(), text);
}

// Recorded from Python 3.11's repr().
TEST(Scalar, PrintsComplexNumbersAsPython) {
  const std::pair<std::complex<double>, const char*> table[] = {
      {{1, 2}, "(1+2j)"},
      {{1, -2}, "(1-2j)"},
      {{0, 2}, "2j"},
      {{-0.0, 2}, "(-0+2j)"},
      {{0, -0.0}, "-0j"},
      {{0, 0}, "0j"},
      {{1.5, 0.25}, "(1.5+0.25j)"},
      {{1e16, 1e-5}, "(1e+16+1e-05j)"},
      {{nan, nan}, "(nan+nanj)"},
      {{0, infinity}, "infj"},
      {{-infinity, -infinity}, "(-inf-infj)"},
  };
  for (const auto& [value, text] : table) EXPECT_EQ(Scalar(value).to_string(), text);
}

TEST(Scalar, PrintsIntegersAndBoolsAsPython) {
  EXPECT_EQ(Scalar(true).to_string(), "True");
  EXPECT_EQ(Scalar(false).to_string(), "False");
  EXPECT_EQ(Scalar(-3).to_string(), "-3");
  EXPECT_EQ(Scalar(std::numeric_limits<std::int64_t>::min()).to_string(), "-9223372036854775808");
  EXPECT_EQ(Scalar(std::numeric_limits<std::uint64_t>::max()).to_string(), "18446744073709551615");
}

TEST(Scalar, IsEqualByValueAcrossKinds) {
  EXPECT_EQ(Scalar(1), Scalar(true));
  EXPECT_EQ(Scalar(1), Scalar(1.0));
  EXPECT_EQ(Scalar(1U), Scalar(std::complex<double>(1, 0)));
  EXPECT_EQ(Scalar(true), Scalar(std::complex<float>(1, 0)));
  EXPECT_EQ(Scalar(0.0), Scalar(-0.0));
  EXPECT_EQ(Scalar(std::numeric_limits<std::int64_t>::min()), Scalar(-0x1p63));
  EXPECT_EQ(Scalar(std::uint64_t{1} << 63), Scalar(0x1p63));
  EXPECT_NE(Scalar(1), Scalar(2));
  EXPECT_NE(Scalar(1), Scalar(std::complex<double>(1, 1)));
  EXPECT_NE(Scalar(nan), Scalar(nan));
  EXPECT_NE(Scalar(0), Scalar(nan));
  EXPECT_NE(Scalar(-1), Scalar(std::numeric_limits<std::uint64_t>::max()));
  // 2^53 + 1 and 2^64 - 1 have no double; the nearest ones are other numbers.
  EXPECT_NE(Scalar((std::int64_t{1} << 53) + 1), Scalar(0x1p53));
  EXPECT_NE(Scalar(std::numeric_limits<std::int64_t>::max()), Scalar(0x1p63));
  EXPECT_NE(Scalar(0x1p64), Scalar(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(Scalar(std::uint64_t{1}), Scalar(-1.0));
}

TEST(Nested, PrintsAsPython) {
  const Nested matrix{{1, 2}, {3, 4}};
  EXPECT_EQ(matrix.to_string(), "[[1, 2], [3, 4]]");
  EXPECT_EQ(matrix[1][0].scalar(), 3);
  EXPECT_EQ(Nested(2.5).to_string(), "2.5");
  EXPECT_EQ((Nested{true, 1.0, std::complex<double>(0, 1)}).to_string(), "[True, 1.0, 1j]");
  EXPECT_EQ(Nested(std::vector<Nested>{}).to_string(), "[]");
  EXPECT_EQ((Nested{Nested(std::vector<Nested>{}), 1}).to_string(), "[[], 1]");
}

TEST(Nested, ComparesListsItemByItem) {
  EXPECT_EQ((Nested{{1, 2}, {3, 4}}), (Nested{{1.0, 2.0}, {3.0, 4.0}}));
  EXPECT_NE((Nested{{1, 2}, {3, 4}}), (Nested{{1, 2}, {3, 5}}));
  EXPECT_NE((Nested{1, 2}), (Nested{1, 2, 3}));
  EXPECT_NE(Nested(1), (Nested(std::vector<Nested>{1})));
  EXPECT_EQ(Nested(std::vector<Nested>{}), Nested(std::vector<Nested>{}));
}

}  // namespace
}  // namespace tenstride
