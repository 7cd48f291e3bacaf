// SPDX-License-Identifier: Apache-2.0
// Both sides of a permutation have loops that follow each other in their memory, from the item on. A block
// takes the first of them whole and a part of the next, so that its runs are long on both sides; a loop that
// both sides want is paid for once. Reversed, (12, 1747626, 2) has runs of two items in the source: a block
// of all, 1365 and all has long runs on both sides. All such blocks are weighed by their costs.
#include "plan/pipelined_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace tenstride::detail {
namespace {

using Parts = std::array<Index, Nest::most_loops>;

/// Bytes that a plain copy moves while a run of the source, a run of the destination and a block cost what
/// they cost beside their bytes (Emerald Rapids, bench/notes/drawn.md).
constexpr double src_run_costs = 300;
constexpr double dst_run_costs = 200;
constexpr double block_costs = 2048;
/// What registers that are not full cost: of a plain copy's time, for each time as many registers.
constexpr double empty_lanes_cost = .6;
/// Bytes that a plain copy moves while a row is packed.
constexpr double short_row_costs = 16;
/// What blocks with long runs and full registers take: items of a byte keep the most registers busy, those of
/// 16 the most stores.
double share_of_item(Index item, Packing packing) {
  if (packing == Packing::rows) return least_cost_of_blocks;
  switch (item) {
    case 1:
      return 1.6;
    case 4:
      return least_cost_of_blocks;
    case 16:
      return 1.38;
    default:
      return 1.28;
  }
}

/// Smaller blocks are not weighed where larger ones can be had.
constexpr Index least_block_bytes = 16384;
/// What is turned at a time: so many bytes of each of the rows that fill a line.
constexpr Index unit_bytes = 16;
constexpr Index line_bytes = 64;

/// The loops that follow each other in the memory of one side, from the item on.
struct Chain {
  std::array<std::uint8_t, Nest::most_loops> loops{};
  std::size_t count = 0;
};

template <class Stride>
Chain chain_of(const Nest& nest, Index item, const Stride& stride) {
  Chain chain;
  Index reach = item;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t d = nest.count; d-- > 0;) {
      if (std::abs(stride(nest[d])) != reach) continue;
      chain.loops[chain.count++] = static_cast<std::uint8_t>(d);
      reach *= nest[d].extent;
      goes_on = true;
      break;
    }
  }
  return chain;
}

class Choice {
 public:
  Choice(const Nest& nest, Index block_bytes)
      : nest_(nest),
        most_items_(std::max<Index>(block_bytes / std::max(nest.src_item, nest.dst_item), 1)),
        lanes_(line_bytes / nest.src_item),
        dst_(chain_of(nest, nest.dst_item, [](const Nest::Loop& loop) { return loop.dst_stride; })),
        src_(chain_of(nest, nest.src_item, [](const Nest::Loop& loop) { return loop.src_stride; })) {
    if (dst_.count == 0 || src_.count == 0) return;
    if (dst_.loops[0] == src_.loops[0] && nest[src_.loops[0]].src_stride < 0) return;
    best_.packing = dst_.loops[0] == src_.loops[0] ? Packing::rows : Packing::transposed;
    for (std::size_t dst_whole = 0; dst_whole <= dst_.count; ++dst_whole) {
      for (std::size_t src_whole = 0; src_whole <= src_.count; ++src_whole) with_whole(dst_whole, src_whole);
    }
  }

  [[nodiscard]] const PipelinedBlocks& best() const { return best_; }
  [[nodiscard]] double cost() const { return cost_; }

  /// Weighs the blocks that have so many loops of either chain whole.
  void with_whole(std::size_t dst_whole, std::size_t src_whole) {
    Parts part;
    part.fill(1);
    for (std::size_t i = 0; i < dst_whole; ++i) part[dst_.loops[i]] = nest_[dst_.loops[i]].extent;
    for (std::size_t i = 0; i < src_whole; ++i) part[src_.loops[i]] = nest_[src_.loops[i]].extent;
    Index items = 1;
    for (std::size_t d = 0; d < nest_.count; ++d) {
      if (items > most_items_ / part[d]) return;
      items *= part[d];
    }
    const Index room = most_items_ / items;
    const std::size_t none = nest_.count;
    const std::size_t of_dst = first_cut(dst_, dst_whole, part);
    const std::size_t of_src = first_cut(src_, src_whole, part);
    if (of_dst == none && of_src == none) {
      weigh(part);
    } else if (of_dst == of_src || of_dst == none || of_src == none) {
      const std::size_t one = of_dst == none ? of_src : of_dst;
      for (Index most = room; most >= 1; most /= 2) {
        part[one] = even(nest_[one].extent, most, dst_whole == 0 ? lanes_ : 1);
        weigh(part);
        if (items * most * nest_.src_item < least_block_bytes) break;
      }
    } else {
      for (Index some = 1; some <= room; some *= 2) {
        for (Index other = room / some; other >= 1; other /= 2) {
          part[of_dst] = even(nest_[of_dst].extent, some, dst_whole == 0 ? lanes_ : 1);
          part[of_src] = even(nest_[of_src].extent, other, src_whole == 0 ? lanes_ : 1);
          weigh(part);
          if (items * some * other * nest_.src_item < least_block_bytes) break;
        }
      }
    }
  }

  /// The first loop of a chain from `whole` on that is not whole; nest.count where there is none.
  [[nodiscard]] std::size_t first_cut(const Chain& chain, std::size_t whole, const Parts& part) const {
    for (std::size_t i = whole; i < chain.count; ++i) {
      if (part[chain.loops[i]] < nest_[chain.loops[i]].extent) return chain.loops[i];
    }
    return nest_.count;
  }

  /// `extent` in parts of at most `most`, about equal, of whole units.
  static Index even(Index extent, Index most, Index unit) {
    if (most >= extent) return extent;
    const Index part = (extent + (extent + most - 1) / most - 1) / ((extent + most - 1) / most);
    Index whole = (part + unit - 1) / unit * unit;
    if (whole > most) whole = most / unit * unit;
    return std::min(whole == 0 ? part : whole, extent);
  }

  /// Loops of a chain that are a run: all that are whole, and the one after them; in `product` their items.
  [[nodiscard]] Index run_items(const Chain& chain, const Parts& part) const {
    Index items = 1;
    for (std::size_t i = 0; i < chain.count; ++i) {
      items *= part[chain.loops[i]];
      if (part[chain.loops[i]] < nest_[chain.loops[i]].extent) break;
    }
    return items;
  }

  void weigh(const Parts& part) {
    const double dst_run = static_cast<double>(run_items(dst_, part) * nest_.dst_item);
    const double src_run = static_cast<double>(run_items(src_, part) * nest_.src_item);
    Index items = 1;
    for (std::size_t d = 0; d < nest_.count; ++d) items *= part[d];
    const double block = static_cast<double>(items * nest_.src_item);
    double cost = 1 + src_run_costs / src_run + dst_run_costs / dst_run + block_costs / block;
    if (cost >= cost_) return;
    PipelinedBlocks found;
    found.packing = best_.packing;
    cost += found.packing == Packing::rows ? choose_row(part, found)
                                           : empty_lanes_cost * choose_sides(part, found);
    if (cost >= cost_) return;
    found.part = part;
    for (std::size_t i = 0; i < dst_.count; ++i) {
      const std::uint8_t d = dst_.loops[i];
      if (part[d] == nest_[d].extent) continue;
      found.along = d;
      break;
    }
    cost_ = cost;
    best_ = found;
    best_.cost = cost * share_of_item(nest_.src_item, found.packing);
  }

  /// Takes as a row what is contiguous on both sides; infinite where that is not whole. What short rows cost.
  [[nodiscard]] double choose_row(const Parts& part, PipelinedBlocks& found) const {
    const std::uint8_t row = dst_.loops[0];
    if (part[row] < nest_[row].extent) return std::numeric_limits<double>::infinity();
    found.columns = static_cast<LoopSet>(1U << row);
    for (std::size_t i = 0; i < dst_.count; ++i) {
      found.run = static_cast<LoopSet>(found.run | 1U << dst_.loops[i]);
      if (part[dst_.loops[i]] < nest_[dst_.loops[i]].extent) break;
    }
    return short_row_costs / static_cast<double>(nest_[row].extent * nest_.src_item);
  }

  /// Chooses rows and columns, one or more loops each, so that registers are full. How many times more
  /// registers than needed there are beside one; infinite where no two sides can be had.
  [[nodiscard]] double choose_sides(const Parts& part, PipelinedBlocks& found) const {
    constexpr double none = std::numeric_limits<double>::infinity();
    double best = none;
    Index best_items = 0;
    LoopSet rows = 0;
    Index row_count = 1;
    for (std::size_t i = 0; i < dst_.count; ++i) {
      const std::uint8_t row = dst_.loops[i];
      found.run = static_cast<LoopSet>(found.run | 1U << row);
      rows = found.run;
      row_count *= part[row];
      LoopSet columns = 0;
      Index column_count = 1;
      for (std::size_t j = 0; j < src_.count; ++j) {
        const std::uint8_t column = src_.loops[j];
        if ((rows >> column & 1U) != 0) break;
        columns = static_cast<LoopSet>(columns | 1U << column);
        column_count *= part[column];
        const Index bytes = column_count * nest_.src_item;
        const double waste = static_cast<double>((row_count + lanes_ - 1) / lanes_ * lanes_) /
                             static_cast<double>(row_count) *
                             static_cast<double>((bytes + unit_bytes - 1) / unit_bytes * unit_bytes) /
                             static_cast<double>(bytes);
        constexpr double same = 1e-9;
        if (waste < best - same || (waste < best + same && row_count * column_count > best_items)) {
          best = waste;
          best_items = row_count * column_count;
          found.rows = rows;
          found.columns = columns;
        }
        if (part[column] < nest_[column].extent) break;
      }
      if (part[row] < nest_[row].extent) break;
    }
    return best - 1;
  }

 private:
  const Nest& nest_;
  Index most_items_;
  /// Items in a line.
  Index lanes_;
  Chain dst_;
  Chain src_;
  PipelinedBlocks best_;
  double cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::optional<PipelinedBlocks> propose_pipelined_blocks(const Nest& nest, Index block_bytes) {
  if (nest.src_item > line_bytes / 4) return std::nullopt;
  const Choice choice(nest, block_bytes);
  if (choice.cost() == std::numeric_limits<double>::infinity()) return std::nullopt;
  return choice.best();
}

std::string pipelined_blocks_text(const PipelinedBlocks& strategy, const CopyPlan& plan) {
  const std::optional<Nest> nest = nest_of(plan);
  std::string text = "in pipelined blocks of ";
  for (std::size_t d = 0; d < nest->count; ++d)
    text += (d == 0 ? "" : " x ") + std::to_string(strategy.part[d]);
  text += strategy.packing == Packing::rows ? ", packed by rows" : ", transposed";
  std::array<char, 80> costs{};
  std::snprintf(costs.data(), costs.size(), ": %.2f times a plain copy, by the loops %.2f", strategy.cost,
                plan.cost_of_loops);
  return text + costs.data();
}

}  // namespace tenstride::detail
