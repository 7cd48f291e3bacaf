// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "io/disk/disk.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

constexpr DiskAccess every_access[] = {DiskAccess::automatic, DiskAccess::buffered};

std::string random_text(std::size_t nbytes) {
  Dice dice(nbytes);
  std::string text(nbytes, '\0');
  for (char& c : text) c = static_cast<char>(dice.roll(256));
  return text;
}

/// A regular file of a file system that refuses O_DIRECT.
constexpr const char* never_direct = "/proc/self/status";

TEST(DiskFile, ReadsAnyBytes) {
  const Scratch scratch;
  const std::string text = random_text(3'000'001);
  const std::string path = scratch.file("in.bin", text);
  for (const DiskAccess access : every_access) {
    DiskFile file = DiskFile::open(path, access, "load");
    EXPECT_EQ(file.size(), text.size());
    EXPECT_EQ(file.path(), path);
    EXPECT_EQ(file.operation(), "load");
    const std::size_t ends[] = {0, 1, 511, 512, 4095, 4096, 4097, 1'048'576, 1'048'577, 3'000'000, 3'000'001};
    for (const std::size_t first : ends) {
      for (const std::size_t last : ends) {
        if (last < first) continue;
        std::string bytes(last - first, '\0');
        file.read(first, std::as_writable_bytes(std::span(bytes)));
        EXPECT_TRUE(bytes == text.substr(first, last - first)) << first << ".." << last;
      }
    }
  }
}

TEST(DiskFile, RefusesToReadBeyondTheEnd) {
  const Scratch scratch;
  const std::string path = scratch.file("in.bin", std::string(5000, 'x'));
  DiskFile file = DiskFile::open(path, DiskAccess::buffered, "load");
  std::vector<std::byte> bytes(1000);
  EXPECT_EQ(refusal<FileError>([&] { return file.read(4100, bytes), 0; }),
            "load: \"" + path +
                "\" must have 1000 bytes from byte 4100 on, it ends 100 bytes earlier (truncated while it "
                "was read?)");
  DiskFile direct = DiskFile::open(path, DiskAccess::automatic, "load");
  if (direct.page() != 4096) GTEST_SKIP() << "pages of " << direct.page();
  EXPECT_EQ(refusal<FileError>([&] { return direct.read(4100, bytes), 0; }),
            "load: \"" + path +
                "\" must have 1004 bytes from byte 4096 on, it ends 100 bytes earlier (truncated while it "
                "was read?)");
}

TEST(DiskFile, GoesPastThePageCacheWhereThatIsPossible) {
  const Scratch scratch;
  const std::string path = scratch.file("in.bin", std::string(8192, 'x'));
  const DiskFile buffered = DiskFile::open(path, DiskAccess::buffered, "load");
  EXPECT_EQ(buffered.page(), 1U);
  EXPECT_FALSE(buffered.is_direct());
  EXPECT_EQ(fcntl(buffered.descriptor(), F_GETFL) & O_DIRECT, 0);
  const DiskFile automatic = DiskFile::open(path, DiskAccess::automatic, "load");
  EXPECT_EQ(automatic.is_direct(), (fcntl(automatic.descriptor(), F_GETFL) & O_DIRECT) != 0);
  if (!automatic.is_direct()) GTEST_SKIP() << "this file system knows no O_DIRECT";
  EXPECT_GE(automatic.page(), 4096U);
  EXPECT_EQ(automatic.page() & (automatic.page() - 1), 0U);
  EXPECT_EQ(DiskFile::open(path, DiskAccess::direct, "load").page(), automatic.page());
}

TEST(DiskFile, FallsBackToThePageCache) {
  DiskFile file = DiskFile::open(never_direct, DiskAccess::automatic, "load");
  EXPECT_EQ(file.page(), 1U);
  EXPECT_FALSE(file.is_direct());
  std::string bytes(5, '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(bytes, "Name:");
  EXPECT_EQ(refusal<FileError>([] { return DiskFile::open(never_direct, DiskAccess::direct, "load"); }),
            "load: \"/proc/self/status\" must be on a file system that can go past the page cache (O_DIRECT) "
            "(Invalid argument)");
}

TEST(DiskFile, RefusesWhatIsNoRegularFile) {
  const Scratch scratch;
  const auto refused = [](const std::string& path) {
    return refusal<FileError>([&] { return DiskFile::open(path, DiskAccess::automatic, "load"); });
  };
  const auto refused_to_write = [](const std::string& path) {
    return refusal<FileError>([&] { return DiskFile::open_to_write(path, DiskAccess::automatic, "save"); });
  };
  const std::string folder = scratch.folder().string();
  const std::string none = scratch.path("none");
  const std::string pipe = scratch.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refused(folder), "load: \"" + folder + "\" must be a regular file");
  EXPECT_EQ(refused(pipe), "load: \"" + pipe + "\" must be a regular file");
  EXPECT_EQ(refused("/dev/null"), "load: \"/dev/null\" must be a regular file");
  EXPECT_EQ(refused(none),
            "load: \"" + none + "\" must be a file that can be opened (No such file or directory)");
  EXPECT_EQ(refused_to_write(folder),
            "save: \"" + folder + "\" must be a file that can be written to (Is a directory)");
  EXPECT_EQ(refused_to_write(none),
            "save: \"" + none + "\" must be a file that can be written to (No such file or directory)");
}

TEST(DiskFile, MovesAndCloses) {
  const Scratch scratch;
  const std::string path = scratch.file("in.bin", "one");
  int descriptor = -1;
  {
    DiskFile file = DiskFile::open_to_write(path, DiskAccess::buffered, "save");
    descriptor = file.descriptor();
    DiskFile moved = std::move(file);
    EXPECT_EQ(moved.descriptor(), descriptor);
    DiskFile other = DiskFile::open(scratch.file("other.bin", "other"), DiskAccess::buffered, "load");
    other = std::move(moved);
    EXPECT_EQ(other.descriptor(), descriptor);
    EXPECT_EQ(other.path(), path);
    EXPECT_EQ(other.size(), 3U);
  }
  EXPECT_EQ(fcntl(descriptor, F_GETFD), -1);
}

TEST(DiskBuffer, LiesAtAPageAndCostsNothingUntouched) {
  for (const std::size_t page : {std::size_t{1}, std::size_t{512}, std::size_t{4096}, std::size_t{65536}}) {
    for (const std::size_t nbytes :
         {std::size_t{1}, std::size_t{4096}, std::size_t{100'000}, std::size_t{5'000'000}}) {
      const DiskBuffer buffer(nbytes, page);
      EXPECT_EQ(buffer.size(), nbytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % std::max<std::size_t>(page, 64), 0U);
      std::memset(buffer.data(), 1, nbytes);
    }
  }
  const DiskBuffer none;
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(DiskBuffer(0, 4096).data(), nullptr);
  const DiskBuffer large(std::size_t{1} << 38, 4096);  // far more than there is
  large.data()[std::size_t{1} << 37] = std::byte{1};
  unsigned char resident = 1;
  ASSERT_EQ(mincore(large.data(), 4096, &resident), 0);
  EXPECT_EQ(resident & 1, 0);
}

TEST(DiskBuffer, Moves) {
  DiskBuffer first(4096, 4096);
  std::byte* const data = first.data();
  DiskBuffer second = std::move(first);
  EXPECT_EQ(second.data(), data);
  DiskBuffer third(100, 64);
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.size(), 4096U);
}

TEST(DiskBuffer, RefusesMoreThanThereCanBe) {
  EXPECT_EQ(refusal<StorageError>([] { return DiskBuffer(std::numeric_limits<std::size_t>::max(), 4096); }),
            "disk buffer: 18446744073709551615 bytes must fit the memory that can be had");
  EXPECT_EQ(refusal<StorageError>([] { return DiskBuffer(std::size_t{1} << 62, 4096); }),
            "disk buffer: 4611686018427387904 bytes must fit the memory that can be had");
}

}  // namespace
}  // namespace tenstride::io
