// SPDX-License-Identifier: Apache-2.0
// Kernels for rows between guard pages: gathered, interleaved, copied, and written by streaming stores.
#include <gtest/gtest.h>

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
using testing::plain;
using testing::signed_bytes;
using testing::text;

Job gather_job(std::size_t log2, Index stride, std::size_t count) {
  const std::size_t item = std::size_t{1} << log2;
  const Index bytes = stride * signed_bytes(item);
  const std::size_t span = static_cast<std::size_t>(std::abs(bytes)) * (count - 1);
  Job job;
  job.in_bytes = span + item;
  job.in_start = stride < 0 ? span : 0;
  job.out_bytes = count * item;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.gather[log2](out, in, bytes, count);
  };
  return job;
}

TEST(GuardedKernels, GatherEveryStrideWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (Index stride = -9; stride <= 17; ++stride) {
        for (std::size_t count = 1; count <= 2 * (line >> log2) + 2; ++count) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, gather_job(log2, stride, count)))
              << "stride " << stride << text({log2, count});
        }
      }
    }
  }
}

TEST(GuardedKernels, GatherAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (const Index stride : {-1, 0, 1, 2, 3, 4, 5, 8}) {
        ASSERT_TRUE(bench.at_every_alignment(*kernels, gather_job(log2, stride, 2 * (line >> log2) + 3)))
            << "stride " << stride << text({log2});
      }
    }
  }
}

constexpr std::size_t max_channels = 16;

/// Channels one after another in one block, so that each channel's run guards the one before. Meanwhile a
/// guard page is prefetched, which must not be read.
Job deinterleave_job(std::size_t log2, std::size_t channels, std::size_t count) {
  const std::size_t item = std::size_t{1} << log2;
  Job job;
  job.in_bytes = count * channels * item;
  job.out_bytes = job.in_bytes;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.deinterleave[log2](out, count * item, in, channels, count, in + count * channels * item);
  };
  return job;
}

Job interleave_job(std::size_t log2, std::size_t channels, std::size_t count, Direction direction) {
  const std::size_t item = std::size_t{1} << log2;
  Job job;
  job.in_bytes = count * channels * item;
  job.in_start = direction == Direction::up ? 0 : (channels - 1) * count * item;
  job.out_bytes = job.in_bytes;
  const Index run = signed_bytes(count * item);
  const Index pitch = direction == Direction::up ? run : -run;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.interleave[log2](out, in, pitch, channels, count);
  };
  return job;
}

TEST(GuardedKernels, InterleaveAndDeinterleaveChannelsWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < plain().deinterleave.size(); ++log2) {
      for (std::size_t channels = 2; channels <= max_channels; ++channels) {
        for (std::size_t count = 1; count <= 4 * (line >> log2) + 2; ++count) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, deinterleave_job(log2, channels, count)))
              << text({log2, channels, count});
          for (const Direction direction : {Direction::up, Direction::down}) {
            ASSERT_TRUE(bench.at_the_guards(*kernels, interleave_job(log2, channels, count, direction)))
                << text({log2, channels, count});
          }
        }
      }
    }
  }
}

TEST(GuardedKernels, DeinterleaveManyChannelsWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < plain().deinterleave.size(); ++log2) {
      for (const std::size_t channels : {17U, 18U, 31U, 33U, 64U}) {
        for (std::size_t count = 1; count <= 2 * (line >> log2) + 2; ++count) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, deinterleave_job(log2, channels, count)))
              << text({log2, channels, count});
        }
      }
    }
  }
}

TEST(GuardedKernels, InterleaveAndDeinterleaveChannelsAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < plain().deinterleave.size(); ++log2) {
      for (std::size_t channels = 2; channels <= max_channels; ++channels) {
        const std::size_t count = 2 * (line >> log2) + 3;
        ASSERT_TRUE(bench.at_every_alignment(*kernels, deinterleave_job(log2, channels, count)))
            << text({log2, channels});
        ASSERT_TRUE(bench.at_every_alignment(*kernels, interleave_job(log2, channels, count, Direction::up)))
            << text({log2, channels});
      }
    }
  }
}

Job copy_rows_job(std::size_t rows, std::size_t bytes, std::size_t gap, Direction direction) {
  const std::size_t pitch = bytes + gap;
  Job job;
  job.in_bytes = (rows - 1) * pitch + bytes;
  job.out_bytes = job.in_bytes;
  job.in_start = direction == Direction::up ? 0 : (rows - 1) * pitch;
  const Index step = direction == Direction::up ? signed_bytes(pitch) : -signed_bytes(pitch);
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.copy_rows(out, signed_bytes(pitch), in, step, rows, bytes);
  };
  return job;
}

TEST(GuardedKernels, CopyRowsWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t bytes = 1; bytes <= 4 * line + 1; ++bytes) {
      for (const std::size_t rows : {1U, 2U, 5U}) {
        for (const std::size_t gap : {0U, 3U}) {
          for (const Direction direction : {Direction::up, Direction::down}) {
            ASSERT_TRUE(bench.at_the_guards(*kernels, copy_rows_job(rows, bytes, gap, direction)))
                << text({rows, bytes, gap});
          }
        }
      }
    }
  }
}

TEST(GuardedKernels, CopyShortRowsBackwardsWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t bytes = 1; bytes <= 16; ++bytes) {
      for (std::size_t rows = 1; rows <= 70; ++rows) {
        ASSERT_TRUE(bench.at_the_guards(*kernels, copy_rows_job(rows, bytes, 0, Direction::down)))
            << text({rows, bytes});
      }
      ASSERT_TRUE(bench.at_every_alignment(*kernels, copy_rows_job(50, bytes, 0, Direction::down)))
          << text({bytes});
    }
  }
}

TEST(GuardedKernels, FillStridedItemsAndNothingBetween) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < plain().fill_strided.size(); ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (std::size_t apart = 1; apart <= 5; ++apart) {
        const auto job_of = [&](std::size_t count, std::size_t stride) {
          Job job;
          job.in_bytes = item;
          job.out_bytes = (count - 1) * stride + item;
          job.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
            table.fill_strided[log2](out, signed_bytes(stride), in, count);
          };
          return job;
        };
        for (std::size_t count = 1; count <= 2 * (line >> log2) + 2; ++count) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, job_of(count, apart * item)))
              << text({item, apart, count});
        }
        ASSERT_TRUE(bench.at_the_guards(*kernels, job_of(3 * line, apart * item + 1))) << text({item, apart});
        ASSERT_TRUE(bench.at_every_alignment(*kernels, job_of((line >> log2) + 2, apart * item)))
            << text({item, apart});
      }
    }
  }
}

/// Whole lines written sequentially by streaming stores: of a run, and one line again and again.
TEST(GuardedKernels, StreamRuns) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t lines : {0U, 1U, 2U, 63U, 64U, 255U, 256U, 257U, 300U}) {
      Job run;
      run.in_bytes = run.out_bytes = lines * line;
      run.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
        table.stream_run(out, in, lines * line, MemoryStreams::several);
      };
      ASSERT_TRUE(bench.at_the_guards(*kernels, run)) << text({lines});
      Job repeated = run;
      repeated.in_bytes = line;
      repeated.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
        table.stream_line(out, in, lines * line);
      };
      ASSERT_TRUE(bench.at_the_guards(*kernels, repeated)) << text({lines});
    }
  }
}

Job stream_alternating_job(std::size_t rows, std::size_t bytes, std::size_t gap, Direction direction) {
  Job job = copy_rows_job(rows, bytes, gap, direction);
  const Index pitch = signed_bytes(bytes + gap);
  const Index step = direction == Direction::up ? pitch : -pitch;
  job.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
    table.stream_alternating(out, pitch, in, step, rows, bytes);
  };
  return job;
}

TEST(GuardedKernels, StreamTheLinesOfAlternatingRows) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t bytes = 1; bytes < 3000; bytes += bytes < 400 ? 1 : 37) {
      for (std::size_t rows = 1; rows <= Kernels::max_alternating; ++rows) {
        for (const std::size_t gap : {0U, 5U, 64U}) {
          for (const Direction direction : {Direction::up, Direction::down}) {
            ASSERT_TRUE(bench.at_the_guards(*kernels, stream_alternating_job(rows, bytes, gap, direction)))
                << text({rows, bytes, gap});
          }
        }
      }
    }
    for (const std::size_t bytes : {1U, 63U, 64U, 130U, 1500U}) {
      for (const std::size_t rows : {1U, 3U, 4U}) {
        ASSERT_TRUE(bench.at_every_alignment(*kernels, stream_alternating_job(rows, bytes, 5, Direction::up)))
            << text({rows, bytes});
      }
    }
  }
}

/// `rows` groups of `joined` neighbouring rows in the destination, with a gap between groups. Neighbours are
/// written by consecutive calls.
Job stream_partial_rows_job(std::size_t joined, std::size_t rows, std::size_t bytes, std::size_t gap,
                            Direction direction) {
  const std::size_t pitch = joined * bytes + gap;
  Job job;
  job.in_bytes = joined * rows * bytes;
  job.in_start = direction == Direction::up ? 0 : (rows - 1) * bytes;
  job.out_bytes = (rows - 1) * pitch + joined * bytes;
  job.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
    std::vector<std::byte> room((rows + 2) * copy::PartialRows::pitch, std::byte{0x5a});
    std::byte* const lines = room.data() + line;
    copy::PartialRows part;
    part.dst_pitch = signed_bytes(pitch);
    part.src_pitch = direction == Direction::up ? signed_bytes(bytes) : -signed_bytes(bytes);
    part.rows = rows;
    part.bytes = bytes;
    part.partial_lines = lines + (0 - reinterpret_cast<std::uintptr_t>(lines)) % line;
    for (std::size_t i = 0; i < joined; ++i) {
      part.dst = out + i * bytes;
      part.src = in + i * rows * bytes;
      part.is_first = i == 0;
      part.is_last = i + 1 == joined;
      table.stream_partial_rows(part);
    }
  };
  return job;
}

TEST(GuardedKernels, CarryTheLinesInWhichRowsMeet) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t bytes = line; bytes < 700; bytes += bytes < 200 ? 1 : 37) {
      for (const std::size_t joined : {1U, 2U, 4U}) {
        for (const std::size_t rows : {1U, 5U}) {
          for (const std::size_t gap : {0U, 3U, 64U}) {
            const Direction direction = bytes % 2 == 0 ? Direction::up : Direction::down;
            ASSERT_TRUE(
                bench.at_the_guards(*kernels, stream_partial_rows_job(joined, rows, bytes, gap, direction)))
                << text({joined, rows, bytes, gap});
          }
        }
      }
    }
    for (const std::size_t bytes : {64U, 65U, 100U, 127U, 128U, 500U}) {
      ASSERT_TRUE(bench.at_every_alignment(*kernels, stream_partial_rows_job(3, 2, bytes, 5, Direction::up)))
          << text({bytes});
    }
  }
}

TEST(GuardedKernels, CopyRowsAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t bytes : {1U, 15U, 16U, 63U, 64U, 65U, 128U, 200U, 511U, 512U, 513U, 671U}) {
      ASSERT_TRUE(bench.at_every_alignment(*kernels, copy_rows_job(3, bytes, 5, Direction::up)))
          << text({bytes});
    }
  }
}

Job fill_rows_job(std::size_t log2, std::size_t rows, std::size_t count, std::size_t gap,
                  Direction direction) {
  const std::size_t item = std::size_t{1} << log2;
  const std::size_t pitch = count * item + gap;
  const std::size_t step = item + gap;
  Job job;
  job.in_bytes = (rows - 1) * step + item;
  job.in_start = direction == Direction::up ? 0 : (rows - 1) * step;
  job.out_bytes = (rows - 1) * pitch + count * item;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.fill_rows[log2](out, signed_bytes(pitch), in,
                            direction == Direction::up ? signed_bytes(step) : -signed_bytes(step), rows,
                            count);
  };
  return job;
}

TEST(GuardedKernels, FillRowsWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t count = 1; count <= (3 * line >> log2) + 3; ++count) {
        for (const std::size_t gap : {0U, 3U}) {
          for (const Direction direction : {Direction::up, Direction::down}) {
            ASSERT_TRUE(bench.at_the_guards(*kernels, fill_rows_job(log2, 3, count, gap, direction)))
                << text({log2, count, gap});
          }
        }
      }
    }
  }
}

TEST(GuardedKernels, FillRowsAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (const std::size_t bytes : {32U, 48U, 208U}) {
        ASSERT_TRUE(
            bench.at_every_alignment(*kernels, fill_rows_job(log2, 2, bytes >> log2, 5, Direction::up)))
            << text({log2, bytes});
      }
    }
  }
}

/// Rows of whole lines that lie `out_pitch` apart, from rows that lie `in_pitch` apart.
void stream(const Kernels& kernels, std::byte* out, std::size_t out_pitch, const std::byte* in,
            std::size_t in_pitch, std::size_t rows, std::size_t bytes, const copy::Prefetch& prefetch = {}) {
  copy::StoreQueue queue;
  queue.dst = out;
  queue.dst_pitch = signed_bytes(out_pitch);
  queue.src = in;
  queue.src_pitch = signed_bytes(in_pitch);
  queue.count = rows;
  queue.bytes = bytes;
  queue.prefetch = prefetch;
  kernels.stream(queue);
}

/// The destination may begin anywhere in its first line: both sides are shifted down by as much, so that
/// lines of the destination are written from a source of any alignment.
TEST(GuardedKernels, StreamRowsAtEveryPlaceWithinALine) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t lines = 1; lines <= 5; ++lines) {
      for (std::size_t shift = 0; shift < line; ++shift) {
        const std::size_t rows = 3;
        const std::size_t bytes = lines * line;
        for (std::size_t skew = 0; skew < line; ++skew) {
          Job job;
          job.in_bytes = rows * bytes;
          job.in_start = shift;
          job.out_bytes = rows * bytes;
          job.out_start = shift;
          job.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
            stream(table, out, bytes, in, bytes, rows, bytes);
          };
          ASSERT_TRUE(bench.agrees(*kernels, job, {true, skew}, {true, 0})) << text({lines, shift, skew});
          ASSERT_TRUE(bench.agrees(*kernels, job, {false, skew}, {false, 0})) << text({lines, shift, skew});
        }
      }
    }
  }
}

TEST(GuardedKernels, StreamRowsAtDifferentOffsetsInALine) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t pitch : {193U, 200U, 256U, 260U}) {
      for (std::size_t shift = 0; shift < line; ++shift) {
        const std::size_t rows = 5;
        const std::size_t bytes = 2 * line;
        Job job;  // each row is shifted down by its own offset in a line
        job.in_bytes = (rows - 1) * pitch + bytes + line;
        job.in_start = line;
        job.out_bytes = shift + (rows - 1) * pitch + bytes;
        job.out_start = shift;
        job.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
          stream(table, out, pitch, in, pitch, rows, bytes);
        };
        ASSERT_TRUE(bench.agrees(*kernels, job, {false, 0}, {true, 0})) << text({pitch, shift});
        ASSERT_TRUE(bench.agrees(*kernels, job, {true, 0}, {true, 0})) << text({pitch, shift});
      }
    }
  }
}

/// A prefetch does not read: guard pages may be prefetched.
TEST(GuardedKernels, StreamRowsPrefetchMemoryThatMustNotBeRead) {
  Bench bench;
  const Guarded forbidden(4096);
  for (const Kernels* kernels : copy::available_kernels()) {
    Job job;
    job.in_bytes = 8 * line;
    job.out_bytes = 8 * line;
    job.call = [&](const Kernels& table, std::byte* out, const std::byte* in) {
      copy::Prefetch prefetch;
      prefetch.rows = {forbidden.end(), -signed_bytes(4 * 4096), nullptr, 0};
      prefetch.lines = 2;
      prefetch.count = 4;
      stream(table, out, line, in, line, 8, line, prefetch);
    };
    EXPECT_TRUE(bench.at_the_guards(*kernels, job));
  }
}

}  // namespace
}  // namespace tenstride
