// SPDX-License-Identifier: Apache-2.0
// Attributes with the numbers that Python writes and JSON does not have, through files of all kinds.
#include <gtest/gtest.h>

#include <cmath>

#include "io/format/python_json.hpp"
#include "support/permuted_file.hpp"
#include "tenstride/io/result_facts.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::ordered_json;
using testing::Scratch;

TEST(PythonJson, HoldsNumbersThatJsonDoesNotHave) {
  const Json json =
      parse_attributes(R"( {"a":[NaN, null,-Infinity] ,"NaN":Infinity,"t":"NaN \" null","n":null} )");
  ASSERT_TRUE(json.is_object());
  EXPECT_TRUE(std::isnan(json["a"][0].get<double>()));
  EXPECT_TRUE(json["a"][1].is_null());
  EXPECT_EQ(json["a"][2].get<double>(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(json["NaN"].get<double>(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(json["t"], "NaN \" null");
  EXPECT_TRUE(json["n"].is_null());
  EXPECT_EQ(python_json_text(json),
            R"({"a":[NaN,null,-Infinity],"NaN":Infinity,"t":"NaN \" null","n":null})");
}

TEST(PythonJson, WritesTheRestAsTheParsersOwnText) {
  const Json json = Json::parse(R"({"e":{},"l":[],"n":[1,2.5,[true,null,{"x":"ö\n\u0000"}]],"o":{"k":-3}})");
  EXPECT_EQ(python_json_text(json), json.dump());
  EXPECT_EQ(python_json_text(json, 2), json.dump(2));
  const nlohmann::json sorted = json;
  EXPECT_EQ(python_json_text(sorted, 1), sorted.dump(1));
}

TEST(PythonJson, IsDiscardedWhereItIsNoJson) {
  for (const char* const text :
       {"", "{", "nan", "-NaN", "NaNNaN", "nullnull", "{NaN:1}", "1NaN", "\"", "\"\\"}) {
    EXPECT_TRUE(parse_attributes(text).is_discarded()) << text;
  }
}

TEST(PythonJson, BecomesStrict) {
  EXPECT_EQ(strict_json(R"({"a":[NaN,-Infinity,Infinity,null],"b":"NaN\"Infinity"})"),
            R"({"a":["NaN","-Infinity","Infinity",null],"b":"NaN\"Infinity"})");
  EXPECT_EQ(strict_json(""), "");
}

const std::string of_array = R"({"_FillValue":NaN,"limits":[-Infinity,Infinity,1.5],"units":"K"})";

/// The attributes that a file of the name has, saved with `attributes`.
std::string kept(const Scratch& scratch, const std::string& name, const std::string& attributes,
                 ChunkOptions chunks = {}) {
  const std::string path = scratch.path(name);
  save_tensor_file(path, {{"x", ones({2, 3}), {}, attributes}}, {.chunks = std::move(chunks)});
  return list_tensors(path).at(0).attributes;
}

TEST(PythonJson, IsKeptInFiles) {
  const Scratch scratch;
  EXPECT_EQ(kept(scratch, "3.zarr", of_array), of_array);
  EXPECT_EQ(kept(scratch, "2.zarr", of_array, {.zarr_format = 2}), of_array);
  EXPECT_EQ(kept(scratch, "x.safetensors", of_array),
            R"({"_FillValue":"NaN","limits":"[-Infinity,Infinity,1.5]","units":"K"})");
#ifdef TENSTRIDE_HAS_HDF5
  EXPECT_EQ(kept(scratch, "x.h5", of_array), of_array);
#endif
  const Json nifti =
      parse_attributes(kept(scratch, "x.nii", R"({"cal_max":NaN,"cal_min":null,"toffset":Infinity})"));
  EXPECT_TRUE(std::isnan(nifti["cal_max"].get<double>()));
  EXPECT_TRUE(std::isnan(nifti["cal_min"].get<double>()));
  EXPECT_EQ(nifti["toffset"].get<double>(), std::numeric_limits<double>::infinity());
}

TEST(PythonJson, OfTiedTensorsIsKept) {
  const Scratch scratch;
  const std::string path = scratch.path("x.safetensors");
  const Tensor x = ones({2, 3});
  save_tensor_file(path, {{"a", x, {}, R"({"k":NaN})"}, {"b", x}}, {.tied = TiedTensors::once});
  EXPECT_EQ(list_tensors(path).at(0).attributes, R"({"k":"NaN","b":"a"})");
}

TEST(PythonJson, SaysTheScalingBesideNan) {
  const Scratch scratch;
  const std::string path = scratch.path("x.zarr");
  for (const auto& [attributes, scale] :
       {std::pair(R"({"_FillValue":NaN,"scale_factor":0.5,"units":"K"})", 0.5),
        std::pair(R"({"_FillValue":NaN,"scale_factor":NaN,"units":"K"})", 1.0)}) {
    save_tensor_file(path, {{"", ones({2, 3}), {}, attributes}}, {.overwrite = Overwrite::replace});
    const FileInfo info = read_file_info(path);
    EXPECT_EQ(info.scale, scale);
    EXPECT_EQ(facts_of_result(info, "x * 2", FileKind::zarr).attributes, R"({"units":"K"})");
  }
}

}  // namespace
}  // namespace tenstride::io
