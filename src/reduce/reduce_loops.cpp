// SPDX-License-Identifier: Apache-2.0
#include "reduce/reduce_loops.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {
namespace {

/// Groups with more results than this are not joined to longer rows.
constexpr Index max_inner = 128;

/// Adds an inner loop, or lets the one around it go on where the two are one loop.
void add_merged(Loops& loops, Index extent, Index stride) {
  if (!loops.empty() && loops[loops.size() - 1].src_stride == stride * extent) {
    Loop& outer = loops[loops.size() - 1];
    outer = {outer.extent * extent, 0, stride};
  } else {
    loops.push_back({extent, 0, stride});
  }
}

void add_result_loops(ReducePlan& plan, const Layout& results, const Dims& dst_strides) {
  for (const Index axis : slowest_first(dst_strides)) {
    const std::size_t d = at(axis);
    if (results.shape[d] == 1) continue;
    add_merged(plan.result_loops, results.shape[d], results.strides[d]);
    plan.accumulators *= results.shape[d];
  }
}

/// Any order of accumulation is allowed: memory is read forwards, and an expanded axis, which is read again
/// and again, is outermost.
void add_reduction_loops(ReducePlan& plan, const Layout& reduced) {
  Dims strides;
  for (std::size_t d = 0; d < reduced.rank(); ++d) {
    const Index extent = reduced.shape[d];
    plan.per_accumulator *= extent;
    if (extent > 1 && reduced.strides[d] < 0) plan.src_offset += (extent - 1) * reduced.strides[d];
    strides.push_back(reduced.strides[d] == 0 ? std::numeric_limits<Index>::max()
                                              : std::abs(reduced.strides[d]));
  }
  for (const Index axis : slowest_first(strides)) {
    const std::size_t d = at(axis);
    if (reduced.shape[d] > 1)
      add_merged(plan.reduction_loops, reduced.shape[d], std::abs(reduced.strides[d]));
  }
}

/// Joins a short reduction axis within rows of results to one row: (w,f,c) with f reduced becomes a row of
/// w*f*c.
bool join_groups(ReducePlan& plan) {
  Loops& results = plan.result_loops;
  Loops& reduced = plan.reduction_loops;
  const Loop innermost = results[results.size() - 1];
  const Loop joined = reduced[reduced.size() - 1];
  const bool has_inner_axis = innermost.src_stride == 1;
  const Index channels = has_inner_axis ? innermost.extent : 1;
  // Single neighbours become rows by deinterleaving; three of them, of narrow types, in registers.
  const bool are_triples =
      joined.extent == 3 && item_size(plan.problem.dtype) <= 4 && innermost.extent >= short_row;
  if (channels == 1 && joined.extent > 2 && reduced.size() == 1 && !are_triples) return false;
  if (channels > max_inner || joined.src_stride != channels || joined.extent >= short_row) return false;
  const std::size_t above = has_inner_axis ? 2 : 1;
  if (results.size() < above) return false;
  const Loop& row = results[results.size() - above];
  if (row.src_stride != joined.extent * channels) return false;
  const Index extent = row.extent * joined.extent * channels;
  results.shrink(results.size() - above);
  results.push_back({extent, 0, 1});
  reduced.shrink(reduced.size() - 1);
  plan.group = joined.extent;
  plan.inner = channels;
  plan.accumulators *= plan.group;
  plan.per_accumulator /= plan.group;
  return true;
}

/// Whether the results are all or some channels of pixels; sets `channels` and `channel_step`. Example: the
/// mean of each of 3 channels of 100×3 values.
bool find_pixels(ReducePlan& plan) {
  const Loop& row = plan.result_loops[plan.result_loops.size() - 1];
  const Loop& run = plan.reduction_loops[plan.reduction_loops.size() - 1];
  if (row.src_stride < 1) return false;
  const bool has_long_runs = run.extent >= short_row;
  const bool are_all = row.src_stride == 1 && run.src_stride == row.extent;
  const bool are_some = has_long_runs && row.extent > 1 && run.src_stride < short_row &&
                        (row.extent - 1) * row.src_stride < run.src_stride;
  if (are_all ? row.extent >= max_channels || (!has_long_runs && row.extent >= short_row) : !are_some)
    return false;
  plan.channels = run.src_stride;
  plan.channel_step = row.src_stride;
  return true;
}

ReduceShape choose_shape(ReducePlan& plan) {
  if (plan.result_loops.empty()) return ReduceShape::runs;
  if (plan.reduction_loops.empty() || join_groups(plan)) return ReduceShape::rows;
  if (find_pixels(plan)) return ReduceShape::pixels;
  const Loop& row = plan.result_loops[plan.result_loops.size() - 1];
  const Loop& run = plan.reduction_loops[plan.reduction_loops.size() - 1];
  const bool has_long_rows = row.extent >= short_row;
  const bool has_long_runs = run.extent >= short_row;
  if (has_long_rows != has_long_runs) return has_long_rows ? ReduceShape::rows : ReduceShape::runs;
  const bool are_rows = run.src_stride == 0 || (has_long_rows ? std::abs(row.src_stride) < run.src_stride
                                                              : row.extent >= run.extent);
  return are_rows ? ReduceShape::rows : ReduceShape::runs;
}

void choose_order(ReducePlan& plan, ReduceShape shape) {
  plan.piece = plan.per_accumulator;
  if (plan.reduction_loops.empty() || plan.result_loops.empty()) return;
  const auto stride_from_inside = [](const Loops& loops, std::size_t n) {
    return loops.size() <= n ? 0 : std::abs(loops[loops.size() - 1 - n].src_stride);
  };
  const Index run = stride_from_inside(plan.reduction_loops, 0);
  const Index above_run = stride_from_inside(plan.reduction_loops, 1);
  const Index above_row = stride_from_inside(plan.result_loops, 1);
  const bool has_outer_results = plan.result_loops.size() > 1;
  if (shape == ReduceShape::runs) {
    plan.is_reduction_outer = std::max(above_run, run) > stride_from_inside(plan.result_loops, 0);
  } else if (has_outer_results && run > above_row) {
    plan.is_reduction_outer = true;
    if (shape == ReduceShape::rows) plan.piece = min_rows_together;
  } else {
    plan.is_reduction_outer = has_outer_results && above_run > above_row;
  }
}

}  // namespace

Dims slowest_first(const Dims& strides) {
  Dims order = Dims::filled(strides.size(), 0);
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return strides[at(a)] > strides[at(b)]; });
  return order;
}

ReduceShape shape_of(ReduceWay way) {
  switch (way) {
    case ReduceWay::rows:
    case ReduceWay::gapped_rows:
    case ReduceWay::packed_rows:
    case ReduceWay::pools:
      return ReduceShape::rows;
    case ReduceWay::pixels:
    case ReduceWay::three_channels:
      return ReduceShape::pixels;
    default:
      return ReduceShape::runs;
  }
}

ReduceShape set_loops(ReducePlan& plan, const Layout& results, const Dims& dst_strides,
                      const Layout& reduced) {
  plan.src_offset = results.offset;
  plan.accumulators = plan.per_accumulator = 1;
  add_result_loops(plan, results, dst_strides);
  add_reduction_loops(plan, reduced);
  const ReduceShape shape = choose_shape(plan);
  choose_order(plan, shape);
  Index dense = 1;
  for (std::size_t d = plan.result_loops.size(); d-- > 0;) {
    plan.result_loops[d].dst_stride = dense;
    dense *= plan.result_loops[d].extent;
  }
  return shape;
}

Dims working_strides(const Layout& results, const Layout& reduced) {
  const Dims as_source = inferred_dense_strides(results);
  ReducePlan plan;
  plan.problem.dtype = DType::uint8;
  set_loops(plan, results, as_source, reduced);
  if (plan.group > 1) return as_source;
  const auto is_short = [](const Loops& loops) {
    return loops.empty() || loops[loops.size() - 1].extent < short_row;
  };
  if (!is_short(plan.result_loops) || !is_short(plan.reduction_loops)) return as_source;
  std::size_t row = results.rank();
  for (std::size_t d = 0; d < results.rank(); ++d) {
    if (results.shape[d] < short_row) continue;
    if (row == results.rank() || std::abs(results.strides[d]) < std::abs(results.strides[row])) row = d;
  }
  if (row == results.rank()) return as_source;
  Dims strides = as_source;
  for (std::size_t d = 0; d < results.rank(); ++d) {
    if (as_source[d] < as_source[row]) strides[d] *= results.shape[row];
  }
  strides[row] = 1;
  return strides;
}

bool is_pool(const ReducePlan& plan) {
  return plan.group > 1 && plan.reduction_loops.size() <= 1 && plan.per_accumulator > 0 &&
         plan.per_accumulator < short_row &&
         (plan.inner > 1 || plan.group == 2 || (plan.group == 3 && plan.reduction_loops.empty()));
}

}  // namespace tenstride::detail
