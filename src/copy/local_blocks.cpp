// SPDX-License-Identifier: Apache-2.0
// Batches of small matrices: (n, 50, 3) to (n, 3, 50). A worker of tiles takes some 400 ns for each matrix,
// whose bytes may be copied in 10; here as many as fit the L1 cache are turned by one call, or by one leaf
// each, into a buffer, from which they go to the destination side by side, whole lines past the cache.
#include "copy/local_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "../message.hpp"
#include "copy/listed.hpp"
#include "copy/loops.hpp"
#include "copy/sink.hpp"
#include "copy_plan_order.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// A block, and what is turned at a time.
constexpr Index most_block_bytes = Index{32} << 10;
constexpr Index batch_bytes = Index{16} << 10;
/// The source of a block lies within so many times its bytes.
constexpr Index most_spread = 2;
/// Blocks of whole lines go straight from the registers, which the tiles do better, where these are so large:
/// items of 4 bytes and more (1.2 of a plain copy by the C library, 1.0 here; blocks half as large .4 and
/// .96), and any (128 x 128 half floats .93, .70 here; 64 x 64 .65 and 1.0).
constexpr Index least_straight_item = 4;
constexpr Index least_straight_bytes = Index{2} << 10;
constexpr Index large_block_bytes = Index{16} << 10;
/// Ranges for each thread.
constexpr Index ranges_each = 8;

/// The innermost loops, from `first` on, where they make up a block; 0 elements where they do not.
struct Block {
  std::size_t first = 0;
  Index elements = 0;
};

/// The smallest block.
Block find_block(const CopyPlan& plan, Index element) {
  Index elements = plan.item_elements;
  Index reach = plan.item_elements;
  for (std::size_t d = plan.loops.size(); d-- > 1;) {
    const CopyLoop& loop = plan.loops[d];
    if (loop.dst_stride != elements || loop.src_stride == 0) return {};
    elements *= loop.extent;
    reach += (loop.extent - 1) * std::abs(loop.src_stride);
    if (elements * element > most_block_bytes) return {};
    if (d + 1 < plan.loops.size() && reach <= most_spread * elements) return {d, elements};
  }
  return {};
}

/// As many blocks of `bytes` each, or a few less, so that they fill whole lines: what begins at a line goes
/// on at one. Those that are too few for that are as they are.
Index in_whole_lines(Index blocks, Index bytes) {
  constexpr auto line = static_cast<Index>(line_bytes);
  const Index even = line / std::gcd(bytes, line);
  return blocks < even ? blocks : blocks / even * even;
}

bool goes_straight(const Walk& walk, const Block& block) {
  const CopyPlan& plan = walk.plan;
  const auto item = static_cast<Index>(walk.dst_item);
  const Index row = plan.loops[plan.loops.size() - 1].extent * item;
  const Index bytes = block.elements / plan.item_elements * item;
  return plan.kernel != CopyKernel::interleave && row % static_cast<Index>(line_bytes) == 0 &&
         bytes >= (item >= least_straight_item ? least_straight_bytes : large_block_bytes);
}

/// The loops of `count` blocks that go side by side into a buffer, `src_stride` apart in the source.
Loops loops_of(const Walk& walk, const Block& block, Index count, Index src_stride) {
  Loops loops;
  auto dst_stride = static_cast<Index>(walk.src_item);
  for (std::size_t d = walk.plan.loops.size(); d-- > block.first;) {
    const ByteLoop loop = walk.loop(d);
    loops.add(loop.extent, dst_stride, loop.src_stride);
    dst_stride *= loop.extent;
  }
  if (count > 1) loops.add(count, dst_stride, src_stride);
  return loops;
}

/// A block of some bytes without a gap, as the bytes in their order; 0 bytes where it is none. `lowest` is
/// where it begins in the source, from its first element on.
struct Shuffled {
  ShuffledBlock block;
  std::ptrdiff_t lowest = 0;

  Shuffled(const Loops& loops, std::size_t item, const ListedKernels& kernels) {
    const auto bytes = static_cast<std::size_t>(loops.items()) * item;
    auto reach = static_cast<std::ptrdiff_t>(item);
    for (std::size_t d = 0; d < loops.count; ++d) {
      const std::ptrdiff_t way = (loops.extent[d] - 1) * loops.src[d];
      reach += std::abs(way);
      lowest += std::min<std::ptrdiff_t>(way, 0);
    }
    if (bytes > ShuffledBlock::most_bytes || reach != static_cast<std::ptrdiff_t>(bytes)) return;
    std::array<std::byte, ShuffledBlock::most_bytes> places{};
    for (std::size_t i = 0; i < bytes; ++i) places[i] = static_cast<std::byte>(i);
    std::array<std::byte, ShuffledBlock::most_bytes> from{};
    copy_gathered(loops, item, from.data(), places.data() - lowest);
    for (std::size_t i = 0; i < bytes; ++i) block.from[i] = std::to_integer<std::uint8_t>(from[i]);
    block.bytes = bytes;
    kernels.arrange(block);
  }
};

/// The work of one thread.
class BlockWorker {
 public:
  BlockWorker(const Walk& walk, const Block& block, const Shuffled& shuffled)
      : walk_(walk),
        block_(block),
        items_(block.elements / walk.plan.item_elements),
        bytes_(items_ * static_cast<Index>(walk.src_item)),
        most_(in_whole_lines(std::max<Index>(batch_bytes / bytes_, 1), bytes_)),
        shuffled_(shuffled),
        sink_(walk.plan, walk.kernels) {}

  /// Blocks [from, to).
  void operator()(Index from, Index to) {
    Odometer at(walk_, 0, block_.first, max_rank);
    at.seek(from);
    const Index written = items_ * static_cast<Index>(walk_.dst_item);
    while (from < to) {
      const ByteLoop run = at.run();
      const Index count = run.dst_stride == written ? std::min({at.run_left(), to - from, most_}) : Index{1};
      turn(at.src(), count, run.src_stride);
      std::byte* const dst = at.dst();
      at.skip(count);
      from += count;
      sink_.ahead = {};
      if (from < to) ask_for(at.src(), count, run.src_stride);
      sink_.run(dst, turned_.data(), static_cast<std::size_t>(count * items_), 0, 0);
    }
  }

 private:
  void turn(const std::byte* src, Index count, Index src_stride) {
    std::byte* out = turned_.data();
    if (shuffled_.block.bytes != 0) {
      walk_.kernels.listed->shuffle_blocks(out, src + shuffled_.lowest, src_stride, shuffled_.block,
                                           static_cast<std::size_t>(count));
      return;
    }
    if (copy_listed(loops_of(walk_, block_, count, src_stride), walk_.src_item, out, src)) return;
    const Loops one = loops_of(walk_, block_, 1, 0);
    for (; count > 0; --count, out += bytes_, src += src_stride) copy_listed(one, walk_.src_item, out, src);
  }

  /// The source of the next blocks, asked for while these are written.
  void ask_for(const std::byte* src, Index count, Index src_stride) {
    Ahead& ahead = sink_.ahead;
    ahead.rows.first = src;
    if (src_stride == bytes_) {
      ahead.count = 1;
      ahead.lines = static_cast<std::size_t>(count * bytes_) / line_bytes + 1;
    } else {
      ahead.rows.pitch = src_stride;
      ahead.count = static_cast<std::size_t>(count);
      ahead.lines = static_cast<std::size_t>(bytes_) / line_bytes + 1;
    }
  }

  const Walk& walk_;
  Block block_;
  /// Of a block.
  Index items_;
  Index bytes_;
  /// Blocks that are turned at a time.
  Index most_;
  const Shuffled& shuffled_;
  Sink sink_;
  alignas(line_bytes) std::array<std::byte, static_cast<std::size_t>(most_block_bytes) + spill_bytes> turned_;
};

bool may_hold_blocks(const CopyPlan& plan) {
  return plan.turns() && plan.loops.size() >= 3 && plan.loops.size() <= most_loops &&
         plan.scale.size() <= 1 && plan.shift.size() <= 1;
}

/// The block of a plan in the destination's order; 0 elements where other ways are as good.
Block choose_block(const Walk& walk) {
  const Block block = find_block(walk.plan, static_cast<Index>(item_size(walk.plan.src_type)));
  if (block.elements == 0 || goes_straight(walk, block) ||
      !is_listed(loops_of(walk, block, 1, 0), walk.src_item)) {
    return {};
  }
  return block;
}

/// How many such blocks there are.
Index count_of(const Walk& walk, const Block& block) {
  return Odometer(walk, 0, block.first, max_rank).count();
}

}  // namespace

bool run_local_blocks(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  if (!may_hold_blocks(plan)) return false;
  const CopyPlan ordered = detail::in_destination_order(plan);
  const Walk blocks(ordered, walk.kernels, walk.dst, walk.src);
  const Block block = choose_block(blocks);
  if (block.elements == 0) return false;
  const Index count = count_of(blocks, block);
  const Index bytes = block.elements / plan.item_elements * static_cast<Index>(blocks.dst_item);
  const Index grain = in_whole_lines(ceil_divide(count, ranges_each * threads_of(plan)), bytes);
  const Shuffled shuffled(loops_of(blocks, block, 1, 0), blocks.src_item, *walk.kernels.listed);
  parallel_for(
      0, count, grain, [&](Index from, Index to) { BlockWorker(blocks, block, shuffled)(from, to); },
      plan.threads);
  return true;
}

std::string local_blocks_text(const Walk& walk) {
  if (!may_hold_blocks(walk.plan)) return {};
  const CopyPlan ordered = detail::in_destination_order(walk.plan);
  const Walk blocks(ordered, walk.kernels, walk.dst, walk.src);
  const Block block = choose_block(blocks);
  if (block.elements == 0) return {};
  return tenstride::detail::message("in batches: ", count_of(blocks, block), " blocks of ", block.elements,
                                    " elements, turned in the L1 cache");
}

}  // namespace tenstride::copy
