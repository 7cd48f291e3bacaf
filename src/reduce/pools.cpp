// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reduce/cursor.hpp"
#include "reduce/streamed.hpp"
#include "reduce/walk.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Pooled rows are cut to so many elements.
constexpr Index pool_elements = Index{1} << 15;
constexpr Index long_row_bytes = 8192;
/// Lines of results are folded together as far as they are read from so many bytes, which are asked for while
/// those before are folded. Of channels-first pictures 96 pixels wide, line by line with the next one asked
/// for, maxima of uint8 took 2 times as long, sums of floats 1.2 times; by 2 KiB 1.1 times.
constexpr Index lines_bytes = 4096;
/// Of triples, which are one row, so much is asked for ahead; their results leave in pieces, between which it
/// is read on: by 2 KiB, and by whole accumulators, floats took 1.1 times as long.
constexpr Index triples_ahead = 4096;
constexpr Index triples_pieces = 4;

bool are_triples(Index group, Index inner) {
  return group == 3 && inner == 1;
}

/// Results folded before they are finished: whole groups.
Index results_at_once(const ReduceKernel& kernel, const PoolRows& from, Index result_item) {
  const auto state = static_cast<Index>(kernel.state_size);
  const Index fit = std::min(pool_bytes / state, StreamedResults::most / result_item);
  if (are_triples(from.group, from.inner)) return fit / triples_pieces;
  const Index most = from.inner <= staged_channels ? std::min(fit, staged_bytes / state / from.group) : fit;
  return std::max(most / from.inner, Index{1}) * from.inner;
}

/// Pools rows, so many results at a time, whose accumulators stay in the L1 cache.
class Pooling {
 public:
  Pooling(const ReduceKernel& kernel, Index result_item, Index block)
      : kernel_(kernel), result_item_(result_item), block_(block) {}

  /// How many of the lines at a place are folded at a time: as many of each loop, so that what is asked for
  /// is what comes next.
  [[nodiscard]] Index lines_of(const Cursor& at, const PoolRows& from, Index line_bytes) const {
    const Index fit = std::min(block_ / (from.groups * from.inner), lines_bytes / line_bytes);
    const Index times = ceil_divide(at.extent(), std::max(fit, Index{1}));
    return std::min(at.run(), ceil_divide(at.extent(), times));
  }

  void to_cache(std::byte* dst, const PoolRows& from) {
    each(from, [&](Index count) {
      kernel_.finish(dst, states_, count, from.folded);
      dst += count * result_item_;
    });
  }
  void to_memory(StreamedResults& results, const PoolRows& from) {
    each(from, [&](Index count) {
      kernel_.finish(results.place(), states_, count, from.folded);
      results.take(count * result_item_);
    });
  }

 private:
  /// Calls finish(how many accumulators are set). Pre: there are no more lines than `lines_of` them.
  template <class F>
  void each(const PoolRows& from, F&& finish) {
    const Index count = from.groups * from.inner;
    for (Index done = 0; done < count; done += block_) {
      const Index now = std::min(block_, count - done);
      kernel_.pool(states_, from, done, now);
      finish(now * from.lines);
    }
  }

  const ReduceKernel& kernel_;
  Index result_item_;
  Index block_;
  alignas(64) std::byte states_[pool_bytes + 16 * gather_slack];
};

}  // namespace

bool is_pool(const ReduceWalk& walk) {
  return walk.group > 1 && walk.folded.size() <= 1 && walk.each > 0 && walk.each < short_row &&
         (walk.inner > 1 || walk.group == 2 || (walk.group == 3 && walk.folded.empty()));
}

void run_pools(const ReduceKernel& kernel, const ReduceWalk& walk, std::byte* dst, std::size_t dst_item,
               const std::byte* base) {
  const auto result_item = static_cast<Index>(dst_item);
  const ReduceLoop& row = walk.kept.back();
  const std::vector<ReduceLoop> above(walk.kept.begin(), walk.kept.end() - 1);
  const Index whole = walk.group * walk.inner;
  const Index parts = ceil_divide(row.extent, pool_elements);
  const Index each_part = ceil_divide(ceil_divide(row.extent, parts), whole) * whole;
  const Index all_groups = row.extent / whole;
  const bool is_streamed = walk.results / walk.group * result_item >= streamed_bytes;
  const Index grain = std::max<Index>(piece_elements / (each_part * walk.each), 1);
  const std::ptrdiff_t below = walk.folded.empty() ? 0 : walk.folded.back().stride;
  // Long rows are read on; after short ones the next lines are read.
  const bool has_long_rows = walk.folded.empty() || each_part * row.stride >= long_row_bytes;
  const Index line_bytes = row.extent * row.stride * walk.each;
  const Index ahead_in_row = are_triples(walk.group, walk.inner) ? triples_ahead : long_row_bytes / 4;
  PoolRows like{nullptr,
                walk.each,
                below,
                0,
                walk.group,
                walk.inner,
                walk.each * walk.group,
                has_long_rows ? ahead_in_row : walk.each * below};
  const Index block = results_at_once(kernel, like, result_item);
  parallel_for(0, walk.results / row.extent * parts, grain, [&](Index from, Index to) {
    Index part = from % parts;
    Cursor at(above, from / parts);
    const auto place = [&](Index n) {
      const Index begin = std::min(n % parts * each_part, row.extent);
      return dst + (n / parts * row.extent + begin) / walk.group * result_item;
    };
    std::byte* to_place = place(from);
    StreamedResults results(to_place);
    Pooling pooling(kernel, result_item, block);
    PoolRows rows = like;
    for (Index n = from; n < to; n += rows.lines) {
      const Index begin = std::min(part * each_part, row.extent);
      rows.src = base + walk.start + at.offset() + begin * row.stride;
      rows.groups = parts == 1 ? all_groups : (std::min(begin + each_part, row.extent) - begin) / whole;
      Cursor next = at;
      if (parts == 1) {
        rows.lines = std::min(to - n, pooling.lines_of(at, rows, line_bytes));
        rows.line_step = at.stride();
      }
      next.skip(rows.lines);
      if (!has_long_rows && n + rows.lines < to) rows.ahead = next.offset() - at.offset();
      if (is_streamed) {
        pooling.to_memory(results, rows);
      } else {
        pooling.to_cache(to_place, rows);
        to_place += rows.lines * rows.groups * walk.inner * result_item;
      }
      if (++part < parts) continue;
      part = 0;
      at = next;
    }
    if (is_streamed) results.end();
  });
}

}  // namespace tenstride::detail
