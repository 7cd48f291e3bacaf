// SPDX-License-Identifier: Apache-2.0
// Short axes deinterleaved and interleaved by streaming stores, with each instruction set, between guard
// pages.
#include <gtest/gtest.h>

#include "support/guarded_kernel.hpp"

namespace tenstride {
namespace {

using testing::Bench;
using testing::Direction;
using testing::Job;
using testing::Kernels;
using testing::line;
using testing::signed_bytes;
using testing::text;

/// `lines` of each channel, one after another.
Job deinterleaved_job(std::size_t log2, std::size_t channels, std::size_t lines) {
  Job job;
  job.in_bytes = channels * lines * line;
  job.out_bytes = job.in_bytes;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.deinterleave_lines[log2](out, lines * line, in, channels, lines * line >> log2);
  };
  return job;
}

Job interleaved_job(std::size_t log2, std::size_t channels, std::size_t lines, Direction direction) {
  Job job;
  job.in_bytes = channels * lines * line;
  job.in_start = direction == Direction::up ? 0 : (channels - 1) * lines * line;
  job.out_bytes = job.in_bytes;
  const Index run = signed_bytes(lines * line);
  const Index pitch = direction == Direction::up ? run : -run;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.interleave_lines[log2](out, in, pitch, channels, lines * line >> log2, MemoryStreams::several);
  };
  return job;
}

TEST(KernelsChannelLines, AreDeinterleavedBetweenGuards) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t channels = 2; channels <= 64; channels += 1 + channels / 18) {
        for (std::size_t lines = 1; lines <= 7; ++lines) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, deinterleaved_job(log2, channels, lines)))
              << text({log2, channels, lines});
        }
      }
    }
  }
}

TEST(KernelsChannelLines, AreInterleavedBetweenGuards) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t channels = 2; channels <= 16; ++channels) {
        for (std::size_t lines = 0; lines <= 5; ++lines) {
          for (const Direction direction : {Direction::up, Direction::down}) {
            if (lines == 0 && direction == Direction::down) continue;
            ASSERT_TRUE(bench.at_the_guards(*kernels, interleaved_job(log2, channels, lines, direction)))
                << text({log2, channels, lines});
          }
        }
      }
    }
  }
}

TEST(KernelsChannelLines, ComeFromAnywhereInALine) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t channels = 2; channels <= 16; ++channels) {
        for (std::size_t skew = 1; skew < line; skew += 2) {
          const Bench::Place in_place{false, skew};
          ASSERT_TRUE(bench.agrees(*kernels, deinterleaved_job(log2, channels, 4), in_place, {}))
              << text({log2, channels, skew});
          ASSERT_TRUE(bench.agrees(*kernels, interleaved_job(log2, channels, 4, Direction::up), in_place, {}))
              << text({log2, channels, skew});
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
