// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/layout/layout.hpp"

/// Whether two indexes, or two layouts, share a position.
namespace tenstride {

/// True where sorting the axes by step proves that no two indexes share a position: each step clears the
/// reach of all smaller ones. A false answer proves nothing. Example: false for an expanded axis `{{2, 3},
/// {0, 1}, 0}`.
constexpr bool is_provably_unique(const Layout& layout) {
  if (is_empty(layout)) return true;
  std::array<std::size_t, max_rank> axes{};
  std::size_t count = 0;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] < 2) continue;
    std::size_t at = count++;
    while (at > 0 && detail::magnitude(layout.strides[axes[at - 1]]) > detail::magnitude(layout.strides[d])) {
      axes[at] = axes[at - 1];
      --at;
    }
    axes[at] = d;
  }
  std::uint64_t reached = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t step = detail::magnitude(layout.strides[axes[i]]);
    if (step <= reached) return false;
    const auto steps = static_cast<std::uint64_t>(layout.shape[axes[i]] - 1);
    std::uint64_t span = 0;
    if (__builtin_mul_overflow(steps, step, &span)) return false;
    if (__builtin_add_overflow(reached, span, &reached)) return false;
  }
  return true;
}

/// What two layouts on one storage (of one element size) have in common.
enum class Overlap : unsigned char {
  none,       ///< no position is in both: proven
  identical,  ///< the same layout: element n of one is element n of the other
  possible,   ///< they may share positions
};

/// Compares reach, then the common step: layouts that interleave (even and odd columns) are told apart.
/// Example: none for `{{4}, {2}, 0}` and `{{4}, {2}, 1}`.
constexpr Overlap overlap(const Layout& a, const Layout& b) {
  const std::optional<Reach> reach_a = reach(a, "overlap");
  const std::optional<Reach> reach_b = reach(b, "overlap");
  if (!reach_a || !reach_b) return Overlap::none;
  if (reach_a->highest < reach_b->lowest || reach_b->highest < reach_a->lowest) return Overlap::none;
  std::uint64_t step = 0;
  bool same = a.shape == b.shape && a.offset == b.offset;
  const auto add_strides = [&step](const Layout& layout) {
    for (std::size_t d = 0; d < layout.rank(); ++d) {
      std::uint64_t stride = layout.shape[d] < 2 ? 0 : detail::magnitude(layout.strides[d]);
      while (stride != 0) {  // Euclid: the greatest common divisor of all steps
        const std::uint64_t rest = step % stride;
        step = stride;
        stride = rest;
      }
    }
  };
  add_strides(a);
  add_strides(b);
  for (std::size_t d = 0; same && d < a.rank(); ++d) same = a.shape[d] < 2 || a.strides[d] == b.strides[d];
  if (same) return Overlap::identical;
  const std::uint64_t apart =
      a.offset < b.offset ? static_cast<std::uint64_t>(b.offset) - static_cast<std::uint64_t>(a.offset)
                          : static_cast<std::uint64_t>(a.offset) - static_cast<std::uint64_t>(b.offset);
  if (step == 0) return apart == 0 ? Overlap::possible : Overlap::none;
  return apart % step == 0 ? Overlap::possible : Overlap::none;
}

}  // namespace tenstride
