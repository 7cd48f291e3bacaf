// SPDX-License-Identifier: Apache-2.0
// On each side of a permutation some loops follow each other in memory, beginning with the item. A block
// takes the first of them whole and a part of the next, on both sides, so that its runs are long in the
// source and in the destination; a loop that both sides need counts once. Example: (12, 1747626, 2) reversed
// has runs of two items in the source; a block of 12 x 1365 x 2 has long runs on both sides. The cost of
// every such block is computed.
#include "plan/ways/ways.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "base/cache_line.hpp"
#include "plan/ways/loop_chains.hpp"
#include "plan/ways/permuted_rows.hpp"

namespace tenstride::detail {
namespace {

using Parts = std::array<Index, max_loops>;

/// Smaller copies take less time than the search for blocks.
constexpr Index min_searched_bytes = Index{64} << 10;
/// Within the caches, blocks are considered only where every other candidate costs more than this:
/// conversions; copies without one, which keep less in registers (every second item of short rows: 437 -> 72
/// us as tiles, 528
/// -> 162 us gathered, Zen 3); and channels, which are converted in whole runs.
constexpr double min_cached_alternative = 2;
constexpr double min_cached_plain_alternative = 6;
constexpr double min_cached_channels_alternative = 10;

/// Rows of shorter items are transposed at the same cost, however short they are. Gathering is faster than
/// transposing short rows of longer ones: 11 x 2 complex128 .29 -> .77 of a plain copy, 25 x 5 float64 .46 ->
/// .7, but 13 x 7 .53 -> .45 (Zen 3).
constexpr Index min_row_cost_item = 8;
/// The longest piece that is gathered, and the shortest row that is always copied by itself; shorter ones may
/// also be permuted.
constexpr Index max_piece = 64;
constexpr Index min_copied_row = 32;

/// The cost of blocks with long runs and full registers. Items of one byte take the most register work, items
/// of 16 bytes the most stores.
double ideal_cost(const Costs& costs, Index item, Packing packing) {
  if (packing != Packing::transposed) return costs.blocks;
  switch (item) {
    case 1:
      return costs.transposed_blocks_1;
    case 2:
      return costs.transposed_blocks_2;
    case 4:
      return costs.transposed_blocks_4;
    case 8:
      return costs.transposed_blocks_8;
    default:
      return costs.transposed_blocks_16;
  }
}

/// How the lines of blocks are written. Lines of permuted rows are written in between everywhere: permuting
/// takes most of the time, and stores wait for nothing else.
BlockStores stores_of(Packing packing, const Machine& machine) {
  return packing == Packing::permuted ? BlockStores::interleaved : machine.block_stores;
}

/// The items of the largest block. Where lines are written in between, two blocks, and the source lines of
/// one, fit the L2 cache. A block that is written in a burst is the only one: .38 with an eighth of the L2
/// cache -> .43 with a quarter -> .47 with half of a plain copy (batches of odd matrices, Zen 3).
Index max_items(BlockStores stores, const Nest& nest, const Problem& problem) {
  const Index l2_bytes = problem.options.machine.l2_bytes;
  const Index bytes = stores == BlockStores::burst ? l2_bytes / 2 : l2_bytes / 8;
  const Index items = std::min(bytes / std::max(nest.src_item, nest.dst_item),
                               problem.max_unit_items() * problem.nest.dst_item / nest.dst_item);
  return std::max<Index>(items, 1);
}

/// The bytes of a panel's columns, which are the kernels' vectors.
Index panel_bytes(const Machine& machine) {
  return machine.instructions == InstructionSet::avx2 ? 32 : line_bytes;
}

/// For a loop that is cut the largest possible part is tried, and this many sizes in all, each half of the
/// one before.
constexpr int sizes_tried = 2;
/// Panels of at most half of a vector are transposed side by side, by vectors of 32 bytes, of items of at
/// most 4 bytes, where there are so many panels for each part of a vector (`panels_side_by_side` of the
/// kernels).
constexpr Index side_by_side_vector = 32;
constexpr Index max_side_by_side_item = 4;
constexpr Index min_panels_apart = 16;
/// The bytes of each row that are transposed at a time, from as many rows as fill a line.
constexpr Index unit_bytes = 16;

/// The search for the cheapest blocks with one packing and one kind of row.
class BlockSearch {
 public:
  BlockSearch(const Nest& nest, const LoopChains& chains, const Problem& problem, Packing packing,
              const BlockRow& row)
      : nest_(nest),
        stores_(stores_of(packing, problem.options.machine)),
        costs_(problem.costs()),
        max_items_(max_items(stores_, nest, problem)),
        permuted_bytes_(problem.options.machine.permuted_bytes),
        line_items_(line_bytes / nest.src_item),
        lanes_(panel_bytes(problem.options.machine) / nest.src_item),
        chains_(chains),
        dst_(chains.dst),
        src_(chains.src),
        row_(row) {
    best_.packing = packing;
    best_.block_stores = stores_;
    for (std::size_t dst_whole = row.loops; dst_whole <= dst_.count; ++dst_whole) {
      for (std::size_t src_whole = row.loops; src_whole <= src_.count; ++src_whole)
        try_whole_loops(dst_whole, src_whole);
    }
  }

  [[nodiscard]] const Blocks& best() const { return best_; }
  /// The cost of `best()` as a multiple of a plain copy's time; infinite where there are no such blocks.
  [[nodiscard]] double cost() const { return cost_ * ideal_cost(costs_, nest_.src_item, best_.packing); }

  /// Computes the costs of the blocks that have the first `dst_whole` and `src_whole` loops of the two chains
  /// whole.
  void try_whole_loops(std::size_t dst_whole, std::size_t src_whole) {
    Parts part;
    part.fill(1);
    for (std::size_t i = 0; i < dst_whole; ++i) part[dst_.loops[i]] = nest_[dst_.loops[i]].extent;
    for (std::size_t i = 0; i < src_whole; ++i) part[src_.loops[i]] = nest_[src_.loops[i]].extent;
    Index items = 1;
    for (std::size_t d = 0; d < nest_.size(); ++d) {
      if (items > max_items_ / part[d]) return;
      items *= part[d];
    }
    const Index room = max_items_ / items;
    const std::size_t none = nest_.size();
    const std::size_t dst_cut = first_cut(dst_, dst_whole, part);
    const std::size_t src_cut = first_cut(src_, src_whole, part);
    if (dst_cut == none && src_cut == none) {
      try_block(part);
    } else if (dst_cut == src_cut || dst_cut == none || src_cut == none) {
      const std::size_t cut = dst_cut == none ? src_cut : dst_cut;
      Index max_part = std::min(room, nest_[cut].extent);
      for (int tried = 0; tried < sizes_tried && max_part >= 1; ++tried, max_part /= 2) {
        part[cut] = even_part(nest_[cut].extent, max_part, unit_of(cut, dst_whole));
        try_block(part);
      }
    } else {
      for (Index dst_part = 1; dst_part <= room; dst_part *= 2) {
        part[dst_cut] = even_part(nest_[dst_cut].extent, dst_part, unit_of(dst_cut, dst_whole));
        Index src_part = std::min(room / dst_part, nest_[src_cut].extent);
        for (int tried = 0; tried < sizes_tried && src_part >= 1; ++tried, src_part /= 2) {
          part[src_cut] = even_part(nest_[src_cut].extent, src_part, src_whole == 0 ? line_items_ : 1);
          try_block(part);
        }
        if (dst_part >= nest_[dst_cut].extent) break;
      }
    }
  }

  /// The first loop of a chain, from index `whole` on, of which the block has only a part; nest.size() where
  /// there is none.
  [[nodiscard]] std::size_t first_cut(const LoopChain& chain, std::size_t whole, const Parts& part) const {
    for (std::size_t i = whole; i < chain.count; ++i) {
      if (part[chain.loops[i]] < nest_[chain.loops[i]].extent) return chain.loops[i];
    }
    return nest_.size();
  }

  /// A part of a cut loop is a multiple of this, so that it fills whole registers or whole lines of the
  /// destination.
  [[nodiscard]] Index unit_of(std::size_t loop, std::size_t dst_whole) const {
    return dst_whole == 0 ? line_items_ : line_bytes / std::gcd(line_bytes, nest_[loop].dst_stride);
  }

  /// The size of about equal parts of `extent`: at most `max_part`, and a multiple of `unit` where one fits.
  static Index even_part(Index extent, Index max_part, Index unit) {
    if (max_part >= extent) return extent;
    const Index parts = (extent + max_part - 1) / max_part;
    const Index part = (extent + parts - 1) / parts;
    Index rounded = (part + unit - 1) / unit * unit;
    if (rounded > max_part) rounded = max_part / unit * unit;
    return std::min(rounded == 0 ? part : rounded, extent);
  }

  /// The items of the block's run along a chain: its whole loops and the part of the next one.
  [[nodiscard]] Index run_items(const LoopChain& chain, const Parts& part) const {
    Index items = 1;
    for (std::size_t i = 0; i < chain.count; ++i) {
      items *= part[chain.loops[i]];
      if (part[chain.loops[i]] < nest_[chain.loops[i]].extent) break;
    }
    return items;
  }

  /// The bytes that a run of the source spans, as a multiple of the bytes that are needed of it.
  [[nodiscard]] double spread(const Parts& part) const {
    Index useful = nest_.src_item;
    Index reach = nest_.src_item;
    for (std::size_t i = 0; i < src_.count; ++i) {
      const std::uint8_t d = src_.loops[i];
      useful *= part[d];
      reach += std::abs(nest_[d].src_stride) * (part[d] - 1);
      if (part[d] < nest_[d].extent) break;
    }
    return static_cast<double>(reach) / static_cast<double>(useful);
  }

  /// How many partial lines are written at the ends of destination runs for each byte. Blocks that continue
  /// each other's runs have them at the ends of the last one alone.
  [[nodiscard]] double run_ends_per_byte(const Parts& part) const {
    Index run = nest_.dst_item;
    LoopSet inside = 0;
    for (std::size_t i = 0; i < dst_.count; ++i) {
      const std::uint8_t d = dst_.loops[i];
      run *= nest_[d].extent;
      inside = static_cast<LoopSet>(inside | 1U << d);
      if (part[d] < nest_[d].extent) break;
    }
    Index odd = 0;
    for (std::size_t d = 0; d < nest_.size(); ++d) {
      if (!has_loop(inside, d)) odd |= nest_[d].dst_stride % line_bytes;
    }
    return odd == 0 ? 0 : 2 / static_cast<double>(run);
  }

  /// Keeps the block of these extents if it costs less than the best one so far.
  void try_block(const Parts& part) {
    const double dst_run = static_cast<double>(run_items(dst_, part) * nest_.dst_item);
    const double src_run = static_cast<double>(run_items(src_, part) * nest_.src_item);
    Index items = 1;
    for (std::size_t d = 0; d < nest_.size(); ++d) items *= part[d];
    const double block = static_cast<double>(items * nest_.src_item);
    double cost = 1 + costs_.block_src_run_bytes / src_run + costs_.block_dst_run_bytes / dst_run +
                  costs_.block_bytes / block;
    if (cost >= cost_) return;
    cost += costs_.block_gap * (spread(part) - 1) + costs_.block_run_end_bytes * run_ends_per_byte(part);
    if (cost >= cost_) return;
    Blocks found;
    found.packing = best_.packing;
    found.block_stores = stores_;
    cost += found.packing == Packing::transposed ? costs_.empty_lanes * choose_sides(part, found) +
                                                       cost_of_transposed_rows(part, found.columns)
                                                 : choose_row(part, found);
    if (cost >= cost_) return;
    found.extents = part;
    for (std::size_t i = 0; i < dst_.count; ++i) {
      const std::uint8_t d = dst_.loops[i];
      if (part[d] == nest_[d].extent) continue;
      found.continued_loop = d;
      break;
    }
    cost_ = cost;
    best_ = found;
  }

  [[nodiscard]] double cost_of_transposed_rows(const Parts& part, LoopSet columns) const {
    if (nest_.src_item < min_row_cost_item) return 0;
    double items = 1;
    for (std::size_t d = 0; d < nest_.size(); ++d) {
      if (has_loop(columns, d)) items *= static_cast<double>(part[d]);
    }
    return costs_.transposed_row_items / items;
  }

  /// Sets the row and run loops of `found` for packing by rows. Returns the cost of the rows.
  [[nodiscard]] double choose_row(const Parts& part, Blocks& found) const {
    for (std::size_t i = 0; i < row_.loops; ++i)
      found.columns = static_cast<LoopSet>(found.columns | 1U << dst_.loops[i]);
    for (std::size_t i = 0; i < dst_.count; ++i) {
      found.run = static_cast<LoopSet>(found.run | 1U << dst_.loops[i]);
      if (part[dst_.loops[i]] < nest_[dst_.loops[i]].extent) break;
    }
    if (found.packing == Packing::rows) return per_byte(costs_.packed_row_bytes, row_.bytes);
    if (found.packing == Packing::gathered) {
      // A plain copy of n bytes reads and writes 2n: the time is that of half the bytes read and written.
      const double written = static_cast<double>(nest_.dst_item) / static_cast<double>(nest_.src_item);
      return costs_.piece_bytes / (static_cast<double>(row_.bytes) * (1 + written) / 2);
    }
    const double permute = permuted_bytes_ == line_bytes ? costs_.line_permute : costs_.permute;
    return permute * static_cast<double>(permutes_of_vector(nest_, chains_, row_, permuted_bytes_) *
                                         (line_bytes / permuted_bytes_)) +
           cost_of_panels(part, found.columns);
  }

  /// The cost of permuting rows: rows along the loop with the smallest source stride are permuted together if
  /// they follow each other in the destination, too.
  [[nodiscard]] double cost_of_panels(const Parts& part, LoopSet row) const {
    std::size_t panel_loop = nest_.size();
    for (std::size_t d = 0; d < nest_.size(); ++d) {
      if (has_loop(row, d) || part[d] == 1) continue;
      if (panel_loop == nest_.size() ||
          std::abs(nest_[d].src_stride) < std::abs(nest_[panel_loop].src_stride))
        panel_loop = d;
    }
    if (panel_loop == nest_.size()) return per_byte(costs_.panel_bytes, row_.bytes);
    const bool are_contiguous = nest_[panel_loop].dst_stride == row_.bytes / nest_.src_item * nest_.dst_item;
    return per_byte(costs_.panel_bytes, row_.bytes * part[panel_loop]) +
           (are_contiguous ? 0 : per_byte(costs_.packed_row_bytes, row_.bytes));
  }

  /// How many lanes of a vector a panel takes whose columns have `rows` items: a half or a quarter where
  /// several panels are transposed side by side, which follow each other in the buffer as in the source.
  /// `inside`: the loops of a panel.
  [[nodiscard]] Index lanes_of_panel(const Parts& part, LoopSet inside, Index rows) const {
    const Index column = rows * nest_.src_item;
    if (lanes_ * nest_.src_item != side_by_side_vector || nest_.src_item > max_side_by_side_item ||
        column > side_by_side_vector / 2)
      return lanes_;
    const Index sides = column > side_by_side_vector / 4 ? 2 : 4;
    Index panels = 1;
    Index src_stride = 0;
    for (std::size_t d = nest_.size(); d-- > 0;) {
      if (part[d] == 1) continue;
      if (has_loop(inside, d)) {
        if (panels > 1) return lanes_;
        continue;
      }
      const Index outer = std::abs(nest_[d].src_stride);
      if (outer < src_stride) return lanes_;
      src_stride = outer;
      panels *= part[d];
    }
    if (panels < sides * min_panels_apart) return lanes_;
    return lanes_ / sides;
  }

  /// Sets the row and column loops of `found`, one or more each, so that registers are as full as possible.
  /// Returns the unused share: registers used beyond the necessary ones, as a multiple of these; infinite
  /// where the block has no rows or no columns.
  [[nodiscard]] double choose_sides(const Parts& part, Blocks& found) const {
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
      Index span = nest_.src_item;
      for (std::size_t j = 0; j < src_.count; ++j) {
        const std::uint8_t column = src_.loops[j];
        if (has_loop(rows, column) || nest_[column].src_stride % nest_.src_item != 0) break;
        columns = static_cast<LoopSet>(columns | 1U << column);
        column_count *= part[column];
        span += std::abs(nest_[column].src_stride) * (part[column] - 1);
        const Index lanes = lanes_of_panel(part, static_cast<LoopSet>(rows | columns), row_count);
        const double waste = static_cast<double>((row_count + lanes - 1) / lanes * lanes) /
                             static_cast<double>(row_count) *
                             static_cast<double>((span + unit_bytes - 1) / unit_bytes * unit_bytes) /
                             static_cast<double>(column_count * nest_.src_item);
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
  BlockStores stores_;
  const Costs& costs_;
  Index max_items_;
  Index permuted_bytes_;
  /// Items in a line, and in a column of a panel.
  Index line_items_;
  Index lanes_;
  const LoopChains& chains_;
  const LoopChain& dst_;
  const LoopChain& src_;
  BlockRow row_;
  Blocks best_;
  double cost_ = std::numeric_limits<double>::infinity();
};

/// Whether blocks may cost less than the other candidates.
bool can_gain(const Problem& problem) {
  if (problem.lowest_cost == 0) return true;
  const Index items = problem.bytes / problem.nest.dst_item;
  if (items * std::max(problem.nest.dst_item, problem.nest.src_item) < min_searched_bytes) return false;
  const Costs& costs = problem.costs();
  if (problem.exceeds_caches)
    return problem.lowest_cost >
           std::min({costs.blocks, costs.transposed_blocks_1, costs.transposed_blocks_2,
                     costs.transposed_blocks_4, costs.transposed_blocks_8, costs.transposed_blocks_16});
  if (problem.access.has_channels()) return problem.lowest_cost > min_cached_channels_alternative;
  return problem.lowest_cost >
         (problem.conversion.is_none() ? min_cached_plain_alternative : min_cached_alternative);
}

}  // namespace

std::optional<Candidate> propose_blocks(Problem& problem) {
  if (problem.access.kind == AccessKind::strided || problem.nest.size() > max_loops ||
      problem.nest.scaled_loop != no_loop || problem.nest.inner().extent == 1 || !can_gain(problem))
    return std::nullopt;
  Nest nest = problem.nest;
  widen(nest);
  const LoopChains chains = chains_of(nest);
  if (chains.dst.count == 0 || chains.src.count == 0) return std::nullopt;
  std::optional<Candidate> best;
  const auto try_packing = [&](Packing packing, const BlockRow& row) {
    const auto p = static_cast<std::size_t>(packing);
    if (!problem.only_packing.empty() && problem.only_packing != packing_names[p]) return;
    const BlockSearch choice(nest, chains, problem, packing, row);
    const double cost = choice.cost();
    if (cost == std::numeric_limits<double>::infinity()) return;
    double& lowest = problem.computed.packings[p];
    if (lowest == 0 || cost < lowest) lowest = cost;
    if (best && cost >= best->cost) return;
    best = Candidate{choice.best(), cost};
  };
  const BlockRow item{0, nest.src_item, nest.src_item};
  const std::uint8_t inner = chains.src.loops[0];
  if (chains.dst.loops[0] != inner)
    try_packing(Packing::transposed, item);
  else if (nest[inner].src_stride != nest.src_item)
    try_packing(Packing::permuted, item);
  try_packing(Packing::gathered, item);
  for_each_row(nest, chains, [&](const BlockRow& row) {
    if (row.loops == 1 && nest[inner].src_stride == nest.src_item) {
      try_packing(Packing::rows, row);
      if (row.bytes <= max_piece) try_packing(Packing::gathered, row);
      if (row.bytes < min_copied_row) try_packing(Packing::permuted, row);
    } else if (is_permuted(nest, chains, row, problem.options.machine.permuted_bytes)) {
      try_packing(Packing::permuted, row);
    }
  });
  if (best) {
    Blocks& blocks = std::get<Blocks>(best->way);
    blocks.converts = !problem.conversion.is_none();
    if (problem.exceeds_caches) blocks.stores = streaming_stores(problem.options.machine.streams);
    blocks.nest = std::move(nest);
  }
  return best;
}

}  // namespace tenstride::detail
