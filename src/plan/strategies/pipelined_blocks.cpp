// SPDX-License-Identifier: Apache-2.0
// Both sides of a permutation have loops that follow each other in their memory, from the item on. A block
// takes the first of them whole and a part of the next, so that its runs are long on both sides; a loop that
// both sides want is paid for once. Reversed, (12, 1747626, 2) has runs of two items in the source: a block
// of all, 1365 and all has long runs on both sides. All such blocks are weighed by their costs.
#include "plan/strategies/pipelined_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "plan/nest.hpp"

namespace tenstride::detail {
namespace {

using Parts = std::array<Index, max_loops>;

/// Below so many bytes a copy is done before blocks are weighed.
constexpr Index min_weighed = Index{64} << 10;
/// No blocks cost less, as a multiple of a plain copy's time.
constexpr double min_cost = 1.2;
/// Within the caches what only moves goes by tables or tiles, and what converts by blocks where all else
/// costs so much; channels that are converted in whole runs have to cost more.
constexpr double much_within_caches = 2;
constexpr double much_of_channels_within_caches = 10;

/// Bytes that a plain copy moves while a run of the source, a run of the destination and a block cost what
/// they cost beside their bytes (Emerald Rapids, bench/notes/drawn.md).
constexpr double src_run_costs = 300;
constexpr double dst_run_costs = 200;
constexpr double block_costs = 2048;
/// What a line costs that is read for its neighbours.
constexpr double gap_cost = .8;
/// What registers that are not full cost: of a plain copy's time, for each time as many registers.
constexpr double empty_lanes_cost = .6;
/// Bytes that a plain copy moves while a row is packed.
constexpr double short_row_costs = 28;
/// The same for rows that are permuted together.
constexpr double short_panel_costs = 60;
/// The same for a piece that is gathered.
constexpr double piece_costs = 4;
constexpr Index max_piece = 64;
/// Rows of so many bytes are moved one by one, shorter ones may be permuted.
constexpr Index shortest_row = 32;
/// What a permutation of a vector costs, of the time in which a plain copy moves a line, and how many a row
/// may take: the lanes of all stay in the L1 cache.
constexpr double permute_cost = .1;
constexpr Index max_permutes = 512;
constexpr Index max_permuted_bytes = 16384;
/// For fewer rows a program is not worth its making.
constexpr Index min_rows_permuted = 64;
/// What blocks with long runs and full registers take: items of a byte keep the most registers busy, those of
/// 16 the most stores.
double share_of_item(Index item, Packing packing) {
  if (packing != Packing::transposed) return min_cost;
  switch (item) {
    case 1:
      return 1.75;
    case 4:
      return min_cost;
    case 16:
      return 1.38;
    default:
      return 1.28;
  }
}

/// What a block has at most: two of them, and what is read, find room in the L2 cache.
Index block_bytes(const Machine& machine) {
  return machine.l2_bytes / 8;
}

/// Of the sizes that a cut loop may have in a block the largest is weighed, and its halves so often.
constexpr int sizes_weighed = 2;
/// What is turned at a time: so many bytes of each of the rows that fill a line.
constexpr Index unit_bytes = 16;
constexpr Index line_bytes = 64;

/// The loops that follow each other in the memory of one side, from the item on.
struct Chain {
  std::array<std::uint8_t, max_loops> loops{};
  std::size_t count = 0;
  /// The first of them, which leave no gap.
  std::size_t contiguous = 0;
};

/// A loop goes on where its steps leave no gap, or one that is no longer than what lies before it, or than
/// two lines: so much is read with it.
constexpr Index longest_gap = 2 * line_bytes;
enum class Gaps : std::uint8_t { none, short_ones };

Chain chain_of(const Nest& nest, Index item, Gaps gaps, Stride stride) {
  Chain chain;
  LoopSet taken = 0;
  Index reach = item;
  for (;;) {
    std::size_t next = nest.count;
    for (std::size_t d = nest.count; d-- > 0;) {
      const Index step = std::abs(nest[d].*stride);
      if (has_loop(taken, d) || step < reach) continue;
      if (next == nest.count || step < std::abs(nest[next].*stride)) next = d;
    }
    if (next == nest.count) return chain;
    const Index step = std::abs(nest[next].*stride);
    if (step > reach && (gaps == Gaps::none || step > reach + std::max(reach, longest_gap))) return chain;
    if (step == reach && chain.contiguous == chain.count) ++chain.contiguous;
    chain.loops[chain.count++] = static_cast<std::uint8_t>(next);
    taken = static_cast<LoopSet>(taken | 1U << next);
    reach = step * (nest[next].extent - 1) + reach;
    // What follows without a gap follows the whole step.
    if (chain.contiguous == chain.count) reach = step * nest[next].extent;
  }
}

struct Chains {
  Chain dst;
  Chain src;
};

Chains chains_of(const Nest& nest) {
  return {chain_of(nest, nest.dst_item, Gaps::none, &Loop::dst_stride),
          chain_of(nest, nest.src_item, Gaps::short_ones, &Loop::src_stride)};
}

/// The loops, innermost on both sides, that make up a row: what both sides have one after the other. The
/// first `count` of either chain; their items, and how far these reach in the source, gaps and all.
struct Row {
  std::size_t loops = 0;
  Index bytes = 0;
  Index span = 0;
};

/// All rows that there may be, the shortest first.
template <class Visit>
void each_row(const Nest& nest, const Chains& chains, const Visit& visit) {
  LoopSet dst = 0;
  LoopSet src = 0;
  Row row{0, nest.src_item, nest.src_item};
  for (std::size_t i = 0; i < std::min(chains.dst.count, chains.src.count); ++i) {
    const Loop& loop = nest[chains.src.loops[i]];
    dst = static_cast<LoopSet>(dst | 1U << chains.dst.loops[i]);
    src = static_cast<LoopSet>(src | 1U << chains.src.loops[i]);
    row.loops = i + 1;
    row.bytes *= loop.extent;
    row.span += std::abs(loop.src_stride) * (loop.extent - 1);
    if (dst == src) visit(std::as_const(row));
  }
}

/// How many vectors of the source a vector of the destination needs, about: until the next item of one of its
/// rows is due, each item comes from another row of the source, and items with gaps come from several.
Index permutes_of_vector(const Nest& nest, const Chains& chains, const Row& row, Index vector) {
  const Index items = std::max<Index>(vector / nest.src_item, 1);
  const Index apart = std::abs(nest[chains.src.loops[0]].src_stride);
  Index rows = 1;
  for (std::size_t i = 0; chains.dst.loops[i] != chains.src.loops[0] && rows < items; ++i)
    rows *= nest[chains.dst.loops[i]].extent;
  const Index of_each = (std::min(apart, vector) + nest.src_item - 1) / nest.src_item;
  const Index all = row.loops == 0 ? items : (row.span + vector - 1) / vector;
  return std::min({rows * of_each, items, all}) + 1;
}

/// The choice of blocks that are packed in one way.
class Choice {
 public:
  Choice(const Nest& nest, const Chains& chains, const PlanOptions& options, Packing packing, const Row& row)
      : nest_(nest),
        max_items_(std::max<Index>(block_bytes(options.machine) / std::max(nest.src_item, nest.dst_item), 1)),
        permuted_bytes_(options.machine.permuted_bytes),
        lanes_(line_bytes / nest.src_item),
        chains_(chains),
        dst_(chains.dst),
        src_(chains.src),
        row_(row) {
    best_.packing = packing;
    for (std::size_t dst_whole = row.loops; dst_whole <= dst_.count; ++dst_whole) {
      for (std::size_t src_whole = row.loops; src_whole <= src_.count; ++src_whole)
        with_whole(dst_whole, src_whole);
    }
  }

  [[nodiscard]] const PipelinedBlocks& best() const { return best_; }
  /// As a multiple of a plain copy's time; infinite where there are no such blocks.
  [[nodiscard]] double cost() const { return cost_ * share_of_item(nest_.src_item, best_.packing); }

  /// Weighs the blocks that have so many loops of either chain whole.
  void with_whole(std::size_t dst_whole, std::size_t src_whole) {
    Parts part;
    part.fill(1);
    for (std::size_t i = 0; i < dst_whole; ++i) part[dst_.loops[i]] = nest_[dst_.loops[i]].extent;
    for (std::size_t i = 0; i < src_whole; ++i) part[src_.loops[i]] = nest_[src_.loops[i]].extent;
    Index items = 1;
    for (std::size_t d = 0; d < nest_.count; ++d) {
      if (items > max_items_ / part[d]) return;
      items *= part[d];
    }
    const Index room = max_items_ / items;
    const std::size_t none = nest_.count;
    const std::size_t of_dst = first_cut(dst_, dst_whole, part);
    const std::size_t of_src = first_cut(src_, src_whole, part);
    if (of_dst == none && of_src == none) {
      weigh(part);
    } else if (of_dst == of_src || of_dst == none || of_src == none) {
      const std::size_t one = of_dst == none ? of_src : of_dst;
      Index most = std::min(room, nest_[one].extent);
      for (int halved = 0; halved < sizes_weighed && most >= 1; ++halved, most /= 2) {
        part[one] = even(nest_[one].extent, most, unit_of(one, dst_whole));
        weigh(part);
      }
    } else {
      for (Index some = 1; some <= room; some *= 2) {
        part[of_dst] = even(nest_[of_dst].extent, some, unit_of(of_dst, dst_whole));
        Index other = std::min(room / some, nest_[of_src].extent);
        for (int halved = 0; halved < sizes_weighed && other >= 1; ++halved, other /= 2) {
          part[of_src] = even(nest_[of_src].extent, other, src_whole == 0 ? lanes_ : 1);
          weigh(part);
        }
        if (some >= nest_[of_dst].extent) break;
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

  /// So many steps of a loop that is cut are whole registers, or whole lines of the destination.
  [[nodiscard]] Index unit_of(std::size_t loop, std::size_t dst_whole) const {
    return dst_whole == 0 ? lanes_ : line_bytes / std::gcd(line_bytes, nest_[loop].dst_stride);
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

  /// The bytes of lines that are read, beside those that are needed, of a run of the source.
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

  void weigh(const Parts& part) {
    const double dst_run = static_cast<double>(run_items(dst_, part) * nest_.dst_item);
    const double src_run = static_cast<double>(run_items(src_, part) * nest_.src_item);
    Index items = 1;
    for (std::size_t d = 0; d < nest_.count; ++d) items *= part[d];
    const double block = static_cast<double>(items * nest_.src_item);
    double cost = 1 + src_run_costs / src_run + dst_run_costs / dst_run + block_costs / block +
                  gap_cost * (spread(part) - 1);
    if (cost >= cost_) return;
    PipelinedBlocks found;
    found.packing = best_.packing;
    cost += found.packing == Packing::transposed ? empty_lanes_cost * choose_sides(part, found)
                                                 : choose_row(part, found);
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
  }

  /// Takes the innermost loops as rows. What these cost.
  [[nodiscard]] double choose_row(const Parts& part, PipelinedBlocks& found) const {
    for (std::size_t i = 0; i < row_.loops; ++i)
      found.columns = static_cast<LoopSet>(found.columns | 1U << dst_.loops[i]);
    for (std::size_t i = 0; i < dst_.count; ++i) {
      found.run = static_cast<LoopSet>(found.run | 1U << dst_.loops[i]);
      if (part[dst_.loops[i]] < nest_[dst_.loops[i]].extent) break;
    }
    if (found.packing == Packing::rows) return short_row_costs / static_cast<double>(row_.bytes);
    if (found.packing == Packing::gathered) {
      // A plain copy takes as long as half of what is read and written.
      const double written = static_cast<double>(nest_.dst_item) / static_cast<double>(nest_.src_item);
      return piece_costs / (static_cast<double>(row_.bytes) * (1 + written) / 2);
    }
    return permute_cost * static_cast<double>(permutes_of_vector(nest_, chains_, row_, permuted_bytes_) *
                                              (line_bytes / permuted_bytes_)) +
           cost_of_short_panels(part, found.columns);
  }

  /// Rows along the loop of the shortest steps in the source are permuted together, if they follow each other
  /// in the destination, too.
  [[nodiscard]] double cost_of_short_panels(const Parts& part, LoopSet row) const {
    std::size_t along = nest_.count;
    for (std::size_t d = 0; d < nest_.count; ++d) {
      if (has_loop(row, d) || part[d] == 1) continue;
      if (along == nest_.count || std::abs(nest_[d].src_stride) < std::abs(nest_[along].src_stride))
        along = d;
    }
    const auto bytes = static_cast<double>(row_.bytes);
    if (along == nest_.count) return short_panel_costs / bytes;
    const double panel = bytes * static_cast<double>(part[along]);
    const bool are_together = nest_[along].dst_stride == row_.bytes / nest_.src_item * nest_.dst_item;
    return short_panel_costs / panel + (are_together ? 0 : short_row_costs / bytes);
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
      Index span = nest_.src_item;
      for (std::size_t j = 0; j < src_.count; ++j) {
        const std::uint8_t column = src_.loops[j];
        if (has_loop(rows, column) || nest_[column].src_stride % nest_.src_item != 0) break;
        columns = static_cast<LoopSet>(columns | 1U << column);
        column_count *= part[column];
        span += std::abs(nest_[column].src_stride) * (part[column] - 1);
        const double waste = static_cast<double>((row_count + lanes_ - 1) / lanes_ * lanes_) /
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
  Index max_items_;
  Index permuted_bytes_;
  /// Items in a line.
  Index lanes_;
  const Chains& chains_;
  const Chain& dst_;
  const Chain& src_;
  Row row_;
  PipelinedBlocks best_;
  double cost_ = std::numeric_limits<double>::infinity();
};

/// Rows whose items stand in another order, or apart, in the source are permuted; those of one loop item by
/// item, so that they may be cut.
bool is_permuted(const Nest& nest, const Chains& chains, const Row& row, const PlanOptions& options) {
  const Index vectors = (row.bytes + options.machine.permuted_bytes - 1) / options.machine.permuted_bytes;
  return row.span <= max_permuted_bytes && row.bytes <= nest.items() * nest.src_item / min_rows_permuted &&
         vectors * permutes_of_vector(nest, chains, row, options.machine.permuted_bytes) <= max_permutes;
}

/// Whether blocks are worth weighing beside what the other strategies cost.
bool may_gain(const Problem& problem) {
  if (problem.least == 0) return true;
  const CopyPlan& plan = problem.plan;
  const auto item = static_cast<Index>(std::max(item_size(plan.dst_type), item_size(plan.src_type)));
  if (plan.count * item < min_weighed) return false;
  if (problem.leaves_caches) return problem.least > min_cost;
  return plan.conversion != CopyConversion::none &&
         problem.least > (plan.kernel == CopyKernel::interleave || plan.kernel == CopyKernel::deinterleave
                              ? much_of_channels_within_caches
                              : much_within_caches);
}

}  // namespace

std::optional<Proposal> propose_pipelined_blocks(Problem& problem) {
  if (problem.plan.kernel == CopyKernel::strided || !may_gain(problem)) return std::nullopt;
  const std::optional<Nest> found = nest_of(problem.plan);
  if (!found) return std::nullopt;
  const Nest& nest = *found;
  const Chains chains = chains_of(nest);
  if (chains.dst.count == 0 || chains.src.count == 0) return std::nullopt;
  std::optional<Proposal> best;
  const auto weigh = [&](Packing packing, const Row& row) {
    const Choice choice(nest, chains, problem.options, packing, row);
    const double cost = choice.cost();
    if (cost == std::numeric_limits<double>::infinity()) return;
    double& least = problem.costs.packings[static_cast<std::size_t>(packing)];
    if (least == 0 || cost < least) least = cost;
    if (!best || cost < best->cost) best = Proposal{choice.best(), cost};
  };
  const Row item{0, nest.src_item, nest.src_item};
  const std::uint8_t inner = chains.src.loops[0];
  if (chains.dst.loops[0] != inner) {
    weigh(Packing::transposed, item);
  } else if (nest[inner].src_stride != nest.src_item) {
    weigh(Packing::permuted, item);
  }
  weigh(Packing::gathered, item);
  each_row(nest, chains, [&](const Row& row) {
    if (row.loops == 1 && nest[inner].src_stride == nest.src_item) {
      weigh(Packing::rows, row);
      if (row.bytes <= max_piece) weigh(Packing::gathered, row);
      if (row.bytes < shortest_row) weigh(Packing::permuted, row);
    } else if (is_permuted(nest, chains, row, problem.options)) {
      weigh(Packing::permuted, row);
    }
  });
  return best;
}

}  // namespace tenstride::detail
