// SPDX-License-Identifier: Apache-2.0
#include "reduce/choose_way.hpp"

#include <cstdlib>

namespace tenstride::detail {
namespace {

/// What the rules weigh. Bytes unless they say otherwise.
struct WayLimits {
  /// `pool` accumulates pairs of bytes by 16 or more at a time; fewer results would be accumulated one by
  /// one.
  Index min_narrow_pool = 32;
  /// The least that the elements of a result span, gaps included, to be accumulated with them. Starting and
  /// combining the accumulators takes the same time for each result, which must be short beside reading these
  /// bytes.
  Index min_gapped_span = 2048;
  /// Rows of results are accumulated with the elements between them only from this many elements per result
  /// on, as the additional accumulators must be dropped at the end.
  Index min_gapped_rows = 32;
  /// The greatest step of runs of 16-bit floats that are accumulated as double, where converting takes four
  /// instructions for eight elements. At a step of 3, converting all of them took 1.1 times as long as
  /// packing a third of them.
  Index max_widened_step = 2;
  /// Dense runs from this many bytes on are accumulated one by one; shorter ones are packed, or accumulated
  /// together with the gaps between them, where a result has many of them. One by one, runs of 90 floats took
  /// 47 ns each, of which reading them takes 26.
  Index short_run = 1024;
  /// From this extent on, elements whose stride the gather kernels have no vectors for are accumulated from
  /// the source: packed, every fifth float of a row took 1.1 times as long.
  Index min_unpacked_extent = 256;
  /// The greatest stride, in elements, that the gather kernels have vectors for.
  Index max_gather_stride = 4;
};
constexpr WayLimits limits;

/// A plan as the rules see it: its innermost loops, and bytes.
struct WayFacts {
  WayFacts(const ReducePlan& whole, ReduceShape its_shape, const ReduceKernel& its_kernel)
      : plan(whole), shape(its_shape), kernel(its_kernel) {
    if (!plan.result_loops.empty()) row = plan.result_loops[plan.result_loops.size() - 1];
    if (!plan.reduction_loops.empty()) run = plan.reduction_loops[plan.reduction_loops.size() - 1];
  }

  [[nodiscard]] bool has_rows() const { return !plan.result_loops.empty(); }
  [[nodiscard]] bool has_runs() const { return !plan.reduction_loops.empty(); }

  const ReducePlan& plan;
  ReduceShape shape;
  const ReduceKernel& kernel;
  Index item = static_cast<Index>(item_size(plan.problem.dtype));
  Loop row;
  Loop run;
};

bool takes_pools(const WayFacts& of) {
  const bool is_narrow =
      of.kernel.state_size == 1 && of.plan.inner == 1 && of.row.extent < limits.min_narrow_pool;
  return of.kernel.pool != nullptr && is_pool(of.plan) && !is_narrow;
}

/// Rows of results whose elements lie apart are accumulated with the elements between them: the lines are
/// read anyway. Steps of 4 are packed by vectors: maxima of float16 took 1.1 times as long this way. At a
/// step of 6, float32 took 1.2 times as long as one element after the other.
bool takes_gapped_rows(const WayFacts& of) {
  if (of.kernel.accumulate_gapped == nullptr || !of.has_runs()) return false;
  const Index step = of.row.src_stride;
  const bool is_small = step == 2 || step == 3 || (step > 4 && step <= max_gapped_step && of.item <= 2);
  return is_small && of.plan.per_accumulator >= limits.min_gapped_rows &&
         of.row.extent * step <= of.run.src_stride + step;
}

/// Likewise for runs whose elements lie apart, and for short runs with gaps between them.
bool takes_gapped_runs(const WayFacts& of) {
  if (of.kernel.accumulate_gapped == nullptr || of.plan.is_reduction_outer || !of.has_runs()) return false;
  const Index step = of.run.src_stride;
  if (step < 1 || step > max_gapped_step) return false;
  const Index span = ((of.run.extent - 1) * step + 1) * of.item;
  if (of.has_rows() && std::abs(of.row.src_stride) * of.item < span)
    return false;                              // other results lie in the same cache lines
  if (step > 1 && of.item == 8) return false;  // too few accumulators: double has no bits to spare
  if (step > limits.max_widened_step && of.item == 2 && of.kernel.state_size == 8) return false;
  const bool has_gaps = step > 1 || (of.plan.reduction_loops.size() > 1 && span < limits.short_run);
  const Index runs = of.plan.per_accumulator / of.run.extent;
  return has_gaps && saturating_multiply(runs, span) >= limits.min_gapped_span;
}

bool takes_three_channels(const WayFacts& of) {
  return of.kernel.accumulate_three_channels != nullptr && of.plan.channels == 3 &&
         of.plan.channel_step == 1 && of.plan.result_loops.size() > 1 && of.row.extent == 3 &&
         of.plan.reduction_loops.size() == 1 && of.run.extent >= min_three_channel_pixels &&
         !of.plan.is_reduction_outer;
}

/// Elements that lie apart are packed where vectors do it, or where the packed lines hold other rows'
/// elements too; short dense runs, where several of them make one.
bool takes_packing(const WayFacts& of) {
  const bool are_rows = of.shape == ReduceShape::rows;
  if (!are_rows && !of.has_runs()) return false;
  const Loops& loops = are_rows ? of.plan.result_loops : of.plan.reduction_loops;
  const Loop& inner = are_rows ? of.row : of.run;
  const Loop& outer = are_rows ? of.run : of.row;
  const bool has_outer = are_rows ? of.has_runs() : of.has_rows();
  if (inner.src_stride == 1) {
    return !are_rows && loops.size() > 1 && !of.plan.is_reduction_outer &&
           inner.extent * of.item < limits.short_run;
  }
  if (loops.empty() || inner.extent < limits.min_unpacked_extent) return true;
  const Index stride = std::abs(inner.src_stride);
  return inner.src_stride == -1 || stride <= limits.max_gather_stride ||
         (has_outer && std::abs(outer.src_stride) < stride);
}

}  // namespace

ReduceWay choose_way(const ReducePlan& plan, ReduceShape shape, const ReduceKernel& kernel) {
  const WayFacts of(plan, shape, kernel);
  switch (shape) {
    case ReduceShape::rows:
      if (takes_pools(of)) return ReduceWay::pools;
      if (takes_gapped_rows(of)) return ReduceWay::gapped_rows;
      return takes_packing(of) ? ReduceWay::packed_rows : ReduceWay::rows;
    case ReduceShape::pixels:
      return takes_three_channels(of) ? ReduceWay::three_channels : ReduceWay::pixels;
    case ReduceShape::runs:
      break;
  }
  if (takes_gapped_runs(of)) return ReduceWay::gapped_runs;
  return takes_packing(of) ? ReduceWay::packed_runs : ReduceWay::runs;
}

}  // namespace tenstride::detail
