// SPDX-License-Identifier: Apache-2.0
// A plan together with the memory that it copies.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "copy/cursor.hpp"
#include "copy/kernels/kernels.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::copy {

/// A plan bound to the addresses of both sides and to this processor's kernels. Its loops have strides in
/// bytes.
struct BoundPlan {
  const CopyPlan& plan;
  const Kernels& kernels;
  /// The addresses of storage element 0 of each side.
  std::byte* dst_base;
  const std::byte* src_base;
  /// The addresses of the first element that the loops visit.
  std::byte* dst;
  const std::byte* src;
  /// Bytes of an item on each side.
  std::size_t dst_item;
  std::size_t src_item;

  BoundPlan(const CopyPlan& plan_, const Kernels& kernels_, void* dst_base_, const void* src_base_)
      : plan(plan_),
        kernels(kernels_),
        dst_base(static_cast<std::byte*>(dst_base_)),
        src_base(static_cast<const std::byte*>(src_base_)),
        dst(dst_base + plan_.dst_offset * signed_size(plan_.dst_type)),
        src(src_base + plan_.src_offset * signed_size(plan_.src_type)),
        dst_item(item_size(plan_.dst_type) * static_cast<std::size_t>(plan_.item_elements)),
        src_item(item_size(plan_.src_type) * static_cast<std::size_t>(plan_.item_elements)) {
    if (plan.scale.size() > 1 || plan.shift.size() > 1) scaled_ = plan.scale_loop;
    const Index dst_element = signed_size(plan.dst_type);
    const Index src_element = signed_size(plan.src_type);
    for (std::size_t d = 0; d < plan.loops.size(); ++d) {
      const CopyLoop& loop = plan.loops[d];
      loops_[d] = {loop.extent, loop.dst_stride * dst_element, loop.src_stride * src_element};
    }
  }
  BoundPlan(const BoundPlan&) = delete;
  BoundPlan& operator=(const BoundPlan&) = delete;

  /// The plan's loops, in its order.
  [[nodiscard]] const Loop& loop(std::size_t d) const { return loops_[d]; }
  [[nodiscard]] const Loop& innermost() const { return loops_[plan.loops.size() - 1]; }
  /// The loops [begin, end).
  [[nodiscard]] std::span<const Loop> loops(std::size_t begin, std::size_t end) const {
    return {loops_.data() + begin, end - begin};
  }
  /// A cursor at the first position of the outermost `count` loops.
  [[nodiscard]] Cursor outer(std::size_t count) const { return {loops(0, count), dst, src}; }

  /// Whether scale and shift have a number for each index of loop `d`.
  [[nodiscard]] bool is_scaled(std::size_t d) const { return scaled_ == d; }
  /// The index of the scale and shift numbers at a position of outer loops; 0 where the numbers run along
  /// another loop.
  [[nodiscard]] std::size_t scale_index(const Cursor& outer) const {
    return scaled_ < outer.size() ? static_cast<std::size_t>(outer.index(scaled_)) : 0;
  }
  [[nodiscard]] std::size_t item_log2() const { return static_cast<std::size_t>(std::countr_zero(src_item)); }

 private:
  static Index signed_size(DType type) { return static_cast<Index>(item_size(type)); }

  /// The loop that scale and shift run along; max_rank where there is none.
  std::size_t scaled_ = max_rank;
  std::array<Loop, max_rank> loops_;
};

}  // namespace tenstride::copy
