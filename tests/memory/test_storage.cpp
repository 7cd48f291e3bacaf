// SPDX-License-Identifier: Apache-2.0
#include "tenstride/memory/storage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tenstride/base/error.hpp"

namespace tenstride {
namespace {

template <typename E, typename F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// A file of 10,000 bytes, byte i being i % 251, that goes away with the test.
class StorageFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ =
        std::filesystem::temp_directory_path() / ("tenstride-storage-" + std::to_string(getpid()) + ".bin");
    std::ofstream file(path_, std::ios::binary);
    for (int i = 0; i < 10000; ++i) file.put(static_cast<char>(i % 251));
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }
  char byte_of_file(std::size_t at) const {
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<char>(file.get());
  }

 private:
  std::filesystem::path path_;
};

TEST(Storage, DefaultIsNone) {
  const Storage none;
  EXPECT_EQ(none.nbytes(), 0U);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.use_count(), 0U);
  EXPECT_EQ(none, Storage());
}

TEST(Storage, AllocatesAlignedWritableBytes) {
  for (const std::size_t nbytes : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64},
                                   std::size_t{1000}, std::size_t{5} << 20}) {
    const Storage storage = Storage::allocate(nbytes);
    EXPECT_EQ(storage.nbytes(), nbytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(storage.data()) % 64, 0U) << nbytes;
    if (nbytes > 0) std::memset(storage.mutable_data(), 7, nbytes);
  }
}

TEST(Storage, CopiesShareAndCount) {
  const Storage a = Storage::allocate(16);
  EXPECT_EQ(a.use_count(), 1U);
  {
    const Storage b = a;
    EXPECT_EQ(a, b);
    EXPECT_EQ(a.use_count(), 2U);
  }
  EXPECT_EQ(a.use_count(), 1U);
  EXPECT_NE(a, Storage::allocate(16));
}

TEST(Storage, RefusesMoreThanMemoryHolds) {
  EXPECT_EQ(message_of<StorageError>([] { (void)Storage::allocate(UINT64_MAX); }),
            "storage: 18446744073709551615 bytes must fit the memory that can be had");
  EXPECT_THROW((void)Storage::allocate(std::uint64_t{1} << 60), StorageError);
}

TEST(Storage, AdoptedRunsItsDeleterOnce) {
  std::vector<int> numbers(4, 1);
  int calls = 0;
  void* seen = nullptr;
  {
    const Storage storage = Storage::adopt(numbers.data(), 16, [&](void* data) {
      ++calls;
      seen = data;
    });
    const Storage other = storage;
    EXPECT_EQ(other.data(), reinterpret_cast<std::byte*>(numbers.data()));
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen, numbers.data());
}

TEST(Storage, ReadOnlyRefusesWriters) {
  int number = 0;
  const Storage storage = Storage::adopt(&number, sizeof number, {}, Access::read_only);
  EXPECT_EQ(message_of<StorageError>([&] { (void)storage.mutable_data(); }),
            "storage: a read-only storage must not be written to; use .clone() first");
}

TEST(Storage, GrowsForAllWhoShareIt) {
  Storage a = Storage::allocate(4);
  const Storage b = a;
  std::memcpy(a.mutable_data(), "abcd", 4);
  a.grow(100000);
  EXPECT_EQ(b.nbytes(), 100000U);
  EXPECT_EQ(std::memcmp(b.data(), "abcd", 4), 0);
  a.grow(8);
  EXPECT_EQ(a.nbytes(), 100000U);
}

TEST(Storage, AdoptedMemoryCannotGrow) {
  int number = 0;
  Storage storage = Storage::adopt(&number, 4, {});
  EXPECT_EQ(message_of<StorageError>([&] { storage.grow(8); }),
            "storage: 8 bytes must be at most 4: adopted, mapped and exported memory cannot grow; use "
            ".clone() first");
}

TEST(Storage, MetaHasSizeButNoMemory) {
  Storage meta = Storage::meta(std::uint64_t{1} << 60);
  EXPECT_EQ(meta.device(), Device::meta);
  EXPECT_EQ(meta.data(), nullptr);
  meta.grow(std::uint64_t{1} << 61);
  EXPECT_EQ(meta.nbytes(), std::uint64_t{1} << 61);
}

TEST_F(StorageFile, MapsAnyPartOfAFile) {
  const Storage storage = Storage::map_file(path(), MapMode::read_only, 4099, 500);
  ASSERT_EQ(storage.nbytes(), 500U);
  for (std::size_t i = 0; i < 500; ++i) {
    ASSERT_EQ(static_cast<std::size_t>(storage.data()[i]), (4099 + i) % 251);
  }
  EXPECT_TRUE(storage.is_read_only());
}

TEST_F(StorageFile, CopyOnWriteNeverReachesTheFile) {
  const Storage storage = Storage::map_file(path(), MapMode::copy_on_write, 0, 10000);
  storage.mutable_data()[5] = std::byte{200};
  EXPECT_EQ(byte_of_file(5), 5);
}

TEST_F(StorageFile, ReadWriteReachesTheFile) {
  {
    const Storage storage = Storage::map_file(path(), MapMode::read_write, 1, 100);
    storage.mutable_data()[4] = std::byte{77};
  }
  EXPECT_EQ(byte_of_file(5), 77);
}

TEST_F(StorageFile, RefusesMoreThanTheFileHas) {
  EXPECT_EQ(message_of<FileError>([&] { (void)Storage::map_file(path(), MapMode::read_only, 9999, 2); }),
            "map_file: \"" + path() + "\" has 10000 bytes and must have 2 from byte 9999 on");
  EXPECT_THROW((void)Storage::map_file(path(), MapMode::read_only, SIZE_MAX, 1), FileError);
  EXPECT_EQ(Storage::map_file(path(), MapMode::read_only, 10000, 0).nbytes(), 0U);
}

TEST(StorageMap, NamesAnAbsentFile) {
  EXPECT_EQ(
      message_of<FileError>([] { (void)Storage::map_file("/nowhere/x.bin", MapMode::read_only, 0, 1); }),
      "map_file: \"/nowhere/x.bin\" must be a file that can be opened (No such file or directory)");
  EXPECT_EQ(message_of<FileError>([] { (void)Storage::map_file("/", MapMode::read_only, 0, 1); }),
            "map_file: \"/\" must be a regular file");
}

TEST(StorageThreads, CountIsExactUnderManyThreads) {
  int calls = 0;
  int number = 0;
  {
    const Storage storage = Storage::adopt(&number, 4, [&](void*) { ++calls; });
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([storage] {
        for (int i = 0; i < 10000; ++i) {
          Storage copy = storage;
          const Storage moved = std::move(copy);
          ASSERT_EQ(moved.nbytes(), 4U);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(storage.use_count(), 1U);
  }
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace tenstride
