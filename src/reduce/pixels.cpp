// SPDX-License-Identifier: Apache-2.0
#include "reduce/pixels.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "reduce/cursor.hpp"

namespace tenstride::detail {
namespace {

/// Rows are of so many elements and more.
constexpr Index pixel_row = 64;
/// How far ahead lines of pixels of three channels are asked for, in whole rows where these are shorter.
constexpr Index ahead_bytes = 4096;

/// Sets the accumulators of all channels. So many pixels are a row of whole vectors; a power of two, so that
/// they can be halved.
void accumulate_channels(const ReduceKernel& kernel, const ReduceWalk& walk, std::byte* sums,
                         const std::byte* src, Index count) {
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
    kernel.accumulate_rows(sums, row, src, item, now, row * item);
    src += now * row * item;
    rows -= now;
  }
  if (count % pixels != 0) kernel.accumulate_rows(sums, count % pixels * channels, src, item, 1, 0);
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
    return walk.pixel < max_channels && (has_long_runs || walk.pixel < short_row);
  }
  return has_long_runs && row.extent > 1 && walk.pixel < short_row &&
         (row.extent - 1) * walk.apart < walk.pixel;
}

void accumulate_pixels(const ReduceKernel& kernel, const ReduceWalk& walk, const PixelRun& run) {
  const auto state = static_cast<Index>(kernel.state_size);
  Index count = run.count;
  if ((run.results - 1) * walk.apart + 1 < walk.pixel) {
    --count;
    kernel.accumulate_rows(run.states, run.results, run.src + count * walk.pixel * walk.item,
                           walk.apart * walk.item, 1, 0);
  }
  alignas(64) std::byte sums[16 * short_row * max_channels];
  accumulate_channels(kernel, walk, sums, run.src, count);
  if (walk.apart == 1) {
    kernel.combine(run.states, sums, run.results);
    return;
  }
  for (Index k = 0; k < run.results; ++k) {
    kernel.combine(run.states + k * state, sums + k * walk.apart * state, 1);
  }
}

bool are_three_rows(const ReduceKernel& kernel, const ReduceWalk& walk) {
  return kernel.accumulate_threes != nullptr && walk.shape == ReduceShape::pixels && walk.pixel == 3 &&
         walk.apart == 1 && walk.kept.size() > 1 && walk.kept.back().extent == 3 && walk.folded.size() == 1 &&
         walk.folded.back().extent >= fewest_threes && !walk.folds_outside;
}

void accumulate_three_rows(const ReduceKernel& kernel, const ReduceWalk& walk, const std::byte* base,
                           Index first, Index last, Index begin, Index end, std::byte* states) {
  const Index pixel = 3 * walk.item;
  for (Cursor at(std::span(walk.kept).first(walk.kept.size() - 1), first / 3); first < last;) {
    const Index rows = std::min((last - first) / 3, at.run());
    const Index step = std::abs(at.stride());
    const bool has_short_rows = step > 0 && (end - begin) * pixel < ahead_bytes;
    kernel.accumulate_threes(states,
                             {base + at.offset() + begin * pixel, rows, at.stride(), end - begin,
                              has_short_rows ? ceil_divide(ahead_bytes, step) * at.stride() : ahead_bytes});
    states += 3 * rows * static_cast<Index>(kernel.state_size);
    first += 3 * rows;
    at.skip(rows);
  }
}

}  // namespace tenstride::detail
