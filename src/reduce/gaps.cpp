// SPDX-License-Identifier: Apache-2.0
#include "reduce/gaps.hpp"

#include <algorithm>
#include <cstdlib>

#include "reduce/cursor.hpp"

namespace tenstride::detail {
namespace {

/// What a result is folded from is to span so many bytes: each starts and ends with all accumulators.
constexpr Index fewest_bytes = 2048;
/// Longer rows without gaps are worth a start of their own.
constexpr Index short_run_bytes = 1024;
/// Rows of results are folded with what lies between where so many go into each: the others are dropped then.
constexpr Index fewest_rows = 32;
/// Half numbers become doubles by four instructions for eight: of runs of every third all took 1.1 times as
/// long as a third of them, packed.
constexpr Index max_step_of_halves = 2;
/// How far ahead lines are asked for along a run, and in whole rows: every second row and element of pictures
/// of 96 x 96 floats has .72 of a plain read from memory, by 2 KiB .58.
constexpr Index ahead_bytes = 2048;
constexpr Index ahead_in_rows = 4096;

/// Of steps of 4, which are packed by vectors, maxima of half numbers took 1.1 times as long as packed; of
/// steps of 6 floats 1.2 times as long as one by one.
bool is_step_of_rows(Index step, Index item) {
  return step == 2 || step == 3 || (step > 4 && step <= max_gapped_step && item <= 2);
}

}  // namespace

bool Gaps::are_wanted(const ReduceKernel& kernel, const ReduceWalk& walk) {
  if (kernel.accumulate_gapped == nullptr || walk.shape != ReduceShape::runs || walk.folds_outside ||
      walk.folded.empty()) {
    return false;
  }
  const ReduceLoop& run = walk.folded.back();
  const Index step = run.stride / walk.item;
  const Index span = (run.extent - 1) * run.stride + walk.item;
  if (run.stride % walk.item != 0 || step < 1 || step > max_gapped_step) return false;
  if (!walk.kept.empty() && std::abs(walk.kept.back().stride) < span) return false;  // in the same lines
  if (step > 1 && walk.item == 8) return false;  // too few accumulators: double has no bits to spare
  if (step > max_step_of_halves && walk.item == 2 && kernel.state_size == 8) return false;
  const bool has_gaps = step > 1 || (walk.folded.size() > 1 && span < short_run_bytes);
  return has_gaps && walk.each / run.extent * span >= fewest_bytes;
}

Index Gaps::step_of_rows(const ReduceKernel& kernel, const ReduceWalk& walk) {
  if (kernel.accumulate_gapped == nullptr || walk.shape != ReduceShape::rows || walk.kept.empty() ||
      walk.folded.empty() || walk.each < fewest_rows) {
    return 1;
  }
  const ReduceLoop& row = walk.kept.back();
  const Index step = row.stride / walk.item;
  const bool is_near = row.stride % walk.item == 0 && is_step_of_rows(step, walk.item);
  return is_near && row.extent * row.stride <= walk.folded.back().stride + row.stride ? step : 1;
}

Gaps::Gaps(const ReduceKernel& kernel, const ReduceWalk& walk, const std::byte* base)
    : kernel_(kernel), walk_(walk), base_(base) {
  if (!walk.folded.empty()) rows_ = std::span(walk.folded).first(walk.folded.size() - 1);
}

void Gaps::fold(Index first, Index last, Index begin, Index end, std::byte* states) const {
  for (Cursor at(walk_.kept, first); first < last; ++first) {
    one(states, base_ + at.offset(), begin, end);
    states += kernel_.state_size;
    at.skip(1);
  }
}

void Gaps::one(std::byte* state, const std::byte* src, Index begin, Index end) const {
  const ReduceLoop& run = walk_.folded.back();
  Index within = begin % run.extent;
  for (Cursor at(rows_, begin / run.extent); begin < end; within = 0) {
    const std::ptrdiff_t row_step = at.stride();
    const Index left = end - begin;
    const bool is_part = within > 0 || left < run.extent;
    const Index rows = is_part ? 1 : std::min(left / run.extent, at.run());
    const Index now = is_part ? std::min(run.extent - within, left) : run.extent;
    const std::ptrdiff_t ahead = row_step > 0 ? ceil_divide(ahead_in_rows, row_step) * row_step : ahead_bytes;
    kernel_.accumulate_gapped(state, {src + at.offset() + within * run.stride, rows, row_step, now,
                                      run.stride / walk_.item, ahead});
    begin += rows * now;
    at.skip(rows);
  }
}

}  // namespace tenstride::detail
