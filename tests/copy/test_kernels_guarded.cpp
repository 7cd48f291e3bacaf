// SPDX-License-Identifier: Apache-2.0
// Every kernel of every instruction set between guard pages, at every alignment of both sides and with every
// length of the tail: a kernel may access what its comment in kernels.hpp says and not one byte more. This
// file tests the transposed tiles; the other kernels are tested in test_kernels_*.cpp.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/guarded_kernel.hpp"

namespace tenstride {
namespace {

using testing::Bench;
using testing::Direction;
using testing::Guarded;
using testing::Job;
using testing::Kernels;
using testing::line;
using testing::signed_bytes;
using testing::text;

/// A new kernel needs a test in one of the files test_kernels_*.cpp, and is then counted here.
TEST(GuardedKernels, AreAllCounted) {
  constexpr std::size_t arrays =
      std::tuple_size_v<decltype(Kernels::transpose)> +
      std::tuple_size_v<decltype(Kernels::transpose_panel)> + std::tuple_size_v<decltype(Kernels::gather)> +
      std::tuple_size_v<decltype(Kernels::gather_lines)> + std::tuple_size_v<decltype(Kernels::fill_rows)> +
      std::tuple_size_v<decltype(Kernels::fill_strided)> +
      std::tuple_size_v<decltype(Kernels::deinterleave)> + std::tuple_size_v<decltype(Kernels::interleave)> +
      std::tuple_size_v<decltype(Kernels::deinterleave_lines)> +
      std::tuple_size_v<decltype(Kernels::interleave_lines)>;
  constexpr std::size_t single = 13;  // name, stream, stream_run, stream_line, stream_alternating,
                                      // stream_partial_rows, copy_rows, fence, convert, scale, converting,
                                      // short_items, indexed
  EXPECT_EQ(sizeof(Kernels), (arrays + single) * sizeof(void*));
}

Job transpose_job(std::size_t log2, std::size_t rows, std::size_t columns, std::size_t gap,
                  Direction direction) {
  const std::size_t item = std::size_t{1} << log2;
  const std::size_t pitch = columns * item + gap;
  Job job;
  job.in_bytes = (rows - 1) * pitch + columns * item;
  job.in_start = direction == Direction::up ? 0 : (rows - 1) * pitch;
  // Contiguous rows: what is written past the end of one is overwritten by the next.
  job.out_bytes = columns * rows * item;
  job.spill = 63;
  const Index in_pitch = direction == Direction::up ? signed_bytes(pitch) : -signed_bytes(pitch);
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    copy::StoreQueue nothing;
    kernels.transpose[log2](out, rows * item, copy::SourceRows{in, in_pitch, nullptr, 0}, rows, columns,
                            nothing);
  };
  return job;
}

TEST(GuardedKernels, TransposeTilesWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      const std::size_t group = 16 / item;
      for (std::size_t rows = 1; rows <= 2 * group + 1; ++rows) {
        for (std::size_t columns = 1; columns <= 2 * line / item + 1; ++columns) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, transpose_job(log2, rows, columns, 0, Direction::up)))
              << text({item, rows, columns});
          if (columns % 3 != 0) continue;
          ASSERT_TRUE(bench.at_the_guards(*kernels, transpose_job(log2, rows, columns, 7, Direction::down)))
              << text({item, rows, columns});
        }
      }
    }
  }
}

TEST(GuardedKernels, TransposeTilesAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t group = std::size_t{16} >> log2;
      const std::size_t columns = 2 * (line >> log2) + 3;
      for (const std::size_t rows : {group, 2 * group + 1}) {
        ASSERT_TRUE(bench.at_every_alignment(*kernels, transpose_job(log2, rows, columns, 0, Direction::up)))
            << text({log2, rows});
      }
    }
  }
}

/// Rows with separate addresses, in a mixed order; the last one in memory ends at a guard.
TEST(GuardedKernels, TransposeTilesOfScatteredRows) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (std::size_t rows = 1; rows <= 35; ++rows) {
        for (std::size_t columns = 1; columns <= 2 * line / item + 1; columns += 3) {
          Job job = transpose_job(log2, rows, columns, 5, Direction::up);
          job.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
            std::vector<const std::byte*> list(rows);
            for (std::size_t r = 0; r < rows; ++r) {
              const std::size_t place = r % 2 == 0 ? r / 2 : rows - 1 - r / 2;  // each once
              list[r] = in + place * (columns * item + 5);
            }
            copy::SourceRows scattered;
            scattered.addresses = list.data();
            copy::StoreQueue nothing;
            table.transpose[log2](out, rows * item, scattered, rows, columns, nothing);
          };
          ASSERT_TRUE(bench.at_the_guards(*kernels, job)) << text({item, rows, columns});
        }
      }
    }
  }
}

/// A transpose writes the lines of a queue as `stream` does, and transposes the tile as without a queue.
TEST(GuardedKernels, TransposeTilesWhileLinesAreQueued) {
  Bench bench;
  constexpr std::size_t lines = 3;
  constexpr std::size_t queued_rows = 5;
  const Guarded from(4096);
  const Guarded to(4096);
  from.fill_randomly(3);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (std::size_t rows = 1; rows <= 40; rows += 3) {
        for (std::size_t columns = 1; columns <= 2 * line / item + 1; columns += 5) {
          constexpr std::size_t bytes = queued_rows * lines * line;
          std::byte* const streamed = to.at_back(bytes);
          std::memset(to.begin(), 0, to.size());
          Job job = transpose_job(log2, rows, columns, 0, Direction::up);
          job.call = [&](const Kernels& table, std::byte* out, const std::byte* in) {
            copy::StoreQueue queue;
            queue.dst = streamed;
            queue.dst_pitch = lines * line;
            queue.src = from.at_back(bytes);
            queue.src_pitch = lines * line;
            queue.count = queued_rows;
            queue.bytes = lines * line;
            table.transpose[log2](out, rows * item,
                                  copy::SourceRows{in, signed_bytes(columns * item), nullptr, 0}, rows,
                                  columns, queue);
            table.stream(queue);
          };
          ASSERT_TRUE(bench.agrees(*kernels, job, {false, 0}, {false, 0})) << text({item, rows, columns});
          ASSERT_EQ(std::memcmp(streamed, from.at_back(bytes), bytes), 0) << text({item, rows, columns});
          ASSERT_EQ(std::count(to.begin(), streamed, std::byte{0}), streamed - to.begin());
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
