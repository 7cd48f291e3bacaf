// SPDX-License-Identifier: Apache-2.0
#include "reduce/pixels.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "reduce/cursor.hpp"

namespace tenstride::detail {
namespace {

/// The least number of elements in a row of several pixels.
constexpr Index min_row_elements = 64;
/// The prefetch distance for pixels of three channels, in bytes; rounded up to whole rows where these are
/// shorter.
constexpr Index prefetch_distance = 4096;

/// Reduces all channels of `count` pixels into `sums`. A row is a power of two of pixels, so that it fills
/// whole vectors, and its accumulators can be combined by halves.
void accumulate_channels(const ReduceKernel& kernel, const ReducePlan& plan, std::byte* sums,
                         const std::byte* src, Index count) {
  const Index item = plan.item;
  const Index channels = plan.pixel;
  const auto state = static_cast<Index>(kernel.state_size);
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
    kernel.combine(sums, sums + half * channels * state, half * channels);
  }
}

}  // namespace

bool find_pixels(ReducePlan& plan) {
  const ReduceLoop& row = plan.result_loops.back();
  const ReduceLoop& run = plan.reduction_loops.back();
  if (row.stride < plan.item || row.stride % plan.item != 0 || run.stride % plan.item != 0) return false;
  plan.pixel = run.stride / plan.item;
  plan.channel_step = row.stride / plan.item;
  const bool has_long_runs = run.extent >= short_row;
  if (plan.channel_step == 1 && plan.pixel == row.extent) {
    return plan.pixel < max_channels && (has_long_runs || plan.pixel < short_row);
  }
  return has_long_runs && row.extent > 1 && plan.pixel < short_row &&
         (row.extent - 1) * plan.channel_step < plan.pixel;
}

void accumulate_pixels(const ReduceKernel& kernel, const ReducePlan& plan, const PixelRun& run) {
  const auto state = static_cast<Index>(kernel.state_size);
  Index count = run.count;
  if ((run.results - 1) * plan.channel_step + 1 < plan.pixel) {
    --count;
    kernel.accumulate_rows(run.states, run.results, run.src + count * plan.pixel * plan.item,
                           plan.channel_step * plan.item, 1, 0);
  }
  alignas(64) std::byte sums[16 * short_row * max_channels];
  accumulate_channels(kernel, plan, sums, run.src, count);
  if (plan.channel_step == 1) {
    kernel.combine(run.states, sums, run.results);
    return;
  }
  for (Index k = 0; k < run.results; ++k) {
    kernel.combine(run.states + k * state, sums + k * plan.channel_step * state, 1);
  }
}

bool are_three_rows(const ReduceKernel& kernel, const ReducePlan& plan) {
  return kernel.accumulate_three_channels != nullptr && plan.shape == ReduceShape::pixels &&
         plan.pixel == 3 && plan.channel_step == 1 && plan.result_loops.size() > 1 &&
         plan.result_loops.back().extent == 3 && plan.reduction_loops.size() == 1 &&
         plan.reduction_loops.back().extent >= min_three_channel_pixels && !plan.is_reduction_outer;
}

void accumulate_three_rows(const ReduceKernel& kernel, const ReducePlan& plan, const std::byte* base,
                           Index first, Index last, Index begin, Index end, std::byte* states) {
  const Index pixel = 3 * plan.item;
  for (Cursor at(std::span(plan.result_loops).first(plan.result_loops.size() - 1), first / 3);
       first < last;) {
    const Index rows = std::min((last - first) / 3, at.run());
    const Index step = std::abs(at.stride());
    const bool has_short_rows = step > 0 && (end - begin) * pixel < prefetch_distance;
    kernel.accumulate_three_channels(
        states, {base + at.offset() + begin * pixel, rows, at.stride(), end - begin,
                 has_short_rows ? ceil_divide(prefetch_distance, step) * at.stride() : prefetch_distance});
    states += 3 * rows * static_cast<Index>(kernel.state_size);
    first += 3 * rows;
    at.skip(rows);
  }
}

}  // namespace tenstride::detail
