// SPDX-License-Identifier: Apache-2.0
// Which elements of a row with gaps are wanted; one table for all instruction sets.
#pragma once

#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

/// Of each step, all bits where an element is wanted. (Made anew for each call the masks took as long as rows
/// of 4 KiB.)
template <class Place>
struct GapPattern {
  Place of[max_gapped_step + 1][64 + max_gapped_step] = {};
  constexpr GapPattern() {
    for (Index step = 1; step <= max_gapped_step; ++step) {
      for (Index p = 0; p < 64 + max_gapped_step; p += step) of[step][p] = static_cast<Place>(~Place{0});
    }
  }
};
template <class Place>
inline constexpr GapPattern<Place> gap_pattern;

}  // namespace tenstride::detail
