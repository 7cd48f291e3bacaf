// SPDX-License-Identifier: Apache-2.0
// Cuts at the lines of a destination: of a run, of the work of threads, and of the runs of blocks.
#include "copy/kernels/lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "copy/kernels/outgoing_runs.hpp"
#include "copy/line_buffer.hpp"
#include "copy/shares.hpp"

namespace tenstride {
namespace {

using copy::line_bytes;
using copy::LineBuffer;
using copy::LinePieces;
using copy::OutgoingRuns;
using copy::Shares;

TEST(LinePieces, CoverARunAndMeetWhereLinesBegin) {
  for (const Index item : {1, 2, 4, 8, 16}) {
    const Index in_line = static_cast<Index>(line_bytes) / item;
    for (Index lead = 0; lead < in_line; ++lead) {
      for (const Index extent : {1, 3, 63, 64, 65, 200, 1000}) {
        const LinePieces pieces(extent, 2 * in_line, lead);
        Index reached = 0;
        for (Index i = 0; i < pieces.count(); ++i) {
          EXPECT_EQ(pieces.first(i), reached);
          EXPECT_LT(pieces.first(i), pieces.last(i));
          if (i > 0) {
            EXPECT_EQ((pieces.first(i) + lead) % in_line, 0);
          }
          reached = pieces.last(i);
        }
        EXPECT_EQ(reached, extent);
      }
    }
  }
}

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
  EXPECT_EQ(copy::strides_to_line(24), 8);
  EXPECT_EQ(copy::strides_to_line(-96), 2);
  EXPECT_EQ(copy::strides_to_line(0), 1);
}

TEST(Shares, CoverEachUnitOnceInWholeGroups) {
  for (const int threads : {1, 2, 5}) {
    for (const Shares& shares : {Shares{1, 4, 1}, Shares{7, 4, 3}, Shares{1000, 2, 1}, Shares{1001, 8, 9}}) {
      std::vector<std::atomic<int>> taken(static_cast<std::size_t>(shares.units));
      copy::share_out(threads, shares, [&](Index from, Index to) {
        EXPECT_LT(from, to);
        EXPECT_EQ(from % shares.group, 0);
        EXPECT_TRUE(to % shares.group == 0 || to == shares.units);
        for (Index i = from; i < to; ++i) ++taken[static_cast<std::size_t>(i)];
      });
      for (const std::atomic<int>& times : taken) EXPECT_EQ(times, 1);
    }
  }
}

TEST(Shares, SplitGroupsWhereThereAreTooFewForTheThreads) {
  EXPECT_EQ(copy::split_groups(4, {80, 2, 10}).group, 10);
  EXPECT_EQ(copy::split_groups(4, {70, 2, 10}).group, 1);
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
