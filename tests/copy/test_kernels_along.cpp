// SPDX-License-Identifier: Apache-2.0
// Columns turned as rows are read, with each instruction set, between guard pages, against the portable leaf.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "copy/kernels/kernels.hpp"
#include "support/guarded.hpp"

namespace tenstride {
namespace {

using copy::Along;
using copy::Kernels;
using testing::Guarded;

constexpr std::size_t line = 64;

enum class Prefetches { pages, rows, near };

struct Case {
  std::size_t log2 = 0;
  std::size_t lines = 1;
  std::size_t in_skew = 0;
  std::size_t out_skew = 0;
  bool keeps = false;
  /// Whether rows and columns are listed, in no order.
  bool is_scattered = false;
  /// Columns behind the last whole line, whether columns begin and end, and how many rows are missing then.
  std::size_t more = 0;
  bool begins = false;
  bool ends = false;
  std::size_t missing = 0;

  [[nodiscard]] std::size_t item() const { return std::size_t{1} << log2; }
  [[nodiscard]] std::size_t rows() const { return Along::column_bytes / item() - missing; }
  [[nodiscard]] std::size_t columns() const { return lines * line / item() + more; }
  [[nodiscard]] std::size_t row_bytes() const { return columns() * item(); }
  [[nodiscard]] bool shares_line_before() const { return keeps && !begins; }
  /// Columns that are kept begin anywhere in a line, each elsewhere.
  [[nodiscard]] std::size_t out_pitch() const { return Along::column_bytes + (keeps ? 3 * item() : line); }
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

  /// Whether the leaf writes what the portable one writes, keeps what it keeps, and leaves all else as it
  /// was, whatever it asks for.
  void check(const Kernels& kernels, const Case& c, bool is_at_front) {
    for (const Prefetches asks : {Prefetches::pages, Prefetches::rows, Prefetches::near})
      check_asking(kernels, c, is_at_front, asks);
  }

 private:
  void check_asking(const Kernels& kernels, const Case& c, bool is_at_front, Prefetches asks) {
    const std::byte* const in = is_at_front ? in_.at_front(c.in_skew) : in_.at_back(c.in_bytes(), c.in_skew);
    const auto scattered = [](std::size_t i, std::size_t count) {
      return i % 2 == 0 ? i / 2 : count - 1 - i / 2;  // each once
    };
    std::vector<const std::byte*> list;
    for (std::size_t r = 0; r < c.rows(); ++r)
      list.push_back(in + scattered(r, c.rows()) * (c.row_bytes() + 5));
    std::vector<std::ptrdiff_t> places;
    for (std::size_t k = 0; k < c.columns(); ++k)
      places.push_back(static_cast<std::ptrdiff_t>(scattered(k, c.columns()) * c.out_pitch()));
    // Each byte another, and the line behind that may be read.
    std::vector<std::byte> kept((c.columns() + 1) * line);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = static_cast<std::byte>(i * 37 + i / 256);
    std::vector<std::byte> wanted_kept = kept;
    const auto run = [&](const Kernels& table, const Guarded& out, std::vector<std::byte>& keep) {
      std::memset(out.begin(), 1, out.size());
      Along along;
      along.dst = (is_at_front ? out.at_front(c.out_skew) : out.at_back(c.out_bytes(), c.out_skew)) +
                  (c.shares_line_before() ? line : 0);
      if (c.is_scattered) {
        along.places = places.data();
      } else {
        along.dst_pitch = static_cast<std::ptrdiff_t>(c.out_pitch());
      }
      along.rows = copy::Rows{in, static_cast<std::ptrdiff_t>(c.row_bytes() + 5),
                              c.is_scattered ? list.data() : nullptr, 0};
      along.next = along.rows;
      along.lines = c.lines;
      along.kept = c.keeps ? keep.data() : nullptr;
      along.columns = c.more;
      along.count = along.next_count = c.rows();
      along.begins = c.begins;
      along.ends = c.ends;
      along.prefetches_near = asks == Prefetches::near;
      along.prefetches_by_rows = asks == Prefetches::rows;
      table.transpose_along[c.log2](along);
      table.fence();
    };
    run(kernels, out_, kept);
    run(copy::portable_kernels(), wanted_, wanted_kept);
    ASSERT_EQ(std::memcmp(out_.begin(), wanted_.begin(), out_.size()), 0);
    ASSERT_EQ(kept, wanted_kept);
  }

  Guarded in_;
  Guarded out_;
  Guarded wanted_;
};

/// Less than a page, a whole one, and some pages with a part of one.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (std::size_t log2 = 0; log2 < 5; ++log2) {
    for (const std::size_t lines :
         {std::size_t{1}, std::size_t{2}, std::size_t{3}, Along::page_lines, 2 * Along::page_lines + 5}) {
      for (const bool is_scattered : {false, true}) {
        cases.push_back({log2, lines, 0, 0, false, is_scattered});
        cases.push_back({log2, lines, 3, 0, true, is_scattered});
      }
    }
  }
  return cases;
}

TEST(KernelsAlong, TurnRowsAtTheGuards) {
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

TEST(KernelsAlong, TurnRowsAtEveryAlignment) {
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

/// Strips that begin or end, or both, with any number of rows, in front of other bytes and of a guard.
TEST(KernelsAlong, BeginAndEndWithinALine) {
  Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t missing = 0; missing < Along::column_bytes >> log2; ++missing) {
        Case c{log2, 1, missing % 7, missing << log2 & 63U, true, missing % 2 == 1};
        c.more = missing % (line >> log2);
        c.ends = true;
        c.missing = missing;
        for (const bool begins : {false, true}) {
          c.begins = begins;
          arena.check(*kernels, c, missing % 3 == 0);
        }
        c.begins = c.keeps = false;
        c.out_skew = 0;
        arena.check(*kernels, c, true);
      }
      arena.check(*kernels, {log2, 1, 0, line - (std::size_t{1} << log2), true, false, 0, true}, true);
      if (HasFatalFailure()) FAIL() << kernels->name << ' ' << log2;
    }
  }
}

/// Rows that end within a line, as many as there are, up to two pages.
TEST(KernelsAlong, TurnAllColumns) {
  Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      for (std::size_t more = 1; more < line >> log2; ++more) {
        for (const bool keeps : {false, true}) {
          const std::size_t lines = more % 5 == 1 ? 2 * Along::page_lines + 1 : 1;
          const Case c{log2, lines, more % 64, 0, keeps, false, more};
          arena.check(*kernels, c, more % 3 == 0);
        }
        if (HasFatalFailure()) FAIL() << kernels->name << ' ' << log2 << ' ' << more;
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
