// SPDX-License-Identifier: Apache-2.0
#include "reduce/gaps.hpp"

#include <algorithm>
#include <cstdlib>

#include "reduce/cursor.hpp"

namespace tenstride::detail {
namespace {

/// The least number of bytes that the elements of a result span, gaps included. Starting and combining the
/// accumulators takes the same time for each result, which must be short beside reading these bytes.
constexpr Index min_span_bytes = 2048;
/// Rows of results are accumulated with the elements between them only from this many elements per result on,
/// as the additional accumulators must be dropped at the end.
constexpr Index min_elements_per_result = 32;
/// The greatest step for 16-bit floats that are accumulated as double, where converting takes four
/// instructions for eight elements. At a step of 3, converting all of them took 1.1 times as long as packing
/// a third of them.
constexpr Index max_widened_step = 2;
/// The prefetch distance along a run, in bytes.
constexpr Index run_distance = 2048;
/// The prefetch distance in whole rows, in bytes. 2 KiB → 4 KiB: .58 → .72 of a plain read (every second row
/// and element of images of 96×96 float32).
constexpr Index rows_distance = 4096;

/// Returns whether rows of results with this step are faster with the elements between them. Steps of 4 are
/// packed by vectors: maxima of float16 took 1.1 times as long this way. At a step of 6, float32 took 1.2
/// times as long as one element after the other.
bool is_gapped_row_step(Index step, Index item) {
  return step == 2 || step == 3 || (step > 4 && step <= max_gapped_step && item <= 2);
}

}  // namespace

bool Gaps::is_faster(const ReduceKernel& kernel, const ReducePlan& plan) {
  if (kernel.accumulate_gapped == nullptr || plan.shape != ReduceShape::runs || plan.is_reduction_outer ||
      plan.reduction_loops.empty()) {
    return false;
  }
  const ReduceLoop& run = plan.reduction_loops.back();
  const Index step = run.stride / plan.item;
  const Index span = (run.extent - 1) * run.stride + plan.item;
  if (run.stride % plan.item != 0 || step < 1 || step > max_gapped_step) return false;
  if (!plan.result_loops.empty() && std::abs(plan.result_loops.back().stride) < span)
    return false;                                // other results lie in the same cache lines
  if (step > 1 && plan.item == 8) return false;  // too few accumulators: double has no bits to spare
  if (step > max_widened_step && plan.item == 2 && kernel.state_size == 8) return false;
  const bool has_gaps = step > 1 || (plan.reduction_loops.size() > 1 && span < short_run_bytes);
  return has_gaps && plan.per_result / run.extent * span >= min_span_bytes;
}

Index Gaps::row_step(const ReduceKernel& kernel, const ReducePlan& plan) {
  if (kernel.accumulate_gapped == nullptr || plan.shape != ReduceShape::rows || plan.result_loops.empty() ||
      plan.reduction_loops.empty() || plan.per_result < min_elements_per_result) {
    return 1;
  }
  const ReduceLoop& row = plan.result_loops.back();
  const Index step = row.stride / plan.item;
  const bool is_gapped = row.stride % plan.item == 0 && is_gapped_row_step(step, plan.item);
  return is_gapped && row.extent * row.stride <= plan.reduction_loops.back().stride + row.stride ? step : 1;
}

Gaps::Gaps(const ReduceKernel& kernel, const ReducePlan& plan, const std::byte* base)
    : kernel_(kernel), plan_(plan), base_(base) {
  if (!plan.reduction_loops.empty())
    rows_ = std::span(plan.reduction_loops).first(plan.reduction_loops.size() - 1);
}

void Gaps::accumulate(Index first, Index last, Index begin, Index end, std::byte* states) const {
  for (Cursor at(plan_.result_loops, first); first < last; ++first) {
    one(states, base_ + at.offset(), begin, end);
    states += kernel_.state_size;
    at.skip(1);
  }
}

void Gaps::one(std::byte* state, const std::byte* src, Index begin, Index end) const {
  const ReduceLoop& run = plan_.reduction_loops.back();
  Index within = begin % run.extent;
  for (Cursor at(rows_, begin / run.extent); begin < end; within = 0) {
    const std::ptrdiff_t row_step = at.stride();
    const Index left = end - begin;
    const bool is_part = within > 0 || left < run.extent;
    const Index rows = is_part ? 1 : std::min(left / run.extent, at.run());
    const Index now = is_part ? std::min(run.extent - within, left) : run.extent;
    const std::ptrdiff_t distance =
        row_step > 0 ? ceil_divide(rows_distance, row_step) * row_step : run_distance;
    kernel_.accumulate_gapped(state, {src + at.offset() + within * run.stride, rows, row_step, now,
                                      run.stride / plan_.item, distance});
    begin += rows * now;
    at.skip(rows);
  }
}

}  // namespace tenstride::detail
