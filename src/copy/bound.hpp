// SPDX-License-Identifier: Apache-2.0
// A copy together with the memory that it moves.
#pragma once

#include <bit>
#include <cstddef>
#include <span>

#include "copy/cursor.hpp"
#include "copy/kernels/kernels.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::copy {

/// A nest and its conversion bound to the addresses of both sides and to this processor's kernels.
struct Bound {
  const Nest& nest;
  const Conversion& conversion;
  /// The number of threads, as `CopyPlan::threads`.
  int threads;
  const Kernels& kernels;
  /// The addresses of storage element 0 of each side.
  std::byte* dst_base;
  const std::byte* src_base;
  /// The addresses of the first item.
  std::byte* dst;
  const std::byte* src;
  /// Bytes of an item on each side.
  std::size_t dst_item;
  std::size_t src_item;

  Bound(const Nest& nest_, const Conversion& conversion_, int threads_, const Kernels& kernels_,
        void* dst_base_, const void* src_base_)
      : nest(nest_),
        conversion(conversion_),
        threads(threads_),
        kernels(kernels_),
        dst_base(static_cast<std::byte*>(dst_base_)),
        src_base(static_cast<const std::byte*>(src_base_)),
        dst(dst_base + nest.dst_offset),
        src(src_base + nest.src_offset),
        dst_item(static_cast<std::size_t>(nest.dst_item)),
        src_item(static_cast<std::size_t>(nest.src_item)) {}
  /// A plan in normal form.
  Bound(const CopyPlan& plan, const Kernels& kernels_, void* dst_base_, const void* src_base_)
      : Bound(plan.nest, plan.conversion, plan.threads, kernels_, dst_base_, src_base_) {}
  /// A copy in another form, with the pointers of the given one.
  Bound(const Nest& other, const Bound& bound)
      : Bound(other, bound.conversion, bound.threads, bound.kernels, bound.dst_base, bound.src_base) {}
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  [[nodiscard]] const Loop& loop(std::size_t d) const { return nest[d]; }
  [[nodiscard]] const Loop& innermost() const { return nest.inner(); }
  /// The loops [begin, end).
  [[nodiscard]] std::span<const Loop> loops(std::size_t begin, std::size_t end) const {
    return nest.loops.part(begin, end);
  }
  /// A cursor at the first position of the outermost `count` loops.
  [[nodiscard]] Cursor outer(std::size_t count) const { return {loops(0, count), dst, src}; }

  /// Bytes of a row of the destination.
  [[nodiscard]] std::size_t row_bytes() const {
    return static_cast<std::size_t>(innermost().extent) * dst_item;
  }
  /// Whether scale and shift have a number for each index of loop `d`.
  [[nodiscard]] bool is_scaled(std::size_t d) const { return nest.scaled_loop == d; }
  /// The index of the scale and shift numbers at a position of outer loops; 0 where the numbers run along
  /// another loop.
  [[nodiscard]] std::size_t scale_index(const Cursor& outer) const {
    return nest.scaled_loop < outer.size() ? static_cast<std::size_t>(outer.index(nest.scaled_loop)) : 0;
  }
  [[nodiscard]] std::size_t item_log2() const { return static_cast<std::size_t>(std::countr_zero(src_item)); }
};

}  // namespace tenstride::copy
