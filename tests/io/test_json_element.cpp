// SPDX-License-Identifier: Apache-2.0
#include "io/format/json_element.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "io/format/python_json.hpp"
#include "support/zarr.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::io {
namespace {

using testing::element;
using Bytes = std::optional<std::vector<std::byte>>;

Bytes element_of(std::string_view json, DType dtype) {
  return element_of_json(parse_attributes(json), dtype);
}

TEST(JsonElement, OfIntegersIsThatNumberOrNone) {
  EXPECT_EQ(element_of("-999", DType::int16), element(std::int16_t{-999}));
  EXPECT_EQ(element_of("-999.0", DType::int16), element(std::int16_t{-999}));
  EXPECT_EQ(element_of("[7]", DType::uint8), element(std::uint8_t{7}));
  EXPECT_EQ(element_of("18446744073709551615", DType::uint64), element(~std::uint64_t{0}));
  EXPECT_EQ(element_of("4611686018427387905", DType::int64), element(std::int64_t{4611686018427387905}));
  EXPECT_EQ(element_of("-9223372036854775808", DType::int64),
            element(std::numeric_limits<std::int64_t>::min()));
  for (const char* const none :
       {"-129", "128", "1e20", "0.5", "NaN", "Infinity", "\"1\"", "true", "null", "[1,2]", "{}", "[]"}) {
    EXPECT_EQ(element_of(none, DType::int8), Bytes()) << none;
  }
  EXPECT_EQ(element_of("9223372036854775808", DType::int64), Bytes());
  EXPECT_EQ(element_of("1.8446744073709552e19", DType::uint64), Bytes());
  EXPECT_EQ(element_of("-1", DType::uint64), Bytes());
}

TEST(JsonElement, OfOtherTypes) {
  EXPECT_EQ(element_of("1e20", DType::float32), element(1e20F));
  EXPECT_EQ(element_of("\"-Infinity\"", DType::float64), element(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(element_of("NaN", DType::float32), element(0x7fc00000U));
  EXPECT_EQ(element_of("1.5", DType::bfloat16), element(std::uint16_t{0x3fc0}));
  EXPECT_EQ(element_of("\"x\"", DType::float32), Bytes());
  EXPECT_EQ(element_of("true", DType::bool_), element(true));
  EXPECT_EQ(element_of("0", DType::bool_), element(false));
  EXPECT_EQ(element_of("2", DType::bool_), Bytes());
  EXPECT_EQ(element_of("[1,\"Infinity\"]", DType::complex64),
            element(std::complex<float>(1, std::numeric_limits<float>::infinity())));
  EXPECT_EQ(element_of("2", DType::complex128), element(std::complex<double>(2, 0)));
  EXPECT_EQ(element_of("[1,2,3]", DType::complex128), Bytes());
}

TEST(JsonElement, IsWrittenAsItIsRead) {
  const auto text = [](auto value, DType dtype) {
    return python_json_text(json_of_element(element(value), dtype));
  };
  EXPECT_EQ(text(0.1F, DType::float32), "0.1");
  EXPECT_EQ(text(0x7fc00000U, DType::float32), "NaN");
  EXPECT_EQ(text(~std::uint64_t{0}, DType::uint64), "18446744073709551615");
  EXPECT_EQ(text(std::int8_t{-128}, DType::int8), "-128");
  EXPECT_EQ(text(true, DType::bool_), "true");
  EXPECT_EQ(text(std::complex<float>(0.1F, -2), DType::complex64), "[0.1,-2.0]");
}

}  // namespace
}  // namespace tenstride::io
