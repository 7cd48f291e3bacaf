// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/reduce/reduce_plan.hpp"

namespace tenstride {
namespace {

using detail::message;

constexpr std::array<std::string_view, 11> reduction_way_names{
    "nothing",     "multiples",   "runs",   "gapped runs",    "packed runs", "rows",
    "gapped rows", "packed rows", "pixels", "three channels", "pools"};

std::string counted(Index count, std::string_view one) {
  return message(count, " ", one, count == 1 ? "" : "s");
}

/// What of the way its loops do not say.
std::string way_text(const ReducePlan& plan) {
  std::string text(name(plan.way));
  if (plan.way == ReduceWay::multiples) return text;
  if (plan.way == ReduceWay::gapped_rows || plan.way == ReduceWay::gapped_runs) {
    const Loops& loops = plan.way == ReduceWay::gapped_rows ? plan.result_loops : plan.reduction_loops;
    text += message(", ", loops[loops.size() - 1].src_stride, " apart");
  }
  if (plan.way == ReduceWay::pixels) text += message(" of ", counted(plan.channels, "channel"));
  if (plan.group > 1) text += message(", groups of ", plan.group, " x ", plan.inner);
  if (plan.way != ReduceWay::pools) text += message(", tiles of ", plan.tile);
  if (plan.cuts > 1) text += message(", ", plan.cuts, " cuts");
  if (plan.is_reduction_outer) text += ", the reduced axes outermost";
  text += plan.streaming ? ", streaming stores" : ", ordinary stores";
  if (plan.per_accumulator > plan.pairwise_from) text += message(", pairwise from ", plan.pairwise_from);
  if (plan.repeats > 1) text += message(", times ", plan.repeats);
  return text;
}

std::size_t width_of(const Loops& loops) {
  std::size_t width = 0;
  for (const Loop& loop : loops) width = std::max(width, std::to_string(loop.extent).size());
  return width;
}

std::string loops_text(std::string_view title, const Loops& loops, std::size_t width) {
  std::string text;
  for (const Loop& loop : loops) {
    std::string extent = std::to_string(loop.extent);
    extent.resize(width, ' ');
    text += message("\n  ", title, "  ", extent, "  src stride ", loop.src_stride);
  }
  return text;
}

}  // namespace

std::string_view name(ReduceWay way) {
  return reduction_way_names[static_cast<std::size_t>(way)];
}

std::string ReducePlan::to_string() const {
  const Index results = numel(problem.results);
  std::string text =
      message(name(problem.reduction), " of ", counted(results * numel(problem.reduced), "element"), " ",
              name(problem.dtype), " -> ", results, " ", name(result_dtype));
  if (way == ReduceWay::nothing) return text;
  text += "\n  way      " + way_text(*this);
  const std::size_t width = std::max(width_of(result_loops), width_of(reduction_loops));
  text += loops_text("result ", result_loops, width);
  text += loops_text("reduced", reduction_loops, width);
  if (block == problem.results.shape && !block.empty()) {
    text += "\n  blocks   none: computed in the order of memory, then transposed into the result";
  } else if (!block.empty()) {
    text += "\n  blocks   of " + tenstride::to_string(block) + ", each transposed into the result";
  }
  if (is_expanded) text += "\n  expanded computed once where the source repeats, then copied";
  return text;
}

}  // namespace tenstride
