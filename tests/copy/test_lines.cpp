// SPDX-License-Identifier: Apache-2.0
// Cuts at the lines of a destination.
#include "copy/kernels/lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "copy/kernels/outgoing_runs.hpp"
#include "copy/line_buffer.hpp"

namespace tenstride {
namespace {

using copy::line_bytes;
using copy::LineBuffer;
using copy::OutgoingRuns;

TEST(Lines, GiveTheOffsetOfAnAddress) {
  const LineBuffer buffer(256);
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(copy::line_offset(buffer.data() + i), i % 64);
    EXPECT_EQ((i + copy::bytes_to_line(buffer.data() + i)) % 64, 0);
    EXPECT_LT(copy::bytes_to_line(buffer.data() + i), 64);
  }
  EXPECT_EQ(copy::odd_lines(1), 64);
  EXPECT_EQ(copy::odd_lines(65), 192);
  EXPECT_EQ(copy::odd_lines(192), 192);
}

/// Writes blocks of random runs, one after the other, and checks that each byte is written once: whole lines
/// by one store, the remaining items by `next`.
class RunWriter {
 public:
  RunWriter(unsigned seed, std::size_t item) : random_(seed), item_(item) {}

  void check() {
    const std::size_t runs = 1 + random_() % 5;
    const std::size_t blocks = 1 + random_() % 4;
    const std::size_t in_line = line_bytes / item_;
    // Runs that continue in the next block have at least the items of a line.
    const std::size_t items = in_line + random_() % 200;
    const std::size_t length = items * blocks * item_;
    const std::size_t run_pitch = length + (1 + random_() % 9) * item_;
    const std::size_t start = random_() % (in_line + 1) * item_;
    std::vector<Index> run_offsets;
    for (std::size_t r = 0; r < runs; ++r) run_offsets.push_back(static_cast<Index>(r * run_pitch));
    bytes_ = LineBuffer(2 * line_bytes + runs * run_pitch);
    written_.assign(bytes_.size(), 0);
    const std::size_t pitch = copy::odd_lines(items * item_ + line_bytes);
    std::array<LineBuffer, 2> buffers{LineBuffer(runs * pitch + line_bytes),
                                      LineBuffer(runs * pitch + line_bytes)};
    for (std::size_t b = 0; b < blocks; ++b) {
      OutgoingRuns out;
      out.dst = bytes_.data() + start + b * items * item_;
      out.offsets = run_offsets.data();
      out.count = runs;
      out.rows = buffers[b % 2].data() + line_bytes;
      out.pitch = static_cast<Index>(pitch);
      out.next_rows = buffers[(b + 1) % 2].data() + line_bytes;
      out.items = items;
      out.dst_log2 = out.src_log2 = static_cast<unsigned>(std::countr_zero(item_));
      out.begins = b == 0;
      out.ends = b + 1 == blocks;
      for (std::size_t r = 0; r < runs; ++r) {
        for (std::size_t i = 0; i < items * item_; ++i)
          out.rows[r * pitch + i] = value(start + b * items * item_ + r * run_pitch + i);
      }
      write(out);
    }
    for (std::size_t at = 0; at < written_.size(); ++at) {
      const bool is_within =
          at >= start && (at - start) / run_pitch < runs && (at - start) % run_pitch < length;
      ASSERT_EQ(written_[at], is_within ? 1 : 0) << at;
      if (is_within) {
        ASSERT_EQ(bytes_.data()[at], value(at)) << at;
      }
    }
  }

 private:
  static std::byte value(std::size_t at) { return static_cast<std::byte>(at * 37 + at / 256); }

  void put(std::byte* to, const std::byte* from, std::size_t bytes) {
    const auto at = static_cast<std::size_t>(to - bytes_.data());
    for (std::size_t i = 0; i < bytes; ++i) ++written_[at + i];
    std::memcpy(to, from, bytes);
  }

  void write(OutgoingRuns& out) {
    std::size_t max_lines = out.lines();
    while (out.next(
        [this](std::byte* to, const std::byte* from, std::size_t items) { put(to, from, items * item_); })) {
      ASSERT_EQ(copy::line_offset(out.to), 0);
      ASSERT_LE(out.left, max_lines);
      max_lines -= out.left;
      put(out.to, out.from, out.left * line_bytes);
      out.left = 0;
    }
  }

  std::mt19937 random_;
  std::size_t item_;
  LineBuffer bytes_;
  std::vector<int> written_;
};

TEST(OutgoingRuns, WriteEachByteOnceAndLinesWhole) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    for (const std::size_t item : {1U, 2U, 4U, 8U, 16U}) {
      RunWriter(seed, item).check();
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << ", items of " << item << " bytes";
    }
  }
}

}  // namespace
}  // namespace tenstride
