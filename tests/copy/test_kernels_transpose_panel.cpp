// SPDX-License-Identifier: Apache-2.0
// Panels transposed by each instruction set, between guard pages, against the portable kernel.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "copy/kernels/kernels.hpp"
#include "support/guarded.hpp"

namespace tenstride {
namespace {

using copy::Kernels;
using copy::TransposePanel;
using testing::Guarded;

constexpr std::size_t line = 64;

enum class Prefetches { blocks, sequentially, into_l1 };

struct Case {
  std::size_t log2 = 0;
  std::size_t lines = 1;
  std::size_t in_skew = 0;
  std::size_t out_skew = 0;
  bool has_partial_lines = false;
  /// Whether rows and columns are indexed, in a mixed order.
  bool is_scattered = false;
  /// Columns behind the last whole line; whether this is the first and the last panel; and how many rows are
  /// missing then.
  std::size_t more = 0;
  bool is_first = false;
  bool is_last = false;
  std::size_t missing = 0;

  [[nodiscard]] std::size_t item() const { return std::size_t{1} << log2; }
  [[nodiscard]] std::size_t rows() const { return TransposePanel::column_bytes / item() - missing; }
  [[nodiscard]] std::size_t columns() const { return lines * line / item() + more; }
  [[nodiscard]] std::size_t row_bytes() const { return columns() * item(); }
  [[nodiscard]] bool shares_line_before() const { return has_partial_lines && !is_first; }
  /// Columns with partial lines begin anywhere in a line, each at another offset.
  [[nodiscard]] std::size_t out_pitch() const {
    return TransposePanel::column_bytes + (has_partial_lines ? 3 * item() : line);
  }
  [[nodiscard]] std::size_t out_bytes() const {
    return (columns() - 1) * out_pitch() + rows() * item() + (shares_line_before() ? line : 0);
  }
  [[nodiscard]] std::size_t in_bytes() const { return (rows() - 1) * (row_bytes() + 5) + row_bytes(); }
};

class Arena {
 public:
  Arena() : in_(std::size_t{1} << 19), out_(std::size_t{1} << 19), wanted_(std::size_t{1} << 19) {
    in_.fill_randomly(1);
  }

  /// Tests that the kernel writes what the portable one writes, saves the same partial lines, and preserves
  /// all other bytes, whatever it prefetches.
  void check(const Kernels& kernels, const Case& c, bool is_at_front) {
    for (const Prefetches prefetches : {Prefetches::blocks, Prefetches::sequentially, Prefetches::into_l1})
      check_with(kernels, c, is_at_front, prefetches);
  }

 private:
  void check_with(const Kernels& kernels, const Case& c, bool is_at_front, Prefetches prefetches) {
    const std::byte* const in = is_at_front ? in_.at_front(c.in_skew) : in_.at_back(c.in_bytes(), c.in_skew);
    const auto scattered = [](std::size_t i, std::size_t count) {
      return i % 2 == 0 ? i / 2 : count - 1 - i / 2;  // each once
    };
    std::vector<const std::byte*> addresses;
    for (std::size_t r = 0; r < c.rows(); ++r)
      addresses.push_back(in + scattered(r, c.rows()) * (c.row_bytes() + 5));
    std::vector<Index> offsets;
    for (std::size_t k = 0; k < c.columns(); ++k)
      offsets.push_back(static_cast<Index>(scattered(k, c.columns()) * c.out_pitch()));
    // Different bytes, and the line behind that may be read.
    std::vector<std::byte> partial_lines((c.columns() + 1) * line);
    for (std::size_t i = 0; i < partial_lines.size(); ++i)
      partial_lines[i] = static_cast<std::byte>(i * 37 + i / 256);
    std::vector<std::byte> wanted_partial_lines = partial_lines;
    const auto run = [&](const Kernels& table, const Guarded& out, std::vector<std::byte>& lines_of_columns) {
      std::memset(out.begin(), 1, out.size());
      TransposePanel panel;
      panel.dst = (is_at_front ? out.at_front(c.out_skew) : out.at_back(c.out_bytes(), c.out_skew)) +
                  (c.shares_line_before() ? line : 0);
      if (c.is_scattered) {
        panel.column_offsets = offsets.data();
      } else {
        panel.dst_pitch = static_cast<Index>(c.out_pitch());
      }
      panel.rows = copy::SourceRows{in, static_cast<Index>(c.row_bytes() + 5),
                                    c.is_scattered ? addresses.data() : nullptr, 0};
      panel.next_rows = panel.rows;
      panel.lines = c.lines;
      panel.partial_lines = c.has_partial_lines ? lines_of_columns.data() : nullptr;
      panel.tail_columns = c.more;
      panel.row_count = panel.next_row_count = c.rows();
      panel.is_first = c.is_first;
      panel.is_last = c.is_last;
      panel.prefetches_into_l1 = prefetches == Prefetches::into_l1;
      panel.prefetches_sequentially = prefetches == Prefetches::sequentially;
      table.transpose_panel[c.log2](panel);
      table.fence();
    };
    run(kernels, out_, partial_lines);
    run(copy::portable_kernels(), wanted_, wanted_partial_lines);
    ASSERT_EQ(std::memcmp(out_.begin(), wanted_.begin(), out_.size()), 0);
    ASSERT_EQ(partial_lines, wanted_partial_lines);
  }

  Guarded in_;
  Guarded out_;
  Guarded wanted_;
};

/// Less than a block, a whole block, and several blocks with a part of one.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (std::size_t log2 = 0; log2 < 5; ++log2) {
    for (const std::size_t lines : {std::size_t{1}, std::size_t{2}, std::size_t{3},
                                    TransposePanel::block_lines, 2 * TransposePanel::block_lines + 5}) {
      for (const bool is_scattered : {false, true}) {
        cases.push_back({log2, lines, 0, 0, false, is_scattered});
        cases.push_back({log2, lines, 3, 0, true, is_scattered});
      }
    }
  }
  return cases;
}

TEST(KernelsTransposePanel, TransposesRowsAtTheGuards) {
  Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (const Case& c : all_cases()) {
      for (const bool is_at_front : {true, false}) {
        arena.check(*kernels, c, is_at_front);
        if (HasFatalFailure()) FAIL() << kernels->name << ' ' << c.item() << ' ' << c.lines;
      }
    }
  }
}

TEST(KernelsTransposePanel, TransposesRowsAtEveryAlignment) {
  Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t skew = 0; skew < line; ++skew) {
        const std::size_t out_skew = (63 - skew) >> log2 << log2;
        arena.check(*kernels, {log2, 2, skew, out_skew, true, false}, skew % 2 == 0);
        arena.check(*kernels, {log2, 2, skew, 0, false, false}, true);
        if (HasFatalFailure()) FAIL() << kernels->name << ' ' << log2 << ' ' << skew;
      }
    }
  }
}

/// First and last panels, and panels that are both, with any number of rows, in front of other bytes and of a
/// guard.
TEST(KernelsTransposePanel, BeginsAndEndsWithinALine) {
  Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t missing = 0; missing < TransposePanel::column_bytes >> log2; ++missing) {
        Case c{log2, 1, missing % 7, missing << log2 & 63U, true, missing % 2 == 1};
        c.more = missing % (line >> log2);
        c.is_last = true;
        c.missing = missing;
        for (const bool is_first : {false, true}) {
          c.is_first = is_first;
          arena.check(*kernels, c, missing % 3 == 0);
        }
        c.is_first = c.has_partial_lines = false;
        c.out_skew = 0;
        arena.check(*kernels, c, true);
      }
      arena.check(*kernels, {log2, 1, 0, line - (std::size_t{1} << log2), true, false, 0, true}, true);
      if (HasFatalFailure()) FAIL() << kernels->name << ' ' << log2;
    }
  }
}

/// Rows that end within a line, at every length of the tail, up to two blocks.
TEST(KernelsTransposePanel, TransposesAllColumns) {
  Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t more = 1; more < line >> log2; ++more) {
        for (const bool has_partial_lines : {false, true}) {
          const std::size_t lines = more % 5 == 1 ? 2 * TransposePanel::block_lines + 1 : 1;
          const Case c{log2, lines, more % 64, 0, has_partial_lines, false, more};
          arena.check(*kernels, c, more % 3 == 0);
        }
        if (HasFatalFailure()) FAIL() << kernels->name << ' ' << log2 << ' ' << more;
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
