// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/result_facts.hpp"

#include <gtest/gtest.h>

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
      {"x.sum(0)", {"", ""}},
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

TEST(ResultFacts, TheAffineTransformOfNiftiIsThatOfThePermutedAxes) {
  const FileInfo source = nifti_source();
  EXPECT_EQ(facts_of_result(source, "x", FileKind::nifti).attributes, source.attributes);
  const ResultFacts facts = facts_of_result(source, "x.permute(2, 0, 1)", FileKind::nifti);
  EXPECT_EQ(facts.axis_names, (Names{"z", "x", "y"}));
  // Column d of the matrix belongs to axis d; the last column is where the first voxel is.
  EXPECT_EQ(facts.attributes,
            R"({"descrip":"d","sform_code":1,"srow_x":[13,11,12,14],"srow_y":[23,21,22,24],)"
            R"("srow_z":[33,31,32,34],"pixdim":[3.5,1.5,2.5]})");
}

TEST(ResultFacts, WithoutAnAxisOfSpaceThereIsNoAffineTransform) {
  const ResultFacts facts = facts_of_result(nifti_source(), "x[:, 2]", FileKind::nifti);
  EXPECT_EQ(facts.axis_names, (Names{"x", "z"}));
  EXPECT_EQ(facts.attributes, R"({"descrip":"d","pixdim":[1.5,3.5]})");
}

/// A part begins elsewhere or has other steps, a flipped axis goes the other way: the transform does not
/// hold.
TEST(ResultFacts, PartsOfAxesHaveNoAffineTransform) {
  for (const char* const chain :
       {"x[1:]", "x[:, :, :3]", "x.flip(0)", "x[:, ::2]", "x[1:].permute(2, 1, 0)"}) {
    const ResultFacts facts = facts_of_result(nifti_source(), chain, FileKind::nifti);
    EXPECT_EQ(facts.axis_names.size(), 3U) << chain;
    EXPECT_EQ(facts.attributes.find("srow"), std::string::npos) << chain << facts.attributes;
    EXPECT_EQ(facts.attributes.find("sform_code"), std::string::npos) << chain << facts.attributes;
  }
  EXPECT_EQ(facts_of_result(nifti_source(), "x[0:4]", FileKind::nifti).attributes, nifti_source().attributes);
}

}  // namespace
}  // namespace tenstride::io
