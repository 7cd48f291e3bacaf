// SPDX-License-Identifier: Apache-2.0
// Which tensors of which file an address means, and files without a header.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/refusal.hpp"
#include "support/safetensors.hpp"
#include "support/scratch.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;
using testing::safetensors_file;
using testing::Scratch;

using Names = std::vector<std::string>;

/// A safetensors file of tensors that each hold their number.
std::string numbered(const std::string& path, const Names& names) {
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < names.size(); ++i) {
    tensors.push_back({names[i], full({1}, static_cast<double>(i))});
  }
  save_tensor_file(path, tensors);
  return path;
}

Names names_of(const std::vector<FileInfo>& tensors) {
  Names names;
  for (const FileInfo& info : tensors) names.push_back(info.name);
  return names;
}

TEST(TensorAddress, IsAFileAndNames) {
  const auto parsed = [](const std::string& text) {
    const TensorAddress address = parse_address(text);
    return address.file + " | " + address.names;
  };
  EXPECT_EQ(parsed("x.npy"), "x.npy | ");
  EXPECT_EQ(parsed(""), " | ");
  EXPECT_EQ(parsed("x.npz::weight"), "x.npz | weight");
  EXPECT_EQ(parsed("x.npz::"), "x.npz | ");
  EXPECT_EQ(parsed("x.npz::a/b::c"), "x.npz::a/b | c");
  EXPECT_EQ(parsed("x:y"), "x:y | ");
}

TEST(TensorAddress, FilesThatExistAreMeantFirst) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npz");
  scratch.file("x.npz", "");
  scratch.file("x.npz::a", "");
  const auto expect = [&](const std::string& text, const std::string& file, const std::string& names) {
    const TensorAddress address = parse_address(scratch.path(text));
    EXPECT_EQ(address.file, scratch.path(file)) << text;
    EXPECT_EQ(address.names, names) << text;
  };
  expect("x.npz", "x.npz", "");
  expect("x.npz::a", "x.npz::a", "");
  expect("x.npz::b", "x.npz", "b");
  expect("x.npz::a::b", "x.npz::a", "b");
  expect("x.npz::b::c::d", "x.npz", "b::c::d");
  expect("x.npz::b::", "x.npz", "b::");
  expect("x.npz:::b", "x.npz", ":b");
  expect("y.npz::b::c", "y.npz::b", "c");
}

TEST(TensorNames, WithColonsAreFoundByTheAddressThatIsShown) {
  const Scratch scratch;
  const std::string path = numbered(scratch.path("m.safetensors"), {"a::b", "a::b::c", "::", "d"});
  for (const FileInfo& info : list_tensors(path)) {
    EXPECT_EQ(names_of(list_tensors(info.address())), Names{info.name});
  }
}

TEST(TensorNames, PatternsOfManyForms) {
  const Scratch scratch;
  const Names names{"blocks.0.attn.bias",
                    "blocks.0.attn.weight",
                    "blocks.1.attn.weight",
                    "blocks.10.attn.weight",
                    "head",
                    "head*",
                    "x"};
  const std::string path = numbered(scratch.path("m.safetensors"), names);
  const auto found = [&](const std::string& pattern) {
    return names_of(list_tensors(path + "::" + pattern));
  };
  EXPECT_EQ(found("*"), names);
  EXPECT_EQ(found("**"), names);
  EXPECT_EQ(found(""), names);
  EXPECT_EQ(found("blocks.*.attn.weight"),
            (Names{"blocks.0.attn.weight", "blocks.1.attn.weight", "blocks.10.attn.weight"}));
  EXPECT_EQ(found("blocks.?.attn.weight"), (Names{"blocks.0.attn.weight", "blocks.1.attn.weight"}));
  EXPECT_EQ(found("blocks.??.*"), Names{"blocks.10.attn.weight"});
  EXPECT_EQ(found("*bias"), Names{"blocks.0.attn.bias"});
  EXPECT_EQ(found("b*0*a*t*bias"), Names{"blocks.0.attn.bias"});
  EXPECT_EQ(found("?"), Names{"x"});
  EXPECT_EQ(found("hea?"), Names{"head"});
  EXPECT_EQ(found("head?"), Names{"head*"});
  // A name is meant before the pattern that it is, too.
  EXPECT_EQ(found("head*"), Names{"head*"});
  EXPECT_EQ(found("h*"), (Names{"head", "head*"}));
}

TEST(TensorNames, ThoseThatAreNotThereNameTheNearest) {
  const Scratch scratch;
  const std::string path = numbered(scratch.path("m.safetensors"), {"bias", "weight"});
  const auto refused = [&](const std::string& name) {
    const std::string text = refusal<FileError>([&] { return list_tensors(path + "::" + name, "convert"); });
    const std::string begin = "convert: \"" + path + "\" must have a tensor ";
    return text.starts_with(begin) ? text.substr(begin.size()) : text;
  };
  EXPECT_EQ(refused("wieght"), "\"wieght\" (it has 2: bias, weight; did you mean \"weight\"?)");
  EXPECT_EQ(refused("nothing at all"), "\"nothing at all\" (it has 2: bias, weight)");
  EXPECT_EQ(refused("q*"), "\"q*\" (it has 2: bias, weight)");
  EXPECT_EQ(refused("bias?"), "\"bias?\" (it has 2: bias, weight; did you mean \"bias\"?)");
  Names many;
  for (char letter = 'a'; letter <= 'j'; ++letter) many.push_back(std::string(5, letter));
  numbered(scratch.path("many.safetensors"), many);
  EXPECT_EQ(refusal<FileError>([&] { return list_tensors(scratch.path("many.safetensors::zzzzz")); }),
            "info: \"" + scratch.path("many.safetensors") +
                "\" must have a tensor \"zzzzz\" (it has 10: aaaaa, bbbbb, ccccc, ddddd, eeeee, fffff, "
                "ggggg, hhhhh, "
                "…)");
}

TEST(TensorNames, OneTensorIsMeantWithoutAName) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  save_npy(path, zeros({2}));
  EXPECT_EQ(read_file_info(path).address(), path);
  EXPECT_EQ(list_tensors(path + "::").size(), 1U);
  EXPECT_EQ(refusal<FileError>([&] { return list_tensors(path + "::weight"); }),
            "info: \"" + path + "\" holds one tensor, which must be meant without a name, not by \"weight\"");
}

TEST(TensorNames, SeveralWhereOneIsWanted) {
  const Scratch scratch;
  const std::string path = numbered(scratch.path("m.safetensors"), {"a", "b", "c"});
  EXPECT_EQ(refusal<FileError>([&] { return read_file_info(path); }),
            "info: \"" + path + "\" must name one tensor, as \"" + path + "::a\" does (it names 3: a, b, c)");
  EXPECT_EQ(
      refusal<FileError>([&] { return open_tensor_file(path + "::?"); }),
      "open: \"" + path + "::?\" must name one tensor, as \"" + path + "::a\" does (it names 3: a, b, c)");
  EXPECT_EQ(read_file_info(path + "::b*").name, "b");
}

TEST(TensorFiles, WhatIsNoFileOfAKnownKind) {
  const Scratch scratch;
  const std::string known = "must be a file of a known kind (" + known_kinds() + "), ";
  const std::string text = scratch.file("x.txt", "text"), empty_file = scratch.file("empty", "");
  EXPECT_EQ(refusal<FileError>([&] { return list_tensors(text); }),
            "info: \"" + text + "\" " + known + "it begins with the bytes 74 65 78 74");
  EXPECT_EQ(refusal<FileError>([&] { return list_tensors(empty_file); }),
            "info: \"" + empty_file + "\" " + known + "it begins with nothing, it is empty");
  // By its name it must be of that kind.
  const std::string npy = scratch.file("x.npy", "text");
  EXPECT_EQ(
      refusal<FileError>([&] { return list_tensors(npy); }),
      "npy: \"" + npy +
          "\" must begin with the bytes 93 4e 55 4d 50 59 of a .npy file, it begins with the bytes 74 65 78 "
          "74");
  EXPECT_EQ(refusal<FileError>([&] { return list_tensors(scratch.folder().string()); }),
            "info: \"" + scratch.folder().string() + "\" " + known + "it is a folder without such a file");
  EXPECT_EQ(refusal<FileError>([&] { return list_tensors(scratch.path("none.npz") + "::w"); }),
            "info: \"" + scratch.path("none.npz") +
                "\" must be a file that can be opened (No such file or directory)");
  EXPECT_EQ(sniff(text), FileKind::unknown);
  EXPECT_EQ(name(FileKind::unknown), "unknown");
  EXPECT_EQ(name(FileKind::raw), "raw");
  EXPECT_EQ(name(FileKind::safetensors), "safetensors");
}

/// Files of 0, 1, 2, … as numbers of two bytes, behind some bytes of a header.
std::string raw_file(const Scratch& scratch, Index count, std::size_t offset, bool is_swapped = false) {
  std::string bytes(offset, 'h');
  for (Index i = 0; i < count; ++i) {
    const auto low = static_cast<char>(i & 0xff), high = static_cast<char>(i >> 8);
    bytes += is_swapped ? std::string{high, low} : std::string{low, high};
  }
  return scratch.file("x.raw", bytes);
}

TEST(RawFiles, OrdersOffsetsAndBytes) {
  const Scratch scratch;
  const Tensor rows = arange(6).to(DType::int16).view({2, 3}),
               columns = arange(6).to(DType::int16).view({3, 2}).t();
  for (const bool is_column_major : {false, true}) {
    for (const std::uint64_t offset : {0U, 2U, 7U, 352U}) {
      for (const bool is_swapped : {false, true}) {
        const FileInfo info = raw_file_info(raw_file(scratch, 7, offset, is_swapped),
                                            {{2, 3}, DType::int16, is_column_major, offset, is_swapped});
        EXPECT_EQ(info.kind, FileKind::raw);
        EXPECT_EQ(info.format, "raw");
        EXPECT_EQ(info.dtype, DType::int16);
        EXPECT_EQ(info.layout, is_column_major ? column_major({2, 3}) : row_major({2, 3}));
        EXPECT_EQ(info.data_begin, offset);
        EXPECT_EQ(info.file_nbytes, offset + 14);
        EXPECT_EQ(info.is_byte_swapped, is_swapped);
        EXPECT_EQ(info.is_mapped, !is_swapped && offset % 2 == 0);
        const Tensor& wanted = is_column_major ? columns : rows;
        EXPECT_TRUE(open_tensor_file(info).equal(wanted)) << offset;
        EXPECT_TRUE(load_tensor_file(info).equal(wanted)) << offset;
      }
    }
  }
}

TEST(RawFiles, BytesAndComplexNumbersAreSwappedAsSuch) {
  const Scratch scratch;
  const std::string path = scratch.file("x.raw", std::string("\x3f\x80\0\0\x40\0\0\0", 8));
  EXPECT_FALSE(raw_file_info(path, {{8}, DType::uint8, false, 0, true}).is_byte_swapped);
  const Tensor z = load_tensor_file(raw_file_info(path, {{1}, DType::complex64, false, 0, true}));
  EXPECT_TRUE(z.real().equal(full({1}, 1.0)));
  EXPECT_TRUE(z.imag().equal(full({1}, 2.0)));
}

TEST(RawFiles, AreNotTooShort) {
  const Scratch scratch;
  const std::string path = raw_file(scratch, 6, 4);
  const auto refused = [&](const RawElements& elements) {
    return refusal<FileError>([&] { return raw_file_info(path, elements, "convert"); });
  };
  const std::string begin = "convert: \"" + path + "\" has 16 bytes and must have ";
  EXPECT_EQ(refused({{2, 3}, DType::int16, false, 5, false}),
            begin + "12 from byte 5 on (shape (2,3), int16)");
  EXPECT_EQ(refused({{2, 3}, DType::float64, false, 0, false}),
            begin + "48 from byte 0 on (shape (2,3), float64)");
  EXPECT_EQ(refused({{0}, DType::uint8, false, 17, false}), begin + "0 from byte 17 on (shape (0), uint8)");
  EXPECT_EQ(refused({{1}, DType::uint8, false, UINT64_MAX, false}),
            begin + "1 from byte 18446744073709551615 on (shape (1), uint8)");
  EXPECT_EQ(numel(raw_file_info(path, {{0}, DType::uint8, false, 16, false}).layout), 0);
  EXPECT_TRUE(refusal<OverflowError>([&] {
                return raw_file_info(path, {{Index{1} << 62, 4}, DType::uint8, false, 0, false}, "convert");
              }).starts_with("convert: "));
  EXPECT_EQ(
      refusal<FileError>([&] { return raw_file_info(scratch.path("none"), {{1}}); }),
      "info: \"" + scratch.path("none") + "\" must be a file that can be opened (No such file or directory)");
}

TEST(TensorFiles, ThatBecameShorterAreRefused) {
  const Scratch scratch;
  const std::string path = numbered(scratch.path("m.safetensors"), {"a"});
  const FileInfo info = read_file_info(path);
  const std::uint64_t nbytes = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, nbytes - 1);
  const std::string rule = "\"" + path + "::a\" must have " + std::to_string(nbytes) +
                           " bytes for its elements, it has " + std::to_string(nbytes - 1);
  EXPECT_EQ(refusal<FileError>([&] { return open_tensor_file(info); }), "open: " + rule);
  EXPECT_EQ(refusal<FileError>([&] { return load_tensor_file(info); }), "load: " + rule);
}

}  // namespace
}  // namespace tenstride::io
