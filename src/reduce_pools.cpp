// SPDX-License-Identifier: Apache-2.0
#include <hwy/cache_control.h>

#include <algorithm>

#include "reduce_cursor.hpp"
#include "reduce_walk.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Pooled rows are cut to so many elements. Results of so many bytes are written past the caches, where rows
/// of them are of so many.
constexpr Index pool_elements = Index{1} << 15;
constexpr Index streamed_bytes = Index{1} << 23;
constexpr Index streamed_row_bytes = 512;
constexpr Index long_row_bytes = 8192;

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
  const bool is_large = walk.results / walk.group * result_item >= streamed_bytes;
  const Stores stores = is_large && each_part / walk.group * result_item >= streamed_row_bytes
                            ? Stores::streamed
                            : Stores::plain;
  const Index grain = std::max<Index>(piece_elements / (each_part * walk.each), 1);
  // Long rows are read on; after short ones the next are read.
  const bool has_long_rows = walk.folded.empty() || each_part * row.stride >= long_row_bytes;
  const std::ptrdiff_t ahead = has_long_rows ? long_row_bytes / 4 : walk.each * walk.folded.back().stride;
  parallel_for(0, walk.results / row.extent * parts, grain, [&](Index from, Index to) {
    Cursor at(above, from / parts);
    for (Index n = from; n < to; ++n) {
      const Index begin = std::min(n % parts * each_part, row.extent);
      const Index end = std::min(begin + each_part, row.extent);
      const PoolRows rows{base + walk.start + at.offset() + begin * row.stride,
                          walk.each,
                          walk.folded.empty() ? 0 : walk.folded.back().stride,
                          (end - begin) / whole,
                          walk.group,
                          walk.inner,
                          walk.each * walk.group,
                          ahead};
      if (begin < end) {
        kernel.pool(dst + (n / parts * row.extent + begin) / walk.group * result_item, rows, stores);
      }
      if (n % parts == parts - 1) at.skip(1);
    }
    if (stores == Stores::streamed) hwy::FlushStream();
  });
}

}  // namespace tenstride::detail
