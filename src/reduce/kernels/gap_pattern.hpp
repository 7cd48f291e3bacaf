// SPDX-License-Identifier: Apache-2.0
// Which elements of a row with gaps are accumulated: one table for all instruction sets.
#pragma once

#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

/// Masks of each step: all bits are set at every `step`-th element. Example: `of[2]` is ~0, 0, ~0, 0, … It is
/// a constant because building it in each call took as long as reducing a row of 4 KiB.
template <class MaskBits>
struct GapPattern {
  MaskBits of[max_gapped_step + 1][64 + max_gapped_step] = {};
  constexpr GapPattern() {
    for (Index step = 1; step <= max_gapped_step; ++step) {
      for (Index p = 0; p < 64 + max_gapped_step; p += step)
        of[step][p] = static_cast<MaskBits>(~MaskBits{0});
    }
  }
};
template <class MaskBits>
inline constexpr GapPattern<MaskBits> gap_pattern;

}  // namespace tenstride::detail
