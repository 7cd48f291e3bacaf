// SPDX-License-Identifier: Apache-2.0
// Safetensors files on a disk: views of any kind saved, files of others opened, checkpoints of several files.
#include <gtest/gtest.h>

#include <cstring>

#include "io/safetensors/checkpoint.hpp"
#include "support/permuted_file.hpp"
#include "support/refusal.hpp"
#include "support/safetensors.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::read_bytes;
using testing::refusal;
using testing::safetensors_entry;
using testing::safetensors_file;
using testing::Scratch;

using Names = std::vector<std::string>;

Names names_of(const std::vector<FileInfo>& tensors) {
  Names names;
  for (const FileInfo& info : tensors) names.push_back(info.name);
  return names;
}

/// The elements of the bytes of a file, one by one, as the definition has them: row-major behind
/// `data_begin`.
void expect_stored(const std::string& file, const FileInfo& info, const Tensor& wanted) {
  ASSERT_EQ(info.layout.shape, wanted.shape());
  const Tensor rows =
      wanted.resolve_conj().resolve_neg().contiguous().clone();  // from the first byte of its storage
  const std::size_t nbytes = rows.nbytes();
  ASSERT_LE(info.data_begin + nbytes, file.size());
  EXPECT_EQ(std::memcmp(file.data() + info.data_begin, rows.storage_data(), nbytes), 0) << info.name;
}

TEST(SafetensorsFiles, ViewsOfEveryKind) {
  const Scratch scratch;
  const std::string path = scratch.path("m.safetensors");
  const Tensor base = arange(120).to(DType::float32).view({4, 5, 6});
  Tensor numbers = base.to(DType::complex64);
  numbers.imag().copy_(arange(120).view({4, 5, 6}));
  const std::vector<NamedTensor> tensors{{"transposed", base.permute({2, 0, 1})},
                                         {"sliced", base.slice(1, 1, 5, 2)},
                                         {"expanded", base.select(0, 1).unsqueeze(0).expand({3, 5, 6})},
                                         {"backwards", base.flip({2}).to(DType::int16)},
                                         {"conj", numbers.conj().permute({1, 0, 2})},
                                         {"neg", numbers.conj().imag()},
                                         {"scalar", base.select(0, 1).select(0, 2).select(0, 3)},
                                         {"empty", base.narrow(1, 2, 0)},
                                         {"half", base.to(DType::bfloat16).mT()}};
  save_tensor_file(path, tensors);
  const std::string file = read_bytes(path);
  const std::vector<FileInfo> found = list_tensors(path);
  ASSERT_EQ(found.size(), tensors.size());
  for (const NamedTensor& tensor : tensors) {
    const FileInfo info = read_file_info(path + "::" + tensor.name);
    EXPECT_EQ(info.kind, FileKind::safetensors);
    EXPECT_EQ(info.format, "safetensors");
    EXPECT_EQ(info.name, tensor.name);
    EXPECT_EQ(info.address(), path + "::" + tensor.name);
    EXPECT_EQ(info.dtype, tensor.tensor.dtype()) << tensor.name;
    EXPECT_EQ(info.layout, row_major(tensor.tensor.shape())) << tensor.name;
    EXPECT_EQ(info.file_nbytes, file.size());
    EXPECT_EQ(info.storage, ElementStorage::flat);
    EXPECT_TRUE(info.is_mapped);
    EXPECT_FALSE(info.is_byte_swapped);
    EXPECT_EQ(info.obstacle, "");
    expect_stored(file, info, tensor.tensor);
    const Tensor mapped = open_tensor_file(info);
    EXPECT_TRUE(mapped.storage().is_read_only());
    EXPECT_TRUE(mapped.equal(tensor.tensor)) << tensor.name;
    EXPECT_TRUE(load_tensor_file(info).equal(tensor.tensor)) << tensor.name;
  }
  EXPECT_EQ(scratch.names(), Names{"m.safetensors"});
}

TEST(SafetensorsFiles, OneTensorHasTheUsualName) {
  const Scratch scratch;
  const std::string path = scratch.path("m.safetensors");
  save_tensor_file(path, {{"", arange(3)}});
  EXPECT_EQ(names_of(list_tensors(path)), Names{"tensor"});
  EXPECT_TRUE(open_tensor_file(path).equal(arange(3)));
}

TEST(SafetensorsFiles, AMappedTensorChangesTheFile) {
  const Scratch scratch;
  const std::string path = scratch.path("m.safetensors");
  save_tensor_file(path, {{"a", zeros({2})}, {"b", zeros({3})}});
  Tensor b = map_tensor_file(read_file_info(path + "::b"), MapMode::read_write);
  b.fill_(7);
  EXPECT_TRUE(load_tensor_file(read_file_info(path + "::b")).equal(full({3}, 7.0)));
  EXPECT_TRUE(load_tensor_file(read_file_info(path + "::a")).equal(zeros({2})));
}

TEST(SafetensorsFiles, MisalignedElementsAreReadIntoMemory) {
  const Scratch scratch;
  const Tensor wanted = arange(6).to(DType::float32).view({2, 3});
  const std::string elements(reinterpret_cast<const char*>(wanted.storage_data()), 24);
  std::string header = '{' + safetensors_entry("w", "F32", "[2,3]", "[0,24]") + '}';
  while ((header.size() + 8) % 4 != 1) header += ' ';
  const std::string path = scratch.file("m.safetensors", safetensors_file(header, elements));
  const FileInfo info = read_file_info(path);
  EXPECT_EQ(info.data_begin % 4, 1U);
  EXPECT_FALSE(info.is_mapped);
  EXPECT_TRUE(open_tensor_file(info).equal(wanted));
  EXPECT_TRUE(load_tensor_file(info).equal(wanted));
  EXPECT_EQ(checksum_file(info), checksum(wanted));
  EXPECT_EQ(refusal<FileError>([&] { return map_tensor_file(info); }),
            "map: \"" + path + "::w\" has elements from byte " + std::to_string(info.data_begin) +
                " on, which must be a multiple of 4 to be mapped (float32); load it");
  for (const char* const name : {"y.safetensors", "y.npy"}) {
    permute_file(path, "x.t()", scratch.path(name));
    EXPECT_TRUE(open_tensor_file(scratch.path(name)).equal(wanted.t())) << name;
  }
}

TEST(SafetensorsFiles, TypesThatTenstrideLacksAreListedButNotRead) {
  const Scratch scratch;
  const std::string header = '{' + safetensors_entry("scale", "F8_E8M0", "[2]", "[0,2]") + ',' +
                             safetensors_entry("q", "F4", "[4]", "[2,4]") + ',' +
                             safetensors_entry("b", "U8", "[1]", "[4,5]") + '}';
  const std::string path = scratch.file("m.safetensors", safetensors_file(header, "12345"));
  const std::vector<FileInfo> found = list_tensors(path);
  ASSERT_EQ(names_of(found), (Names{"scale", "q", "b"}));
  EXPECT_EQ(found[0].obstacle, "have elements of a type that tenstride has, not F8_E8M0");
  EXPECT_EQ(found[1].obstacle, "have elements of a type that tenstride has, not F4");
  EXPECT_FALSE(found[0].is_mapped);
  EXPECT_EQ(*open_tensor_file(path + "::b").data<std::uint8_t>(), std::uint8_t{'5'});
  const std::string rule = "\"" + path + "::q\" must have elements of a type that tenstride has, not F4";
  EXPECT_EQ(refusal<FileError>([&] { return open_tensor_file(path + "::q"); }), "load: " + rule);
  EXPECT_EQ(refusal<FileError>([&] { return load_tensor_file(found[1]); }), "load: " + rule);
  EXPECT_EQ(refusal<FileError>([&] { return map_tensor_file(found[1]); }), "map: " + rule);
  EXPECT_EQ(refusal<FileError>([&] { return plan_permute_file(path + "::q", "x", scratch.path("y.npy")); }),
            "permute_file: " + rule);
}

TEST(SafetensorsFiles, MetadataAreAttributesOfEveryTensor) {
  const Scratch scratch;
  const std::string path = scratch.path("m.safetensors");
  save_tensor_file(path,
                   {{.name = "a", .tensor = zeros({1}), .attributes = R"({"format":"pt","n":3})"},
                    {.name = "b", .tensor = zeros({1}), .attributes = R"({"format":"np","more":[1]})"}});
  EXPECT_TRUE(
      read_bytes(path).substr(8).starts_with(R"({"__metadata__":{"format":"pt","n":"3","more":"[1]"},)"));
  for (const FileInfo& info : list_tensors(path)) {
    EXPECT_EQ(info.attributes, R"({"format":"pt","n":"3","more":"[1]"})");
  }
}

TEST(SafetensorsFiles, TiedTensorsAreWrittenOnceWhereThatIsAskedFor) {
  const Scratch scratch;
  const Tensor weight = arange(6).view({2, 3});
  const std::vector<NamedTensor> tensors{
      {"embed", weight}, {"head", weight.view({2, 3})}, {"other", weight.t()}, {"copy", weight.clone()}};
  save_tensor_file(scratch.path("all.safetensors"), tensors);
  EXPECT_EQ(names_of(list_tensors(scratch.path("all.safetensors"))),
            (Names{"copy", "embed", "head", "other"}));
  save_tensor_file(scratch.path("once.safetensors"), tensors, {.tied = TiedTensors::once});
  const std::vector<FileInfo> found = list_tensors(scratch.path("once.safetensors"));
  EXPECT_EQ(names_of(found), (Names{"copy", "embed", "other"}));
  EXPECT_EQ(found[0].attributes, R"({"head":"embed"})");
  for (const FileInfo& info : found) {
    EXPECT_TRUE(open_tensor_file(info).equal(info.name == "other" ? weight.t() : weight)) << info.name;
  }
}

TEST(SafetensorsFiles, TiedTensorsKeepTheAttributesAndNeedNamesOfUtf8) {
  const Scratch scratch;
  const Tensor weight = zeros({2});
  save_tensor_file(
      scratch.path("m.safetensors"),
      {{.name = "a", .tensor = weight, .attributes = R"({"k":"v"})"}, {.name = "b", .tensor = weight}},
      {.tied = TiedTensors::once});
  EXPECT_EQ(read_file_info(scratch.path("m.safetensors")).attributes, R"({"k":"v","b":"a"})");
  EXPECT_EQ(refusal<ValueError>([&] {
              save_tensor_file(scratch.path("n.safetensors"), {{"a", weight}, {"\xff", weight}},
                               {.tied = TiedTensors::once});
              return 0;
            }),
            "save: the names of tied tensors must be UTF-8");
  EXPECT_EQ(scratch.names(), Names{"m.safetensors"});
}

TEST(SafetensorsFiles, CheckpointFilesAreNumbered) {
  EXPECT_EQ(checkpoint_file("m.safetensors", 0, 3), "m-00001-of-00003.safetensors");
  EXPECT_EQ(checkpoint_file("d/m.safetensors", 2, 3), "d/m-00003-of-00003.safetensors");
  EXPECT_EQ(checkpoint_file("m", 99'999, 100'000), "m-100000-of-100000.safetensors");
}

/// A checkpoint of two files and its index in a folder.
struct Checkpoint {
  Checkpoint() {
    const std::vector<TensorMove> first{{read_file_info(source + "::a"), "x.t()", "a"}};
    const std::vector<TensorMove> second{{read_file_info(source + "::b"), "x", "b"},
                                         {read_file_info(source + "::c"), "x.half()", "c"}};
    permute(first, 0);
    permute(second, 1);
    write_checkpoint_index(scratch.path("m.safetensors"), {{"a", "m-00001-of-00002.safetensors", 24},
                                                           {"b", "m-00002-of-00002.safetensors", 4},
                                                           {"c", "m-00002-of-00002.safetensors", 10}});
  }
  void permute(const std::vector<TensorMove>& moves, std::size_t number) const {
    run(plan_permute_files(moves, checkpoint_file(scratch.path("m.safetensors"), number, 2)));
  }
  static std::string saved(const std::string& path) {
    save_tensor_file(path, {{"a", arange(6).to(DType::float32).view({2, 3})},
                            {"b", arange(4).to(DType::uint8)},
                            {"c", arange(5).to(DType::float32)}});
    return path;
  }
  Scratch scratch;
  std::string source = saved(scratch.path("source.safetensors"));
  std::string index = scratch.path("m.safetensors.index.json");
};

TEST(SafetensorsFiles, ACheckpointIsReadByItsIndex) {
  const Checkpoint checkpoint;
  EXPECT_EQ(read_bytes(checkpoint.index),
            "{\n  \"metadata\": {\n    \"total_size\": 38\n  },\n  \"weight_map\": {\n"
            "    \"a\": \"m-00001-of-00002.safetensors\",\n    \"b\": \"m-00002-of-00002.safetensors\",\n"
            "    \"c\": \"m-00002-of-00002.safetensors\"\n  }\n}\n");
  const std::vector<FileInfo> found = list_tensors(checkpoint.index);
  ASSERT_EQ(names_of(found), (Names{"a", "b", "c"}));
  EXPECT_EQ(sniff(checkpoint.index), FileKind::safetensors);
  EXPECT_EQ(found[0].path, checkpoint.scratch.path("m-00001-of-00002.safetensors"));
  EXPECT_EQ(found[2].path, checkpoint.scratch.path("m-00002-of-00002.safetensors"));
  EXPECT_TRUE(
      open_tensor_file(checkpoint.index + "::a").equal(arange(6).to(DType::float32).view({2, 3}).t()));
  EXPECT_TRUE(open_tensor_file(checkpoint.index + "::b").equal(arange(4).to(DType::uint8)));
  EXPECT_TRUE(open_tensor_file(found[2]).equal(arange(5).to(DType::float16)));
  EXPECT_EQ(refusal<FileError>([&] {
              write_checkpoint_index(checkpoint.scratch.path("m.safetensors"), {});
              return 0;
            }),
            "save: \"" + checkpoint.index + "\" exists already and must not be replaced (Overwrite::refuse)");
}

TEST(SafetensorsFiles, AMissingPartOfACheckpointBlocksNoOther) {
  const Checkpoint checkpoint;
  const std::string first = "m-00001-of-00002.safetensors";
  write_checkpoint_index(checkpoint.scratch.path("m.safetensors"),
                         {{"a", first, 24}, {"y", "none.safetensors", 1}, {"z", first, 1}},
                         Overwrite::replace);
  const std::vector<FileInfo> found = list_tensors(checkpoint.index);
  ASSERT_EQ(names_of(found), (Names{"a", "y", "z"}));
  EXPECT_EQ(found[1].obstacle, "be in a file that can be read (info: \"" +
                                   checkpoint.scratch.path("none.safetensors") +
                                   "\" must be a file that can be opened (No such file or directory))");
  EXPECT_EQ(found[2].obstacle, "be in \"" + first + "\", as the index says");
  EXPECT_TRUE(
      open_tensor_file(checkpoint.index + "::a").equal(arange(6).to(DType::float32).view({2, 3}).t()));
  EXPECT_EQ(refusal<FileError>([&] { return open_tensor_file(checkpoint.index + "::z"); }),
            "load: \"" + checkpoint.index + "::z\" must " + found[2].obstacle);
}

}  // namespace
}  // namespace tenstride::io
