// SPDX-License-Identifier: Apache-2.0
#include "reduce/repeats.hpp"

#include <algorithm>

namespace tenstride::detail {
namespace {

/// Whether repeated elements do not change the result.
bool ignores_repeats(Reduction reduction) {
  return reduction == Reduction::min || reduction == Reduction::max || reduction == Reduction::any ||
         reduction == Reduction::all;
}

/// The layout with one index of each expanded axis.
Layout without_repeats(Layout layout) {
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.strides[d] == 0 && layout.shape[d] > 1) layout.shape[d] = 1;
  }
  return layout;
}

/// Sums and means of nothing but repeats of one element: of floats narrower than the doubles in which they
/// are summed, so that no sum is rounded before the end. Reading each element again took 6 times as long.
bool are_multiples(const ReduceProblem& problem) {
  constexpr Index max_repeats = Index{1} << 24;  // whole floats
  const Index repeats = numel(problem.reduced);
  const bool is_narrow = is_floating_point(problem.dtype) && item_size(problem.dtype) < sizeof(double);
  const bool is_sum = problem.reduction == Reduction::sum || problem.reduction == Reduction::mean;
  return is_narrow && is_sum && repeats > 1 && repeats <= max_repeats &&
         numel(without_repeats(problem.reduced)) == 1;
}

}  // namespace

bool take_repeats(ReducePlan& plan) {
  ReduceProblem& problem = plan.problem;
  const Index count = numel(problem.reduced);
  if (are_multiples(problem)) {
    plan.way = ReduceWay::multiples;
    plan.repeats = problem.reduction == Reduction::sum ? count : 1;
    return true;
  }
  // The sum of repeated integers is a multiple, modulo 2^64.
  const bool is_whole_sum = problem.reduction == Reduction::sum && plan.result_dtype == DType::int64;
  if (is_whole_sum || ignores_repeats(problem.reduction)) problem.reduced = without_repeats(problem.reduced);
  if (is_whole_sum) plan.repeats = count / std::max<Index>(numel(problem.reduced), 1);
  const Layout once = without_repeats(problem.results);
  plan.is_expanded = once.shape != problem.results.shape;
  problem.results = once;
  return false;
}

}  // namespace tenstride::detail
