// SPDX-License-Identifier: Apache-2.0
// Every leaf of every instruction set between guard pages: at every alignment of both sides and with every
// tail length. A leaf may touch what its contract names (kernels.hpp) and not one byte more.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "copy/kernels.hpp"
#include "support/guarded.hpp"
#include "tenstride/element.hpp"

namespace tenstride {
namespace {

using copy::Kernels;
using testing::Guarded;

const Kernels& plain() {
  return copy::portable_kernels();
}

constexpr std::size_t line = 64;
/// Room around a destination that is looked at, beyond what may be written.
constexpr std::size_t canary = 64;

/// Whoever adds a leaf adds its test below or in a file of its own, and then counts it here.
TEST(GuardedKernels, AreAllTheLeavesThereAre) {
  constexpr std::size_t arrays = std::tuple_size_v<decltype(Kernels::turn)> +
                                 std::tuple_size_v<decltype(Kernels::turn_along)> +
                                 std::tuple_size_v<decltype(Kernels::gather)> +
                                 std::tuple_size_v<decltype(Kernels::gather_lines)> + std::size_t{2} * 4 * 3;
  constexpr std::size_t single = 8;  // name, stream, stream_run, copy_rows, fence, scale, scale_each, convert
  EXPECT_EQ(sizeof(Kernels), (arrays + single) * sizeof(void*));
}

/// A leaf's call on given addresses, by a given table.
using Call = std::function<void(const Kernels& kernels, std::byte* out, const std::byte* in)>;

/// One call between guards, and what it may touch.
struct Job {
  /// Bytes read, from `in_start` before the address that the leaf takes as its source.
  std::size_t in_bytes = 0;
  std::size_t in_start = 0;
  /// The same of the destination.
  std::size_t out_bytes = 0;
  std::size_t out_start = 0;
  /// Bytes after the destination whose content is of no meaning.
  std::size_t spill = 0;
  Call call;
};

/// The arenas live as long as the test: new pages for each call would take most of the time.
class Bench {
 public:
  Bench() : in_(32768), out_(32768), wanted_(32768), before_(32768) {
    in_.fill_randomly(1);
    before_.fill_randomly(2);
    std::memcpy(out_.begin(), before_.begin(), out_.size());
    std::memcpy(wanted_.begin(), before_.begin(), wanted_.size());
  }

  /// Where a block lies: so many bytes from the front guard, or from the guard behind.
  struct Place {
    bool is_at_front = true;
    std::size_t skew = 0;
  };

  /// Whether the table's leaf does what the portable one does, and leaves all else as it was.
  bool agrees(const Kernels& kernels, const Job& job, Place in_place, Place out_place) {
    const std::size_t out_room = job.out_bytes + job.spill;
    const std::byte* const in =
        (in_place.is_at_front ? in_.at_front(in_place.skew) : in_.at_back(job.in_bytes, in_place.skew)) +
        job.in_start;
    const auto first = static_cast<std::size_t>(
        (out_place.is_at_front ? out_.at_front(out_place.skew) : out_.at_back(out_room, out_place.skew)) -
        out_.begin());
    job.call(kernels, out_.begin() + first + job.out_start, in);
    kernels.fence();
    job.call(plain(), wanted_.begin() + first + job.out_start, in);
    // The spill holds anything.
    std::memcpy(out_.begin() + first + job.out_bytes, before_.begin() + first + job.out_bytes, job.spill);
    const std::size_t from = first < canary ? 0 : first - canary;
    const std::size_t to = std::min(first + out_room + canary, out_.size());
    const bool same = std::memcmp(out_.begin() + from, wanted_.begin() + from, to - from) == 0;
    std::memcpy(out_.begin() + from, before_.begin() + from, to - from);
    std::memcpy(wanted_.begin() + from, before_.begin() + from, to - from);
    return same;
  }

  /// Flush with the guards: both sides, each with the guard in front and the one behind.
  ::testing::AssertionResult at_the_guards(const Kernels& kernels, const Job& job) {
    for (const bool in_front : {true, false}) {
      for (const bool out_front : {true, false}) {
        if (!agrees(kernels, job, {in_front, 0}, {out_front, 0})) {
          return ::testing::AssertionFailure()
                 << kernels.name << ", source at the " << (in_front ? "front" : "back")
                 << ", destination at the " << (out_front ? "front" : "back");
        }
      }
    }
    return ::testing::AssertionSuccess();
  }

  /// Every alignment of both sides to a line, near the guard behind.
  ::testing::AssertionResult at_every_alignment(const Kernels& kernels, const Job& job) {
    for (std::size_t in_skew = 0; in_skew < line; ++in_skew) {
      for (std::size_t out_skew = 0; out_skew < line; ++out_skew) {
        if (!agrees(kernels, job, {false, in_skew}, {false, out_skew}) ||
            !agrees(kernels, job, {true, in_skew}, {true, out_skew})) {
          return ::testing::AssertionFailure()
                 << kernels.name << ", source at " << in_skew << ", destination at " << out_skew;
        }
      }
    }
    return ::testing::AssertionSuccess();
  }

 private:
  Guarded in_;
  Guarded out_;
  Guarded wanted_;
  Guarded before_;
};

std::ptrdiff_t signed_bytes(std::size_t bytes) {
  return static_cast<std::ptrdiff_t>(bytes);
}

/// Rows of whole lines, one `out_pitch` after another, from rows one `in_pitch` after another.
void stream(const Kernels& kernels, std::byte* out, std::size_t out_pitch, const std::byte* in,
            std::size_t in_pitch, std::size_t rows, std::size_t bytes, const copy::Ahead& ahead = {}) {
  copy::Pending pending;
  pending.dst = out;
  pending.dst_pitch = signed_bytes(out_pitch);
  pending.src = in;
  pending.src_pitch = signed_bytes(in_pitch);
  pending.count = rows;
  pending.bytes = bytes;
  pending.ahead = ahead;
  kernels.stream(pending);
}

std::string text(std::initializer_list<std::size_t> numbers) {
  std::string result;
  for (const std::size_t number : numbers) result += ' ' + std::to_string(number);
  return result;
}

enum class Direction { up, down };

Job turn_job(std::size_t log2, std::size_t rows, std::size_t columns, std::size_t gap, Direction direction) {
  const std::size_t item = std::size_t{1} << log2;
  const std::size_t pitch = columns * item + gap;
  Job job;
  job.in_bytes = (rows - 1) * pitch + columns * item;
  job.in_start = direction == Direction::up ? 0 : (rows - 1) * pitch;
  // Rows one after another: what spills over one is written again by the next.
  job.out_bytes = columns * rows * item;
  job.spill = 63;
  const std::ptrdiff_t in_pitch = direction == Direction::up ? signed_bytes(pitch) : -signed_bytes(pitch);
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    copy::Pending nothing;
    kernels.turn[log2](out, rows * item, copy::Rows{in, in_pitch, nullptr, 0}, rows, columns, nothing);
  };
  return job;
}

TEST(GuardedKernels, TurnTilesWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      const std::size_t group = 16 / item;
      for (std::size_t rows = 1; rows <= 2 * group + 1; ++rows) {
        for (std::size_t columns = 1; columns <= 2 * line / item + 1; ++columns) {
          ASSERT_TRUE(bench.at_the_guards(*kernels, turn_job(log2, rows, columns, 0, Direction::up)))
              << text({item, rows, columns});
          if (columns % 3 != 0) continue;
          ASSERT_TRUE(bench.at_the_guards(*kernels, turn_job(log2, rows, columns, 7, Direction::down)))
              << text({item, rows, columns});
        }
      }
    }
  }
}

TEST(GuardedKernels, TurnTilesAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t group = std::size_t{16} >> log2;
      const std::size_t columns = 2 * (line >> log2) + 3;
      for (const std::size_t rows : {group, 2 * group + 1}) {
        ASSERT_TRUE(bench.at_every_alignment(*kernels, turn_job(log2, rows, columns, 0, Direction::up)))
            << text({log2, rows});
      }
    }
  }
}

/// Rows that lie anywhere, here in an order of their own, each between guards of its own where it is last.
TEST(GuardedKernels, TurnTilesOfScatteredRows) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (std::size_t rows = 1; rows <= 35; ++rows) {
        for (std::size_t columns = 1; columns <= 2 * line / item + 1; columns += 3) {
          Job job = turn_job(log2, rows, columns, 5, Direction::up);
          job.call = [=](const Kernels& table, std::byte* out, const std::byte* in) {
            std::vector<const std::byte*> list(rows);
            for (std::size_t r = 0; r < rows; ++r) {
              const std::size_t place = r % 2 == 0 ? r / 2 : rows - 1 - r / 2;  // each once
              list[r] = in + place * (columns * item + 5);
            }
            copy::Rows scattered;
            scattered.list = list.data();
            copy::Pending nothing;
            table.turn[log2](out, rows * item, scattered, rows, columns, nothing);
          };
          ASSERT_TRUE(bench.at_the_guards(*kernels, job)) << text({item, rows, columns});
        }
      }
    }
  }
}

/// What is pending goes out from a turn as it does by itself, and the tile is turned as without it.
TEST(GuardedKernels, TurnTilesWhileLinesArePending) {
  Bench bench;
  constexpr std::size_t lines = 3;
  constexpr std::size_t pending_rows = 5;
  const Guarded from(4096);
  const Guarded to(4096);
  from.fill_randomly(3);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (std::size_t rows = 1; rows <= 40; rows += 3) {
        for (std::size_t columns = 1; columns <= 2 * line / item + 1; columns += 5) {
          constexpr std::size_t bytes = pending_rows * lines * line;
          std::byte* const streamed = to.at_back(bytes);
          std::memset(to.begin(), 0, to.size());
          Job job = turn_job(log2, rows, columns, 0, Direction::up);
          job.call = [&](const Kernels& table, std::byte* out, const std::byte* in) {
            copy::Pending pending;
            pending.dst = streamed;
            pending.dst_pitch = lines * line;
            pending.src = from.at_back(bytes);
            pending.src_pitch = lines * line;
            pending.count = pending_rows;
            pending.bytes = lines * line;
            table.turn[log2](out, rows * item, copy::Rows{in, signed_bytes(columns * item), nullptr, 0}, rows,
                             columns, pending);
            table.stream(pending);
          };
          ASSERT_TRUE(bench.agrees(*kernels, job, {false, 0}, {false, 0})) << text({item, rows, columns});
          ASSERT_EQ(std::memcmp(streamed, from.at_back(bytes), bytes), 0) << text({item, rows, columns});
          ASSERT_EQ(std::count(to.begin(), streamed, std::byte{0}), streamed - to.begin());
        }
      }
    }
  }
}

Job gather_job(std::size_t log2, std::ptrdiff_t stride, std::size_t count) {
  const std::size_t item = std::size_t{1} << log2;
  const std::ptrdiff_t bytes = stride * signed_bytes(item);
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
      for (std::ptrdiff_t stride = -9; stride <= 17; ++stride) {
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
      for (const std::ptrdiff_t stride : {-1, 0, 1, 2, 3, 4, 5, 8}) {
        ASSERT_TRUE(bench.at_every_alignment(*kernels, gather_job(log2, stride, 2 * (line >> log2) + 3)))
            << "stride " << stride << text({log2});
      }
    }
  }
}

/// Channels one after another in one block: each channel's run is the guard of the one before.
Job deinterleave_job(std::size_t log2, std::size_t channels, std::size_t count) {
  const std::size_t item = std::size_t{1} << log2;
  Job job;
  job.in_bytes = count * channels * item;
  job.out_bytes = job.in_bytes;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.deinterleave[log2][channels - 2](out, count * item, in, count);
  };
  return job;
}

Job interleave_job(std::size_t log2, std::size_t channels, std::size_t count, Direction direction) {
  const std::size_t item = std::size_t{1} << log2;
  Job job;
  job.in_bytes = count * channels * item;
  job.in_start = direction == Direction::up ? 0 : (channels - 1) * count * item;
  job.out_bytes = job.in_bytes;
  const std::ptrdiff_t run = signed_bytes(count * item);
  const std::ptrdiff_t pitch = direction == Direction::up ? run : -run;
  job.call = [=](const Kernels& kernels, std::byte* out, const std::byte* in) {
    kernels.interleave[log2][channels - 2](out, in, pitch, count);
  };
  return job;
}

TEST(GuardedKernels, WeaveAndTakeApartChannelsWithEveryTail) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < plain().deinterleave.size(); ++log2) {
      for (std::size_t channels = 2; channels < plain().deinterleave[log2].size() + 2; ++channels) {
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

TEST(GuardedKernels, WeaveAndTakeApartChannelsAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < plain().deinterleave.size(); ++log2) {
      for (std::size_t channels = 2; channels < plain().deinterleave[log2].size() + 2; ++channels) {
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
  const std::ptrdiff_t step = direction == Direction::up ? signed_bytes(pitch) : -signed_bytes(pitch);
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

TEST(GuardedKernels, CopyRowsAtEveryAlignment) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t bytes : {1U, 15U, 16U, 63U, 64U, 65U, 128U, 200U}) {
      ASSERT_TRUE(bench.at_every_alignment(*kernels, copy_rows_job(3, bytes, 5, Direction::up)))
          << text({bytes});
    }
  }
}

/// The destination's address may lie anywhere in its first line, the source's with it: both sides are moved
/// down by as much, so that lines of the destination are written from a source of any alignment.
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

TEST(GuardedKernels, StreamRowsWhosePlacesDiffer) {
  Bench bench;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t pitch : {193U, 200U, 256U, 260U}) {
      for (std::size_t shift = 0; shift < line; ++shift) {
        const std::size_t rows = 5;
        const std::size_t bytes = 2 * line;
        Job job;  // each row is moved down by its own place within a line
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

/// Asking for memory ahead reads none of it: the guard pages may be asked for.
TEST(GuardedKernels, StreamRowsAskForMemoryThatNobodyMayRead) {
  Bench bench;
  const Guarded forbidden(4096);
  for (const Kernels* kernels : copy::available_kernels()) {
    Job job;
    job.in_bytes = 8 * line;
    job.out_bytes = 8 * line;
    job.call = [&](const Kernels& table, std::byte* out, const std::byte* in) {
      copy::Ahead ahead;
      ahead.rows = {forbidden.end(), -signed_bytes(4 * 4096), nullptr, 0};
      ahead.lines = 2;
      ahead.count = 4;
      stream(table, out, line, in, line, 8, line, ahead);
    };
    EXPECT_TRUE(bench.at_the_guards(*kernels, job));
  }
}

/// Finite floats, in place.
TEST(GuardedKernels, ScaleEveryCountInPlace) {
  const Guarded memory(4096);
  const std::vector<float> numbers(300, 2.5F);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t count = 0; count < 100; ++count) {
      for (std::size_t skew = 0; skew < line; ++skew) {
        const std::size_t bytes = count * sizeof(float);
        for (std::byte* const row : {memory.at_front(skew), memory.at_back(bytes, skew)}) {
          std::memcpy(row, numbers.data(), bytes);
          kernels->scale(row, count, 3.0F, -1.5F);
          for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(load_element<float>(row + i * sizeof(float)), 6.0F)
                << kernels->name << text({count, skew, i});
          }
        }
      }
    }
  }
}

TEST(GuardedKernels, ScaleEachByItsOwnNumbers) {
  const Guarded memory(4096);
  const Guarded scales(4096);
  const Guarded shifts(4096);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t count = 0; count < 100; ++count) {
      const std::size_t bytes = count * sizeof(float);
      for (const bool is_at_front : {true, false}) {
        const auto block = [&](const Guarded& guarded) {
          return is_at_front ? guarded.at_front() : guarded.at_back(bytes);
        };
        for (std::size_t i = 0; i < count; ++i) {
          store_element<float>(block(memory) + i * sizeof(float), static_cast<float>(i));
          store_element<float>(block(scales) + i * sizeof(float), static_cast<float>(i) + 0.5F);
          store_element<float>(block(shifts) + i * sizeof(float), -static_cast<float>(i));
        }
        kernels->scale_each(block(memory), count, reinterpret_cast<const float*>(block(scales)),
                            reinterpret_cast<const float*>(block(shifts)));
        for (std::size_t i = 0; i < count; ++i) {
          const auto x = static_cast<float>(i);
          ASSERT_EQ(load_element<float>(block(memory) + i * sizeof(float)), x * (x + 0.5F) - x)
              << kernels->name << text({count, i});
        }
      }
    }
  }
}

/// Small numbers that every type holds in its way; what each pair does with the odd ones stands in Convert.
void write_numbers(DType type, std::byte* at, std::size_t count) {
  visit(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      store_element<T>(at + i * sizeof(T), convert_element<T>(static_cast<double>((i * 37 + 11) % 100)));
    }
  });
}

TEST(GuardedKernels, ConvertEveryPairWithEveryTailAtEveryAlignment) {
  const Guarded in(4096);
  const Guarded out(4096);
  const std::vector<std::byte> blank(4096, std::byte{0xab});
  std::vector<std::byte> wanted(4096);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t pair = 0; pair < dtype_count * dtype_count; ++pair) {
      const auto to = static_cast<DType>(pair / dtype_count);
      const auto from = static_cast<DType>(pair % dtype_count);
      const auto convert = kernels->convert(to, from, copy::Stores::ordinary);
      if (convert == nullptr) continue;
      for (std::size_t count = 0; count <= 70; ++count) {
        const std::size_t in_bytes = count * item_size(from);
        const std::size_t out_bytes = count * item_size(to);
        for (std::size_t skew = 0; skew < line; skew += count == 67 ? 1 : 63) {
          const bool is_at_front = (count + skew) % 2 == 0;
          std::byte* const source = is_at_front ? in.at_front(skew) : in.at_back(in_bytes, skew);
          std::byte* const target =
              is_at_front ? out.at_front(line - 1 - skew) : out.at_back(out_bytes, line - 1 - skew);
          std::memcpy(out.begin(), blank.data(), blank.size());
          std::memcpy(wanted.data(), blank.data(), blank.size());
          write_numbers(from, source, count);
          convert(target, source, count);
          copy::portable_convert(to, from)(wanted.data() + (target - out.begin()), source, count);
          ASSERT_EQ(std::memcmp(out.begin(), wanted.data(), out.size()), 0)
              << kernels->name << ' ' << name(from) << " -> " << name(to) << text({count, skew});
        }
      }
    }
  }
}

TEST(GuardedKernels, StreamRunsOfAllLengths) {
  constexpr std::size_t room = 65536;
  const Guarded in(room);
  const Guarded out(room);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t lines : {0U, 1U, 2U, 63U, 255U, 256U, 257U, 512U, 600U, 1024U}) {
      for (const std::size_t skew : {0U, 1U, 31U}) {
        const std::size_t bytes = lines * line;
        if (bytes + skew > room) continue;
        std::byte* const source = in.at_back(bytes, skew);
        for (std::size_t i = 0; i < bytes; ++i) source[i] = static_cast<std::byte>(i * 7 + i / 251);
        std::memset(out.begin(), 0xab, out.size());
        std::byte* const target = out.at_back(bytes);
        kernels->stream_run(target, source, bytes);
        kernels->fence();
        EXPECT_EQ(std::memcmp(target, source, bytes), 0) << kernels->name << text({lines, skew});
        EXPECT_EQ(std::count(out.begin(), target, std::byte{0xab}), target - out.begin());
      }
    }
  }
}

TEST(GuardedKernels, ConvertPastTheCacheToTheLastByte) {
  const Guarded in(4096);
  const Guarded out(4096);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t pair = 0; pair < dtype_count * dtype_count; ++pair) {
      const auto to = static_cast<DType>(pair / dtype_count);
      const auto from = static_cast<DType>(pair % dtype_count);
      const auto convert = kernels->convert(to, from, copy::Stores::streaming);
      if (convert == nullptr) continue;
      for (const std::size_t count : {64U, 128U, 448U}) {
        std::byte* const source = in.at_back(count * item_size(from));
        write_numbers(from, source, count);
        std::vector<std::byte> wanted(count * item_size(to));
        copy::portable_convert(to, from)(wanted.data(), source, count);
        std::byte* const target = out.at_back(wanted.size());
        convert(target, source, count);
        kernels->fence();
        ASSERT_EQ(std::memcmp(target, wanted.data(), wanted.size()), 0)
            << kernels->name << ' ' << name(from) << " -> " << name(to) << text({count});
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
