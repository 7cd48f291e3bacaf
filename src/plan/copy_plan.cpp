// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy_plan.hpp"

#include <algorithm>

#include "plan/candidates.hpp"
#include "plan/kernel_choice.hpp"
#include "plan/loop_order.hpp"
#include "plan/source_runs.hpp"
#include "plan/streaming.hpp"

namespace tenstride {
namespace {

using detail::InOrder;

constexpr std::size_t no_loop = max_rank;
/// Below so many destination bytes the start of a thread costs more than it gives.
constexpr Index serial_below = Index{512} << 10;
constexpr Index largest_item = 16;
bool are_one_loop(const CopyLoop& outer, const CopyLoop& inner) {
  return try_multiply(inner.dst_stride, inner.extent) == outer.dst_stride &&
         try_multiply(inner.src_stride, inner.extent) == outer.src_stride;
}

/// The loops without extents of 1, outer to inner by destination stride. False where there is no element.
bool collect_loops(const Layout& dst, const Layout& src, std::size_t scale_axis, CopyPlan& plan) {
  plan.scale_loop = no_loop;
  for (std::size_t d = 0; d < dst.rank(); ++d) {
    const Index extent = dst.shape[d];
    if (extent == 0) return false;
    if (extent == 1) continue;
    plan.count *= extent;
    CopyLoop loop{extent, dst.strides[d], src.strides[d]};
    if (loop.dst_stride < 0) {
      detail::reverse(loop, plan);
      if (d == scale_axis) {
        std::reverse(plan.scale.begin(), plan.scale.end());
        std::reverse(plan.shift.begin(), plan.shift.end());
      }
    }
    std::size_t at = plan.loops.size();
    plan.loops.push_back(loop);
    CopyLoop* loops = plan.loops.data();
    for (; at > 0 && loops[at - 1].dst_stride < loop.dst_stride; --at) loops[at] = loops[at - 1];
    loops[at] = loop;
    if (d == scale_axis) {
      plan.scale_loop = at;
    } else if (plan.scale_loop != no_loop && plan.scale_loop >= at) {
      ++plan.scale_loop;
    }
  }
  return true;
}

/// Merges neighbours that are one loop on both sides. What is inside of the loop that scale and shift run
/// along stays apart; what is around it repeats the numbers.
void merge_loops(CopyPlan& plan) {
  CopyLoop* loops = plan.loops.data();
  std::size_t kept = 0;
  std::size_t scale_loop = no_loop;
  for (std::size_t d = 0; d < plan.loops.size(); ++d) {
    if (kept > 0 && kept - 1 != scale_loop && are_one_loop(loops[kept - 1], loops[d])) {
      const Index extent = loops[kept - 1].extent;
      loops[kept - 1] = loops[d];
      loops[kept - 1].extent *= extent;
    } else {
      loops[kept++] = loops[d];
    }
    if (d == plan.scale_loop) scale_loop = kept - 1;
  }
  plan.loops.shrink(kept);
  plan.scale_loop = scale_loop == no_loop ? 0 : scale_loop;
}

/// Lets a dense inner run of 2, 4, 8 or 16 bytes move as one item.
void widen_items(CopyPlan& plan, Index item_bytes) {
  if (plan.loops.size() < 2 || plan.conversion != CopyConversion::none) return;
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  if (inner.dst_stride != 1 || inner.src_stride != 1 || inner.extent > largest_item) return;
  const Index bytes = inner.extent * item_bytes;
  if (bytes > largest_item || (bytes & (bytes - 1)) != 0) return;
  plan.item_elements = inner.extent;
  plan.loops.shrink(plan.loops.size() - 1);
}

/// One negation between elements of one type, or none.
Negation min_negation(Negation negation, const CopyPlan& plan) {
  if (plan.conversion == CopyConversion::scale || plan.dst_type != plan.src_type) return negation;
  if (negation == Negation::both) return Negation::none;
  return negation == Negation::source ? Negation::destination : negation;
}

bool is_noop(const PlanOptions& options) {
  return options.scale.empty() && options.shift.empty();
}

}  // namespace

CopyPlan plan(const Layout& dst, DType dst_type, const Layout& src, DType src_type,
              const PlanOptions& options) {
  CopyPlan result;
  result.dst_type = dst_type;
  result.src_type = src_type;
  result.streams = options.machine.streams;
  result.dst_offset = dst.offset;
  result.src_offset = src.offset;
  result.count = 1;
  if (is_complex(src_type) && is_complex(dst_type)) result.conjugation = options.conjugation;
  if (!is_noop(options)) {
    result.conversion = CopyConversion::scale;
    result.scale.assign(options.scale.begin(), options.scale.end());
    result.shift.assign(options.shift.begin(), options.shift.end());
  }
  result.negation = min_negation(options.negation, result);
  const bool changes_sign = result.conjugation == Conjugation::conjugate || result.negation != Negation::none;
  if (is_noop(options) && (dst_type != src_type || changes_sign)) {
    result.conversion = CopyConversion::convert;
  }
  const bool per_index = result.scale.size() > 1 || result.shift.size() > 1;
  if (!collect_loops(dst, src, per_index ? options.axis : no_loop, result)) {
    result.count = 0;
    result.loops.shrink(0);
    result.scale_loop = 0;
    return result;
  }
  merge_loops(result);
  const auto item_bytes = static_cast<Index>(item_size(src_type));
  widen_items(result, item_bytes);
  if (result.loops.empty()) result.loops.push_back({1, 1, 1});
  const auto bytes = result.count * static_cast<Index>(item_size(dst_type));
  const InOrder order =
      bytes >= options.streaming_in_order_above() ? InOrder::non_temporal : InOrder::through_cache;
  detail::choose_kernel(result, item_bytes, bytes >= options.streaming_above, order);
  result.streaming = bytes >= detail::streams_above(result, item_bytes, options);
  if (result.streaming && result.kernel == CopyKernel::tile)
    detail::join_source_loops(result, item_bytes * result.item_elements);
  if (options.placement.is_untouched && detail::is_written_in_order(result)) result.streaming = false;
  const Index moved = std::max(bytes, result.count * item_bytes);
  result.threads = moved < serial_below ? 1 : options.max_threads;
  detail::choose_strategy(result, options);
  return result;
}

}  // namespace tenstride
