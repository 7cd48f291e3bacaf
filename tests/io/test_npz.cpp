// SPDX-License-Identifier: Apache-2.0
// Archives as NumPy and others write them, made by hand, and those that are written here.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/zip.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::deflated_file;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;
using testing::stored_file;
using testing::zip_archive;
using testing::ZipFile;
using testing::ZipPlaces;

using Names = std::vector<std::string>;

/// The bytes of a .npy file.
std::string npy(const Tensor& x, ElementOrder order = ElementOrder::row_major) {
  const Scratch scratch;
  save_npy(scratch.path("x.npy"), x, {.order = order});
  return read_bytes(scratch.path("x.npy"));
}

Names names_of(const std::vector<FileInfo>& tensors) {
  Names names;
  for (const FileInfo& info : tensors) names.push_back(info.name);
  return names;
}

const Tensor& weight() {
  static const Tensor x = arange(6).to(DType::float32).view({2, 3});
  return x;
}
const Tensor& steps() {
  static const Tensor x = arange(1000).to(DType::int16).view({10, 100});
  return x;
}

/// An archive is opened, loaded, and its elements are moved from file to file.
void expect_read(const std::string& path) {
  EXPECT_EQ(sniff(path), FileKind::npz);
  ASSERT_EQ(names_of(list_tensors(path)), (Names{"w", "n"}));
  for (const auto& [name, wanted] : {std::pair("w", weight()), std::pair("n", steps())}) {
    const FileInfo info = read_file_info(path + "::" + name);
    EXPECT_EQ(info.kind, FileKind::npz);
    EXPECT_EQ(info.dtype, wanted.dtype());
    EXPECT_EQ(info.file_nbytes, read_bytes(path).size());
    EXPECT_TRUE(open_tensor_file(info).equal(wanted)) << name;
    EXPECT_TRUE(load_tensor_file(info).equal(wanted)) << name;
    EXPECT_EQ(checksum_file(info), checksum(wanted)) << name;
    permute_file(path + "::" + name, "x.t()", path + ".npy", {.overwrite = Overwrite::replace});
    EXPECT_TRUE(load_npy(path + ".npy").equal(wanted.t())) << name;
  }
}

TEST(Npz, StoredAndDeflatedFiles) {
  const Scratch scratch;
  const std::string w = npy(weight()), n = npy(steps());
  const std::string path =
      scratch.file("x.npz", zip_archive({stored_file("w.npy", w), deflated_file("n.npy", n)}));
  expect_read(path);
  const std::vector<FileInfo> found = list_tensors(path);
  EXPECT_EQ(found[0].format, "npz, stored");
  EXPECT_EQ(found[0].storage, ElementStorage::flat);
  // Behind the local header of 30 bytes, the name and the .npy header of 128.
  EXPECT_EQ(found[0].data_begin, 30U + 5U + 128U);
  EXPECT_FALSE(found[0].is_mapped);
  EXPECT_EQ(found[1].format, "npz, deflated");
  EXPECT_EQ(found[1].storage, ElementStorage::stream);
  EXPECT_EQ(found[1].codec, "deflate");
  EXPECT_EQ(found[1].data_begin, 128U);
  EXPECT_EQ(found[1].stream.begin, 2 * (30U + 5U) + w.size());
  EXPECT_EQ(found[1].stream.nbytes, testing::deflated(n).size());
  EXPECT_EQ(found[1].stream.content_nbytes, n.size());
  EXPECT_EQ(found[1].stream.crc, testing::crc_of(n));
  EXPECT_EQ(refusal<FileError>([&] { return map_tensor_file(found[1]); }),
            "map: \"" + path +
                "::n\" must hold its elements one after the other to be mapped, not compressed by deflate; "
                "load it");
}

TEST(Npz, SizesOf64Bits) {
  const Scratch scratch;
  std::vector<ZipFile> files{stored_file("w.npy", npy(weight())), deflated_file("n.npy", npy(steps()))};
  expect_read(scratch.file("x.npz", zip_archive(files, ZipPlaces::wide)));
  for (ZipFile& file : files) file.is_zip64 = true;
  expect_read(scratch.file("x.npz", zip_archive(files)));
  expect_read(scratch.file("x.npz", zip_archive(files, ZipPlaces::wide)));
}

/// Bytes that lie more than 4 GiB behind the beginning, in a file with a hole.
TEST(Npz, MembersBehind4GiB) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npz");
  const std::uint64_t hole = std::uint64_t{5} << 30;
  const std::string local = "PK\x03\x04" + testing::zip_fields(stored_file("w.npy", npy(weight())), true, 0);
  const std::string member = local + "w.npy" + npy(weight());
  const ZipFile file = stored_file("w.npy", npy(weight()));
  std::string end = "PK\x01\x02" + testing::lowest_first(45, 2) + testing::zip_fields(file, false, 12) +
                    testing::lowest_first(0, 10) + testing::lowest_first(0xffffffff, 4) + "w.npy" +
                    testing::lowest_first(1, 2) + testing::lowest_first(8, 2) +
                    testing::lowest_first(hole, 8);
  const std::uint64_t begin = hole + member.size(), nbytes = end.size();
  end += "PK\x06\x06" + testing::lowest_first(44, 8) + testing::lowest_first(0, 12) +
         testing::lowest_first(1, 8) + testing::lowest_first(1, 8) + testing::lowest_first(nbytes, 8) +
         testing::lowest_first(begin, 8) + "PK\x06\x07" + testing::lowest_first(0, 4) +
         testing::lowest_first(begin + nbytes, 8) + testing::lowest_first(1, 4) + "PK\x05\x06" +
         testing::lowest_first(0, 4) + std::string(12, '\xff') + testing::lowest_first(0, 2);
  {
    std::ofstream out(path, std::ios::binary);
    out << local;
    out.seekp(static_cast<std::streamoff>(hole));
    out << member << end;
  }
  const FileInfo info = read_file_info(path);
  EXPECT_EQ(info.data_begin, hole + 30 + 5 + 128);
  EXPECT_TRUE(open_tensor_file(info).equal(weight()));
}

TEST(Npz, SizesBehindTheBytes) {
  const Scratch scratch;
  for (const bool is_zip64 : {false, true}) {
    std::vector<ZipFile> files{stored_file("w.npy", npy(weight())), deflated_file("n.npy", npy(steps()))};
    for (ZipFile& file : files) file.has_descriptor = true;
    for (ZipFile& file : files) file.is_zip64 = is_zip64;
    expect_read(scratch.file("x.npz", zip_archive(files)));
  }
}

TEST(Npz, OtherFilesOfAnArchiveAreNoTensors) {
  const Scratch scratch;
  const std::string path = scratch.file(
      "x.npz", zip_archive({stored_file("readme.txt", "text"), stored_file("w.npy", npy(weight())),
                            stored_file("folder/", ""), stored_file("folder/n.npy", npy(steps()))}));
  EXPECT_EQ(names_of(list_tensors(path)), (Names{"w", "folder/n"}));
  EXPECT_TRUE(open_tensor_file(path + "::folder/n").equal(steps()));
}

TEST(Npz, MembersOfEveryOrderAndEndianness) {
  const Scratch scratch;
  std::string swapped = npy(weight());
  swapped.replace(swapped.find("'<f4'"), 5, "'>f4'");
  for (std::size_t i = 128; i < swapped.size(); i += 4) std::reverse(&swapped[i], &swapped[i] + 4);
  const std::string column_major = npy(weight(), ElementOrder::column_major);
  const std::string path = scratch.file(
      "x.npz",
      zip_archive({stored_file("a.npy", swapped), deflated_file("b.npy", swapped),
                   stored_file("c.npy", column_major), deflated_file("d.npy", column_major),
                   stored_file("e.npy", npy(zeros({0, 3}))), deflated_file("f.npy", npy(zeros({})))}));
  const std::vector<FileInfo> found = list_tensors(path);
  ASSERT_EQ(found.size(), 6U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i].is_byte_swapped, i < 2);
    EXPECT_EQ(found[i].layout.strides, i < 2 ? (Dims{3, 1}) : (Dims{1, 2}));
    EXPECT_TRUE(open_tensor_file(found[i]).equal(weight())) << found[i].name;
    EXPECT_EQ(checksum_file(found[i]), checksum(weight())) << found[i].name;
  }
  EXPECT_TRUE(open_tensor_file(found[4]).equal(zeros({0, 3})));
  EXPECT_TRUE(open_tensor_file(found[5]).equal(zeros({})));
}

TEST(Npz, WhatIsSavedIsAnArchiveOfNpyFiles) {
  const Scratch scratch;
  const Tensor base = arange(24).view({2, 3, 4});
  const std::vector<NamedTensor> tensors{{"transposed", base.permute({2, 0, 1})},
                                         {"sliced/one", base.slice(2, 1, 4, 2)},
                                         {"expanded", base.select(0, 1).unsqueeze(1).expand({3, 5, 4})},
                                         {"empty", zeros({0})},
                                         {"\xc3\xa4", ones({}, {.dtype = DType::bool_})}};
  for (const ElementOrder order : {ElementOrder::row_major, ElementOrder::column_major}) {
    for (const bool is_compressed : {false, true}) {
      const std::string path = scratch.path("x.npz");
      save_tensor_file(path, tensors,
                       {.overwrite = Overwrite::replace, .order = order, .is_compressed = is_compressed});
      const std::string archive = read_bytes(path);
      for (const NamedTensor& tensor : tensors) {
        const FileInfo info = read_file_info(path + "::" + tensor.name);
        EXPECT_EQ(info.format, is_compressed ? "npz, deflated" : "npz, stored");
        EXPECT_TRUE(open_tensor_file(info).equal(tensor.tensor)) << tensor.name;
        if (is_compressed) continue;
        EXPECT_EQ(info.data_begin % 64, 0U) << tensor.name;
        EXPECT_TRUE(info.is_mapped);
        const std::string member = npy(tensor.tensor, order);
        EXPECT_EQ(archive.substr(info.data_begin - 128, member.size()), member) << tensor.name;
      }
    }
  }
}

TEST(Npz, EqualTensorsGiveEqualFiles) {
  const Scratch scratch;
  for (const char* const name : {"a.npz", "b.npz"}) {
    save_tensor_file(scratch.path(name), {{"w", weight()}, {"n", steps()}}, {.is_compressed = true});
  }
  EXPECT_TRUE(read_bytes(scratch.path("a.npz")) == read_bytes(scratch.path("b.npz")));
}

TEST(Npz, OneTensorHasNumpysName) {
  const Scratch scratch;
  save_tensor_file(scratch.path("x.npz"), {{"", weight()}});
  EXPECT_EQ(names_of(list_tensors(scratch.path("x.npz"))), Names{"arr_0"});
}

TEST(Npz, NamesThatAnArchiveCannotHold) {
  const Scratch scratch;
  const auto saved_as = [&](const std::string& name) {
    return refusal<ValueError>([&] {
      save_tensor_file(scratch.path("x.npz"), {{name, weight()}});
      return 0;
    });
  };
  EXPECT_EQ(saved_as(std::string("a\0b", 3)),
            "save: the name of a tensor in an .npz file must have no zero byte");
  EXPECT_EQ(saved_as(std::string(65532, 'a')),
            "save: the name of a tensor in an .npz file has 65532 bytes and must have at most 65531");
  EXPECT_EQ(scratch.names(), Names{});
  const std::string longest(65531, 'a');
  save_tensor_file(scratch.path("x.npz"), {{longest, weight()}});
  EXPECT_EQ(names_of(list_tensors(scratch.path("x.npz"))), Names{longest});
  EXPECT_EQ(read_file_info(scratch.path("x.npz")).data_begin % 64, 0U);
}

}  // namespace
}  // namespace tenstride::io
