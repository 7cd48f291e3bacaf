// SPDX-License-Identifier: Apache-2.0
// The units that a copy is made in, and how they are shared among threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"
#include "tenstride/plan/nest.hpp"

namespace tenstride::detail {

/// How the units of a grid are divided among threads: `count` shares, each of successive units.
struct Shares {
  Index count = 1;
  /// Whether the units of one pass of the innermost loop are in one share.
  bool keeps_innermost = false;
};

/// Loops over units, each of which one thread makes as a whole. A loop goes over the iterations of a loop of
/// the copy in parts of equal length; the first and the last part may have fewer.
///
/// Example: 100 rows of 5000 items in parts of 2048 are 300 units. Three threads share them in 42 shares of
/// 7 or 8 units.
class Grid {
 public:
  /// As many loops as a copy has, and two that a way may add.
  static constexpr std::size_t max_loops = max_rank + 2;
  /// The number of the loop that is added first.
  static constexpr std::size_t innermost = max_loops - 1;

  Grid() noexcept {}  // leaves the loops' memory as it is

  /// The most shares of each thread. More shorten the wait for the last thread, and keep what all threads
  /// read close together: 8 → 32 for rows gathered with a step of 2, .92 → 1.01 of the speed of pieces of 128
  /// KiB (two threads, Zen 3). Fewer begin less often with an empty cache and new buffers.
  Index shares_per_thread = 32;
  /// Whether the parts of the innermost loop are better kept in one share.
  bool keeps_innermost = false;
  /// The most shares of all threads together.
  Index max_shares = std::numeric_limits<Index>::max();

  /// Adds a loop around the others: loop `of` of the nest, given as `loop`, in parts of `part` iterations.
  /// The first part lacks `before`, so that the others begin at the start of a cache line. Returns the loop's
  /// number, which stays the same while others are added around it. Pre: before < part.
  std::size_t add_around(std::size_t of, const Loop& loop, Index part = 1, Index before = 0) {
    loops_[--begin_] = {ceil_divide(loop.extent + before, part), part * loop.dst_stride,
                        part * loop.src_stride};
    cuts_[begin_] = {loop.extent, part, before, of};
    return begin_;
  }
  /// Adds the outermost loops of a nest around the others, each iteration a part.
  void add_outer(const Loops& loops, std::size_t count) {
    for (std::size_t d = count; d-- > 0;) add_around(d, loops[d]);
  }

  [[nodiscard]] std::size_t size() const { return max_loops - begin_; }
  /// The loops, outermost first: how many parts each has, and the distance from part to part in bytes.
  [[nodiscard]] std::span<const Loop> loops() const { return {loops_.data() + begin_, size()}; }
  /// The number of the loop that was added last.
  [[nodiscard]] std::size_t outermost() const { return begin_; }
  /// The place in `loops` of the loop with a number.
  [[nodiscard]] std::size_t place(std::size_t number) const { return number - begin_; }
  /// The loop of the nest that the loop with a number goes over, and the iterations of its parts.
  [[nodiscard]] std::size_t of(std::size_t number) const { return cuts_[number].of; }
  [[nodiscard]] Index part(std::size_t number) const { return cuts_[number].part; }
  /// The first iteration of a part of the loop with a number, and the one behind its last.
  [[nodiscard]] Index first(std::size_t number, Index part) const { return cuts_[number].first(part); }
  [[nodiscard]] Index last(std::size_t number, Index part) const { return cuts_[number].last(part); }
  /// The iterations of a part.
  [[nodiscard]] Index length(std::size_t number, Index part) const {
    return last(number, part) - first(number, part);
  }

  /// The number of units.
  [[nodiscard]] TENSTRIDE_API Index units() const;
  /// The iterations of all units together, and of the units before one.
  [[nodiscard]] TENSTRIDE_API Index iterations() const;
  [[nodiscard]] TENSTRIDE_API Index iterations_before(Index unit) const;

  /// The shares of so many threads: equally many for each, with about as many iterations in each. The largest
  /// has at most 8/7 of the mean wherever each thread gets 7 of the largest units.
  [[nodiscard]] TENSTRIDE_API Shares shares(int threads) const;
  /// The first unit of a share. Pre: 0 <= share <= shares.count.
  [[nodiscard]] TENSTRIDE_API Index first_unit(const Shares& shares, Index share) const;

 private:
  struct Cut {
    Index extent;
    Index part;
    Index before;
    std::size_t of;
    [[nodiscard]] Index first(Index number) const { return std::max<Index>(number * part - before, 0); }
    [[nodiscard]] Index last(Index number) const { return std::min((number + 1) * part - before, extent); }
  };

  /// The unit before which there are about so many iterations.
  [[nodiscard]] Index unit_at(Index iterations, bool keeps) const;
  /// The iterations of the largest unit, or of the largest pass of the innermost loop.
  [[nodiscard]] Index largest(bool keeps) const;

  std::size_t begin_ = max_loops;
  std::array<Loop, max_loops> loops_;
  std::array<Cut, max_loops> cuts_;
};

/// So many units of a thread are shared evenly: the largest share is at most 8/7 of the mean.
inline constexpr Index even_units = 7;

}  // namespace tenstride::detail
