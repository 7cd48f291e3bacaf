// SPDX-License-Identifier: Apache-2.0
#include "reduce_pixels.hpp"

#include <algorithm>

namespace tenstride::detail {
namespace {

/// Rows are of so many elements and more.
constexpr Index pixel_row = 64;

/// Sets the accumulators of all channels. So many pixels are a row of whole vectors; a power of two, so that
/// they can be halved.
void fold_channels(const ReduceKernel& kernel, const ReduceWalk& walk, std::byte* sums, const std::byte* src,
                   Index count) {
  const Index item = walk.item;
  const Index channels = walk.pixel;
  const auto state = static_cast<Index>(kernel.state_size);
  Index pixels = 1;
  while (pixels * channels < pixel_row || pixels * channels % short_row != 0) pixels *= 2;
  const Index row = pixels * channels;
  kernel.start(sums, row);
  const Index most = std::max<Index>(near_bytes / (row * item), 1);
  for (Index rows = count / pixels; rows > 0;) {
    const Index now = std::min(rows, most);
    kernel.fold_rows(sums, row, src, item, now, row * item);
    src += now * row * item;
    rows -= now;
  }
  if (count % pixels != 0) kernel.fold_rows(sums, count % pixels * channels, src, item, 1, 0);
  for (Index half = pixels / 2; half > 0; half /= 2) {
    kernel.combine(sums, sums + half * channels * state, half * channels);
  }
}

}  // namespace

bool find_pixels(ReduceWalk& walk) {
  const ReduceLoop& row = walk.kept.back();
  const ReduceLoop& run = walk.folded.back();
  if (row.stride < walk.item || row.stride % walk.item != 0 || run.stride % walk.item != 0) return false;
  walk.pixel = run.stride / walk.item;
  walk.apart = row.stride / walk.item;
  const bool has_long_runs = run.extent >= short_row;
  if (walk.apart == 1 && walk.pixel == row.extent) {
    return walk.pixel < most_channels && (has_long_runs || walk.pixel < short_row);
  }
  return has_long_runs && row.extent > 1 && walk.pixel < short_row &&
         (row.extent - 1) * walk.apart < walk.pixel;
}

void fold_pixels(const ReduceKernel& kernel, const ReduceWalk& walk, const PixelRun& run) {
  const auto state = static_cast<Index>(kernel.state_size);
  Index count = run.count;
  if ((run.results - 1) * walk.apart + 1 < walk.pixel) {
    --count;
    kernel.fold_rows(run.states, run.results, run.src + count * walk.pixel * walk.item,
                     walk.apart * walk.item, 1, 0);
  }
  alignas(64) std::byte sums[16 * short_row * most_channels];
  fold_channels(kernel, walk, sums, run.src, count);
  if (walk.apart == 1) {
    kernel.combine(run.states, sums, run.results);
    return;
  }
  for (Index k = 0; k < run.results; ++k) {
    kernel.combine(run.states + k * state, sums + k * walk.apart * state, 1);
  }
}

}  // namespace tenstride::detail
