// SPDX-License-Identifier: Apache-2.0
#include "tenstride/plan/copy_plan.hpp"

#include <algorithm>

#include "plan/candidates.hpp"
#include "plan/kernel_choice.hpp"
#include "plan/loop_order.hpp"
#include "plan/source_runs.hpp"
#include "plan/streaming.hpp"

namespace tenstride {
namespace {

constexpr std::size_t no_loop = max_rank;
/// Smaller copies use one thread: starting another one takes longer than it saves.
constexpr Index min_parallel_bytes = Index{512} << 10;
constexpr Index max_item_bytes = 16;

/// Whether the two loops step through both sides as one loop of `outer.extent * inner.extent` would.
bool are_one_loop(const CopyLoop& outer, const CopyLoop& inner) {
  return try_multiply(inner.dst_stride, inner.extent) == outer.dst_stride &&
         try_multiply(inner.src_stride, inner.extent) == outer.src_stride;
}

/// Fills `plan.loops` with the axes whose extent is not 1, sorted by destination stride, the largest first.
/// Returns false where the layouts have no element.
bool collect_loops(const Layout& dst, const Layout& src, std::size_t scale_axis, CopyPlan& plan) {
  plan.scale_loop = no_loop;
  for (std::size_t d = 0; d < dst.rank(); ++d) {
    const Index extent = dst.shape[d];
    if (extent == 0) return false;
    if (extent == 1) continue;
    plan.count *= extent;
    CopyLoop loop{extent, dst.strides[d], src.strides[d]};
    if (loop.dst_stride < 0) detail::reverse(loop, plan, d == scale_axis);
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

/// Merges neighbouring loops that are one loop on both sides. The loop that scale and shift run along is not
/// merged with loops inside it, because each of its indices has a number of its own; it is merged with loops
/// around it, for which the numbers repeat.
void merge_loops(CopyPlan& plan) {
  CopyLoop* loops = plan.loops.data();
  std::size_t merged = 0;
  std::size_t scale_loop = no_loop;
  for (std::size_t d = 0; d < plan.loops.size(); ++d) {
    if (merged > 0 && merged - 1 != scale_loop && are_one_loop(loops[merged - 1], loops[d])) {
      const Index extent = loops[merged - 1].extent;
      loops[merged - 1] = loops[d];
      loops[merged - 1].extent *= extent;
    } else {
      loops[merged++] = loops[d];
    }
    if (d == plan.scale_loop) scale_loop = merged - 1;
  }
  plan.loops.shrink(merged);
  plan.scale_loop = scale_loop == no_loop ? 0 : scale_loop;
}

/// Makes one item of an innermost loop that is contiguous on both sides and has 2, 4, 8 or 16 bytes.
void widen_items(CopyPlan& plan, Index item_bytes) {
  if (plan.loops.size() < 2 || plan.conversion != CopyConversion::none) return;
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  if (inner.dst_stride != 1 || inner.src_stride != 1 || inner.extent > max_item_bytes) return;
  const Index bytes = inner.extent * item_bytes;
  if (bytes > max_item_bytes || (bytes & (bytes - 1)) != 0) return;
  plan.item_elements = inner.extent;
  plan.loops.shrink(plan.loops.size() - 1);
}

/// Returns an equal negation with as few steps as possible. Between elements of one type two negations
/// cancel, and the negation of the source equals that of the destination.
Negation simplified_negation(Negation negation, const CopyPlan& plan) {
  if (plan.conversion == CopyConversion::scale || plan.dst_type != plan.src_type) return negation;
  if (negation == Negation::both) return Negation::none;
  return negation == Negation::source ? Negation::destination : negation;
}

bool has_no_arithmetic(const PlanOptions& options) {
  return options.scale.empty() && options.shift.empty();
}

}  // namespace

CopyPlan plan_copy(const Layout& dst, DType dst_type, const Layout& src, DType src_type,
                   const PlanOptions& options) {
  CopyPlan result;
  result.dst_type = dst_type;
  result.src_type = src_type;
  result.streams = options.machine.streams;
  result.dst_offset = dst.offset;
  result.src_offset = src.offset;
  result.count = 1;
  if (is_complex(src_type) && is_complex(dst_type)) result.conjugation = options.conjugation;
  if (!has_no_arithmetic(options)) {
    result.conversion = CopyConversion::scale;
    result.scale.assign(options.scale.begin(), options.scale.end());
    result.shift.assign(options.shift.begin(), options.shift.end());
  }
  result.negation = simplified_negation(options.negation, result);
  const bool changes_sign = result.conjugation == Conjugation::conjugate || result.negation != Negation::none;
  if (has_no_arithmetic(options) && (dst_type != src_type || changes_sign)) {
    result.conversion = CopyConversion::convert;
  }
  const bool is_scaled_per_index = result.scale.size() > 1 || result.shift.size() > 1;
  if (!collect_loops(dst, src, is_scaled_per_index ? options.axis : no_loop, result)) {
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
  const SequentialStores stores = bytes >= options.sequential_streaming_above() ? SequentialStores::streaming
                                                                                : SequentialStores::ordinary;
  detail::choose_kernel(result, item_bytes, bytes >= options.streaming_above, stores);
  result.streaming = bytes >= detail::min_streaming_bytes(result, item_bytes, options);
  if (result.streaming && result.kernel == CopyKernel::tile)
    detail::join_source_loops(result, item_bytes * result.item_elements);
  if (options.placement.is_untouched && detail::is_written_sequentially(result)) result.streaming = false;
  const Index moved = std::max(bytes, result.count * item_bytes);
  result.threads = moved < min_parallel_bytes ? 1 : options.max_threads;
  detail::choose_strategy(result, options);
  return result;
}

}  // namespace tenstride
