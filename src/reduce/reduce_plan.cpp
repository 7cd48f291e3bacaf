// SPDX-License-Identifier: Apache-2.0
#include "reduce/reduce_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "reduce/cursor.hpp"
#include "reduce/gaps.hpp"
#include "reduce/packing.hpp"
#include "reduce/pixels.hpp"
#include "reduce/states.hpp"
#include "reduce/streamed.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Bytes of the accumulators of a tile of results, which stay in the L1 cache.
constexpr Index tile_bytes = 8192;
/// The bytes of a row of results in the source, where its accumulators have at most 2 * tile_bytes.
constexpr Index tile_row_bytes = 16384;
/// The same where accumulators are wider than elements.
constexpr Index widened_row_bytes = 4096;
constexpr Index max_tile_results = 4096;
/// The least number of accumulators that a kernel uses for a run. Each takes as many elements as an
/// accumulator of a row does, so a run may have this many times as many elements before it is halved.
constexpr Index run_accumulators = 32;
/// Groups with more results than this are not joined to longer rows.
constexpr Index max_inner = 128;
/// The least number of rows that are accumulated together; more where they lie within `window_bytes`.
constexpr Index min_rows_together = 8;
/// The greatest number of parts of a reduction with few results: the reduction axes are divided, too.
constexpr Index max_pieces = 64;
/// Bytes of runs that are read sequentially before another part of memory is read.
constexpr Index sequential_bytes = Index{1} << 20;

/// Merges neighbouring loops that are one loop.
std::vector<ReduceLoop> merged(const std::vector<ReduceLoop>& loops) {
  std::vector<ReduceLoop> result;
  for (const ReduceLoop& loop : loops) {
    if (!result.empty() && result.back().stride == loop.stride * loop.extent) {
      result.back() = {result.back().extent * loop.extent, loop.stride};
    } else {
      result.push_back(loop);
    }
  }
  return result;
}

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
void gather_states(std::byte* to, const std::byte* from, Index count, Index step, std::size_t size) {
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

/// Accumulates ranges of elements for ranges of results, in the way that is fastest for the plan.
class Accumulation {
 public:
  Accumulation(const ReduceKernel& kernel, const ReducePlan& plan, const std::byte* base)
      : kernel_(kernel),
        plan_(plan),
        base_(base + plan.start),
        along_(plan.result_loops.empty() ? 0 : plan.result_loops.back().stride),
        step_(Gaps::row_step(kernel, plan)),
        has_gaps_(Gaps::is_faster(kernel, plan)),
        is_packed_(Packing::is_faster(plan)),
        has_three_rows_(are_three_rows(kernel, plan)),
        gaps_(kernel, plan, base_),
        packing_(kernel, plan, base_) {}

  /// Accumulates elements [begin, end) of each of the results [first, last) into fresh accumulators,
  /// pairwise: a long range is accumulated by halves, the second half into accumulators of its own (Higham,
  /// "The accuracy of floating point summation", 1993).
  void accumulate(Index first, Index last, Index begin, Index end, std::byte* states) const {
    const Index direct_length =
        kernel_.direct_rows * (plan_.shape == ReduceShape::rows ? 1 : run_accumulators);
    if (end - begin <= direct_length) {
      if (step_ > 1) {
        accumulate_with_gaps(first, last, begin, end, states);
        return;
      }
      kernel_.start(states, last - first);
      if (has_gaps_) {
        gaps_.accumulate(first, last, begin, end, states);
      } else if (has_three_rows_) {
        accumulate_three_rows(kernel_, plan_, base_, first, last, begin, end, states);
      } else if (is_packed_) {
        packing_.accumulate(first, last, begin, end, states);
      } else {
        accumulate_directly(first, last, begin, end, states);
      }
      return;
    }
    const Index middle = begin + (end - begin + direct_length) / (2 * direct_length) * direct_length;
    accumulate(first, last, begin, middle, states);
    const auto halve = [&](std::byte* other) {
      accumulate(first, last, middle, end, other);
      kernel_.combine(states, other, last - first);
    };
    alignas(64) std::byte buffer[1024];
    if ((last - first) * static_cast<Index>(kernel_.state_size) <= static_cast<Index>(sizeof buffer)) {
      halve(buffer);
    } else {
      halve(States(kernel_, last - first).data());
    }
  }

 private:
  /// Accumulates rows whose elements are `step_` elements apart, together with those between, which are
  /// dropped at the end: the time is that of reading the lines, which contain both.
  void accumulate_with_gaps(Index first, Index last, Index begin, Index end, std::byte* states) const {
    const States all(kernel_, (last - first) * step_);
    kernel_.start(all.data(), (last - first) * step_);
    accumulate_directly(first, last, begin, end, all.data());
    gather_states(states, all.data(), last - first, step_, kernel_.state_size);
  }

  void accumulate_directly(Index first, Index last, Index begin, Index end, std::byte* states) const {
    if (plan_.is_reduction_outer) {
      each_run(begin, end, plan_.piece, [&](std::ptrdiff_t run_offset, Index run) {
        each_chunk(first, last, [&](std::ptrdiff_t result_offset, Index count, Index state_offset) {
          call(states + state_offset, count, base_ + result_offset + run_offset, run);
        });
      });
    } else {
      each_chunk(first, last, [&](std::ptrdiff_t result_offset, Index count, Index state_offset) {
        each_run(begin, end, plan_.per_result, [&](std::ptrdiff_t run_offset, Index run) {
          call(states + state_offset, count, base_ + result_offset + run_offset, run);
        });
      });
    }
  }

  template <class F>
  void each_run(Index begin, Index end, Index max_run, F&& f) const {
    for (Cursor at(plan_.reduction_loops, begin); begin < end;) {
      const Index run = std::min({end - begin, at.run(), max_run});
      f(at.offset(), run);
      begin += run;
      at.skip(run);
    }
  }

  /// Calls f(offset in the source, number of results, offset of their accumulators) for each chunk of
  /// results.
  template <class F>
  void each_chunk(Index first, Index last, F&& f) const {
    const bool is_single =
        plan_.shape == ReduceShape::runs && !plan_.is_reduction_outer && plan_.reduction_loops.size() > 1;
    Index state_offset = 0;
    for (Cursor at(plan_.result_loops, first); first < last;) {
      const Index count = is_single ? 1 : std::min(last - first, at.run());
      f(at.offset(), count, state_offset);
      state_offset += static_cast<Index>(kernel_.state_size) * count * step_;
      first += count;
      at.skip(count);
    }
  }

  void call(std::byte* states, Index count, const std::byte* src, Index run) const {
    const std::ptrdiff_t stride = plan_.reduction_loops.empty() ? 0 : plan_.reduction_loops.back().stride;
    switch (plan_.shape) {
      case ReduceShape::runs:
        kernel_.accumulate_runs(states, count, src, count > 1 ? along_ : next_run(run), run, stride);
        return;
      case ReduceShape::pixels:
        accumulate_pixels(kernel_, plan_, {states, count, src, run});
        return;
      case ReduceShape::rows: {
        const Index max_rows = std::max(min_rows_together, window_bytes / std::max<Index>(stride, 1));
        const Index all = (count - 1) * step_ + 1;
        for (Index r = 0; r < run; r += max_rows) {
          kernel_.accumulate_rows(states, all, src + r * stride, along_ / step_, std::min(max_rows, run - r),
                                  stride);
        }
      }
    }
  }

  /// Returns the distance from a run of one result to what is read next: its remainder, another run of this
  /// result, or the next result's run.
  [[nodiscard]] std::ptrdiff_t next_run(Index run) const {
    if (plan_.reduction_loops.empty()) return along_;
    const ReduceLoop& whole = plan_.reduction_loops.back();
    if (run < whole.extent) return run * whole.stride;
    return plan_.reduction_loops.size() > 1 && !plan_.is_reduction_outer
               ? plan_.reduction_loops[plan_.reduction_loops.size() - 2].stride
               : along_;
  }

  const ReduceKernel& kernel_;
  const ReducePlan& plan_;
  const std::byte* base_;
  std::ptrdiff_t along_;  ///< from one result to the next, in bytes
  Index step_;            ///< where greater than 1, rows are accumulated with the elements between theirs
  bool has_gaps_;
  bool is_packed_;
  bool has_three_rows_;
  Gaps gaps_;
  Packing packing_;
};

}  // namespace

Dims working_strides(const Layout& results, const Layout& reduced) {
  const Dims as_source = inferred_dense_strides(results);
  const ReducePlan plan(results, as_source, reduced, 1);
  if (plan.group > 1) return as_source;
  const auto is_short = [](const std::vector<ReduceLoop>& loops) {
    return loops.empty() || loops.back().extent < short_row;
  };
  if (!is_short(plan.result_loops) || !is_short(plan.reduction_loops)) return as_source;
  std::size_t row = results.rank();
  for (std::size_t d = 0; d < results.rank(); ++d) {
    if (results.shape[d] < short_row) continue;
    if (row == results.rank() || std::abs(results.strides[d]) < std::abs(results.strides[row])) row = d;
  }
  if (row == results.rank()) return as_source;
  Dims strides = as_source;
  for (std::size_t d = 0; d < results.rank(); ++d) {
    if (as_source[d] < as_source[row]) strides[d] *= results.shape[row];
  }
  strides[row] = 1;
  return strides;
}

ReducePlan::ReducePlan(const Layout& result_layout, const Dims& dst_strides, const Layout& reduced_layout,
                       Index item_bytes)
    : item(item_bytes) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < result_layout.rank(); ++d) {
    if (result_layout.shape[d] != 1) order.push_back(d);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return dst_strides[a] > dst_strides[b]; });
  for (const std::size_t d : order) {
    result_loops.push_back({result_layout.shape[d], result_layout.strides[d] * item});
    results *= result_layout.shape[d];
  }
  for (std::size_t d = 0; d < reduced_layout.rank(); ++d) {
    const Index extent = reduced_layout.shape[d];
    const Index stride = reduced_layout.strides[d] * item;
    per_result *= extent;
    if (extent <= 1) continue;
    if (stride < 0) start += (extent - 1) * stride;  // any order of accumulation is allowed
    reduction_loops.push_back({extent, std::abs(stride)});
  }
  std::stable_sort(reduction_loops.begin(), reduction_loops.end(),
                   [](const ReduceLoop& a, const ReduceLoop& b) {
                     return b.stride != 0 &&
                            (a.stride == 0 ||
                             a.stride > b.stride);  // an expanded axis, read again and again, is outermost
                   });
  result_loops = merged(result_loops);
  reduction_loops = merged(reduction_loops);
  choose_shape();
  choose_order();
}

void ReducePlan::choose_shape() {
  if (result_loops.empty()) return;
  if (reduction_loops.empty() || join_groups()) {
    shape = ReduceShape::rows;
    return;
  }
  const ReduceLoop& row = result_loops.back();
  const ReduceLoop& run = reduction_loops.back();
  const bool has_long_rows = row.extent >= short_row;
  const bool has_long_runs = run.extent >= short_row;
  if (find_pixels(*this)) {
    shape = ReduceShape::pixels;
  } else if (has_long_rows != has_long_runs) {
    shape = has_long_rows ? ReduceShape::rows : ReduceShape::runs;
  } else if (run.stride == 0 ||
             (has_long_rows ? std::abs(row.stride) < run.stride : row.extent >= run.extent)) {
    shape = ReduceShape::rows;
  }
}

/// Joins a short reduction axis within rows of results to one row: (w,f,c) with f reduced becomes a row of
/// w*f*c.
bool ReducePlan::join_groups() {
  const bool has_inner_axis = result_loops.back().stride == item;
  const Index channels = has_inner_axis ? result_loops.back().extent : 1;
  const Index extent = reduction_loops.back().extent;
  // Single neighbours become rows by deinterleaving; three of them, of narrow types, in registers.
  const bool are_triples = extent == 3 && item <= 4 && result_loops.back().extent >= short_row;
  if (channels == 1 && extent > 2 && reduction_loops.size() == 1 && !are_triples) return false;
  if (channels > max_inner || reduction_loops.back().stride != channels * item) return false;
  const std::size_t above = has_inner_axis ? 2 : 1;
  if (extent >= short_row || result_loops.size() < above ||
      result_loops[result_loops.size() - above].stride != extent * channels * item) {
    return false;
  }
  const Index row = result_loops[result_loops.size() - above].extent * extent * channels;
  result_loops.resize(result_loops.size() - above);
  result_loops.push_back({row, item});
  reduction_loops.pop_back();
  group = extent;
  inner = channels;
  results *= group;
  per_result /= group;
  return true;
}

void ReducePlan::choose_order() {
  piece = per_result;
  if (reduction_loops.empty() || result_loops.empty()) return;
  const auto stride_above = [](const std::vector<ReduceLoop>& loops) {
    return loops.size() < 2 ? 0 : std::abs(loops[loops.size() - 2].stride);
  };
  if (shape == ReduceShape::runs) {
    const std::ptrdiff_t along = std::abs(result_loops.back().stride);
    is_reduction_outer = std::max(stride_above(reduction_loops), reduction_loops.back().stride) > along;
  } else if (result_loops.size() > 1 && reduction_loops.back().stride > stride_above(result_loops)) {
    is_reduction_outer = true;
    if (shape == ReduceShape::rows) piece = min_rows_together;
  } else {
    is_reduction_outer =
        result_loops.size() > 1 && stride_above(reduction_loops) > stride_above(result_loops);
  }
}

namespace {

/// Returns the number of results whose runs lie within each other. Accumulated one at a time, the same memory
/// would be read for each of them.
Index interleaved_results(const ReducePlan& plan) {
  if (plan.reduction_loops.empty() || plan.result_loops.empty()) return 1;
  const ReduceLoop& row = plan.result_loops.back();
  return std::abs(row.stride) < plan.reduction_loops.back().stride ? row.extent : 1;
}

/// Returns the greatest number of results in a tile.
Index max_results_in_tile(const ReduceKernel& kernel, const ReducePlan& plan) {
  const auto state = static_cast<Index>(kernel.state_size);
  const Index min_results = tile_bytes / state;
  if (plan.shape != ReduceShape::rows) return min_results;
  const Index step = Gaps::row_step(kernel, plan);
  const Index extent = plan.result_loops.back().extent;
  const Index row = (state > plan.item ? widened_row_bytes : tile_row_bytes) / plan.item;
  const Index max_results =
      ceil_divide(std::clamp(std::min(row, extent * step), min_results, 2 * min_results), step);
  const Index line = 64 / plan.item;
  // Whole lines, so that the next tile begins with a line.
  return max_results < extent && max_results > line ? max_results / line * line : max_results;
}

/// Returns the number of results in a tile: whole groups, as many as give a thread enough elements and read
/// memory sequentially.
Index results_in_tile(const ReducePlan& plan, Index whole, Index max_results) {
  if (plan.shape == ReduceShape::runs) {
    const Index run = plan.reduction_loops.empty() ? 1 : plan.reduction_loops.back().extent;
    const Index sequential = sequential_bytes / std::max<Index>(run * plan.item, 1);
    const Index wanted =
        std::max(piece_elements / std::max<Index>(plan.per_result, 1),
                 plan.is_reduction_outer ? std::max(sequential, interleaved_results(plan)) : 1);
    return std::clamp<Index>(wanted, 1, std::min(max_results, plan.results));
  }
  Index groups = max_results / whole;
  if (plan.shape == ReduceShape::pixels && !plan.is_reduction_outer) {
    groups = std::min(groups, piece_elements / std::max<Index>(plan.per_result, 1) / whole);
  }
  return std::min(std::max(groups, Index{1}) * whole, plan.results);
}

}  // namespace

void run_reduction(const ReduceKernel& kernel, const ReducePlan& plan, std::byte* dst, std::size_t dst_item,
                   const std::byte* base) {
  // `pool` accumulates pairs of bytes by 16 or more at a time; fewer would be accumulated one by one.
  const bool is_narrow = kernel.state_size == 1 && plan.inner == 1 && !plan.result_loops.empty() &&
                         plan.result_loops.back().extent < 32;
  if (kernel.pool != nullptr && is_pool(plan) && !is_narrow) {
    run_pools(kernel, plan, dst, dst_item, base);
    return;
  }
  const Accumulation accumulation(kernel, plan, base);
  const auto state = static_cast<Index>(kernel.state_size);
  const auto item = static_cast<Index>(dst_item);
  // Tiles and cuts depend on the shape alone, never on the number of threads, and so do the rounded results.
  // Groups are never divided.
  const Index whole =
      plan.shape == ReduceShape::pixels ? plan.result_loops.back().extent : plan.group * plan.inner;
  const Index tile =
      results_in_tile(plan, whole, std::min(max_results_in_tile(kernel, plan), max_tile_results));
  const Index tiles = ceil_divide(plan.results, tile);
  const Index cuts =
      std::clamp<Index>(tile * plan.per_result / piece_elements, 1, ceil_divide(max_pieces, tiles));
  const Index per_cut = std::max<Index>(ceil_divide(plan.per_result, cuts), 1);
  const Index grain = std::max<Index>(piece_elements / std::max<Index>(tile * per_cut, 1), 1);
  const Index reduced = plan.per_result * plan.group;
  const auto finish = [&](Index first, Index count, std::byte* states) {
    if (plan.group == 1) {
      kernel.finish(dst + first * item, states, count, reduced);
      return;
    }
    const States combined(kernel, count / plan.group);
    kernel.combine_groups(combined.data(), states, count / whole, plan.group, plan.inner);
    kernel.finish(dst + first / plan.group * item, combined.data(), count / plan.group, reduced);
  };
  const bool is_streamed = plan.group == 1 && plan.results * item >= min_streamed_bytes;
  if (cuts == 1) {
    parallel_for(0, tiles, grain, [&](Index from, Index to) {
      const States states(kernel, tile);
      StreamedResults results(dst + from * tile / plan.group * item);
      for (Index t = from; t < to; ++t) {
        const Index first = t * tile;
        const Index last = std::min(first + tile, plan.results);
        accumulation.accumulate(first, last, 0, plan.per_result, states.data());
        if (!is_streamed) {
          finish(first, last - first, states.data());
          continue;
        }
        for (Index r = 0; r < last - first; r += max_streamed_results) {
          const Index now = std::min(max_streamed_results, last - first - r);
          kernel.finish(results.next(), states.data() + r * state, now, reduced);
          results.commit(now * item);
        }
      }
      if (is_streamed) results.end();
    });
    return;
  }
  const States states(kernel, plan.results * cuts);  // row c holds the accumulators of cut c
  const auto row = [&](Index cut) { return states.data() + cut * plan.results * state; };
  parallel_for(0, tiles * cuts, grain, [&](Index from, Index to) {
    for (Index n = from; n < to; ++n) {
      const Index cut = n % cuts;
      const Index first = n / cuts * tile;
      accumulation.accumulate(first, std::min(first + tile, plan.results),
                              std::min(cut * per_cut, plan.per_result),
                              std::min((cut + 1) * per_cut, plan.per_result), row(cut) + first * state);
    }
  });
  for (Index distance = 1; distance < cuts; distance *= 2) {
    for (Index cut = 0; cut + distance < cuts; cut += 2 * distance) {
      kernel.combine(row(cut), row(cut + distance), plan.results);
    }
  }
  finish(0, plan.results, states.data());
}

}  // namespace tenstride::detail
