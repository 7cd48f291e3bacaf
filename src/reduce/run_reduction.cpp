// SPDX-License-Identifier: Apache-2.0
#include "reduce/run_reduction.hpp"

#include <algorithm>
#include <array>

#include "copy/line_writer.hpp"
#include "reduce/products.hpp"
#include "reduce/reduce_nest.hpp"
#include "reduce/reduce_tiles.hpp"
#include "reduce/result_blocks.hpp"
#include "reduce/states.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::detail {
namespace {

void accumulate_by_way(const ReduceNest& nest, const ReducePart& part, std::byte* states) {
  if (nest.plan.way == ReduceWay::gapped_rows) return accumulate_gapped_rows(nest, part, states);
  nest.kernel.start(states, part.accumulators());
  switch (nest.plan.way) {
    case ReduceWay::gapped_runs:
      return accumulate_gapped_runs(nest, part, states);
    case ReduceWay::packed_runs:
    case ReduceWay::packed_rows:
      return accumulate_packed(nest, part, states);
    case ReduceWay::three_channels:
      return accumulate_three_channels(nest, part, states);
    default:
      return accumulate_directly(nest, part, states);
  }
}

/// Accumulates a part into fresh accumulators, pairwise: the second half of a long range into accumulators of
/// its own.
void accumulate(const ReduceNest& nest, const ReducePart& part, std::byte* states) {
  const Index direct = nest.plan.pairwise_from;
  if (part.elements() <= direct) return accumulate_by_way(nest, part, states);
  const Index middle = part.begin + (part.elements() + direct) / (2 * direct) * direct;
  accumulate(nest, {part.first, part.last, part.begin, middle}, states);
  const auto halve = [&](std::byte* other) {
    accumulate(nest, {part.first, part.last, middle, part.end}, other);
    nest.kernel.combine(states, other, part.accumulators());
  };
  alignas(64) std::byte buffer[1024];
  if (part.accumulators() * nest.state <= static_cast<Index>(sizeof buffer)) {
    halve(buffer);
  } else {
    halve(States(nest.kernel, part.accumulators()).data());
  }
}

/// Makes results of accumulators.
class Finish {
 public:
  Finish(const ReduceNest& nest, std::byte* dst)
      : nest_(nest),
        plan_(nest.plan),
        dst_(dst),
        item_(static_cast<Index>(item_size(plan_.result_dtype))),
        lines_(copy::kernels(), plan_.streams) {}

  /// Writes `count` results, from that of accumulator `first` on.
  void operator()(Index first, Index count, std::byte* states) {
    if (plan_.streaming) return stream(dst_ + first * item_, count, states);
    std::byte* const to = dst_ + first / plan_.group * item_;
    if (plan_.group == 1) return nest_.kernel.finish(to, states, count, plan_.reduced_count());
    const Index results = count / plan_.group;
    const States combined(nest_.kernel, results);
    nest_.kernel.combine_groups(combined.data(), states, results / plan_.inner, plan_.group, plan_.inner);
    nest_.kernel.finish(to, combined.data(), results, plan_.reduced_count());
  }
  void end() {
    if (plan_.streaming) lines_.end();
  }

 private:
  static constexpr Index max_streamed = 256;

  void stream(std::byte* dst, Index count, const std::byte* states) {
    alignas(64) std::array<std::byte, static_cast<std::size_t>(max_streamed) * 16> results;
    for (Index done = 0; done < count; done += max_streamed) {
      const Index now = std::min(max_streamed, count - done);
      nest_.kernel.finish(results.data(), states + done * nest_.state, now, plan_.reduced_count());
      lines_.write(dst + done * item_, results.data(), static_cast<std::size_t>(now * item_));
    }
  }

  const ReduceNest& nest_;
  const ReducePlan& plan_;
  std::byte* dst_;
  Index item_;
  copy::LineWriter lines_;
};

Index elements_of_cut(const ReducePlan& plan) {
  return std::max<Index>(ceil_divide(plan.per_accumulator, plan.cuts), 1);
}

/// A cut of the tile that begins at accumulator `first`.
ReducePart cut_of(const ReducePlan& plan, Index first, Index cut) {
  const Index each = elements_of_cut(plan);
  return {first, std::min(first + plan.tile, plan.accumulators), std::min(cut * each, plan.per_accumulator),
          std::min((cut + 1) * each, plan.per_accumulator)};
}

/// Tile by tile, each with all its elements.
void run_tiles(const ReduceNest& nest, std::byte* dst, Index tiles, Index grain) {
  const ReducePlan& plan = nest.plan;
  parallel_for(0, tiles, grain, [&](Index from, Index to) {
    const States states(nest.kernel, plan.tile);
    Finish finish(nest, dst);
    for (Index t = from; t < to; ++t) {
      const ReducePart part = cut_of(plan, t * plan.tile, 0);
      accumulate(nest, part, states.data());
      finish(part.first, part.accumulators(), states.data());
    }
    finish.end();
  });
}

/// Few results of many elements: cut by cut, combined pairwise in a tree.
void run_cuts(const ReduceNest& nest, std::byte* dst, Index tiles, Index grain) {
  const ReducePlan& plan = nest.plan;
  const States states(nest.kernel, plan.accumulators * plan.cuts);
  const auto row = [&](Index cut) { return states.data() + cut * plan.accumulators * nest.state; };
  parallel_for(0, tiles * plan.cuts, grain, [&](Index from, Index to) {
    for (Index n = from; n < to; ++n) {
      const Index cut = n % plan.cuts;
      const ReducePart part = cut_of(plan, n / plan.cuts * plan.tile, cut);
      accumulate(nest, part, row(cut) + part.first * nest.state);
    }
  });
  for (Index distance = 1; distance < plan.cuts; distance *= 2) {
    for (Index cut = 0; cut + distance < plan.cuts; cut += 2 * distance) {
      nest.kernel.combine(row(cut), row(cut + distance), plan.accumulators);
    }
  }
  Finish(nest, dst)(0, plan.accumulators, states.data());
}

/// Reduces into `result`, of the shape of the plan's problem.
void run_unexpanded(const ReducePlan& plan, Tensor& result, const Tensor& x) {
  const std::byte* const src = x.storage_data();
  if (plan.block.empty()) {
    run_in_order(plan, result.mutable_storage_data(), src);
  } else {
    run_blocks(plan, result, src);
  }
  if (plan.repeats != 1) mul_(result, plan.repeats);
  if (plan.problem.reduction == Reduction::prod) recompute_products(plan, result, src);
}

}  // namespace

void run_in_order(const ReducePlan& plan, std::byte* dst, const std::byte* src) {
  const ReduceNest nest(plan, src);
  if (plan.way == ReduceWay::pools) return run_pools(nest, dst);
  const Index tiles = ceil_divide(plan.accumulators, plan.tile);
  const Index grain =
      std::max<Index>(piece_elements / std::max<Index>(plan.tile * elements_of_cut(plan), 1), 1);
  if (plan.cuts == 1) {
    run_tiles(nest, dst, tiles, grain);
  } else {
    run_cuts(nest, dst, tiles, grain);
  }
}

void run_reduction(const ReducePlan& plan, Tensor& result, const Tensor& x) {
  if (plan.way == ReduceWay::nothing) return;
  if (plan.way == ReduceWay::multiples) {
    const std::array times{static_cast<double>(plan.repeats)};
    copy_elements(result, with_layout(x, plan.problem.results), {.scale = times});
    return;
  }
  if (!plan.is_expanded) return run_unexpanded(plan, result, x);
  Tensor once = empty(plan.problem.results.shape, {.dtype = plan.result_dtype});
  run_unexpanded(plan, once, x);
  copy_elements(result, once.expand(result.shape()));
}

}  // namespace tenstride::detail
