// SPDX-License-Identifier: Apache-2.0
// Rows turned to columns of one to four lines, with each instruction set, between guard pages, against the
// portable leaf.
#include <gtest/gtest.h>

#include <cstring>

#include "copy/kernels.hpp"
#include "support/guarded.hpp"

namespace tenstride {
namespace {

using copy::Along;
using copy::Kernels;
using testing::Guarded;

constexpr std::size_t line = 64;

/// What comes next: the same rows further on, others, or others that are one stream.
enum class Next : std::uint8_t { goes_on, elsewhere, one_stream };

void check(const Kernels& kernels, std::size_t log2, std::size_t groups, std::size_t lines, std::size_t skew,
           Next next, bool is_at_front) {
  const std::size_t item = std::size_t{1} << log2;
  const std::size_t rows = groups * line / item;
  const std::size_t columns = lines * line / item;
  const std::size_t row_bytes = lines * line;
  const std::size_t in_pitch = row_bytes + 5;
  const std::size_t in_bytes = (rows - 1) * in_pitch + row_bytes;
  const std::size_t out_pitch = (groups + 2) * line;
  const std::size_t out_bytes = (columns - 1) * out_pitch + groups * line;
  const Guarded in(in_bytes + skew);
  const Guarded out(out_bytes);
  const Guarded wanted(out_bytes);
  in.fill_randomly(3);
  const std::byte* const from = is_at_front ? in.at_front(skew) : in.at_back(in_bytes, skew);
  const auto pitch = static_cast<std::ptrdiff_t>(in_pitch);
  Along along;
  along.rows = is_at_front ? copy::Rows{from, pitch, nullptr, 0}
                           : copy::Rows{from + (rows - 1) * in_pitch, -pitch, nullptr, 0};
  along.lines = lines;
  along.groups = groups;
  along.dst_pitch = static_cast<std::ptrdiff_t>(out_pitch);
  along.next = along.rows;
  if (next == Next::goes_on) along.next.offset = static_cast<std::ptrdiff_t>(row_bytes);
  if (next == Next::one_stream) along.next.pitch = static_cast<std::ptrdiff_t>(row_bytes);
  along.asks_by_rows = next == Next::one_stream;
  const auto run = [&](const Kernels& table, const Guarded& to) {
    std::memset(to.begin(), 1, to.size());
    along.dst = is_at_front ? to.at_front() : to.at_back(out_bytes);
    table.turn_lines[log2 - 2](along);
    table.fence();
  };
  run(kernels, out);
  run(copy::portable_kernels(), wanted);
  ASSERT_EQ(std::memcmp(out.begin(), wanted.begin(), out.size()), 0);
}

void check_all(std::size_t log2, std::size_t groups, std::size_t lines) {
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const std::size_t skew : {0U, 1U, 63U}) {
      for (const Next next : {Next::goes_on, Next::elsewhere, Next::one_stream}) {
        for (const bool is_at_front : {true, false}) {
          check(*kernels, log2, groups, lines, skew, next, is_at_front);
          if (::testing::Test::HasFatalFailure()) {
            FAIL() << kernels->name << ' ' << log2 << ' ' << groups << ' ' << lines << ' ' << skew;
          }
        }
      }
    }
  }
}

TEST(KernelsLines, TurnRowsAtTheGuards) {
  for (std::size_t log2 = 2; log2 < 5; ++log2) {
    for (std::size_t groups = 1; groups <= Along::most_groups; ++groups) {
      for (const std::size_t lines : {1U, 2U, 3U, 6U, 8U, 21U}) {
        check_all(log2, groups, lines);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
