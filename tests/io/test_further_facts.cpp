// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "io/nifti/header.hpp"
#include "tenstride/io/result_facts.hpp"

namespace tenstride::io {
namespace {

/// A tensor of shape (2,3) in a file whose groups have attributes.
TensorMove in_groups(const std::string& name, const std::vector<FileGroup>& groups,
                     const std::string& chain = "x") {
  FileInfo info;
  info.kind = FileKind::hdf5;
  info.dtype = DType::float32;
  info.name = name;
  info.layout = row_major({2, 3});
  for (const FileGroup& group : groups)
    info.further.groups.push_back(std::make_shared<const FileGroup>(group));
  return {info, chain, name};
}

std::vector<ResultFacts> facts_after(const std::vector<TensorMove>& moves, FileKind kind) {
  std::vector<ResultMove> results;
  for (const TensorMove& move : moves) results.push_back({move});
  return facts_of_results(results, kind);
}

/// "/a: {…}" for each group of a result.
std::vector<std::string> groups_of(const ResultFacts& facts) {
  std::vector<std::string> texts;
  for (const auto& group : facts.further.groups)
    texts.push_back('/' + group->name + ": " + group->attributes + group->attribute_types);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(FurtherFacts, GroupsSayWhatAllSourcesSayAlike) {
  const auto facts = facts_after(
      {in_groups("a/x", {{"", R"({"title":"one","year":2020})", R"({"year":1})"}, {"a", R"({"k":[1,2]})"}}),
       in_groups("b", {{"", R"({"year":2020,"title":"two","more":NaN})"}}),
       in_groups("c", {{"", R"({"title":"one"})"}})},
      FileKind::hdf5);
  const Texts root{R"(/: {"year":2020,"more":NaN}{"year":1})"};
  EXPECT_EQ(groups_of(facts[0]), (Texts{root[0], R"(/a: {"k":[1,2]})"}));
  EXPECT_EQ(groups_of(facts[1]), root);
  EXPECT_EQ(groups_of(facts[2]), root);
  EXPECT_EQ(to_string(facts[0].dropped), "dropped  global attribute title: the source files differ in it\n");
  EXPECT_TRUE(facts[1].dropped.empty() && facts[2].dropped.empty());
}

TEST(FurtherFacts, GroupsWithoutAPlaceAreToldOnce) {
  const std::vector<FileGroup> groups{{"", R"({"title":"one"})"}, {"a", R"({"k":1})"}};
  std::vector<TensorMove> moves{in_groups("a/x", groups), in_groups("a/y", groups)};
  EXPECT_EQ(to_string(facts_after(moves, FileKind::safetensors)[0].dropped),
            "dropped  global attribute title, attribute k of group a: attributes of groups are not written "
            "to a safetensors file\n");
  EXPECT_TRUE(facts_after(moves, FileKind::npz)[0].dropped.empty());
  for (TensorMove& move : moves) move.name = move.name.substr(2);
  const auto renamed = facts_after(moves, FileKind::zarr);
  EXPECT_EQ(groups_of(renamed[1]), Texts{R"(/: {"title":"one"})"});
  EXPECT_EQ(to_string(renamed[0].dropped),
            "dropped  attribute k of group a: nothing is written to that group\n");
  moves.pop_back();
  moves[0].name.clear();
  EXPECT_EQ(to_string(facts_after(moves, FileKind::zarr)[0].dropped),
            "dropped  global attribute title: a tensor without a name is in no group of a Zarr folder (give "
            "it one: \"out.zarr::x\")\n"
            "dropped  attribute k of group a: nothing is written to that group\n");
}

TEST(FurtherFacts, ImagesOfOmeNameTheirArrays) {
  const std::string image = R"([{"datasets":[{"path":"0"},{"path":"1"}]}])";
  for (const std::string& key :
       {R"({"multiscales":)" + image + "}", R"({"ome":{"multiscales":)" + image + "}}"}) {
    const std::vector<FileGroup> groups{{"", R"({"k":1})"}, {"a", key}};
    const auto both = facts_after({in_groups("a/0", groups), in_groups("a/1", groups)}, FileKind::zarr);
    EXPECT_TRUE(both[0].dropped.empty());
    EXPECT_EQ(both[1].further.groups.size(), 2U);
    const auto one = facts_after({in_groups("a/0", groups), in_groups("b", groups)}, FileKind::zarr);
    EXPECT_EQ(one[0].dropped[0].reason, "a/1, which it names, is not written");
    EXPECT_EQ(one[0].further.groups[1]->attributes, "");
  }
}

TEST(FurtherFacts, UnlimitedAxesGoAlong) {
  const auto after = [](const std::string& chain, FileKind kind) {
    TensorMove move = in_groups("x", {}, chain);
    move.source.further.unlimited_axes = {1};
    return facts_after({move}, kind)[0];
  };
  EXPECT_EQ(after("x", FileKind::hdf5).further.unlimited_axes, Dims{1});
  EXPECT_EQ(after("x.mT[::2].unsqueeze(0)", FileKind::hdf5).further.unlimited_axes, Dims{1});
  EXPECT_EQ(after("x.mT.unsqueeze(-1)", FileKind::hdf5).further.unlimited_axes, Dims{0});
  for (const std::string chain : {"x[:, 0]", "x.sum(1)"}) {
    EXPECT_TRUE(after(chain, FileKind::hdf5).further.unlimited_axes.empty()) << chain;
    EXPECT_TRUE(after(chain, FileKind::zarr).dropped.empty()) << chain;
  }
  EXPECT_EQ(to_string(after("x.mT", FileKind::zarr).dropped),
            "dropped  unlimited axis 1: a Zarr folder does not say that an axis may grow\n");
  EXPECT_EQ(to_string(after("x + 1", FileKind::hdf5).dropped),
            "dropped  unlimited axis 1: elements are computed\n");
}

TEST(FurtherFacts, ADimensionIsUnlimitedForAllTensorsThatHaveIt) {
  TensorMove growing = in_groups("t", {}), fixed = in_groups("u", {}, "x.mT"),
             other = in_groups("v", {}, "x[:1]");
  growing.source.further.unlimited_axes = {0};
  for (TensorMove* const move : {&growing, &fixed, &other}) move->source.axis_names = {"time", "lat"};
  const auto facts = facts_after({growing, fixed, other}, FileKind::hdf5);
  EXPECT_EQ(facts[0].further.unlimited_axes, Dims{0});
  EXPECT_EQ(facts[1].further.unlimited_axes, Dims{1});
  EXPECT_TRUE(facts[2].further.unlimited_axes.empty());
}

TEST(FurtherFacts, ExtensionsOfNiftiEndWithTheFirstThatIsNone) {
  using namespace std::string_literals;
  const std::string first = "\x10\0\0\0\x06\0\0\0comment."s;
  std::string second(32, 'x');
  second.replace(0, 8, "\x20\0\0\0\x2c\0\0\0"s);
  const auto parse = [](const std::string& bytes) {
    return parse_nifti_extensions(bytes, ByteOrder::native);
  };
  const std::string both = first + second;
  EXPECT_EQ(parse(both), both);
  EXPECT_EQ(parse(both + std::string(100, '\0')), both);
  EXPECT_EQ(parse(both.substr(0, both.size() - 1)), first);
  EXPECT_EQ(parse(first.substr(0, 7)), "");
  EXPECT_EQ(parse("\x07\0\0\0\x06\0\0\0comment."s), "");
  EXPECT_EQ(parse("\xff\xff\xff\xff\x06\0\0\0comment."s), "");
  EXPECT_EQ(parse_nifti_extensions("\0\0\0\x10\0\0\0\x06"
                                   "comment."s,
                                   ByteOrder::swapped),
            first);
}

}  // namespace
}  // namespace tenstride::io
