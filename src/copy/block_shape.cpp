// SPDX-License-Identifier: Apache-2.0
// Of a permutation both sides have loops that go on with each other in their memory, from the item on. A
// block takes the first of them whole and a part of the next, so its runs are long on both sides; a loop that
// both sides want is paid for once. Reversed, (12, 1747626, 2) has runs of 2 bytes in the source: a block of
// all, 1365 and all has runs of 16 KiB and 2730 bytes. All such blocks are weighed.
#include "copy/block_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tenstride::copy {
namespace {

/// Bytes that are copied in the time that a run takes more, about, for its first and last lines: written, and
/// read (measured on a Zen 5: destination runs of 450 bytes .33 of a plain copy, of 900 .46, of 1800 .55;
/// source runs of 230 bytes .5, of 860 .63).
constexpr double dst_run_costs = 1536;
constexpr double src_run_costs = 1024;
/// Of blocks that are as good the smaller one leaves more of the cache.
constexpr double space_costs = 1.0 / (1 << 20);
/// What is read at a time: gaps in the source that are no longer, or no longer than what they lie between,
/// cost no more than what is read with them.
constexpr Index line_bytes = 64;

using Parts = std::array<Index, most_loops>;
using Strides = std::array<Index, most_loops>;

/// The loops that go on with each other in one side's memory, each about where the ones before it end.
class Chain {
 public:
  /// A loop goes on where its steps leave no gap, or where `most_step` of what the ones before it reach
  /// allows for one.
  template <class MostStep>
  Chain(const Loops& all, const Strides& strides, Index item, const MostStep& most_step)
      : all_(all), strides_(strides), item_(item) {
    std::array<bool, most_loops> taken{};
    Index reach = item;
    for (;;) {
      std::size_t next = all.count;
      for (std::size_t d = 0; d < all.count; ++d) {
        const Index step = std::abs(strides[d]);
        if (taken[d] || step < reach || step > most_step(reach)) continue;
        if (next == all.count || step < std::abs(strides[next])) next = d;
      }
      if (next == all.count) return;
      taken[next] = true;
      loops_[count_++] = next;
      reach += (all.extent[next] - 1) * std::abs(strides[next]);
    }
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  /// The loop that comes after so many, all.count where there is none.
  [[nodiscard]] std::size_t after(std::size_t whole) const {
    return whole < count_ ? loops_[whole] : all_.count;
  }

  void take_whole(Parts& part, std::size_t whole) const {
    for (std::size_t i = 0; i < whole; ++i) part[loops_[i]] = all_.extent[loops_[i]];
  }

  /// Calls `visit` with the loops that are a run: all that are whole, and the one after them.
  template <class Visit>
  void each_of_run(const Parts& part, const Visit& visit) const {
    for (std::size_t i = 0; i < count_; ++i) {
      visit(loops_[i]);
      if (part[loops_[i]] < all_.extent[loops_[i]]) return;
    }
  }

  /// From the first to the last byte of a run.
  [[nodiscard]] Index run_bytes(const Parts& part) const {
    Index bytes = item_;
    each_of_run(part, [&](std::size_t d) { bytes += (part[d] - 1) * std::abs(strides_[d]); });
    return bytes;
  }

 private:
  const Loops& all_;
  const Strides& strides_;
  Index item_;
  std::array<std::size_t, most_loops> loops_;
  std::size_t count_ = 0;
};

/// The choice of a block.
class Choice {
 public:
  Choice(const Loops& loops, Index dst_item, Index src_item, Index most_items)
      : loops_(loops),
        src_item_(src_item),
        most_items_(most_items),
        dst_(loops, loops.dst, dst_item, [](Index reach) { return reach; }),
        src_(loops, loops.src, src_item, [](Index reach) { return std::max(2 * reach, line_bytes); }) {
    best_.loss = std::numeric_limits<double>::infinity();
    for (std::size_t dst_whole = 0; dst_whole <= dst_.count(); ++dst_whole) {
      for (std::size_t src_whole = 0; src_whole <= src_.count(); ++src_whole)
        with_whole(dst_whole, src_whole);
    }
    src_.each_of_run(best_.part, [this](std::size_t d) { best_.in_src_run[d] = true; });
  }

  [[nodiscard]] const BlockShape& best() const { return best_; }

 private:
  /// Weighs the blocks that have so many loops of either chain whole.
  void with_whole(std::size_t dst_whole, std::size_t src_whole) {
    Parts part;
    part.fill(1);
    dst_.take_whole(part, dst_whole);
    src_.take_whole(part, src_whole);
    Index items = 1;
    for (std::size_t d = 0; d < loops_.count; ++d) {
      if (items > most_items_ / part[d]) return;
      items *= part[d];
    }
    const Index room = most_items_ / items;
    const std::size_t none = loops_.count;
    const std::size_t of_dst = dst_.after(dst_whole);
    const std::size_t of_src = src_.after(src_whole);
    const std::size_t one = of_dst == none ? of_src : of_dst;
    if (one == none) {
      weigh(part);
    } else if (of_dst == of_src || of_dst == none || of_src == none) {
      part[one] = even(loops_.extent[one], room);
      weigh(part);
    } else {
      for (Index some = 1; some <= room; some *= 2) {
        part[of_dst] = even(loops_.extent[of_dst], some);
        part[of_src] = even(loops_.extent[of_src], room / some);
        weigh(part);
      }
    }
  }

  /// `extent` in parts of at most `most`, all about equal.
  static Index even(Index extent, Index most) {
    return ceil_divide(extent, ceil_divide(extent, std::min(extent, most)));
  }

  void weigh(const Parts& part) {
    BlockShape shape;
    shape.part = part;
    shape.dst_run = dst_.run_bytes(part);
    shape.src_run = src_.run_bytes(part);
    Index bytes = src_item_;
    for (std::size_t d = 0; d < loops_.count; ++d) bytes *= part[d];
    shape.loss = dst_run_costs / static_cast<double>(shape.dst_run) +
                 src_run_costs / static_cast<double>(shape.src_run) +
                 space_costs * static_cast<double>(bytes);
    if (shape.loss < best_.loss) best_ = shape;
  }

  const Loops& loops_;
  Index src_item_;
  Index most_items_;
  Chain dst_;
  Chain src_;
  BlockShape best_;
};

}  // namespace

BlockShape choose_block(const Loops& loops, Index dst_item, Index src_item, Index most_items) {
  return Choice(loops, dst_item, src_item, most_items).best();
}

}  // namespace tenstride::copy
