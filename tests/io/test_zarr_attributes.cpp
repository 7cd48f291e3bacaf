// SPDX-License-Identifier: Apache-2.0
// Attributes and fill values as the readers of Zarr look for them. The base64 is what xarray 2026.9 wrote.
#include <gtest/gtest.h>

#include "io/format/python_json.hpp"
#include "io/zarr/array_options.hpp"
#include "io/zarr/attributes.hpp"
#include "io/zarr/base64.hpp"
#include "io/zarr/json_field.hpp"
#include "support/zarr.hpp"

namespace tenstride::io {
namespace {

using testing::element;

std::string parsed(std::string_view attributes, DType dtype) {
  return python_json_text(parse_zarr_attributes(parse_zarr_json(attributes, "a"), dtype));
}

ZarrArray array_of(int format, DType dtype, const std::string& attributes,
                   std::vector<std::string> names = {"x"}) {
  return make_zarr_array({2}, dtype,
                         {.format = format, .dimension_names = std::move(names), .attributes = attributes});
}

std::string written(int format, DType dtype, const std::string& attributes) {
  return zarr_attributes_json(array_of(format, dtype, attributes)).dump();
}

TEST(ZarrBase64, OfAnyNumberOfBytes) {
  const std::vector<std::byte> bytes{std::byte{1}, std::byte{2}, std::byte{255}, std::byte{0}};
  const std::vector<std::string> texts{"", "AQ==", "AQI=", "AQL/", "AQL/AA=="};
  for (std::size_t count = 0; count < texts.size(); ++count) {
    const std::vector<std::byte> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    EXPECT_EQ(to_base64(part), texts[count]);
    EXPECT_EQ(from_base64(texts[count]), part);
  }
  EXPECT_EQ(from_base64("AQ"), std::nullopt);
  EXPECT_EQ(from_base64("A!=="), std::nullopt);
}

TEST(ZarrAttributes, FillValuesOfXarrayAreNumbers) {
  EXPECT_EQ(parsed(R"({"_FillValue": "AAAAAAAA+H8="})", DType::float32), R"({"_FillValue":NaN})");
  EXPECT_EQ(parsed(R"({"_FillValue": "AAAAAAA4j8A="})", DType::float64), R"({"_FillValue":-999.0})");
  EXPECT_EQ(parsed(R"({"_FillValue": ["AAAAAAAA+H8=", "AAAAAAAAAAA="]})", DType::complex64),
            R"({"_FillValue":[NaN,0.0]})");
  EXPECT_EQ(parsed(R"({"_FillValue": -999.0})", DType::int16), R"({"_FillValue":-999})");
  EXPECT_EQ(parsed(R"({"_FillValue": "NaN"})", DType::float32), R"({"_FillValue":NaN})");
  EXPECT_EQ(parsed(R"({"_FillValue": "AAAAAAAA+H8="})", DType::int16), R"({"_FillValue":"AAAAAAAA+H8="})");
}

TEST(ZarrAttributes, WordsAreNumbersWhereTheyCanBeNothingElse) {
  EXPECT_EQ(parsed(R"({"valid_min": "-Infinity", "units": "NaN"})", DType::float32),
            R"({"units":"NaN","valid_min":-Infinity})");
  EXPECT_EQ(parsed(R"({"a": {"b": [1, "NaN"], "c": ["NaN", "x"]}, "d": ["Infinity"]})", DType::float32),
            R"({"a":{"b":[1,NaN],"c":["NaN","x"]},"d":[Infinity]})");
}

TEST(ZarrAttributes, AreJsonByTheLetter) {
  EXPECT_EQ(written(3, DType::int16, R"({"a":[NaN,{"b":[Infinity]}],"valid_min":-Infinity})"),
            R"({"a":["NaN",{"b":["Infinity"]}],"valid_min":"-Infinity"})");
}

TEST(ZarrAttributes, FillValuesStandWhereXarrayLooksForThem) {
  EXPECT_EQ(written(3, DType::float32, R"({"_FillValue":NaN})"), R"({"_FillValue":"AAAAAAAA+H8="})");
  EXPECT_EQ(written(3, DType::complex64, R"({"_FillValue":[NaN,0]})"),
            R"({"_FillValue":["AAAAAAAA+H8=","AAAAAAAAAAA="]})");
  EXPECT_EQ(written(3, DType::uint64, R"({"_FillValue":18446744073709551615})"),
            R"({"_FillValue":18446744073709551615})");
  EXPECT_EQ(written(3, DType::bool_, R"({"_FillValue":false})"), R"({"_FillValue":false})");
  EXPECT_EQ(written(2, DType::float32, R"({"_FillValue":NaN})"), "{}");
  EXPECT_EQ(array_of(2, DType::int16, R"({"_FillValue":-999})").fill_value, element(std::int16_t{-999}));
  EXPECT_EQ(array_of(3, DType::int16, R"({"_FillValue":-999})").fill_value, element(std::int16_t{-999}));
  EXPECT_EQ(array_of(2, DType::int16, "{}").fill_value, std::vector<std::byte>());
  EXPECT_EQ(array_of(3, DType::int16, "{}").fill_value, element(std::int16_t{0}));
  // Without names of axes xarray opens no array of version 2: the attribute says it to others.
  const ZarrArray unnamed = array_of(2, DType::int16, R"({"_FillValue":-999})", {});
  EXPECT_EQ(zarr_attributes_json(unnamed).dump(), R"({"_FillValue":-999})");
}

TEST(ZarrAttributes, FillValuesThatNoElementHasAreLeftOut) {
  for (const int format : {2, 3}) {
    EXPECT_EQ(written(format, DType::int16, R"({"_FillValue":NaN,"n":1})"), R"({"n":1})");
    EXPECT_EQ(written(format, DType::uint8, R"({"_FillValue":-999})"), "{}");
    EXPECT_EQ(array_of(format, DType::uint8, R"({"_FillValue":-999})"), array_of(format, DType::uint8, "{}"));
  }
}

TEST(ZarrAttributes, MissingValuesThatJsonLacksAreFillValues) {
  EXPECT_EQ(written(3, DType::float32, R"({"missing_value":NaN})"), R"({"_FillValue":"AAAAAAAA+H8="})");
  EXPECT_EQ(written(3, DType::float64, R"({"missing_value":Infinity})"), R"({"_FillValue":"AAAAAAAA8H8="})");
  // xarray writes no two fill values that differ.
  EXPECT_EQ(written(3, DType::float64, R"({"missing_value":[NaN,-999,7]})"), R"({"missing_value":[-999,7]})");
  EXPECT_EQ(written(3, DType::complex64, R"({"missing_value":[NaN,0]})"), R"({"missing_value":["NaN",0]})");
  EXPECT_EQ(written(3, DType::int16, R"({"_FillValue":-1,"missing_value":[NaN,-999]})"),
            R"({"_FillValue":-1,"missing_value":-999})");
}

TEST(ZarrAttributes, TheFillValueOfNamedAxesMarksMissingElements) {
  const auto attributes = [](const std::string& zattrs) {
    return parse_zarr_v2(testing::zarray, zattrs, "a").attributes;
  };
  EXPECT_EQ(attributes(R"({"_ARRAY_DIMENSIONS": ["y", "x"], "_FillValue": 7})"), R"({"_FillValue":1.5})");
  EXPECT_EQ(attributes(R"({"n": 1})"), R"({"n":1})");
}

TEST(ZarrAttributes, OfAnArrayWithoutAxes) {
  const auto texts = [](const std::string& attributes) {
    return zarr_metadata_texts(make_zarr_array({}, DType::int16, {.format = 2, .attributes = attributes}));
  };
  EXPECT_EQ(texts("{}")[0].text, "{\n  \"_ARRAY_DIMENSIONS\": []\n}\n");
  const std::vector<ZarrText> marked = texts(R"({"_FillValue":-1})");
  EXPECT_EQ(marked[0].text, "{\n  \"_ARRAY_DIMENSIONS\": []\n}\n");
  ZarrArray array = parse_zarr_v2(marked[1].text, marked[0].text, "a");
  EXPECT_EQ(array.attributes, R"({"_FillValue":-1})");
  // Of a fill value that marks nothing the names would say that it does.
  array.attributes = "{}";
  EXPECT_EQ(zarr_metadata_texts(array)[0].text, "{}\n");
}

}  // namespace
}  // namespace tenstride::io
