// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reduce_cursor.hpp"
#include "reduce_streamed.hpp"
#include "reduce_walk.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Pooled rows are cut to so many elements.
constexpr Index pool_elements = Index{1} << 15;
constexpr Index long_row_bytes = 8192;

/// Results folded before they are finished: whole groups.
Index results_at_once(const ReduceKernel& kernel, const PoolRows& from, Index result_item) {
  const auto state = static_cast<Index>(kernel.state_size);
  const Index fit = std::min(pool_bytes / state, StreamedResults::most / result_item);
  const Index most = from.inner <= staged_channels ? std::min(fit, staged_bytes / state / from.group) : fit;
  return std::max(most / from.inner, Index{1}) * from.inner;
}

/// Pools rows, so many results at a time, whose accumulators stay in the L1 cache.
class Pooling {
 public:
  Pooling(const ReduceKernel& kernel, Index result_item, Index block)
      : kernel_(kernel), result_item_(result_item), block_(block) {}

  void to_cache(std::byte* dst, const PoolRows& from) {
    const Index count = from.groups * from.inner;
    for (Index done = 0; done < count; done += block_) {
      const Index now = std::min(block_, count - done);
      kernel_.pool(states_, from, done, now);
      kernel_.finish(dst + done * result_item_, states_, now, from.folded);
    }
  }
  void to_memory(StreamedResults& results, const PoolRows& from) {
    const Index count = from.groups * from.inner;
    for (Index done = 0; done < count; done += block_) {
      const Index now = std::min(block_, count - done);
      kernel_.pool(states_, from, done, now);
      kernel_.finish(results.place(), states_, now, from.folded);
      results.take(now * result_item_);
    }
  }

 private:
  const ReduceKernel& kernel_;
  Index result_item_;
  Index block_;
  alignas(64) std::byte states_[pool_bytes + 16 * gather_slack];
};

}  // namespace

bool is_pool(const ReduceWalk& walk) {
  return walk.group > 1 && walk.folded.size() <= 1 && walk.each > 0 && walk.each < short_row &&
         (walk.inner > 1 || walk.group == 2);
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
  // Long rows are read on; after short ones the next are read.
  const bool has_long_rows = walk.folded.empty() || each_part * row.stride >= long_row_bytes;
  const std::ptrdiff_t ahead = has_long_rows ? long_row_bytes / 4 : walk.each * walk.folded.back().stride;
  PoolRows like{nullptr,
                walk.each,
                walk.folded.empty() ? 0 : walk.folded.back().stride,
                0,
                walk.group,
                walk.inner,
                walk.each * walk.group,
                ahead};
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
    for (Index n = from; n < to; ++n) {
      const Index begin = std::min(part * each_part, row.extent);
      rows.src = base + walk.start + at.offset() + begin * row.stride;
      rows.groups = parts == 1 ? all_groups : (std::min(begin + each_part, row.extent) - begin) / whole;
      if (is_streamed) {
        pooling.to_memory(results, rows);
      } else {
        pooling.to_cache(to_place, rows);
        to_place += rows.groups * walk.inner * result_item;
      }
      if (++part < parts) continue;
      part = 0;
      at.skip(1);
    }
    if (is_streamed) results.end();
  });
}

}  // namespace tenstride::detail
