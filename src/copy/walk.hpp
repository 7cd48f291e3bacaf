// SPDX-License-Identifier: Apache-2.0
// A plan in bytes, and the position in its outer loops.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "copy/kernels.hpp"
#include "tenstride/copy_plan.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {

/// How many threads may carry the plan out.
inline int threads_of(const CopyPlan& plan) {
  return plan.threads == 0 ? num_threads() : plan.threads;
}

/// A loop with strides in bytes.
struct ByteLoop {
  Index extent = 1;
  std::ptrdiff_t dst_stride = 0;
  std::ptrdiff_t src_stride = 0;
  /// Whether scale and shift run along it.
  bool is_scaled = false;
};

/// What the kernels need of a plan.
struct Walk {
  const CopyPlan& plan;
  const Kernels& kernels;
  /// Storage element 0 of each side.
  std::byte* dst_base;
  const std::byte* src_base;
  /// The first element that is visited.
  std::byte* dst;
  const std::byte* src;
  std::size_t dst_item;
  std::size_t src_item;

  Walk(const CopyPlan& plan_, const Kernels& kernels_, void* to, const void* from)
      : plan(plan_),
        kernels(kernels_),
        dst_base(static_cast<std::byte*>(to)),
        src_base(static_cast<const std::byte*>(from)),
        dst(dst_base + plan_.dst_offset * signed_size(plan_.dst_type)),
        src(src_base + plan_.src_offset * signed_size(plan_.src_type)),
        dst_item(item_size(plan_.dst_type) * static_cast<std::size_t>(plan_.item_elements)),
        src_item(item_size(plan_.src_type) * static_cast<std::size_t>(plan_.item_elements)) {}

  [[nodiscard]] ByteLoop loop(std::size_t at) const {
    const CopyLoop& loop = plan.loops[at];
    const bool per_index = plan.scale.size() > 1 || plan.shift.size() > 1;
    return {loop.extent, loop.dst_stride * signed_size(plan.dst_type),
            loop.src_stride * signed_size(plan.src_type), per_index && plan.scale_loop == at};
  }
  [[nodiscard]] std::size_t item_log2() const { return static_cast<std::size_t>(std::countr_zero(src_item)); }

 private:
  static std::ptrdiff_t signed_size(DType type) { return static_cast<std::ptrdiff_t>(item_size(type)); }
};

/// Counts through some loops of a plan, outer to inner, and knows where both sides stand.
class Odometer {
 public:
  /// All loops but the innermost.
  explicit Odometer(const Walk& walk) : Odometer(walk, 0, walk.plan.loops.size() - 1, max_rank) {}

  /// The loops [begin, end), without `turned`.
  Odometer(const Walk& walk, std::size_t begin, std::size_t end, std::size_t turned)
      : dst_(walk.dst), src_(walk.src) {
    for (std::size_t d = begin; d < end; ++d) {
      if (d == turned) continue;
      loops_[size_++] = walk.loop(d);
      count_ *= loops_[size_ - 1].extent;
    }
  }

  /// The number of positions.
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] std::byte* dst() const { return dst_; }
  [[nodiscard]] const std::byte* src() const { return src_; }
  /// The index along the scaled loop, 0 where that is not one of these.
  [[nodiscard]] std::size_t scale_index() const { return scale_index_; }

  /// Goes to a position counted from the start. Pre: only once.
  void seek(Index position) {
    for (std::size_t d = size_; d-- > 0;) {
      const Index extent = loops_[d].extent;
      index_[d] = position % extent;
      position /= extent;
      dst_ += index_[d] * loops_[d].dst_stride;
      src_ += index_[d] * loops_[d].src_stride;
      if (loops_[d].is_scaled) scale_index_ = static_cast<std::size_t>(index_[d]);
    }
  }

  /// Positions from here to the end of the innermost of the loops; that loop's strides.
  [[nodiscard]] Index run_left() const {
    return size_ == 0 ? 1 : loops_[size_ - 1].extent - index_[size_ - 1];
  }
  [[nodiscard]] ByteLoop run() const { return size_ == 0 ? ByteLoop{} : loops_[size_ - 1]; }

  /// Goes on by `count` positions. Pre: 1 <= count <= run_left().
  void skip(Index count) {
    if (count > 1) {
      const ByteLoop& loop = loops_[size_ - 1];
      dst_ += (count - 1) * loop.dst_stride;
      src_ += (count - 1) * loop.src_stride;
      index_[size_ - 1] += count - 1;
      if (loop.is_scaled) scale_index_ += static_cast<std::size_t>(count - 1);
    }
    next();
  }

  void next() {
    for (std::size_t d = size_; d-- > 0;) {
      const ByteLoop& loop = loops_[d];
      dst_ += loop.dst_stride;
      src_ += loop.src_stride;
      if (loop.is_scaled) ++scale_index_;
      if (++index_[d] < loop.extent) return;
      dst_ -= loop.extent * loop.dst_stride;
      src_ -= loop.extent * loop.src_stride;
      if (loop.is_scaled) scale_index_ = 0;
      index_[d] = 0;
    }
  }

 private:
  std::byte* dst_;
  const std::byte* src_;
  std::size_t size_ = 0;
  std::size_t scale_index_ = 0;
  Index count_ = 1;
  std::array<Index, max_rank> index_;
  std::array<ByteLoop, max_rank> loops_;
};

}  // namespace tenstride::copy
