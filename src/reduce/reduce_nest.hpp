// SPDX-License-Identifier: Apache-2.0
// A plan on memory: its loops in bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "copy/cursor.hpp"
#include "reduce/plan_reduction.hpp"
#include "reduce/reduce_loops.hpp"

namespace tenstride::detail {

/// What the ways of accumulating take. `src` is the source's storage element 0.
struct ReduceNest {
  ReduceNest(const ReducePlan& its_plan, const std::byte* src)
      : plan(its_plan),
        kernel(kernel_of(its_plan)),
        shape(shape_of(its_plan.way)),
        item(static_cast<Index>(item_size(its_plan.problem.dtype))),
        state(static_cast<Index>(kernel.state_size)),
        base(src + its_plan.src_offset * item) {
    for (const Loop& loop : plan.result_loops) results.push_back({loop.extent, 0, loop.src_stride * item});
    for (const Loop& loop : plan.reduction_loops) reduced.push_back({loop.extent, 0, loop.src_stride * item});
  }

  /// The cursor at a position of loops of this nest. Its source is that of the nest's first element there.
  [[nodiscard]] copy::Cursor at(std::span<const Loop> loops, Index position) const {
    copy::Cursor cursor(loops, nullptr, base);
    cursor.seek(position);
    return cursor;
  }
  /// The innermost loops; of extent 1 where there is none.
  [[nodiscard]] Loop row() const { return results.empty() ? Loop{1, 0, 0} : results.back(); }
  [[nodiscard]] Loop run() const { return reduced.empty() ? Loop{1, 0, 0} : reduced.back(); }

  const ReducePlan& plan;
  const ReduceKernel& kernel;
  ReduceShape shape;
  Index item;             ///< bytes of an element
  Index state;            ///< bytes of an accumulator
  const std::byte* base;  ///< the first element
  std::vector<Loop> results;
  std::vector<Loop> reduced;
};

/// Accumulators [first, last) and elements [begin, end) of each of them.
struct ReducePart {
  Index first;
  Index last;
  Index begin;
  Index end;
  [[nodiscard]] Index accumulators() const { return last - first; }
  [[nodiscard]] Index elements() const { return end - begin; }
};

/// Accumulate a part into accumulators that have been started. Which of them a plan takes its way says.
void accumulate_directly(const ReduceNest& nest, const ReducePart& part, std::byte* states);
void accumulate_gapped_rows(const ReduceNest& nest, const ReducePart& part, std::byte* states);
void accumulate_gapped_runs(const ReduceNest& nest, const ReducePart& part, std::byte* states);
void accumulate_packed(const ReduceNest& nest, const ReducePart& part, std::byte* states);
void accumulate_three_channels(const ReduceNest& nest, const ReducePart& part, std::byte* states);

/// Accumulates a run of `count` pixels into `results` of their channels.
void accumulate_pixels(const ReduceNest& nest, std::byte* states, Index results, const std::byte* src,
                       Index count);

/// Carries out a plan whose way is `pools`.
void run_pools(const ReduceNest& nest, std::byte* dst);

}  // namespace tenstride::detail
