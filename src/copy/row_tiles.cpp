// SPDX-License-Identifier: Apache-2.0
// Rows of whole lines whose order differs on the two sides: a transpose whose items are rows. A block is
// several rows that follow each other in the destination, times several that follow each other in the source;
// so both sides are met in runs of some KiB.
#include "copy/row_tiles.hpp"

#include <algorithm>
#include <cstdint>

#include "copy/sink.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

struct Block {
  std::byte* dst = nullptr;
  const std::byte* src = nullptr;
  std::size_t rows = 0;     // along the destination's next loop
  std::size_t columns = 0;  // along the source's
};

/// The blocks of a range of units, one after another: along the source's loop, then the destination's, then
/// the outer loops.
class BlockSequence {
 public:
  BlockSequence(const Walk& walk, Index from, Index to)
      : plan_(walk.plan),
        down_(walk.loop(walk.plan.strip_loop)),
        along_(walk.loop(walk.plan.turned_loop)),
        at_(walk, 0, walk.plan.strip_loop, walk.plan.turned_loop),
        unit_(from),
        end_(to) {
    at_.seek(from / units_each(walk));
    part_ = from % units_each(walk);
  }

  static Index units_each(const Walk& walk) {
    const CopyPlan& plan = walk.plan;
    return ceil_divide(plan.loops[plan.strip_loop].extent, plan.tile_dst) *
           ceil_divide(plan.loops[plan.turned_loop].extent, plan.tile_src);
  }

  /// False at the end.
  bool next(Block& block) {
    if (unit_ == end_) return false;
    const Index blocks_along = ceil_divide(along_.extent, plan_.tile_src);
    const Index row = part_ / blocks_along * plan_.tile_dst;
    const Index column = part_ % blocks_along * plan_.tile_src;
    block.dst = at_.dst() + row * down_.dst_stride + column * along_.dst_stride;
    block.src = at_.src() + row * down_.src_stride + column * along_.src_stride;
    block.rows = static_cast<std::size_t>(std::min(plan_.tile_dst, down_.extent - row));
    block.columns = static_cast<std::size_t>(std::min(plan_.tile_src, along_.extent - column));
    ++unit_;
    if (++part_ == blocks_along * ceil_divide(down_.extent, plan_.tile_dst)) {
      part_ = 0;
      at_.next();
    }
    return true;
  }

 private:
  const CopyPlan& plan_;
  ByteLoop down_;
  ByteLoop along_;
  Odometer at_;
  Index unit_;
  Index end_;
  Index part_ = 0;
};

void copy_blocks(const Walk& walk, Index from, Index to) {
  const ByteLoop down = walk.loop(walk.plan.strip_loop);
  const ByteLoop along = walk.loop(walk.plan.turned_loop);
  const auto row_bytes =
      static_cast<std::size_t>(walk.plan.loops[walk.plan.loops.size() - 1].extent) * walk.dst_item;
  BlockSequence blocks(walk, from, to);
  Block block;
  for (bool is_there = blocks.next(block); is_there;) {
    Block following;
    is_there = blocks.next(following);
    Pending pending;
    if (is_there) {
      pending.ahead.rows = {following.src, down.src_stride, nullptr, 0};
      pending.ahead.count = following.rows;
      pending.ahead.lines = following.columns * row_bytes / line_bytes;
    }
    for (std::size_t column = 0; column < block.columns; ++column) {
      const auto step = static_cast<std::ptrdiff_t>(column);
      pending.dst = block.dst + step * along.dst_stride;
      pending.dst_pitch = down.dst_stride;
      pending.src = block.src + step * along.src_stride;
      pending.src_pitch = down.src_stride;
      pending.count = block.rows;
      pending.bytes = row_bytes;
      walk.kernels.stream(pending);
    }
    block = following;
  }
  walk.kernels.fence();
}

}  // namespace

bool takes_row_tiles(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  if (plan.kernel != CopyKernel::rows || plan.tile_dst == 0) return false;
  const std::size_t last = plan.loops.size() - 1;
  auto misfit = reinterpret_cast<std::uintptr_t>(walk.dst) |
                (static_cast<std::uintptr_t>(plan.loops[last].extent) * walk.dst_item);
  for (std::size_t d = 0; d < last; ++d) misfit |= static_cast<std::uintptr_t>(walk.loop(d).dst_stride);
  return misfit % line_bytes == 0;
}

void run_row_tiles(const Walk& walk) {
  const Index units = Odometer(walk, 0, walk.plan.strip_loop, walk.plan.turned_loop).count() *
                      BlockSequence::units_each(walk);
  parallel_for(
      0, units, std::max<Index>(1, units / 64), [&](Index from, Index to) { copy_blocks(walk, from, to); },
      walk.plan.threads);
}

}  // namespace tenstride::copy
