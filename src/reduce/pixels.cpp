// SPDX-License-Identifier: Apache-2.0
// Pixels of few channels, each channel by itself: several pixels are accumulated as one row of whole vectors.
#include <algorithm>
#include <cstdlib>

#include "reduce/reduce_nest.hpp"
#include "reduce/reduce_tiles.hpp"

namespace tenstride::detail {
namespace {

/// The least number of elements in a row of several pixels.
constexpr Index min_row_elements = 64;
/// The prefetch distance for pixels of three channels, in bytes; rounded up to whole rows where these are
/// shorter.
constexpr Index prefetch_distance = 4096;

/// Reduces all channels of `count` pixels into `sums`. A row is a power of two of pixels, so that it fills
/// whole vectors, and its accumulators can be combined by halves.
void accumulate_channels(const ReduceNest& nest, std::byte* sums, const std::byte* src, Index count) {
  const ReduceKernel& kernel = nest.kernel;
  const Index item = nest.item;
  const Index channels = nest.plan.channels;
  Index pixels = 1;
  while (pixels * channels < min_row_elements || pixels * channels % short_row != 0) pixels *= 2;
  const Index row = pixels * channels;
  kernel.start(sums, row);
  const Index max_rows = std::max<Index>(window_bytes / (row * item), 1);
  for (Index rows = count / pixels; rows > 0;) {
    const Index now = std::min(rows, max_rows);
    kernel.accumulate_rows(sums, row, src, item, now, row * item);
    src += now * row * item;
    rows -= now;
  }
  if (count % pixels != 0) kernel.accumulate_rows(sums, count % pixels * channels, src, item, 1, 0);
  for (Index half = pixels / 2; half > 0; half /= 2) {
    kernel.combine(sums, sums + half * channels * nest.state, half * channels);
  }
}

}  // namespace

/// Channels between those of the results are accumulated, too, and dropped; those behind the last result's
/// channel of the last pixel are not read.
void accumulate_pixels(const ReduceNest& nest, std::byte* states, Index results, const std::byte* src,
                       Index count) {
  const ReducePlan& plan = nest.plan;
  if ((results - 1) * plan.channel_step + 1 < plan.channels) {
    --count;
    nest.kernel.accumulate_rows(states, results, src + count * plan.channels * nest.item,
                                plan.channel_step * nest.item, 1, 0);
  }
  alignas(64) std::byte sums[16 * short_row * max_channels];
  accumulate_channels(nest, sums, src, count);
  if (plan.channel_step == 1) {
    nest.kernel.combine(states, sums, results);
    return;
  }
  for (Index k = 0; k < results; ++k) {
    nest.kernel.combine(states + k * nest.state, sums + k * plan.channel_step * nest.state, 1);
  }
}

void accumulate_three_channels(const ReduceNest& nest, const ReducePart& part, std::byte* states) {
  const std::span<const Loop> rows = std::span(nest.results).first(nest.results.size() - 1);
  const Index pixel = 3 * nest.item;
  Index left = part.accumulators() / 3;
  for (copy::Cursor at = nest.at(rows, part.first / 3); left > 0;) {
    const Index count = std::min(left, at.run_left());
    const Index row_step = at.run().src_stride;
    const Index step = std::abs(row_step);
    const bool has_short_rows = step > 0 && part.elements() * pixel < prefetch_distance;
    nest.kernel.accumulate_three_channels(
        states, {at.src() + part.begin * pixel, count, row_step, part.elements(),
                 has_short_rows ? ceil_divide(prefetch_distance, step) * row_step : prefetch_distance});
    states += 3 * count * nest.state;
    left -= count;
    at.skip(count);
  }
}

}  // namespace tenstride::detail
