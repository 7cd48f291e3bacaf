// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reduce/cursor.hpp"
#include "reduce/reduce_plan.hpp"
#include "reduce/streamed.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Rows that are pooled are divided into parts of at most this many elements.
constexpr Index max_part_elements = Index{1} << 15;
/// From this many bytes on the prefetch stays within a row; below, it goes to the next lines.
constexpr Index long_row_bytes = 8192;
/// Lines of results are pooled together as long as their source has at most this many bytes, which are
/// prefetched while the lines before are pooled. Line by line, channels-first images 96 pixels wide took 2
/// times as long for maxima of uint8, and 1.2 times for sums of float32; with 2 KiB 1.1 times.
constexpr Index max_lines_bytes = 4096;
/// The prefetch distance for triples, which are one row, in bytes; and the number of pieces in which their
/// results are written, so that reading goes on in between. With 2 KiB, or in one piece, float32 took 1.1
/// times as long.
constexpr Index triples_distance = 4096;
constexpr Index triples_pieces = 4;

bool are_triples(Index group, Index inner) {
  return group == 3 && inner == 1;
}

/// Returns how many results are accumulated before they are finished: whole groups.
Index results_in_block(const ReduceKernel& kernel, const PoolRows& from, Index result_item) {
  const auto state = static_cast<Index>(kernel.state_size);
  const Index fit = std::min(pool_bytes / state, StreamedResults::max_bytes / result_item);
  if (are_triples(from.group, from.inner)) return fit / triples_pieces;
  const Index max_results =
      from.inner <= max_staged_channels ? std::min(fit, staged_bytes / state / from.group) : fit;
  return std::max(max_results / from.inner, Index{1}) * from.inner;
}

/// Pools rows, `block` results at a time, whose accumulators stay in the L1 cache.
class Pooling {
 public:
  Pooling(const ReduceKernel& kernel, Index result_item, Index block)
      : kernel_(kernel), result_item_(result_item), block_(block) {}

  /// Returns how many lines from a position on are pooled together: equally many in each part of a loop, so
  /// that the lines that are prefetched are those that come next.
  [[nodiscard]] Index lines_of(const Cursor& at, const PoolRows& from, Index line_bytes) const {
    const Index fit = std::min(block_ / (from.groups * from.inner), max_lines_bytes / line_bytes);
    const Index times = ceil_divide(at.extent(), std::max(fit, Index{1}));
    return std::min(at.run(), ceil_divide(at.extent(), times));
  }

  void to_cache(std::byte* dst, const PoolRows& from) {
    each(from, [&](Index count) {
      kernel_.finish(dst, states_, count, from.reduced_count);
      dst += count * result_item_;
    });
  }
  void to_memory(StreamedResults& results, const PoolRows& from) {
    each(from, [&](Index count) {
      kernel_.finish(results.next(), states_, count, from.reduced_count);
      results.commit(count * result_item_);
    });
  }

 private:
  /// Calls finish(count) after each block of `count` accumulators. Precondition: from.lines <= lines_of(…).
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
  alignas(64) std::byte states_[pool_bytes + 16 * group_slack];
};

}  // namespace

bool is_pool(const ReducePlan& plan) {
  return plan.group > 1 && plan.reduction_loops.size() <= 1 && plan.per_result > 0 &&
         plan.per_result < short_row &&
         (plan.inner > 1 || plan.group == 2 || (plan.group == 3 && plan.reduction_loops.empty()));
}

void run_pools(const ReduceKernel& kernel, const ReducePlan& plan, std::byte* dst, std::size_t dst_item,
               const std::byte* base) {
  const auto result_item = static_cast<Index>(dst_item);
  const ReduceLoop& row = plan.result_loops.back();
  const std::vector<ReduceLoop> above(plan.result_loops.begin(), plan.result_loops.end() - 1);
  const Index whole = plan.group * plan.inner;
  const Index parts = ceil_divide(row.extent, max_part_elements);
  const Index each_part = ceil_divide(ceil_divide(row.extent, parts), whole) * whole;
  const Index all_groups = row.extent / whole;
  const bool is_streamed = plan.results / plan.group * result_item >= min_streamed_bytes;
  const Index grain = std::max<Index>(piece_elements / (each_part * plan.per_result), 1);
  const std::ptrdiff_t below = plan.reduction_loops.empty() ? 0 : plan.reduction_loops.back().stride;
  // Within a long row the prefetch goes on along the row; after a short one it goes to the next lines.
  const bool has_long_rows = plan.reduction_loops.empty() || each_part * row.stride >= long_row_bytes;
  const Index line_bytes = row.extent * row.stride * plan.per_result;
  const Index row_distance = are_triples(plan.group, plan.inner) ? triples_distance : long_row_bytes / 4;
  PoolRows like{nullptr,
                plan.per_result,
                below,
                0,
                plan.group,
                plan.inner,
                plan.per_result * plan.group,
                has_long_rows ? row_distance : plan.per_result * below};
  const Index block = results_in_block(kernel, like, result_item);
  parallel_for(0, plan.results / row.extent * parts, grain, [&](Index from, Index to) {
    Index part = from % parts;
    Cursor at(above, from / parts);
    const auto dst_of = [&](Index n) {
      const Index begin = std::min(n % parts * each_part, row.extent);
      return dst + (n / parts * row.extent + begin) / plan.group * result_item;
    };
    std::byte* next_dst = dst_of(from);
    StreamedResults results(next_dst);
    Pooling pooling(kernel, result_item, block);
    PoolRows rows = like;
    for (Index n = from; n < to; n += rows.lines) {
      const Index begin = std::min(part * each_part, row.extent);
      rows.src = base + plan.start + at.offset() + begin * row.stride;
      rows.groups = parts == 1 ? all_groups : (std::min(begin + each_part, row.extent) - begin) / whole;
      Cursor next = at;
      if (parts == 1) {
        rows.lines = std::min(to - n, pooling.lines_of(at, rows, line_bytes));
        rows.line_step = at.stride();
      }
      next.skip(rows.lines);
      if (!has_long_rows && n + rows.lines < to) rows.prefetch_distance = next.offset() - at.offset();
      if (is_streamed) {
        pooling.to_memory(results, rows);
      } else {
        pooling.to_cache(next_dst, rows);
        next_dst += rows.lines * rows.groups * plan.inner * result_item;
      }
      if (++part < parts) continue;
      part = 0;
      at = next;
    }
    if (is_streamed) results.end();
  });
}

}  // namespace tenstride::detail
