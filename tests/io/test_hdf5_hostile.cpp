// SPDX-License-Identifier: Apache-2.0
// HDF5 files that are damaged, or were made to do damage.
#ifdef TENSTRIDE_HAS_HDF5
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cstring>

#include "io/hdf5/child.hpp"
#include "io/hdf5/filters.hpp"
#include "io/hdf5/hdf5_sink.hpp"
#include "support/hdf5.hpp"
#include "support/refusal.hpp"
#include "support/sanitizer.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::hdf5_infos;
using testing::load_hdf5;
using testing::recorded_hdf5;
using testing::refusal;
using testing::Scratch;

/// What refuses the file, without its name.
std::string refusal_of(const Scratch& scratch, const std::string& bytes) {
  const std::string path = scratch.file("x.h5", bytes);
  const std::string text = refusal<FileError>([&] { return hdf5_infos(path); });
  const std::string before = "info: \"" + path + "\" ";
  return text.starts_with(before) ? text.substr(before.size()) : text;
}

std::string bytes_of_number(std::uint64_t value, std::size_t nbytes) {
  std::string bytes;
  for (std::size_t i = 0; i < nbytes; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

const std::string rewriting =
    "; where a newer HDF5 wrote it, that one's `h5repack --low=0 --high=2 OLD NEW` rewrites it for HDF5 1.10";

TEST(Hdf5Hostile, Superblock) {
  const Scratch scratch;
  const std::string good = recorded_hdf5("storage");
  const std::string size = std::to_string(good.size());
  EXPECT_EQ(refusal_of(scratch, good.substr(0, good.size() - 1)),
            "must have " + size + " bytes, it has " + std::to_string(good.size() - 1) +
                " (it is cut off, or its writer has not closed it)");
  EXPECT_EQ(refusal_of(scratch, good.substr(0, 8)), "must have a superblock, it ends after 8 bytes");
  EXPECT_EQ(refusal_of(scratch, good.substr(0, 30)), "must have a superblock, it ends after 30 bytes");
  EXPECT_EQ(refusal_of(scratch, "no"), "must be an HDF5 file, it has no signature of HDF5");
  std::string bad = good;
  bad[8] = 9;
  EXPECT_EQ(refusal_of(scratch, bad), "has a superblock of version 9, which must be 0 to 3" + rewriting);
  bad = good;
  bad[13] = 3;
  EXPECT_EQ(refusal_of(scratch, bad), "has addresses or lengths of 3 bytes, which must be 4 or 8");
}

/// As HDF5 2.0 writes it with libver="latest": the other datasets are read all the same.
TEST(Hdf5Hostile, MessagesOfALaterVersion) {
  const Scratch scratch;
  std::string bytes = recorded_hdf5("storage");
  using namespace std::string_literals;
  const std::size_t layout = bytes.find("\x08\0\x18\0\0\0\0\0\x03\x02"s);
  ASSERT_NE(layout, std::string::npos);
  bytes[layout + 8] = 6;
  std::size_t refused = 0;
  const auto infos = hdf5_infos(scratch.file("x.h5", bytes));
  for (const auto& [name, info] : infos) {
    if (info.obstacle.empty()) continue;
    ++refused;
    EXPECT_TRUE(info.obstacle.starts_with("have metadata that libhdf5 can read (libhdf5 ")) << info.obstacle;
    EXPECT_TRUE(info.obstacle.ends_with(": bad version number for layout message)" + rewriting))
        << info.obstacle;
  }
  EXPECT_EQ(refused, 1U);
  EXPECT_GT(infos.size(), 1U);
}

TEST(Hdf5Hostile, EveryLength) {
  const Scratch scratch;
  const std::string good = recorded_hdf5("types");
  for (std::size_t nbytes = 0; nbytes < good.size(); nbytes += nbytes < 128 ? 1 : 509) {
    EXPECT_NE(refusal_of(scratch, good.substr(0, nbytes)), "not refused") << nbytes;
  }
}

TEST(Hdf5Hostile, CrashesAndLoopsStayInTheChild) {
  const auto run = [](const std::function<void(ChildOutput&)>& work) {
    return refusal<FileError>([&] { return run_in_child("x.h5", "info", 1, work); });
  };
  EXPECT_EQ(run_in_child("x.h5", "info", 1, [](ChildOutput& output) { output.write("done"); }), "done");
  EXPECT_EQ(run([](ChildOutput&) { throw FileError("info: no", "x.h5"); }), "info: no");
  EXPECT_EQ(run([](ChildOutput& output) {
              output.write("begun");
              signal(SIGUSR1, SIG_DFL);
              kill(getpid(), SIGUSR1);
            }),
            "info: \"x.h5\" must be an HDF5 file that libhdf5 can read; it crashed (signal " +
                std::to_string(SIGUSR1) + ")");
  EXPECT_EQ(run([](ChildOutput&) {
              alarm(1);
              for (;;) pause();
            }),
            "info: \"x.h5\" must be an HDF5 file that libhdf5 can read; it took too long");
  EXPECT_EQ(run([](ChildOutput&) {
              std::atomic<int> count = 0;
              for (;;) ++count;
            }),
            "info: \"x.h5\" must be an HDF5 file that libhdf5 can read; it took too long");
  EXPECT_EQ(run([](ChildOutput&) { throw 1; }),
            "info: \"x.h5\" must be an HDF5 file that libhdf5 can read; it ended with status 1");
}

TEST(Hdf5Hostile, LargeExtents) {
  const Scratch scratch;
  const NewTensor tensor{.name = "x", .shape = {0x1234567, 0x89abcd}, .dtype = DType::uint8};
  const FlatFile plan = plan_hdf5({tensor}, "save");
  const std::string old = bytes_of_number(0x1234567, 8) + bytes_of_number(0x89abcd, 8);
  // The checksum of the object header no longer holds, or the file lacks the elements: it is refused either
  // way.
  EXPECT_NE(refusal_of(scratch, plan.head), "not refused");
  std::string bytes = plan.head;
  const std::size_t at = bytes.find(old);
  ASSERT_NE(at, std::string::npos);
  for (const std::uint64_t extent : {std::uint64_t{1} << 40, std::uint64_t{1} << 63, UINT64_MAX}) {
    bytes.replace(at, 8, bytes_of_number(extent, 8));
    EXPECT_NE(refusal_of(scratch, bytes), "not refused") << extent;
  }
}

TEST(Hdf5Hostile, DamagedChunks) {
  const std::string where = "load: \"x.h5\" has a chunk (0) of \"x\" that must have ";
  Hdf5Scratch scratch;
  std::vector<std::byte> elements(8);
  const auto decode = [&](int filter, const std::string& bytes) {
    const std::vector<Hdf5Filter> filters{{filter, "", {4}}};
    return refusal<FileError>([&] {
      decode_hdf5_chunk(filters, 0, std::as_bytes(std::span(bytes)), elements, scratch, where);
      return 0;
    });
  };
  EXPECT_EQ(decode(hdf5_filter::deflate, "nonsense"), where + "deflate data, which are damaged");
  EXPECT_EQ(decode(hdf5_filter::shuffle, "short"), where + "8 bytes of elements, it has 5");
  EXPECT_EQ(decode(hdf5_filter::fletcher32, "abc"), where + "a checksum of 4 bytes, it has 3");
  EXPECT_EQ(decode(hdf5_filter::lzf, "\x05zz"), where + "lzf data, which are cut off");
  EXPECT_EQ(decode(hdf5_filter::lzf, std::string("\x20\x00", 2)), where + "lzf data, which are damaged");
  EXPECT_EQ(decode(hdf5_filter::lzf, std::string("\x00z\xe0\xff\x00", 5)),
            where + "lzf data of fewer bytes than they have");
  EXPECT_EQ(decode(hdf5_filter::lzf, std::string("\x00z\xa0\x00", 4)), "not refused");
  const std::string head("\0\0\0\0\0\0\0\x08\0\0\0\x08", 12);
  EXPECT_EQ(decode(hdf5_filter::lz4, head.substr(1)), where + "lz4 data, which are cut off");
  EXPECT_EQ(decode(hdf5_filter::lz4, head + std::string("\0\0\0\x08", 4)),
            where + "lz4 data, which are cut off");
  EXPECT_EQ(decode(hdf5_filter::lz4, head + std::string("\0\0\0\x08", 4) + "elements"), "not refused");
  EXPECT_EQ(decode(hdf5_filter::bzip2, "nonsense"), where + "bzip2 data, which are damaged");
  EXPECT_EQ(decode(hdf5_filter::zstd, "nonsense"), where + "zstd data, which are damaged");
  EXPECT_EQ(decode(hdf5_filter::blosc, "nonsense"), where + "blosc data, which are damaged");
  EXPECT_EQ(decode(hdf5_filter::bitshuffle, "nonsense"),
            where + "bits of elements of 1 byte or more, not of 0");
}

TEST(Hdf5Hostile, NotAChunkOfTheFile) {
  const Scratch scratch;
  const std::string good = recorded_hdf5("storage");
  const FileInfo info = hdf5_infos(scratch.file("x.h5", good)).at("plain");
  const auto source = hdf5_format.chunks(info, "load");
  // Cut off behind the metadata that were read, as by another program.
  ASSERT_EQ(truncate(info.path.c_str(), 2000), 0);
  std::vector<std::byte> elements(32);
  EXPECT_NE(refusal<FileError>([&] { return source->read({1, 1}, elements); }), "not refused");
}

/// Reads all that a damaged file says it has; whatever is wrong with it is a FileError.
void read_all(const std::string& path) {
  constexpr Index max_elements = 1 << 16;
  try {
    for (const auto& [name, info] : hdf5_infos(path)) {
      if (!info.obstacle.empty() || numel(info.layout) > max_elements) continue;
      if (numel(row_major(info.chunk)) > max_elements) continue;
      try {
        static_cast<void>(load_hdf5(info));
      } catch (const FileError&) {
      }
    }
  } catch (const FileError&) {
  }
}

/// Reads the recorded file with other bytes in some places, 100 times (10 by a sanitized library).
void read_with_random_bytes(const std::string& name, std::uint64_t seed) {
  const Scratch scratch;
  Dice dice(seed);
  const std::string good = recorded_hdf5(name);
  for (int round = 0; round < (is_sanitized() ? 10 : 100); ++round) {
    std::string bytes = good;
    for (std::size_t count = dice.roll(4) + 1; count > 0; --count) {
      std::size_t at = dice.roll(bytes.size());
      // Most of a file is zeros that nobody reads.
      while (bytes[at] == 0 && dice.roll(8) != 0) at = dice.roll(bytes.size());
      bytes[at] = static_cast<char>(dice.roll(256));
    }
    read_all(scratch.file("x.h5", bytes));
  }
}

TEST(Hdf5Hostile, RandomBytesOfStorage) {
  read_with_random_bytes("storage", 1);
}
TEST(Hdf5Hostile, RandomBytesOfAttributes) {
  read_with_random_bytes("attributes", 2);
}
TEST(Hdf5Hostile, RandomBytesOfNetcdf) {
  read_with_random_bytes("netcdf", 3);
}
TEST(Hdf5Hostile, RandomBytesOfObstacles) {
  read_with_random_bytes("obstacles", 4);
}
TEST(Hdf5Hostile, RandomBytesOfFilters) {
  read_with_random_bytes("filters", 5);
}
TEST(Hdf5Hostile, RandomBytesOfCompounds) {
  read_with_random_bytes("compounds", 6);
}
TEST(Hdf5Hostile, RandomBytesOfLinks) {
  read_with_random_bytes("links", 7);
}

}  // namespace
}  // namespace tenstride::io
#endif
