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

/// One block, and how to go on in it.
class BlockCopier {
 public:
  explicit BlockCopier(const Walk& walk)
      : kernels_(walk.kernels),
        down_(walk.loop(walk.plan.strip_loop)),
        along_(walk.loop(walk.plan.turned_loop)),
        row_bytes_(static_cast<std::size_t>(walk.plan.loops[walk.plan.loops.size() - 1].extent) *
                   walk.dst_item) {}

  /// Whether `following` is read where the runs of `block` end.
  [[nodiscard]] bool goes_on(const Block& block, const Block& following) const {
    return along_.src_stride == static_cast<std::ptrdiff_t>(row_bytes_) &&
           following.src == block.src + static_cast<std::ptrdiff_t>(block.columns) * along_.src_stride;
  }

  /// Run by run of the source.
  void copy(const Block& block) const {
    for (std::size_t row = 0; row < block.rows; ++row) {
      const auto step = static_cast<std::ptrdiff_t>(row);
      kernels_.stream_rows(block.dst + step * down_.dst_stride, along_.dst_stride,
                           block.src + step * down_.src_stride, along_.src_stride, block.columns, row_bytes_);
    }
  }

  /// While as much of `following` is asked for.
  void copy_and_ask(const Block& block, const Block& following) const {
    Pending pending;
    pending.ahead.rows = {following.src, down_.src_stride, nullptr, 0};
    pending.ahead.count = following.rows;
    pending.ahead.lines = following.columns * row_bytes_ / line_bytes;
    for (std::size_t column = 0; column < block.columns; ++column) {
      const auto step = static_cast<std::ptrdiff_t>(column);
      pending.dst = block.dst + step * along_.dst_stride;
      pending.dst_pitch = down_.dst_stride;
      pending.src = block.src + step * along_.src_stride;
      pending.src_pitch = down_.src_stride;
      pending.count = block.rows;
      pending.bytes = row_bytes_;
      kernels_.stream(pending);
    }
  }

 private:
  const Kernels& kernels_;
  ByteLoop down_;
  ByteLoop along_;
  std::size_t row_bytes_;
};

void copy_blocks(const Walk& walk, Index from, Index to) {
  const BlockCopier copier(walk);
  BlockSequence blocks(walk, from, to);
  Block block;
  Block following;
  for (bool is_there = blocks.next(block); is_there; block = following) {
    is_there = blocks.next(following);
    // The processor foresees what goes on by itself: asking for it takes .05 to .15 of a plain copy's time.
    if (!is_there || copier.goes_on(block, following)) {
      copier.copy(block);
    } else {
      copier.copy_and_ask(block, following);
    }
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
