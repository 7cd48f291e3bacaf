// SPDX-License-Identifier: Apache-2.0
// Indexed tiles, small tiles and rows within a cache, with each instruction set, between guard pages.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/guarded_kernel.hpp"

namespace tenstride {
namespace {

using testing::Bench;
using testing::Job;
using testing::Kernels;
using testing::line;
using testing::signed_bytes;
using testing::text;

/// Returns `count` offsets, multiples of `pitch`, in a mixed order.
std::vector<Index> scattered(std::size_t count, std::size_t pitch) {
  std::vector<Index> offsets(count);
  for (std::size_t i = 0; i < count; ++i)
    offsets[i] = signed_bytes((i % 2 == 0 ? i / 2 : count - 1 - i / 2) * pitch);
  return offsets;
}

/// A tile with the given pitches of its rows and columns.
Job tile_job(std::size_t log2, std::size_t rows, std::size_t columns, std::size_t gap) {
  const std::size_t item = std::size_t{1} << log2;
  const std::size_t row_pitch = columns * item + gap;
  const std::size_t column_pitch = rows * item + gap;
  Job job;
  job.in_bytes = rows * row_pitch - gap;
  job.out_bytes = columns * column_pitch - gap;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    const auto row_offsets = scattered(rows, row_pitch);
    const auto column_offsets = scattered(columns, column_pitch);
    kernels.indexed->transpose[log2](out, in, {row_offsets.data(), rows, column_offsets.data(), columns});
  };
  return job;
}

/// The same for the kernel that takes pitches.
Job pitched_job(std::size_t log2, std::size_t rows, std::size_t columns, std::size_t gap) {
  Job job = tile_job(log2, rows, columns, gap);
  const std::size_t item = std::size_t{1} << log2;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.indexed->transpose_pitched[log2](out, signed_bytes(rows * item + gap), in,
                                             signed_bytes(columns * item + gap), rows, columns);
  };
  return job;
}

std::size_t min_items(std::size_t log2) {
  return log2 < 3 ? std::size_t{8} >> log2 : 1;
}

TEST(KernelsIndexed, AreTransposedWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t most = 2 * (line >> log2) + 1;
      for (std::size_t rows = min_items(log2); rows <= most; rows += rows < 40 ? 1 : 7) {
        for (std::size_t columns = min_items(log2); columns <= most; columns += columns < 20 ? 1 : 5) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, tile_job(log2, rows, columns, rows % 3)))
              << text({log2, rows, columns});
          ASSERT_TRUE(bench.at_the_guards(*kernels, pitched_job(log2, rows, columns, rows % 3)))
              << text({log2, rows, columns});
        }
      }
    }
  }
}

TEST(KernelsIndexed, AreTransposedAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t group = std::size_t{16} >> log2;
      ASSERT_TRUE(bench.at_every_alignment(*kernels, tile_job(log2, 2 * group + 1, group + 3, 0)))
          << text({log2});
      ASSERT_TRUE(bench.at_every_alignment(*kernels, pitched_job(log2, 5 * group + 1, 4 * group + 3, 0)))
          << text({log2});
    }
  }
}

/// Tiles of several squares, and of several groups of squares.
TEST(KernelsIndexed, AreTransposedByGroups) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 2; log2 < 5; ++log2) {
      const std::size_t side = std::size_t{128} >> log2;
      for (const std::size_t rows : {side, 2 * side, 2 * side + 5}) {
        for (const std::size_t columns : {side, side + side / 2, 2 * side + 1}) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, pitched_job(log2, rows, columns, rows % 2)))
              << text({log2, rows, columns});
        }
      }
    }
  }
}

/// A tile of items of any size, with its rows in reverse order if `is_backwards`.
Job short_job(std::size_t item, std::size_t rows, std::size_t columns, std::size_t gap, bool is_backwards) {
  const std::size_t row_pitch = columns * item + gap;
  const std::size_t column_pitch = rows * item + gap;
  const Index pitch = is_backwards ? -signed_bytes(row_pitch) : signed_bytes(row_pitch);
  Job job;
  job.in_bytes = rows * row_pitch - gap;
  job.out_bytes = columns * column_pitch - gap;
  job.in_start = is_backwards ? (rows - 1) * row_pitch : 0;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.indexed->transpose_short(out, signed_bytes(column_pitch), in, pitch, rows, columns, item);
  };
  return job;
}

TEST(KernelsIndexed, TransposeShortItems) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t item : {3U, 5U, 6U, 7U}) {
      for (std::size_t rows = item == 3 ? 4 : 2; rows < 14; ++rows) {
        for (std::size_t columns = (16 + item - 1) / item; columns < 19; ++columns) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, short_job(item, rows, columns, rows % 3, rows % 2 == 0)))
              << text({item, rows, columns});
        }
      }
      ASSERT_TRUE(bench.at_every_alignment(*kernels, short_job(item, 9, 11, 1, false))) << text({item});
    }
  }
}

Job rows_job(copy::IndexedKernels::Rows copy::IndexedKernels::*kernel, std::size_t rows, std::size_t bytes,
             std::size_t gap, bool is_backwards) {
  Job job;
  job.in_bytes = rows * (bytes + gap) - gap;
  job.out_bytes = rows * (bytes + 2 * gap) - 2 * gap;
  job.in_start = is_backwards ? (rows - 1) * (bytes + gap) : 0;
  const Index pitch = is_backwards ? -signed_bytes(bytes + gap) : signed_bytes(bytes + gap);
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    (kernels.indexed->*kernel)(out, signed_bytes(bytes + 2 * gap), in, pitch, rows, bytes);
  };
  return job;
}

TEST(KernelsIndexed, AreCopiedByRows) {
  using copy::IndexedKernels;
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t rows : {1U, 2U, 5U}) {
      for (const std::size_t gap : {0U, 7U}) {
        for (std::size_t bytes = 32; bytes <= 64; ++bytes) {
          const auto kernel = &IndexedKernels::overlapping_rows;
          ASSERT_TRUE(bench.at_the_guards(*kernels, rows_job(kernel, rows, bytes, gap, bytes % 2 == 0)))
              << text({rows, bytes, gap});
        }
        for (const std::size_t bytes : {64U, 128U, 320U}) {
          const auto kernel = &IndexedKernels::line_rows;
          ASSERT_TRUE(bench.at_the_guards(*kernels, rows_job(kernel, rows, bytes, gap, gap == 0)))
              << text({rows, bytes, gap});
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
