// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/result_facts.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tenstride::io {
namespace {

using Names = std::vector<std::string>;

/// A row-major tensor of axes time, lat, lon.
FileInfo of_three_axes(const Dims& shape = {4, 5, 6}) {
  FileInfo info;
  info.kind = FileKind::npy;
  info.dtype = DType::float32;
  info.layout = row_major(shape);
  info.axis_names = {"time", "lat", "lon"};
  info.attributes = R"({"units":"K"})";
  return info;
}

Names names_after(const std::string& chain, const Dims& shape = {4, 5, 6}) {
  return facts_of_result(of_three_axes(shape), chain, FileKind::npy).axis_names;
}

TEST(ResultFacts, NamesGoAlongWithTheirAxes) {
  const std::vector<std::pair<std::string, Names>> table{
      {"x", {"time", "lat", "lon"}},
      {"x.permute(1, 2, 0)", {"lat", "lon", "time"}},
      {"x.permute(2, 1, 0)", {"lon", "lat", "time"}},
      {"x.mT", {"time", "lon", "lat"}},
      {"x[1:3]", {"time", "lat", "lon"}},
      {"x[:, ::2, 1:5]", {"time", "lat", "lon"}},
      {"x[2]", {"lat", "lon"}},
      {"x[:, 1]", {"time", "lon"}},
      {"x.unsqueeze(1)", {"time", "", "lat", "lon"}},
      {"x.unsqueeze(-1)", {"time", "lat", "lon", ""}},
      {"x.to(torch.float64).permute(2, 0, 1)", {"lon", "time", "lat"}},
      {"x.flip(1)", {"time", "lat", "lon"}},
      {"x.reshape(4, 30)", {"time", ""}},
      {"x.reshape(-1)", {""}},
      {"x.reshape(2, 2, 5, 6)", {"", "", "lat", "lon"}},
      {"x[2:3]", {"time", "lat", "lon"}},
      {"x.sum(0)", {"lat", "lon"}},
      {"x.mean(1, keepdim=True)", {"time", "", "lon"}},
      {"x * 2", {"", "", ""}},
  };
  for (const auto& [chain, names] : table) EXPECT_EQ(names_after(chain), names) << chain;
}

TEST(ResultFacts, AxesOfSize1HaveNamesToo) {
  EXPECT_EQ(names_after("x.permute(2, 0, 1)", {1, 5, 1}), (Names{"lon", "time", "lat"}));
  EXPECT_EQ(names_after("x.permute(1, 2, 0)", {1, 1, 1}), (Names{"lat", "lon", "time"}));
  EXPECT_EQ(names_after("x.unsqueeze(0)", {1, 5, 6}), (Names{"", "time", "lat", "lon"}));
}

/// A mean of stored numbers is scaled to the mean of what they mean; a product is not, nor a sum of shifted
/// ones.
TEST(ResultFacts, ScalingIsSaidOfReducedElementsWhereItIsTrueOfThem) {
  const auto says_scaling = [](const std::string& chain, double scale, double shift) {
    FileInfo source = of_three_axes();
    source.scale = scale;
    source.shift = shift;
    source.attributes = R"({"units":"K","scale_factor":2})";
    const std::string found = facts_of_result(source, chain, FileKind::npy).attributes;
    EXPECT_NE(found.find("units"), std::string::npos) << chain;
    return found.find("scale_factor") != std::string::npos;
  };
  for (const std::string chain : {"x[1:]", "x.mT", "x.mean(0)", "x.amax(1)", "x.amin(1)", "x.sum(0)"}) {
    EXPECT_TRUE(says_scaling(chain, 2, 0)) << chain;
  }
  EXPECT_TRUE(says_scaling("x.mean(0)", -2, 3));
  EXPECT_FALSE(says_scaling("x.sum(0)", 2, 3));
  EXPECT_FALSE(says_scaling("x.prod(0)", 2, 0));
  EXPECT_FALSE(says_scaling("x.amax(1)", -2, 0));
  EXPECT_FALSE(says_scaling("x.any(0)", 2, 0));
  EXPECT_TRUE(says_scaling("x.prod(0)", 1, 0)) << "nothing is scaled";
}

/// What is said of stored elements, in the type of the result.
TEST(ResultFacts, FillValuesAreThoseOfTheResult) {
  FileInfo source = of_three_axes();
  source.kind = FileKind::zarr;
  const auto after = [&](const std::string& chain, DType stored, const std::string& attributes) {
    source.dtype = stored;
    source.attributes = attributes;
    const ResultFacts facts = facts_of_result(source, chain, FileKind::zarr);
    std::string told;
    if (!facts.dropped.empty()) told = facts.dropped.back().fact + ": " + facts.dropped.back().reason;
    if (!facts.notes.empty()) told = facts.notes.back();
    return told.empty() ? facts.attributes : facts.attributes + " (" + told + ")";
  };
  const std::string of_int16 = R"({"_FillValue":-999,"valid_range":[0,300]})";
  EXPECT_EQ(after("x.mT", DType::int16, of_int16), of_int16);
  EXPECT_EQ(after("x.float()", DType::int16, of_int16), R"({"_FillValue":-999.0,"valid_range":[0.0,300.0]})");
  EXPECT_EQ(after("x.byte()", DType::int16, R"({"_FillValue":-999})"),
            " (_FillValue -999: the elements that it speaks of are others in uint8)");
  // Of float32, 0.1 is another number in float64.
  EXPECT_EQ(after("x.double()", DType::float32, R"({"_FillValue":0.1})"),
            R"({"_FillValue":0.10000000149011612})");
  EXPECT_EQ(after("x.int()", DType::float32, R"({"_FillValue":NaN})"),
            " (_FillValue NaN: the elements that it speaks of are others in int32)");
  EXPECT_EQ(after("x.byte()", DType::int8, R"({"_Unsigned":"true","_FillValue":-1})"),
            R"({"_FillValue":255})");
  EXPECT_EQ(after("x.half()", DType::float32, R"({"_FillValue":1e20})"),
            " (_FillValue 1e+20: the elements that it speaks of are others in float16)");
  EXPECT_EQ(after("x * 2", DType::int16, of_int16),
            " (elements that x says are missing (-999, below 0, above 300) were computed with as any others; "
            "--rescale alone makes them NaN)");
  EXPECT_EQ(after("x.amin(0)", DType::int16, of_int16),
            of_int16 +
                " (min takes elements that x says are missing (-999, below 0, above 300) as any others; "
                "--rescale alone makes them NaN)");
}

TEST(ResultFacts, AttributesOfOneKindAreKept) {
  const FileInfo source = of_three_axes();
  for (const FileKind kind : {FileKind::npy, FileKind::safetensors}) {
    EXPECT_EQ(facts_of_result(source, "x.permute(2, 0, 1)", kind).attributes, R"({"units":"K"})");
  }
  EXPECT_EQ(facts_of_result(source, "x", FileKind::nifti).attributes, "");
  EXPECT_EQ(facts_of_result(source, "x", FileKind::nifti).axis_names.size(), 3U);
}

TEST(ResultFacts, NothingIsSaidOfNothingNorOfAChainThatFails) {
  FileInfo plain = of_three_axes();
  plain.axis_names.clear();
  plain.attributes.clear();
  EXPECT_EQ(facts_of_result(plain, "x.t()", FileKind::npy).axis_names, Names{});
  for (const char* const chain : {"x.view(7)", "x.permute(", "x.nothing()", "x.permute(0, 1, 7)"}) {
    const ResultFacts facts = facts_of_result(of_three_axes(), chain, FileKind::npy);
    EXPECT_EQ(facts.axis_names, Names{}) << chain;
    EXPECT_EQ(facts.attributes, "") << chain;
  }
}

/// A NIfTI file of (4,5,6), whose affine transform has a number of its own in each place.
FileInfo nifti_source() {
  FileInfo info = of_three_axes();
  info.kind = FileKind::nifti;
  info.layout = column_major({4, 5, 6});
  info.axis_names = {"x", "y", "z"};
  info.attributes =
      R"({"descrip":"d","dim_info":9,"sform_code":1,"qform_code":1,"quatern_b":0.5,"srow_x":[11,12,13,14],)"
      R"("srow_y":[21,22,23,24],"srow_z":[31,32,33,34],"pixdim":[1.5,2.5,3.5]})";
  return info;
}

/// "sform, qform: axis x is flipped"; facts of one reason stand in one line.
std::string dropped_after(const std::string& chain) {
  return to_string(facts_of_result(nifti_source(), chain, FileKind::nifti).dropped);
}

TEST(ResultFacts, TheAffineTransformOfNiftiIsThatOfThePermutedAxes) {
  const FileInfo source = nifti_source();
  EXPECT_EQ(facts_of_result(source, "x", FileKind::nifti).attributes, source.attributes);
  const ResultFacts facts = facts_of_result(source, "x.permute(2, 0, 1)", FileKind::nifti);
  EXPECT_EQ(facts.axis_names, (Names{"z", "x", "y"}));
  // Column d of the matrix belongs to axis d; the last column is where the first voxel is. The frequency is
  // that of x, now axis 2, the phase that of y, now axis 3.
  EXPECT_NE(facts.attributes.find(
                R"("srow_x":[13.0,11.0,12.0,14.0],"srow_y":[23.0,21.0,22.0,24.0],"srow_z":[33.0,31.0,32.0,)"),
            std::string::npos)
      << facts.attributes;
  EXPECT_NE(facts.attributes.find(R"("dim_info":14,)"), std::string::npos);
  EXPECT_NE(facts.attributes.find(R"("pixdim":[3.5,1.5,2.5])"), std::string::npos);
  EXPECT_EQ(to_string(facts.dropped), "");
}

/// A part begins elsewhere or has other steps, a flipped axis goes the other way, and of an axis that is gone
/// there is one index.
TEST(ResultFacts, TheAffineTransformOfNiftiIsThatOfTheParts) {
  const std::vector<std::array<std::string, 3>> table{
      {"x[1:]", "[1.5,2.5,3.5]", "[11.0,12.0,13.0,25.0]"},
      {"x[:, :, :3]", "[1.5,2.5,3.5]", "[11.0,12.0,13.0,14.0]"},
      {"x[:, :, 2:3]", "[1.5,2.5,3.5]", "[11.0,12.0,13.0,40.0]"},
      {"x.flip(0)", "[1.5,2.5,3.5]", "[-11.0,12.0,13.0,47.0]"},
      {"x[:, ::2]", "[1.5,5.0,3.5]", "[11.0,24.0,13.0,14.0]"},
      {"x[1:].permute(2, 1, 0)", "[3.5,2.5,1.5]", "[13.0,12.0,11.0,25.0]"},
      {"x.flip(1)[:, ::2]", "[1.5,5.0,3.5]", "[11.0,-24.0,13.0,62.0]"},
      {"x[:, ::-2]", "[1.5,5.0,3.5]", "[11.0,-24.0,13.0,62.0]"},
      {"x[:, 2]", "[1.5,3.5,2.5]", "[11.0,13.0,12.0,38.0]"},
      {"x.mean(1)", "[1.5,3.5,12.5]", "[11.0,13.0,60.0,38.0]"},
  };
  for (const auto& [chain, sizes, row] : table) {
    const ResultFacts facts = facts_of_result(nifti_source(), chain, FileKind::nifti);
    EXPECT_NE(facts.attributes.find("\"pixdim\":" + sizes), std::string::npos) << chain << facts.attributes;
    EXPECT_NE(facts.attributes.find("\"srow_x\":" + row), std::string::npos) << chain << facts.attributes;
    EXPECT_EQ(to_string(facts.dropped).find("form"), std::string::npos) << chain;
  }
  EXPECT_EQ(facts_of_result(nifti_source(), "x[0:4]", FileKind::nifti).attributes, nifti_source().attributes);
  EXPECT_EQ(dropped_after("x[:, 2]"), "dropped  dim_info: axis y is no axis of the result\n");
}

TEST(ResultFacts, WhatIsDroppedIsToldWhereItWouldHaveAPlace) {
  EXPECT_EQ(dropped_after("x.unsqueeze(0)"),
            "dropped  pixdim, sform, qform: axis z is axis 3 of the result\n");
  EXPECT_EQ(dropped_after("x[0:4].mT.mT"), "");
  EXPECT_EQ(dropped_after("x[x > 0]"),
            "dropped  names and attributes: what becomes of the axes is not known without elements\n");
  FileInfo named = nifti_source();
  for (const FileKind kind : {FileKind::npy, FileKind::png, FileKind::raw}) {
    EXPECT_TRUE(facts_of_result(named, "x.flip(0)", kind).dropped.empty());
  }
  named.kind = FileKind::zarr;
  EXPECT_EQ(to_string(facts_of_result(of_three_axes(), "x", FileKind::nifti).dropped),
            "dropped  units: attributes are not written to a NIfTI file\n");
}

/// Variables of a file: `name` has the axes in `names`, of 10 times, 4 latitudes and 5 longitudes.
TensorMove variable(const std::string& name, const Names& names, const std::string& chain = "x") {
  FileInfo info;
  info.kind = FileKind::hdf5;
  info.dtype = DType::float32;
  info.name = name;
  info.axis_names = names;
  Dims shape;
  for (const std::string& axis : names) shape.push_back(axis == "time" ? 10 : axis == "lat" ? 4 : 5);
  info.layout = row_major(shape);
  return {info, chain, name};
}

std::vector<ResultFacts> facts_after(const std::vector<TensorMove>& moves, FileKind kind) {
  std::vector<ResultMove> results;
  for (const TensorMove& move : moves) results.push_back({move});
  return facts_of_results(results, kind);
}

/// "time lat", of the last of the tensors.
std::string names_of_last(const std::vector<TensorMove>& moves, FileKind kind = FileKind::zarr) {
  std::string text;
  const std::vector<ResultFacts> facts = facts_after(moves, kind);
  for (const std::string& name : facts.back().axis_names) {
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

TEST(ResultFacts, ANameStandsForTheSameIndicesInAWholeFile) {
  const Names axes{"time", "lat"};
  const std::vector<std::pair<std::string, std::string>> table{
      {"x", "time lat"},
      {"x.mT", "lat time"},
      {"x[2:]", "time_8 lat"},
      {"x.flip(1)", "time lat_4"},
      {"x[::2, ::2]", "time_5 lat_2"},
      {"x[3]", "lat"},
      {"x[3:4]", "time_1 lat"},
  };
  for (const auto& [chain, names] : table) {
    EXPECT_EQ(
        names_of_last({variable("time", {"time"}), variable("lat", {"lat"}), variable("t", axes, chain)}),
        names)
        << chain;
    EXPECT_EQ(names_of_last({variable("other", axes), variable("t", axes, chain)}), names) << chain;
  }
  // What goes the same way has the same name.
  EXPECT_EQ(names_of_last({variable("time", {"time"}, "x[2:]"), variable("t", axes, "x[2:]")}), "time lat");
  EXPECT_EQ(
      names_of_last({variable("time", {"time"}), variable("t", axes, "x[2:]"), variable("u", axes, "x[2:]")}),
      "time_8 lat");
  // As many others are others.
  EXPECT_EQ(
      names_of_last({variable("time", {"time"}), variable("t", axes, "x[2:]"), variable("u", axes, "x[:8]")}),
      "time_8_axis lat");
  // Where the coordinate is changed, whole axes are not called as it is.
  EXPECT_EQ(names_of_last({variable("t", axes), variable("time", {"time"}, "x.flip(0)")}), "time");
  EXPECT_EQ(names_of_last({variable("time", {"time"}, "x.flip(0)"), variable("t", axes)}), "time_10 lat");
  // A coordinate in a group is that of the group.
  EXPECT_EQ(names_of_last({variable("a/time", {"time"}, "x.flip(0)"), variable("b/time", {"time"}),
                           variable("b/c/t", axes)}),
            "time lat");
  // A file without names of axes has none that could be wrong.
  EXPECT_EQ(names_of_last({variable("time", {"time"}), variable("t", axes, "x[2:]")}, FileKind::npz),
            "time lat");
  EXPECT_EQ(
      to_string(
          facts_after({variable("time", {"time"}), variable("t", axes, "x[2:]")}, FileKind::hdf5)[1].dropped),
      "dropped  of t: axis name time: the indices are not those of the coordinate time; the axis is called "
      "time_8\n");
}

TEST(ResultFacts, AxesOfOneNameAndSeveralSizesStayAsTheyAre) {
  TensorMove half = variable("1", {"lat", "lon"});
  half.source.layout = row_major({2, 3});
  EXPECT_EQ(names_of_last({variable("0", {"lat", "lon"}), half}), "lat lon");
}

TEST(ResultFacts, VariablesThatAreNamedHaveTheSameIndices) {
  const auto coordinates_after = [](const std::string& chain, const std::string& chain_of_height) {
    TensorMove t = variable("t", {"time", "lat", "lon"}, chain);
    t.source.attributes = R"({"coordinates":"height"})";
    const std::vector<TensorMove> moves{t, variable("height", {"lat", "lon"}, chain_of_height)};
    return facts_after(moves, FileKind::hdf5)[0].attributes;
  };
  const std::string kept = R"({"coordinates":"height"})";
  for (const char* const chain : {"x", "x[3]", "x[2:]", "x.mean(0)", "x.permute(2, 0, 1)", "x.flip(0)"}) {
    EXPECT_EQ(coordinates_after(chain, "x"), kept) << chain;
  }
  for (const char* const chain : {"x.flip(1)", "x[:, 1:]", "x[..., 2]", "x.mean(1)", "x * 2"}) {
    EXPECT_EQ(coordinates_after(chain, "x"), "") << chain;
  }
  EXPECT_EQ(coordinates_after("x.flip(1)", "x.flip(0)"), kept);
  EXPECT_EQ(coordinates_after("x", "x.flip(0)"), "");
}

}  // namespace
}  // namespace tenstride::io
