// SPDX-License-Identifier: Apache-2.0
#include "tenstride/memory/memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tenstride/memory/storage.hpp"

namespace tenstride {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Reuse with a limit of 64 MiB, and the old limit again afterwards.
class Memory : public testing::Test {
 protected:
  void SetUp() override {
    set_cache_limit(0);
    set_cache_limit(64 * mebibyte);
  }
  void TearDown() override { set_cache_limit(old_limit_); }

 private:
  std::size_t old_limit_ = cache_limit();
};

TEST_F(Memory, HandsAFreedBlockOutAgain) {
  const void* first = Storage::allocate(8 * mebibyte).data();
  const MemoryStatistics before = memory_statistics();
  EXPECT_EQ(before.blocks_cached, 1U);
  const Storage again = Storage::allocate(8 * mebibyte);
  const MemoryStatistics after = memory_statistics();
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(after.reused, before.reused + 1);
  EXPECT_EQ(after.allocated, before.allocated);
  EXPECT_EQ(after.bytes_cached, 0U);
}

TEST_F(Memory, DoesNotGrowInALongLoop) {
  for (std::size_t round = 0; round < 300; ++round) {
    const std::size_t nbytes = (1 + round * 7919 % 23) * mebibyte + 4096 * (round % 5);
    const Storage a = Storage::allocate(nbytes);
    a.mutable_data()[nbytes - 1] = std::byte{1};
    const Storage b = Storage::allocate(nbytes / 2);
    EXPECT_LE(memory_statistics().bytes_cached, 64 * mebibyte);
  }
  EXPECT_LE(memory_statistics().blocks_cached, 64U);
}

TEST_F(Memory, KeepsNothingAboveTheLimit) {
  (void)Storage::allocate(100 * mebibyte);
  EXPECT_EQ(memory_statistics().bytes_cached, 0U);
  (void)Storage::allocate(32 * mebibyte);
  EXPECT_GE(memory_statistics().bytes_cached, 32 * mebibyte);
  set_cache_limit(mebibyte);
  EXPECT_EQ(memory_statistics().bytes_cached, 0U);
}

TEST_F(Memory, EmptyCacheGivesEverythingBack) {
  (void)Storage::allocate(32 * mebibyte);
  empty_cache();
  EXPECT_EQ(memory_statistics().bytes_cached, 0U);
  EXPECT_EQ(memory_statistics().blocks_cached, 0U);
  EXPECT_EQ(cache_limit(), 64 * mebibyte);
}

TEST_F(Memory, CountsWhatStoragesHold) {
  const std::size_t before = memory_statistics().bytes_in_use;
  {
    const Storage a = Storage::allocate(8 * mebibyte);
    EXPECT_EQ(memory_statistics().bytes_in_use, before + 8 * mebibyte);
  }
  EXPECT_EQ(memory_statistics().bytes_in_use, before);
}

TEST_F(Memory, SmallPiecesAreAlignedAndApart) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Storage> pieces;
    for (std::size_t nbytes = 0; nbytes < 1500; nbytes += 37) {
      pieces.push_back(Storage::allocate(nbytes));
      if (nbytes > 0) std::memset(pieces.back().mutable_data(), static_cast<int>(nbytes % 251), nbytes);
    }
    std::size_t nbytes = 0;
    for (const Storage& piece : pieces) {
      for (std::size_t i = 0; i < nbytes; ++i) {
        ASSERT_EQ(static_cast<std::size_t>(piece.data()[i]), nbytes % 251) << nbytes;
      }
      nbytes += 37;
    }
  }
}

TEST_F(Memory, PiecesOfEverySizeHoldAllTheirBytes) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Storage> pieces;
    for (std::size_t nbytes = 900; nbytes < 70000; nbytes += 1237 + nbytes % 64) {
      pieces.push_back(Storage::allocate(nbytes));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(pieces.back().data()) % 64, 0U) << nbytes;
      std::memset(pieces.back().mutable_data(), static_cast<int>(nbytes % 251), nbytes);
    }
    for (const Storage& piece : pieces) {
      const auto value = static_cast<std::byte>(piece.nbytes() % 251);
      for (const std::uint64_t at : {std::uint64_t{0}, piece.nbytes() / 2, piece.nbytes() - 1}) {
        ASSERT_EQ(piece.data()[at], value) << piece.nbytes();
      }
    }
  }
}

TEST_F(Memory, WorksInAForkedChild) {
  (void)Storage::allocate(8 * mebibyte);
  std::vector<std::thread> threads;
  threads.emplace_back([] {
    for (int i = 0; i < 2000; ++i) (void)Storage::allocate(2 * mebibyte);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const Storage storage = Storage::allocate(8 * mebibyte);
      storage.mutable_data()[0] = std::byte{1};
      _exit(memory_statistics().bytes_in_use >= 8 * mebibyte ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Memory, ThreadsAllocateAndFreeForEachOther) {
  std::vector<std::thread> threads;
  std::vector<Storage> handed(8);
  for (std::size_t t = 0; t < 8; ++t) {
    threads.emplace_back([t, &handed] {
      for (std::size_t i = 1; i < 300; ++i) handed[t] = Storage::allocate(i % 7 == 0 ? 2 * mebibyte : i * 11);
    });
  }
  for (std::thread& thread : threads) thread.join();
  handed.clear();
  EXPECT_LE(memory_statistics().bytes_cached, 64 * mebibyte);
}

}  // namespace
}  // namespace tenstride
