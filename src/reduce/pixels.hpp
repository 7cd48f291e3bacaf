// SPDX-License-Identifier: Apache-2.0
// Reducing pixels of few channels, each channel by itself: several pixels are accumulated as one row of whole
// vectors.
#pragma once

#include <cstddef>

#include "reduce/reduce_plan.hpp"

namespace tenstride::detail {

/// Returns whether the results are all or some channels of pixels, and sets `pixel` and `channel_step`.
/// Example: the mean of each of 3 channels of 100×3 values. Precondition: there are loops of both kinds.
bool find_pixels(ReducePlan& plan);

/// `count` pixels at `src`, and the accumulators of the `results` channels of each that are reduced.
struct PixelRun {
  std::byte* states;
  Index results;
  const std::byte* src;
  Index count;
};

/// Accumulates a run of pixels. Channels between those of the results are accumulated, too, and dropped;
/// those behind the last result's channel of the last pixel are not read.
void accumulate_pixels(const ReduceKernel& kernel, const ReducePlan& plan, const PixelRun& run);

/// Returns whether the pixels are rows of three channels, which are deinterleaved in registers.
bool are_three_rows(const ReduceKernel& kernel, const ReducePlan& plan);

/// Accumulates pixels [begin, end) of each row into the accumulators of results [first, last). Precondition:
/// these are whole pixels.
void accumulate_three_rows(const ReduceKernel& kernel, const ReducePlan& plan, const std::byte* base,
                           Index first, Index last, Index begin, Index end, std::byte* states);

}  // namespace tenstride::detail
