// SPDX-License-Identifier: Apache-2.0
// Gathered items written by streaming stores, with each instruction set, between guard pages.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "copy/kernels/kernels.hpp"
#include "support/guarded.hpp"

namespace tenstride {
namespace {

using copy::Kernels;
using testing::Guarded;

constexpr std::size_t line = 64;

class Arena {
 public:
  Arena() : in_(std::size_t{1} << 18), out_(std::size_t{1} << 16), wanted_(std::size_t{1} << 16) {
    in_.fill_randomly(1);
  }

  /// Runs the kernel with both sides against the guards and returns the number of lines that it wrote. Tests
  /// that these are what a plain loop gives, and that nothing else is written.
  std::size_t lines(const Kernels& kernels, std::size_t log2, Index items_apart, std::size_t count) {
    const std::size_t item = std::size_t{1} << log2;
    const Index stride = items_apart * static_cast<Index>(item);
    const std::size_t span = count == 0 ? 0 : (count - 1) * static_cast<std::size_t>(std::abs(stride)) + item;
    std::size_t written = 0;
    for (const bool is_at_front : {true, false}) {
      const auto streams = is_at_front ? MemoryStreams::several : MemoryStreams::one;
      const std::byte* first = is_at_front ? in_.at_front() : in_.at_back(span);
      if (stride < 0 && count > 0) first += span - item;
      const std::size_t whole = count * item / line * line;
      std::byte* const out = is_at_front ? out_.at_front() : out_.at_back(whole);
      std::memset(out_.begin(), 1, out_.size());
      std::memset(wanted_.begin(), 1, wanted_.size());
      written = kernels.gather_lines[log2](out, first, stride, count, streams);
      kernels.fence();
      EXPECT_LE(written * line, whole);
      copy::portable_kernels().gather[log2](wanted_.begin() + (out - out_.begin()), first, stride,
                                            written * line / item);
      EXPECT_EQ(std::memcmp(out_.begin(), wanted_.begin(), out_.size()), 0)
          << kernels.name << ", " << count << " items of " << item << " bytes, " << items_apart << " apart";
    }
    return written;
  }

 private:
  Guarded in_;
  Guarded out_;
  Guarded wanted_;
};

TEST(KernelsGatherLines, WriteWhatGatherDoes) {
  Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (Index apart = -3; apart <= 6; ++apart) {
        for (std::size_t count = 0; count <= 3 * (line >> log2) + 1; ++count) {
          arena.lines(*kernels, log2, apart, count);
          if (HasFailure()) return;
        }
        // Four pages and a remainder.
        arena.lines(*kernels, log2, apart, ((4 * 4096 + 5 * line) >> log2) + 1);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(KernelsGatherLines, AreAllThatFitButTheLastOfAStride) {
  Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    if (kernels == &copy::portable_kernels()) continue;
    for (std::size_t log2 = 0; log2 < 4; ++log2) {
      const std::size_t items = line >> log2;
      EXPECT_EQ(arena.lines(*kernels, log2, -1, 5 * items), 5U);
      for (const Index apart : {2, 3, 4}) {
        EXPECT_EQ(arena.lines(*kernels, log2, apart, 5 * items), 4U);
        EXPECT_EQ(arena.lines(*kernels, log2, apart, 5 * items + 1), 5U);
      }
      EXPECT_EQ(arena.lines(*kernels, log2, 5, 5 * items), 0U);
    }
  }
}

}  // namespace
}  // namespace tenstride
