// SPDX-License-Identifier: Apache-2.0
// Pixels of a few channels, folded channel by channel as rows of whole vectors.
#pragma once

#include <cstddef>

#include "reduce/walk.hpp"

namespace tenstride::detail {

/// Whether results are a few channels beside each other, or apart in pixels of a few, which are read anyway;
/// sets which. Pre: there are loops of both kinds.
bool find_pixels(ReduceWalk& walk);

/// Where `count` pixels lie, and the accumulators of the `results` channels that are taken of each.
struct PixelRun {
  std::byte* states;
  Index results;
  const std::byte* src;
  Index count;
};

/// Folds the pixels of a walk that has them. Channels that are not taken are folded, too, but those behind
/// the last pixel, which may not be read.
void accumulate_pixels(const ReduceKernel& kernel, const ReduceWalk& walk, const PixelRun& run);

/// Whether the pixels are rows of three channels, which are folded from registers.
bool are_three_rows(const ReduceKernel& kernel, const ReduceWalk& walk);

/// Folds pixels [begin, end) of each row into the accumulators of results [first, last). Pre: these are whole
/// pixels.
void accumulate_three_rows(const ReduceKernel& kernel, const ReduceWalk& walk, const std::byte* base,
                           Index first, Index last, Index begin, Index end, std::byte* states);

}  // namespace tenstride::detail
