// SPDX-License-Identifier: Apache-2.0
// Few rows, and groups within them: their accumulators are combined in the L1 cache.
#include <algorithm>
#include <array>

#include "copy/line_writer.hpp"
#include "reduce/reduce_nest.hpp"
#include "reduce/reduce_tiles.hpp"
#include "tenstride/parallel/parallel.hpp"

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

/// The most bytes of results that are written at a time.
constexpr Index max_written_bytes = 4096;

/// How many accumulators are set before they are finished: whole groups.
Index accumulators_in_block(const ReduceNest& nest, Index result_item) {
  const ReducePlan& plan = nest.plan;
  const Index fit = std::min(pool_bytes / nest.state, max_written_bytes / result_item);
  if (are_triples(plan.group, plan.inner)) return fit / triples_pieces;
  const Index max_results =
      plan.inner <= max_staged_channels ? std::min(fit, staged_bytes / nest.state / plan.group) : fit;
  return std::max(max_results / plan.inner, Index{1}) * plan.inner;
}

/// Pools rows, `block` results at a time, whose accumulators stay in the L1 cache, and writes results one
/// behind the other from `dst` on.
class Pooling {
 public:
  Pooling(const ReduceNest& nest, Index result_item, Index block, std::byte* dst)
      : kernel_(nest.kernel),
        is_streamed_(nest.plan.streaming),
        result_item_(result_item),
        block_(block),
        dst_(dst),
        lines_(copy::kernels(), nest.plan.streams) {}

  /// How many lines from a position on are pooled together: equally many in each part of a loop, so that the
  /// lines that are prefetched are those that come next.
  [[nodiscard]] Index lines_of(const copy::Cursor& at, const PoolRows& from, Index line_of_windows) const {
    const Index fit = std::min(block_ / (from.groups * from.inner), max_lines_bytes / line_of_windows);
    const Index extent = at.run().extent;
    const Index times = ceil_divide(extent, std::max(fit, Index{1}));
    return std::min(at.run_left(), ceil_divide(extent, times));
  }

  /// Precondition: from.lines <= lines_of(…).
  void pool(const PoolRows& from) {
    const Index count = from.groups * from.inner;
    for (Index done = 0; done < count; done += block_) {
      const Index now = std::min(block_, count - done);
      kernel_.pool(states_.data(), from, done, now);
      write(now * from.lines, from.reduced_count);
    }
  }
  void end() {
    if (is_streamed_) lines_.end();
  }

 private:
  void write(Index count, Index reduced_count) {
    const Index nbytes = count * result_item_;
    kernel_.finish(is_streamed_ ? results_.data() : dst_, states_.data(), count, reduced_count);
    if (is_streamed_) lines_.write(dst_, results_.data(), static_cast<std::size_t>(nbytes));
    dst_ += nbytes;
  }

  const ReduceKernel& kernel_;
  bool is_streamed_;
  Index result_item_;
  Index block_;
  std::byte* dst_;
  copy::LineWriter lines_;
  alignas(64) std::array<std::byte, static_cast<std::size_t>(max_written_bytes)> results_;
  alignas(64) std::array<std::byte, static_cast<std::size_t>(pool_bytes + 16 * group_slack)> states_;
};

}  // namespace

void run_pools(const ReduceNest& nest, std::byte* dst) {
  const ReducePlan& plan = nest.plan;
  const auto result_item = static_cast<Index>(item_size(plan.result_dtype));
  const Loop row = nest.row();
  const std::span<const Loop> above = std::span(nest.results).first(nest.results.size() - 1);
  const Index whole = plan.group * plan.inner;
  const Index parts = ceil_divide(row.extent, max_part_elements);
  const Index each_part = ceil_divide(ceil_divide(row.extent, parts), whole) * whole;
  const Index grain = std::max<Index>(piece_elements / (each_part * plan.per_accumulator), 1);
  const Index below = nest.run().src_stride;
  // Within a long row the prefetch goes on along the row; after a short one it goes to the next lines.
  const bool has_long_rows = nest.reduced.empty() || each_part * row.src_stride >= long_row_bytes;
  const Index line_of_windows = row.extent * row.src_stride * plan.per_accumulator;
  const Index row_distance = are_triples(plan.group, plan.inner) ? triples_distance : long_row_bytes / 4;
  const PoolRows like{nullptr,
                      plan.per_accumulator,
                      below,
                      0,
                      plan.group,
                      plan.inner,
                      plan.reduced_count(),
                      has_long_rows ? row_distance : plan.per_accumulator * below};
  const Index block = accumulators_in_block(nest, result_item);
  parallel_for(0, plan.accumulators / row.extent * parts, grain, [&](Index from, Index to) {
    Index part = from % parts;
    copy::Cursor at = nest.at(above, from / parts);
    const Index first = from / parts * row.extent + std::min(part * each_part, row.extent);
    Pooling pooling(nest, result_item, block, dst + first / plan.group * result_item);
    PoolRows rows = like;
    for (Index n = from; n < to; n += rows.lines) {
      const Index begin = std::min(part * each_part, row.extent);
      rows.src = at.src() + begin * row.src_stride;
      rows.groups = (std::min(begin + each_part, row.extent) - begin) / whole;
      copy::Cursor next = at;
      if (parts == 1) {
        rows.lines = std::min(to - n, pooling.lines_of(at, rows, line_of_windows));
        rows.line_step = at.run().src_stride;
      }
      next.skip(rows.lines);
      if (!has_long_rows && n + rows.lines < to) rows.prefetch_distance = next.src() - at.src();
      pooling.pool(rows);
      if (++part < parts) continue;
      part = 0;
      at = next;
    }
    pooling.end();
  });
}

}  // namespace tenstride::detail
