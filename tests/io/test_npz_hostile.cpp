// SPDX-License-Identifier: Apache-2.0
// Archives that are damaged, or were made to do damage.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/zip.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::deflated_file;
using testing::Dice;
using testing::lowest_first;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;
using testing::stored_file;
using testing::zip_archive;
using testing::ZipFile;
using testing::ZipPlaces;

/// The bytes of a .npy file of `count` numbers of four bytes.
std::string npy(Index count) {
  const Scratch scratch;
  save_npy(scratch.path("x.npy"), arange(count).to(DType::float32));
  return read_bytes(scratch.path("x.npy"));
}

/// Archives in one folder, all of them called x.npz.
class NpzHostile : public ::testing::Test {
 protected:
  /// What is said of an archive, without its name, by what lists its tensors.
  std::string refused(const std::string& archive) const {
    const std::string path = scratch.file("x.npz", archive);
    return without_path(refusal<FileError>([&] { return list_tensors(path); }));
  }
  /// Why its one tensor, which is listed, cannot be read.
  std::string obstacle(const std::string& archive) const {
    const FileInfo info = read_file_info(scratch.file("x.npz", archive));
    EXPECT_EQ(refusal<FileError>([&] { return load_tensor_file(info); }),
              "load: \"" + info.address() + "\" must " + info.obstacle);
    return without_path(info.obstacle);
  }
  /// The same by what reads the elements of "w".
  std::string refused_when_read(const std::string& archive) const {
    const FileInfo info = read_file_info(scratch.file("x.npz", archive) + "::w");
    const std::string text = without_path(refusal<FileError>([&] { return load_tensor_file(info); }));
    EXPECT_EQ(without_path(refusal<FileError>(
                  [&] { return permute_file(info.address(), "x", scratch.path("y.npy")); })),
              text.starts_with("load") ? "permute_file" + text.substr(4) : text);
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"x.npz"});
    return text;
  }
  std::string without_path(std::string text) const {
    const std::string path = scratch.path("x.npz");
    const std::size_t at = text.find(path);
    return at == std::string::npos ? text : text.replace(at, path.size(), "x.npz");
  }
  Scratch scratch;
};

TEST_F(NpzHostile, ArchivesThatEndEarly) {
  const std::string archive = zip_archive({stored_file("w.npy", npy(3)), deflated_file("n.npy", npy(9))});
  const std::string no_end =
      "info: \"x.npz\" must be a zip archive that ends with the record of its directory (50 4b 05 06); it is "
      "cut "
      "off, or something stands behind it";
  for (std::size_t nbytes = 4; nbytes < archive.size(); ++nbytes) {
    ASSERT_EQ(refused(archive.substr(0, nbytes)), no_end) << nbytes;
  }
  EXPECT_EQ(refused(archive + "x"), no_end);
}

TEST_F(NpzHostile, ACommentMayFollow) {
  std::string archive = zip_archive({stored_file("w.npy", npy(3))});
  archive.replace(archive.size() - 2, 2, lowest_first(7, 2) + "comment");
  EXPECT_EQ(list_tensors(scratch.file("x.npz", archive)).size(), 1U);
}

TEST_F(NpzHostile, ArchivesWithoutTensors) {
  const std::string message = "info: \"x.npz\" is a zip archive and must have .npy files in it";
  EXPECT_EQ(refused(zip_archive({})), message);
  EXPECT_EQ(refused(zip_archive({stored_file("a.txt", "text"), deflated_file("npy", npy(3))})), message);
}

TEST_F(NpzHostile, MembersThatCannotBeRead) {
  const ZipFile good = stored_file("w.npy", npy(3));
  const auto changed = [&](const auto& change) {
    ZipFile file = good;
    change(file);
    return obstacle(zip_archive({file}));
  };
  EXPECT_EQ(changed([](ZipFile& file) { file.flags = 1; }), "be stored without encryption");
  EXPECT_EQ(changed([](ZipFile& file) { file.method = 12; }),
            "be compressed by method 0 (stored) or 8 (deflate), not by 12");
  EXPECT_EQ(changed([](ZipFile& file) { file.nbytes = 139; }),
            "have as many bytes stored as it has, 139, not 140");
  EXPECT_EQ(changed([](ZipFile& file) { file.stored_nbytes = file.nbytes = 1000; }),
            "have its 1000 bytes, from byte 35 on, in the file of 248");
  EXPECT_EQ(changed([](ZipFile& file) {
              file.is_zip64 = true;
              file.stored_nbytes = file.nbytes = std::uint64_t{1} << 63;
            }),
            "have its 9223372036854775808 bytes, from byte 55 on, in the file of 288");
  EXPECT_EQ(changed([](ZipFile& file) { file.stored_nbytes = file.nbytes = 0xffffffff; }),
            "have its 4294967295 bytes, from byte 35 on, in the file of 248");
  EXPECT_EQ(refused(zip_archive({good, stored_file("n.npy", npy(4)), good})),
            "info: \"x.npz\" has the member \"w.npy\" twice, which must stand once");
}

TEST_F(NpzHostile, OneMemberBlocksNoOther) {
  ZipFile encrypted = stored_file("e.npy", npy(3));
  encrypted.flags = 1;
  const std::vector<FileInfo> found = list_tensors(scratch.file(
      "x.npz", zip_archive({encrypted, stored_file("t.npy", "text"), stored_file("w.npy", npy(3))})));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].obstacle, "be stored without encryption");
  EXPECT_NE(found[1].obstacle, "");
  EXPECT_TRUE(load_tensor_file(found[2]).equal(arange(3).to(DType::float32)));
  const std::string path = scratch.path("x.npz");
  EXPECT_EQ(
      refusal<FileError>([&] { return permute_file(path, "x", scratch.path("y.safetensors")); }),
      "permute_file: \"" + path +
          "::e\" must be stored without encryption; as its bytes are stored it goes along to a file of its "
          "own kind only, not to a safetensors file");
}

TEST_F(NpzHostile, LocalHeadersThatAreNotTheDirectorys) {
  const auto message = [](std::uint64_t at, const std::string& rule) {
    return "have its own header in the archive, at byte " + std::to_string(at) + ", which must " + rule;
  };
  const std::string begin = "begin there with 50 4b 03 04 and have 30 bytes";
  const std::string archive = zip_archive({stored_file("w.npy", npy(3))});
  const auto with = [&](std::size_t at, std::uint64_t number, std::size_t count) {
    std::string damaged = archive;
    return obstacle(damaged.replace(at, count, lowest_first(number, count)));
  };
  EXPECT_EQ(with(8, 9, 2), message(0, "have the method 0 as the directory says, it has 9"));
  EXPECT_EQ(with(30, 'v', 1), message(0, "have that name, it has \"v.npy\""));
  EXPECT_EQ(with(26, 4, 2), message(0, "have that name, it has \"w.np\""));
  EXPECT_EQ(with(28, 60000, 2),
            message(0, "lie in the file of 248 bytes; its name has 5 and its extra field 60000"));
  for (const std::uint64_t place : {1U, 220U, 0xfffffffeU}) {
    EXPECT_EQ(with(175 + 42, place, 4), message(place, begin)) << place;
  }
}

TEST_F(NpzHostile, DirectoriesThatAreNoneOfTheArchive) {
  const std::string archive = zip_archive({stored_file("w.npy", npy(3))});
  const std::size_t end = archive.size() - 22;
  const auto with = [&](std::size_t at, std::uint64_t number, std::size_t count) {
    std::string damaged = archive;
    return refused(damaged.replace(at, count, lowest_first(number, count)));
  };
  EXPECT_EQ(with(end + 10, 2, 2),
            "info: \"x.npz\" has a zip directory from byte 175 to 226, which must hold 2 members; "
            "that at byte 226 is damaged or missing");
  EXPECT_EQ(with(end + 10, 65535, 2),
            "info: \"x.npz\" has a zip directory from byte 175 to 226, which must hold 65535 members; "
            "that at byte 226 is damaged or missing");
  EXPECT_EQ(with(end + 16, 174, 4),
            "info: \"x.npz\" has a zip directory from byte 174 to 225, which must hold 1 member; "
            "that at byte 174 is damaged or missing");
  EXPECT_EQ(with(end + 12, 50, 4),
            "info: \"x.npz\" has a zip directory from byte 175 to 225, which must hold 1 member; "
            "that at byte 175 is damaged or missing");
  EXPECT_EQ(with(end + 10, 0, 2),
            "info: \"x.npz\" has a zip directory from byte 175 to 226, which must hold 0 members and ends "
            "behind them at byte 175");
  EXPECT_EQ(with(end + 12, 52, 4),
            "info: \"x.npz\" has a zip directory of 52 bytes from byte 175 on, which must lie before its end "
            "at 226");
  EXPECT_EQ(with(end + 16, 4000000000, 4),
            "info: \"x.npz\" has a zip directory of 51 bytes from byte 4000000000 on, which must lie before "
            "its end "
            "at 226");
  EXPECT_EQ(with(175 + 28, 6, 2),
            "info: \"x.npz\" has a zip directory from byte 175 to 226, which must hold 1 member; "
            "that at byte 175 is damaged or missing");
  EXPECT_EQ(with(175 + 30, 60000, 2),
            "info: \"x.npz\" has a zip directory from byte 175 to 226, which must hold 1 member; "
            "that at byte 175 is damaged or missing");
}

TEST_F(NpzHostile, DirectoriesOf64BitsThatAreNoneOfTheArchive) {
  const std::string archive = zip_archive({stored_file("w.npy", npy(3))}, ZipPlaces::wide);
  const std::size_t end64 = archive.size() - 22 - 20 - 56;
  const auto with = [&](std::size_t at, std::uint64_t number) {
    std::string damaged = archive;
    return refused(damaged.replace(at, 8, lowest_first(number, 8)));
  };
  EXPECT_EQ(
      with(archive.size() - 22 - 12, UINT64_MAX),
      "info: \"x.npz\" must have the record of its zip directory (50 4b 06 06) at byte 18446744073709551615, "
      "as its locator says");
  EXPECT_EQ(with(archive.size() - 22 - 12, 0),
            "info: \"x.npz\" must have the record of its zip directory (50 4b 06 06) at byte 0, "
            "as its locator says");
  EXPECT_EQ(with(end64 + 32, UINT64_MAX),
            "info: \"x.npz\" has a zip directory from byte 175 to 238, which must hold "
            "18446744073709551615 members; that at byte 238 is damaged or missing");
  EXPECT_EQ(
      with(end64 + 40, UINT64_MAX),
      "info: \"x.npz\" has a zip directory of 18446744073709551615 bytes from byte 175 on, which must lie "
      "before its end at " +
          std::to_string(end64));
  EXPECT_EQ(
      with(end64 + 48, UINT64_MAX),
      "info: \"x.npz\" has a zip directory of 63 bytes from byte 18446744073709551615 on, which must lie "
      "before its end at " +
          std::to_string(end64));
}

TEST_F(NpzHostile, BytesThatDoNotUnpackAsTheDirectorySays) {
  const std::string content = npy(1000);
  const auto changed = [&](const auto& change) {
    ZipFile file = deflated_file("w.npy", content);
    change(file);
    return zip_archive({file});
  };
  EXPECT_EQ(refused_when_read(changed([](ZipFile& file) { file.crc ^= 1; })),
            "load: \"x.npz\" has a damaged compressed part: its CRC-32 must be that of the directory");
  const ZipFile longer = deflated_file("w.npy", content + 'x');
  EXPECT_EQ(refused_when_read(changed([&](ZipFile& file) {
              file.bytes = longer.bytes;
              file.stored_nbytes = longer.stored_nbytes;
            })),
            "load: \"x.npz\" has a compressed part of 4129 bytes, which must be 4128 as its directory says");
  const std::string unreadable = "be a .npy file that can be read (";
  EXPECT_EQ(
      obstacle(changed([](ZipFile& file) { file.nbytes += 1; })),
      unreadable +
          "npy: \"x.npz::w.npy\" holds 4001 bytes of elements and must hold 4000 (shape (1000), float32): "
          "1 too many)");
  // More than is read for the header alone.
  ZipFile cut = deflated_file("w.npy", npy(100'000));
  cut.bytes.resize(cut.bytes.size() * 3 / 4);
  cut.stored_nbytes = cut.bytes.size();
  EXPECT_EQ(refused_when_read(zip_archive({cut})),
            "load: \"x.npz\" has a compressed part that ends early, after " +
                std::to_string(cut.bytes.size()) + " bytes");
  EXPECT_EQ(obstacle(changed([](ZipFile& file) { file.nbytes = 1'000'000'000; })),
            "unpack from " + std::to_string(testing::deflated(content).size()) +
                " bytes to at most 1032 times as many, not to 1000000000");
  EXPECT_EQ(
      obstacle(changed([](ZipFile& file) { file.nbytes = 4000; })),
      unreadable +
          "npy: \"x.npz::w.npy\" holds 3872 bytes of elements and must hold 4000 (shape (1000), float32): "
          "128 are missing)");
  EXPECT_TRUE(obstacle(changed([](ZipFile& file) { file.bytes[0] = '\xff'; }))
                  .starts_with(unreadable + "info: \"x.npz\" has a damaged compressed part, which must be a "
                                            "deflate stream (byte "));
}

TEST_F(NpzHostile, StoredBytesThatAreNotThoseOfTheDirectory) {
  const auto path_of = [&](const auto& change) {
    ZipFile file = stored_file("w.npy", npy(1000));
    change(file);
    return scratch.file("x.npz", zip_archive({file})) + "::w";
  };
  const auto loaded = [&](const std::string& address) {
    return without_path(refusal<FileError>([&] { return load_tensor_file(read_file_info(address)); }));
  };
  const std::string message = "load: \"x.npz::w\" is damaged: its CRC-32 must be that of the directory";
  EXPECT_EQ(loaded(path_of([](ZipFile&) {})), "not refused");
  EXPECT_EQ(loaded(path_of([](ZipFile& file) { file.crc ^= 1; })), message);
  const std::string damaged = path_of([](ZipFile& file) { file.bytes[200] ^= 1; });
  EXPECT_EQ(loaded(damaged), message);
  // Of what is read as it lies, in part perhaps, it is not checked.
  EXPECT_GE(permute_file(damaged, "x", scratch.path("y.npy")).bytes_written, 4000U);
}

/// A deflated member whose .npy header announces more than there is.
TEST_F(NpzHostile, HeadersThatLie) {
  std::string content = npy(3);
  content.replace(content.find("(3,)"), 4, "(9,)");
  EXPECT_EQ(obstacle(zip_archive({deflated_file("w.npy", content)})),
            obstacle(zip_archive({stored_file("w.npy", content)})));
  ZipFile file = deflated_file("w.npy", content);
  file.nbytes += 24;  // the directory lies in the same way
  EXPECT_EQ(refused_when_read(zip_archive({file})),
            "load: \"x.npz\" has a compressed part of 140 bytes, which must be 164 as its directory says");
  const std::string no_npy =
      "be a .npy file that can be read (npy: \"x.npz::w.npy\" must begin with the bytes 93 4e 55 4d 50 59 of "
      "a "
      ".npy file, it begins with ";
  EXPECT_EQ(obstacle(zip_archive({deflated_file("w.npy", "")})), no_npy + "nothing, it is empty)");
  EXPECT_EQ(obstacle(zip_archive({stored_file("w.npy", "text")})), no_npy + "the bytes 74 65 78 74)");
}

/// Bytes replaced at random: tensors are read or refused, never anything else.
TEST_F(NpzHostile, DamagedBytesAreReadOrRefused) {
  ZipFile wide = stored_file("w.npy", npy(9));
  wide.is_zip64 = true;
  const std::string good = zip_archive({wide, deflated_file("n.npy", npy(40))}, ZipPlaces::wide);
  Dice dice(11);
  int refusals = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string file = good;
    const std::size_t changes = 1 + dice.roll(3);
    for (std::size_t i = 0; i < changes; ++i)
      file[dice.roll(file.size())] = static_cast<char>(dice.roll(256));
    const std::string path = scratch.file("x.npz", file);
    try {
      for (const FileInfo& info : list_tensors(path)) static_cast<void>(load_tensor_file(info));
    } catch (const FileError&) {
      ++refusals;
    }
  }
  EXPECT_GT(refusals, 500);
}

}  // namespace
}  // namespace tenstride::io
