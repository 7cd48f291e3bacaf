// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "copy/kernels.hpp"
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

/// Results on their way past the caches, a line at a time: lines that are only written would be read first.
class StreamedResults {
 public:
  explicit StreamedResults(std::byte* dst)
      : line_(dst - reinterpret_cast<std::uintptr_t>(dst) % line), begin_(dst - line_), end_(begin_) {}
  /// Where the next results are to be written.
  [[nodiscard]] std::byte* place() { return bytes_ + end_; }
  /// So many bytes have been. Pre: at most `most`.
  void take(Index bytes) {
    end_ += bytes;
    Index i = 0;
    if (begin_ > 0 && end_ >= line) {  // a line of which another has the beginning
      std::memcpy(line_ + begin_, bytes_ + begin_, static_cast<std::size_t>(line - begin_));
      begin_ = 0;
      i = line;
    }
    const Index lines = (end_ - i) / line * line;
    if (lines > 0) {
      copy::Pending pending;
      pending.dst = line_ + i;
      pending.src = bytes_ + i;
      pending.count = 1;
      pending.bytes = static_cast<std::size_t>(lines);
      copy::kernels().stream(pending);
    }
    i += lines;
    end_ -= i;
    line_ += i;
    std::memmove(bytes_, bytes_ + i, static_cast<std::size_t>(end_));
  }
  void end() { std::memcpy(line_ + begin_, bytes_ + begin_, static_cast<std::size_t>(end_ - begin_)); }
  static constexpr Index most = 4096;

 private:
  static constexpr Index line = 64;
  std::byte* line_;  ///< of the destination, to which bytes_[0] belongs
  Index begin_;      ///< the first byte of these that is ours
  Index end_;
  alignas(64) std::byte bytes_[static_cast<std::size_t>(most + line)];
};

/// How results are written: so that they stay in the caches, or past them, after which a fence is due.
enum class Stores : unsigned char { plain, streamed };

/// Results folded before they are finished: whole groups.
Index results_at_once(const ReduceKernel& kernel, const PoolRows& from, Index result_item) {
  const auto state = static_cast<Index>(kernel.state_size);
  const Index fit = std::min(pool_bytes / state, StreamedResults::most / result_item);
  const Index most = from.inner <= staged_channels ? std::min(fit, staged_bytes / state / from.group) : fit;
  return std::max(most / from.inner, Index{1}) * from.inner;
}

void pool(const ReduceKernel& kernel, std::byte* dst, const PoolRows& from, Stores stores,
          Index result_item) {
  const Index count = from.groups * from.inner;
  alignas(64) std::byte states[pool_bytes + 16 * gather_slack];
  const Index block = results_at_once(kernel, from, result_item);
  if (stores == Stores::plain) {
    for (Index done = 0; done < count; done += block) {
      const Index now = std::min(block, count - done);
      kernel.pool(states, from, done, now);
      kernel.finish(dst + done * result_item, states, now, from.folded);
    }
    return;
  }
  StreamedResults results(dst);
  for (Index done = 0; done < count; done += block) {
    const Index now = std::min(block, count - done);
    kernel.pool(states, from, done, now);
    kernel.finish(results.place(), states, now, from.folded);
    results.take(now * result_item);
  }
  results.end();
}

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
        pool(kernel, dst + (n / parts * row.extent + begin) / walk.group * result_item, rows, stores,
             result_item);
      }
      if (n % parts == parts - 1) at.skip(1);
    }
    if (stores == Stores::streamed) copy::kernels().fence();
  });
}

}  // namespace tenstride::detail
