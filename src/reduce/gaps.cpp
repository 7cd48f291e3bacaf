// SPDX-License-Identifier: Apache-2.0
// Runs with small gaps between their elements or between short runs, by vectors that load the gaps too: the
// cache lines in which they lie are read anyway. Example: every second float of a row.
#include <algorithm>

#include "reduce/reduce_nest.hpp"

namespace tenstride::detail {
namespace {

/// The prefetch distance along a run, in bytes.
constexpr Index run_distance = 2048;
/// The prefetch distance in whole rows, in bytes. 2 KiB → 4 KiB: .58 → .72 of a plain read (every second row
/// and element of images of 96×96 float32).
constexpr Index rows_distance = 4096;

/// Accumulates the elements of a part that belong to the result at `offset`, in bytes.
void accumulate_one(const ReduceNest& nest, const ReducePart& part, Index offset, std::byte* state) {
  const Loop run = nest.run();
  const std::span<const Loop> rows = std::span(nest.reduced).first(nest.reduced.size() - 1);
  Index begin = part.begin;
  Index within = begin % run.extent;
  for (copy::Cursor at = nest.at(rows, begin / run.extent); begin < part.end; within = 0) {
    const Index row_step = at.run().src_stride;
    const Index left = part.end - begin;
    const bool is_part = within > 0 || left < run.extent;
    const Index count = is_part ? 1 : std::min(left / run.extent, at.run_left());
    const Index now = is_part ? std::min(run.extent - within, left) : run.extent;
    const Index distance = row_step > 0 ? ceil_divide(rows_distance, row_step) * row_step : run_distance;
    nest.kernel.accumulate_gapped(state, {at.src() + offset + within * run.src_stride, count, row_step, now,
                                          run.src_stride / nest.item, distance});
    begin += count * now;
    at.skip(count);
  }
}

}  // namespace

void accumulate_gapped_runs(const ReduceNest& nest, const ReducePart& part, std::byte* states) {
  copy::Cursor at = nest.at(nest.results, part.first);
  for (Index n = 0; n < part.accumulators(); ++n, at.skip(1)) {
    accumulate_one(nest, part, at.src() - nest.base, states + n * nest.state);
  }
}

}  // namespace tenstride::detail
