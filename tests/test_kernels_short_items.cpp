// SPDX-License-Identifier: Apache-2.0
// Items of any length repeated, with each instruction set, between guard pages.
#include <gtest/gtest.h>

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

TEST(KernelsShortItems, AreRepeatedBetweenGuards) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t bytes = 1; bytes <= 16; ++bytes) {
      for (const std::size_t times : {1U, 2U, 3U, 4U, 5U, 11U}) {
        for (const std::size_t count : {0U, 1U, 2U, 3U, 5U, 8U, 17U, 18U, 40U}) {
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
