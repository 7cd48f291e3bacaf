// SPDX-License-Identifier: Apache-2.0
#include "reduce/plan_reduction.hpp"

#include "reduce/choose_way.hpp"
#include "reduce/reduce_loops.hpp"
#include "reduce/reduce_tiles.hpp"
#include "reduce/repeats.hpp"
#include "reduce/result_blocks.hpp"

namespace tenstride {
namespace {

/// Whether results that are computed in the order of memory are computed in their own order.
bool is_in_own_order(const ReducePlan& in_memory, const Layout& results, const Dims& working) {
  if (detail::shape_of(in_memory.way) == detail::ReduceShape::runs) return true;
  const bool keeps_order = !detail::has_backward_axis(results) || !detail::is_pool(in_memory);
  return keeps_order && is_contiguous(Layout{results.shape, working, 0});
}

/// Results of many bytes are written by streaming stores: ordinary ones would read each line first.
bool streams_results(const ReducePlan& plan, const PlanOptions& options) {
  const bool has_whole_results = plan.group == 1 || plan.way == ReduceWay::pools;
  const Index nbytes = plan.accumulators / plan.group * static_cast<Index>(item_size(plan.result_dtype));
  return has_whole_results && plan.cuts == 1 && nbytes >= 2 * options.streaming_above;
}

}  // namespace

const detail::ReduceKernel& detail::kernel_of(const ReducePlan& plan) {
  return reduce_kernel(plan.problem.reduction, plan.problem.dtype, numel(plan.problem.reduced));
}

void detail::plan_in_order(ReducePlan& plan, const Layout& results, const Dims& dst_strides) {
  const ReduceKernel& kernel = kernel_of(plan);
  const ReduceShape shape = set_loops(plan, results, dst_strides, plan.problem.reduced);
  plan.way = choose_way(plan, shape, kernel);
  set_tiles(plan, kernel);
}

ReducePlan plan_reduction(const ReduceProblem& problem, const PlanOptions& options) {
  ReducePlan plan;
  plan.problem = problem;
  plan.result_dtype = reduced_dtype(problem.reduction, problem.dtype);
  plan.streams = options.machine.streams;
  if (is_empty(problem.results) || detail::take_repeats(plan)) return plan;
  const Layout& results = plan.problem.results;
  if (results.rank() > 1 || detail::has_backward_axis(results)) {
    const Layout forward = detail::with_forward_axes(results);
    const Dims working = detail::working_strides(forward, plan.problem.reduced);
    ReducePlan in_memory = plan;
    detail::plan_in_order(in_memory, forward, working);
    if (!is_in_own_order(in_memory, results, working)) {
      in_memory.block = detail::block_extents(in_memory, working);
      in_memory.streaming =
          numel(results) * static_cast<Index>(item_size(plan.result_dtype)) >= options.streaming_above;
      return in_memory;
    }
  }
  detail::plan_in_order(plan, results, row_major_strides(results.shape));
  plan.streaming = streams_results(plan, options);
  return plan;
}

}  // namespace tenstride
