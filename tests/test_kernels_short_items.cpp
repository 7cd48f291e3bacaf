// SPDX-License-Identifier: Apache-2.0
// Items of any length repeated and in rows reversed, with each instruction set, between guard pages.
#include <gtest/gtest.h>

#include <array>

#include "support/guarded_leaf.hpp"

namespace tenstride {
namespace {

using testing::Bench;
using testing::Job;
using testing::Kernels;
using testing::signed_bytes;
using testing::text;

/// `count` items `apart` bytes apart, forwards or backwards.
Job repeat_job(std::size_t bytes, std::size_t times, std::size_t count, std::size_t apart,
               bool is_backwards) {
  Job job;
  job.in_bytes = count == 0 ? 0 : (count - 1) * apart + bytes;
  job.in_start = is_backwards && count > 0 ? (count - 1) * apart : 0;
  job.out_bytes = count * times * bytes;
  const std::ptrdiff_t pitch = is_backwards ? -signed_bytes(apart) : signed_bytes(apart);
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.short_items->repeat(out, in, pitch, bytes, times, count);
  };
  return job;
}

/// Whole lines of rows from byte `from` on, the rows `gap` bytes apart, downwards or upwards.
Job reverse_job(std::size_t item, std::size_t items, std::size_t count, std::size_t from, std::size_t gap,
                bool is_upwards) {
  const std::size_t row = items * item;
  Job job;
  job.in_bytes = count * row + (count - 1) * gap;
  job.in_start = row - item + (is_upwards ? (count - 1) * (row + gap) : 0);
  job.out_bytes = (count * row - from) / testing::line * testing::line;
  copy::ReversedRows rows;
  rows.pitch = is_upwards ? -signed_bytes(row + gap) : signed_bytes(row + gap);
  rows.item = item;
  rows.items = items;
  rows.count = count;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    copy::ReversedRows here = rows;
    here.first = in;
    // What a leaf does not take the plain loop does.
    const std::size_t done = kernels.short_items->reverse_lines(out, here, from);
    EXPECT_TRUE(done == job.out_bytes || done == 0);
    copy::reverse_plainly(out + done, here, from + done, job.out_bytes - done);
  };
  return job;
}

/// Whole lines of pixels to several places, `gap` bytes between these.
Job repeat_lines_job(std::size_t bytes, std::size_t times, std::size_t count, std::size_t copies,
                     std::size_t gap) {
  const std::size_t row = count * times * bytes;
  const std::size_t pitch = (row + gap + testing::line - 1) / testing::line * testing::line;
  Job job;
  job.in_bytes = count * bytes;
  job.out_bytes = copies * pitch;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    const std::size_t done =
        kernels.short_items->repeat_lines(out, signed_bytes(pitch), copies, in, bytes, times, count);
    EXPECT_TRUE(done % testing::line == 0 && done <= row);
    const std::size_t items = done / (bytes * times);
    for (std::size_t copy = 0; copy < copies; ++copy) {
      copy::portable_kernels().short_items->repeat(out + copy * pitch + done, in + items * bytes,
                                                   signed_bytes(bytes), bytes, times, count - items);
    }
  };
  return job;
}

TEST(KernelsShortItems, AreRepeatedInLinesBetweenGuards) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t bytes : {1U, 3U, 5U, 6U, 12U, 16U}) {
      for (const std::size_t times : {1U, 2U, 3U, 4U}) {
        for (std::size_t count = 0; count < 150; count += count < 70 ? 1 : 13) {
          for (const std::size_t copies : {1U, 3U}) {
            for (const std::size_t gap : {0U, 100U}) {
              const Job job = repeat_lines_job(bytes, times, count, copies, gap);
              ASSERT_TRUE(bench.at_the_guards(*kernels, job)) << text({bytes, times, count, copies, gap});
            }
          }
        }
      }
    }
  }
}

TEST(KernelsShortItems, OfPixelsAreRepeatedByALeaf) {
  const std::array<std::byte, 12 * 200> in{};
  alignas(testing::line) std::array<std::byte, 12 * 4 * 200> out{};
  for (const Kernels* kernels : copy::available_kernels()) {
    if (kernels == &copy::portable_kernels()) continue;
    for (const std::size_t bytes : {3U, 6U, 12U}) {
      for (const std::size_t times : {2U, 3U, 4U}) {
        EXPECT_GT(kernels->short_items->repeat_lines(out.data(), 0, 1, in.data(), bytes, times, 200),
                  bytes * times * 64);
      }
    }
  }
}

TEST(KernelsShortItems, AreReversedInRowsBetweenGuards) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t item : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U}) {
      for (const std::size_t items : {64U, 67U, 85U, 128U}) {
        for (const std::size_t count : {1U, 2U, 3U, 4U, 7U}) {
          for (const std::size_t gap : {0U, 1U, 62U, 63U, 200U}) {
            for (const bool is_upwards : {false, true}) {
              for (std::size_t from = 0; from < testing::line; ++from) {
                ASSERT_TRUE(
                    bench.at_the_guards(*kernels, reverse_job(item, items, count, from, gap, is_upwards)))
                    << text({item, items, count, from, gap, is_upwards ? 1U : 0U});
              }
            }
          }
        }
      }
    }
  }
}

TEST(KernelsShortItems, AreReversedInRowsOfPagesBetweenGuards) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t item : {1U, 2U, 3U, 4U, 8U, 12U, 16U}) {
      for (const std::size_t bytes : {8192U, 10100U, 25000U}) {
        for (const std::size_t from : {0U, 16U, 48U}) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, reverse_job(item, bytes / item, 1, from, 0, false)))
              << text({item, bytes, from});
        }
      }
    }
  }
}

TEST(KernelsShortItems, OfPixelsAreReversedByALeaf) {
  std::array<std::byte, 3 * 3 * 64> in{};
  alignas(testing::line) std::array<std::byte, 3 * 3 * 64> out{};
  for (const Kernels* kernels : copy::available_kernels()) {
    const copy::ReversedRows rows{in.data() + 3 * 63, 3 * 64, 3, 64, 3};
    EXPECT_EQ(kernels->short_items->reverse_lines(out.data(), rows, 0), out.size());
    EXPECT_EQ(kernels->short_items->reverse_lines(out.data(), rows, 5), out.size() - testing::line);
  }
}

TEST(KernelsShortItems, AreRepeatedBetweenGuards) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t bytes = 1; bytes <= 16; ++bytes) {
      for (const std::size_t times : {1U, 2U, 3U, 4U, 5U, 11U}) {
        for (const std::size_t count : {0U, 1U, 2U, 3U, 5U, 8U, 17U, 18U, 40U, 100U, 173U}) {
          for (const std::size_t apart : {std::size_t{0}, bytes, bytes + 1, bytes + 40}) {
            for (const bool is_backwards : {false, true}) {
              ASSERT_TRUE(bench.at_the_guards(*kernels, repeat_job(bytes, times, count, apart, is_backwards)))
                  << text({bytes, times, count, apart, is_backwards ? 1U : 0U});
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
