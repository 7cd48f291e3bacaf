// SPDX-License-Identifier: Apache-2.0
// Items of any length repeated, with each instruction set, between guard pages.
#include <gtest/gtest.h>

#include <array>

#include "support/guarded_kernel.hpp"

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
  const Index pitch = is_backwards ? -signed_bytes(apart) : signed_bytes(apart);
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.short_items->repeat(out, in, pitch, bytes, times, count);
  };
  return job;
}

/// Whole lines of pixels, written to several destinations with `gap` bytes between them.
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

TEST(KernelsShortItems, OfPixelsAreRepeatedByAKernel) {
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
