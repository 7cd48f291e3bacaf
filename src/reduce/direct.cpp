// SPDX-License-Identifier: Apache-2.0
// Accumulating elements where they lie: runs, rows and pixels.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "reduce/reduce_nest.hpp"
#include "reduce/reduce_tiles.hpp"
#include "reduce/states.hpp"

namespace tenstride::detail {
namespace {

/// Copies every `step`-th word: to[k] = from[k * step] for k < count.
template <class Word>
void gather_words(std::byte* to, const std::byte* from, Index count, Index step) {
  constexpr auto size = static_cast<Index>(sizeof(Word));
  for (Index k = 0; k < count; ++k) {
    Word word;
    std::memcpy(&word, from + k * step * size, sizeof word);
    std::memcpy(to + k * size, &word, sizeof word);
  }
}

/// Copies every `step`-th accumulator of `size` bytes. Combined one by one into fresh accumulators instead,
/// they took a sixth of the whole time.
void gather_states(std::byte* to, const std::byte* from, Index count, Index step, Index size) {
  switch (size) {
    case 1:
      return gather_words<std::uint8_t>(to, from, count, step);
    case 2:
      return gather_words<std::uint16_t>(to, from, count, step);
    case 4:
      return gather_words<std::uint32_t>(to, from, count, step);
    case 8:
      return gather_words<std::uint64_t>(to, from, count, step);
    default:
      return gather_words<std::array<std::uint64_t, 2>>(to, from, count, step);
  }
}

/// Accumulates a part call by call of the kernel.
class DirectCalls {
 public:
  DirectCalls(const ReduceNest& nest, const ReducePart& part, std::byte* states)
      : nest_(nest), part_(part), states_(states), step_(gap_step(nest.plan)) {}

  void operator()() const {
    if (nest_.plan.is_reduction_outer) {
      each_run(nest_.plan.piece, [&](Index offset, Index run) {
        each_row([&](std::byte* states, const std::byte* src, Index count) {
          call(states, count, src + offset, run);
        });
      });
    } else {
      each_row([&](std::byte* states, const std::byte* src, Index count) {
        each_run(nest_.plan.per_accumulator,
                 [&](Index offset, Index run) { call(states, count, src + offset, run); });
      });
    }
  }

 private:
  /// Calls f(offset in the source, elements) for each run of at most `max_run` elements.
  template <class F>
  void each_run(Index max_run, const F& f) const {
    Index left = part_.elements();
    for (copy::Cursor at = nest_.at(nest_.reduced, part_.begin); left > 0;) {
      const Index run = std::min({left, at.run_left(), max_run});
      f(at.src() - nest_.base, run);
      left -= run;
      at.skip(run);
    }
  }

  /// Calls f(states, source, accumulators) for each row.
  template <class F>
  void each_row(const F& f) const {
    const bool is_single =
        nest_.shape == ReduceShape::runs && !nest_.plan.is_reduction_outer && nest_.reduced.size() > 1;
    std::byte* states = states_;
    Index left = part_.accumulators();
    for (copy::Cursor at = nest_.at(nest_.results, part_.first); left > 0;) {
      const Index count = is_single ? 1 : std::min(left, at.run_left());
      f(states, at.src(), count);
      states += nest_.state * count * step_;
      left -= count;
      at.skip(count);
    }
  }

  void call(std::byte* states, Index count, const std::byte* src, Index run) const {
    const Index stride = nest_.run().src_stride;
    const Index along = nest_.row().src_stride;
    switch (nest_.shape) {
      case ReduceShape::runs:
        nest_.kernel.accumulate_runs(states, count, src, count > 1 ? along : next_run(run), run, stride);
        return;
      case ReduceShape::pixels:
        accumulate_pixels(nest_, states, count, src, run);
        return;
      case ReduceShape::rows: {
        const Index max_rows = std::max(min_rows_together, window_bytes / std::max<Index>(stride, 1));
        const Index all = (count - 1) * step_ + 1;
        for (Index r = 0; r < run; r += max_rows) {
          nest_.kernel.accumulate_rows(states, all, src + r * stride, along / step_,
                                       std::min(max_rows, run - r), stride);
        }
      }
    }
  }

  /// The distance from a run of one result to what is read next: its remainder, another run of this result,
  /// or the next result's run.
  [[nodiscard]] Index next_run(Index run) const {
    if (nest_.reduced.empty()) return nest_.row().src_stride;
    const Loop whole = nest_.run();
    if (run < whole.extent) return run * whole.src_stride;
    return nest_.reduced.size() > 1 && !nest_.plan.is_reduction_outer
               ? nest_.reduced[nest_.reduced.size() - 2].src_stride
               : nest_.row().src_stride;
  }

  const ReduceNest& nest_;
  const ReducePart& part_;
  std::byte* states_;
  Index step_;  ///< where greater than 1, rows are accumulated with the elements between theirs
};

}  // namespace

void accumulate_directly(const ReduceNest& nest, const ReducePart& part, std::byte* states) {
  DirectCalls(nest, part, states)();
}

/// The elements between are dropped at the end: the time is that of reading the lines, which contain both.
void accumulate_gapped_rows(const ReduceNest& nest, const ReducePart& part, std::byte* states) {
  const Index step = gap_step(nest.plan);
  const States all(nest.kernel, part.accumulators() * step);
  nest.kernel.start(all.data(), part.accumulators() * step);
  accumulate_directly(nest, part, all.data());
  gather_states(states, all.data(), part.accumulators(), step, nest.state);
}

}  // namespace tenstride::detail
