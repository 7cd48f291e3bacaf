// SPDX-License-Identifier: Apache-2.0
#include "reduce/reduce_tiles.hpp"

#include <algorithm>
#include <cstdlib>

#include "reduce/reduce_loops.hpp"

namespace tenstride::detail {
namespace {

/// Bytes of the accumulators of a tile, which stay in the L1 cache.
constexpr Index tile_bytes = 8192;
/// The bytes of a row of results in the source, where its accumulators have at most 2 * tile_bytes.
constexpr Index tile_row_bytes = 16384;
/// The bytes of a row of results where accumulators are wider than elements.
constexpr Index widened_row_bytes = 4096;
constexpr Index max_tile = 4096;
/// The least number of accumulators that a kernel uses for a run. Each takes as many elements as an
/// accumulator of a row does, so a run may have this many times as many elements before it is halved.
constexpr Index run_accumulators = 32;
/// The greatest number of parts of a reduction with few results: the reduction axes are divided, too.
constexpr Index max_pieces = 64;
/// The greatest number of parts where the order makes no difference: for many threads. Pieces have at least
/// so many elements, and so many of each result that combining them takes no time.
constexpr Index max_exact_pieces = 1024;
constexpr Index min_exact_piece = Index{1} << 15;
constexpr Index min_rows_of_piece = 64;
/// Bytes of runs that are read sequentially before another part of memory is read.
constexpr Index sequential_bytes = Index{1} << 20;
/// Results whose elements lie together make a tile from this many elements on. Minima of int16
/// (525,72,6,123) over axes 1 and 3: 28 → 18 ms.
constexpr Index min_sequential_elements = 8192;

Loop innermost(const Loops& loops) {
  return loops.empty() ? Loop{1, 0, 0} : loops[loops.size() - 1];
}

/// The number of results whose runs lie within each other. Accumulated one at a time, the same memory would
/// be read for each of them.
Index interleaved_results(const ReducePlan& plan) {
  if (plan.reduction_loops.empty() || plan.result_loops.empty()) return 1;
  const Loop row = innermost(plan.result_loops);
  return std::abs(row.src_stride) < innermost(plan.reduction_loops).src_stride ? row.extent : 1;
}

/// The number of results whose elements lie together in memory: within one step of the outermost reduction
/// loop.
Index results_together(const ReducePlan& plan) {
  Index step = 0;
  for (const Loop& loop : plan.reduction_loops) step = std::max(step, std::abs(loop.src_stride));
  Index count = 1;
  for (std::size_t d = plan.result_loops.size(); d-- > 0;) {
    if (std::abs(plan.result_loops[d].src_stride) >= step) break;
    count *= plan.result_loops[d].extent;
  }
  return count;
}

Index max_accumulators(const ReducePlan& plan, const ReduceKernel& kernel) {
  const auto state = static_cast<Index>(kernel.state_size);
  const Index min_results = tile_bytes / state;
  if (shape_of(plan.way) != ReduceShape::rows) return min_results;
  const auto item = static_cast<Index>(item_size(plan.problem.dtype));
  const Index step = gap_step(plan);
  const Index extent = innermost(plan.result_loops).extent;
  const Index row = (state > item ? widened_row_bytes : tile_row_bytes) / item;
  const Index fitting =
      ceil_divide(std::clamp(std::min(row, extent * step), min_results, 2 * min_results), step);
  const Index line = 64 / item;
  // Whole lines, so that the next tile begins with a line.
  return fitting < extent && fitting > line ? fitting / line * line : fitting;
}

/// Whole groups, as many as give a thread enough elements and read memory sequentially.
Index tile_of(const ReducePlan& plan, Index max_results) {
  const ReduceShape shape = shape_of(plan.way);
  const Index enough = piece_elements / std::max<Index>(plan.per_accumulator, 1);
  if (shape == ReduceShape::runs) {
    const auto item = static_cast<Index>(item_size(plan.problem.dtype));
    const Index run = innermost(plan.reduction_loops).extent;
    const Index sequential = sequential_bytes / std::max<Index>(saturating_multiply(run, item), 1);
    const Index together = results_together(plan);
    const bool are_enough = saturating_multiply(together, plan.per_accumulator) >= min_sequential_elements;
    // Sums of floats keep the tiles, and so the cuts, by which they have always been rounded.
    if (plan.is_reduction_outer && is_exact(plan) && are_enough && together <= max_results) return together;
    const Index wanted =
        std::max(enough, plan.is_reduction_outer ? std::max(sequential, interleaved_results(plan)) : 1);
    return std::clamp<Index>(wanted, 1, std::min(max_results, plan.accumulators));
  }
  const Index whole = whole_accumulators(plan);
  Index groups = max_results / whole;
  if (shape == ReduceShape::pixels && !plan.is_reduction_outer) groups = std::min(groups, enough / whole);
  return std::min(std::max(groups, Index{1}) * whole, plan.accumulators);
}

}  // namespace

bool is_exact(const ReducePlan& plan) {
  const Reduction kind = plan.problem.reduction;
  const bool rounds = kind == Reduction::sum || kind == Reduction::mean || kind == Reduction::prod;
  return !rounds || is_integer(plan.problem.dtype) || plan.problem.dtype == DType::bool_;
}

Index whole_accumulators(const ReducePlan& plan) {
  return shape_of(plan.way) == ReduceShape::pixels ? innermost(plan.result_loops).extent
                                                   : plan.group * plan.inner;
}

Index gap_step(const ReducePlan& plan) {
  return plan.way == ReduceWay::gapped_rows ? innermost(plan.result_loops).src_stride : 1;
}

void set_tiles(ReducePlan& plan, const ReduceKernel& kernel) {
  plan.pairwise_from = kernel.direct_rows * (shape_of(plan.way) == ReduceShape::rows ? 1 : run_accumulators);
  plan.tile = tile_of(plan, std::min(max_accumulators(plan, kernel), max_tile));
  const Index tiles = ceil_divide(plan.accumulators, plan.tile);
  // Sums of floats keep the cuts by which they have always been rounded.
  const bool is_any_order = is_exact(plan);
  const Index piece =
      is_any_order ? std::max(min_exact_piece, min_rows_of_piece * plan.tile) : piece_elements;
  plan.cuts = std::clamp<Index>(saturating_multiply(plan.tile, plan.per_accumulator) / piece, 1,
                                ceil_divide(is_any_order ? max_exact_pieces : max_pieces, tiles));
}

}  // namespace tenstride::detail
