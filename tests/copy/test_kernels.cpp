// SPDX-License-Identifier: Apache-2.0
// Every kernel of every instruction set that this processor has, against the portable one.
#include <gtest/gtest.h>

#include "copy/kernels/kernels.hpp"
#include "support/copy_oracle.hpp"

namespace tenstride {
namespace {

using copy::Kernels;
using copy::spill_bytes;
using oracle::Bytes;
using oracle::Random;

const Kernels& plain() {
  return copy::portable_kernels();
}

TEST(Kernels, EndWithThePortableOnes) {
  const auto tables = copy::available_kernels();
  ASSERT_FALSE(tables.empty());
  EXPECT_EQ(tables.back(), &plain());
  EXPECT_EQ(tables.front(), &copy::kernels());
  EXPECT_STREQ(plain().name, "portable");
}

TEST(Kernels, TransposeTilesOfAllSizesPackedAndPadded) {
  Random random(1);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (int round = 0; round < 400; ++round) {
        const auto rows = static_cast<std::size_t>(random.between(1, 70));
        const auto columns = static_cast<std::size_t>(random.between(1, 140));
        const std::size_t out_pitch = random.one_in(2) ? rows * item : (rows * item + 15) / 16 * 16 + 16;
        const std::size_t in_pitch =
            columns * item + static_cast<std::size_t>(random.one_in(2) ? 0 : random.between(0, 99));
        // Exactly the bytes of the tile, so that AddressSanitizer detects any read beyond it.
        const Bytes in = random.bytes((rows - 1) * in_pitch + columns * item);
        Bytes given(columns * out_pitch + spill_bytes);
        Bytes wanted = given;
        const bool upwards = random.one_in(2);
        const std::byte* from = upwards ? in.data() : in.data() + (rows - 1) * in_pitch;
        const auto pitch = upwards ? static_cast<Index>(in_pitch) : -static_cast<Index>(in_pitch);
        const copy::SourceRows source{from, pitch, nullptr, 0};
        copy::StoreQueue nothing;
        kernels->transpose[log2](given.data(), out_pitch, source, rows, columns, nothing);
        plain().transpose[log2](wanted.data(), out_pitch, source, rows, columns, nothing);
        for (std::size_t c = 0; c < columns; ++c) {
          const auto at = static_cast<Index>(c * out_pitch);
          const auto end = at + static_cast<Index>(rows * item);
          ASSERT_TRUE(std::equal(given.begin() + at, given.begin() + end, wanted.begin() + at))
              << kernels->name << " item " << item << ", " << rows << " x " << columns << ", column " << c;
        }
      }
    }
  }
}

TEST(Kernels, GatherEveryStride) {
  Random random(2);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (Index stride = -5; stride <= 9; ++stride) {
        for (std::size_t count = 1; count < 200; count += 1 + count / 20) {
          const auto bytes = stride * static_cast<Index>(item);
          const auto span = static_cast<std::size_t>(std::abs(bytes)) * (count - 1);
          const Bytes in = random.bytes(span + item);
          Bytes given(count * item);
          Bytes wanted = given;
          const std::byte* from = in.data() + (stride < 0 ? span : 0);
          kernels->gather[log2](given.data(), from, bytes, count);
          plain().gather[log2](wanted.data(), from, bytes, count);
          ASSERT_EQ(given, wanted) << kernels->name << " item " << item << ", stride " << stride << ", "
                                   << count;
        }
      }
    }
  }
}

TEST(Kernels, InterleaveAndDeinterleaveChannels) {
  Random random(3);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (std::size_t channels = 2; channels <= 16; ++channels) {
        for (std::size_t count = 1; count < 300; count += 1 + count / 30) {
          const Bytes in = random.bytes(count * channels * item);
          Bytes given(in.size());
          Bytes wanted(in.size());
          kernels->deinterleave[log2](given.data(), count * item, in.data(), channels, count, in.data());
          plain().deinterleave[log2](wanted.data(), count * item, in.data(), channels, count, nullptr);
          ASSERT_EQ(given, wanted) << kernels->name << " item " << item << ", " << channels << " x " << count;
          kernels->interleave[log2](given.data(), wanted.data(), static_cast<Index>(count * item), channels,
                                    count);
          ASSERT_EQ(given, in) << kernels->name << " item " << item << ", " << channels << " x " << count;
        }
      }
    }
  }
}

TEST(Kernels, DeinterleaveManyChannelsWhilePrefetchingOthers) {
  Random random(7);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (std::size_t channels = 17; channels <= 70; channels += 1 + channels / 12) {
        for (const std::size_t count : {1U, 3U, 16U, 17U, 64U, 67U, 150U}) {
          const Bytes in = random.bytes(count * channels * item);
          Bytes given(in.size());
          Bytes wanted(in.size());
          kernels->deinterleave[log2](given.data(), count * item, in.data(), channels, count, in.data());
          plain().deinterleave[log2](wanted.data(), count * item, in.data(), channels, count, nullptr);
          ASSERT_EQ(given, wanted) << kernels->name << " item " << item << ", " << channels << " x " << count;
        }
      }
    }
  }
}

copy::StoreQueue queued_rows(std::byte* dst, Index dst_pitch, const std::byte* src) {
  copy::StoreQueue queue;
  queue.dst = dst;
  queue.dst_pitch = dst_pitch;
  queue.src = src;
  queue.src_pitch = 256;
  queue.count = 9;
  queue.bytes = 128;
  queue.prefetch.rows = {src, 70, nullptr, 0};
  queue.prefetch.lines = 3;
  queue.prefetch.count = 5;
  queue.prefetch.pace = 2;
  return queue;
}

/// Returns the start of a line with room on both sides.
std::byte* middle(Bytes& bytes) {
  return bytes.data() + 4096 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 64;
}

Bytes around(Bytes& bytes) {
  return {middle(bytes) - 2400, middle(bytes) + 2400};
}

TEST(Kernels, StreamWholeLinesShiftedToTheirStart) {
  Random random(4);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const Index dst_pitch : {192, 260, -260, 193}) {
      const Bytes in = random.bytes(4096);
      Bytes given(8192, std::byte{0xab});
      Bytes wanted = given;
      copy::StoreQueue fast = queued_rows(middle(given), dst_pitch, in.data() + 64);
      kernels->stream(fast);
      kernels->fence();
      copy::StoreQueue slow = queued_rows(middle(wanted), dst_pitch, in.data() + 64);
      plain().stream(slow);
      EXPECT_EQ(around(given), around(wanted)) << kernels->name << ' ' << dst_pitch;
      EXPECT_EQ(fast.lines(), 0U);
    }
  }
}

TEST(Kernels, TransposeWritesNoMoreLinesThanTheQueueHas) {
  Random random(40);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (const std::size_t columns : {1U, 7U, 64U, 200U}) {
        const Bytes in = random.bytes(4096);
        const Bytes matrix = random.bytes(33 * columns * item);
        Bytes given(8192, std::byte{0xab});
        Bytes wanted = given;
        Bytes transposed(columns * 33 * item + spill_bytes);
        copy::StoreQueue fast = queued_rows(middle(given), 193, in.data() + 64);
        const copy::SourceRows rows{matrix.data(), static_cast<Index>(columns * item), nullptr, 0};
        kernels->transpose[log2](transposed.data(), 33 * item, rows, 33, columns, fast);
        kernels->stream(fast);
        kernels->fence();
        copy::StoreQueue slow = queued_rows(middle(wanted), 193, in.data() + 64);
        plain().stream(slow);
        EXPECT_EQ(around(given), around(wanted)) << kernels->name << " item " << item;
      }
    }
  }
}

TEST(Kernels, CopyRowsOfAllLengths) {
  Random random(5);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t bytes = 1; bytes < 200; ++bytes) {
      const Bytes in = random.bytes(bytes * 5);
      Bytes given(bytes * 10 + 1);
      Bytes wanted = given;
      kernels->copy_rows(given.data() + 1, static_cast<Index>(bytes * 2), in.data(),
                         static_cast<Index>(bytes), 5, bytes);
      plain().copy_rows(wanted.data() + 1, static_cast<Index>(bytes * 2), in.data(),
                        static_cast<Index>(bytes), 5, bytes);
      ASSERT_EQ(given, wanted) << kernels->name << ' ' << bytes;
    }
  }
}

}  // namespace
}  // namespace tenstride
