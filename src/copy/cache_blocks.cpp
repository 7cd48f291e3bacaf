// SPDX-License-Identifier: Apache-2.0
// Copies whose plan has short runs. A line of the source has 64 bytes: where a tile, a row or some channels
// take 12 of them and come back for the others when the line has left the caches, memory is read five times.
// Here a block is turned whose lines are read once, and written once, by long runs. Half floats (243, 16,
// 558, 2, 4) permuted by (2, 0, 4, 1, 3) had .01 of a plain copy by the leaf for channels and have .39 so,
// float32 (72817, 12, 4, 3) by (1, 3, 2, 0) .07 by tiles and .61, rows of 24 bytes .21 and .63 (Zen 5). While
// a block is written, the next one's source is asked for a few lines at a time: of what is asked for at once,
// the processor drops what it cannot begin.
#include "copy/cache_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "../message.hpp"
#include "copy/block_shape.hpp"
#include "copy/listed.hpp"
#include "copy/loops.hpp"
#include "copy/sink.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// A block, turned, and the source of the next one are in the L2 cache.
constexpr Index block_bytes = Index{256} << 10;
/// Smaller copies stay in the L3 cache, where tiles and rows cost less however short (of 3 MB half the time).
constexpr Index large_bytes = Index{8} << 20;
/// So much is written before more of the source is asked for.
constexpr Index piece_bytes = 1024;
/// Rows of fewer bytes that are turned have a leaf, by which copies that stay in the caches gain too (3 MB of
/// pixels of bytes .14 of `memcpy` in place of .05; of three floats .24 in place of .36, mirrored ones .36 in
/// place of .92).
constexpr Index short_row = 8;
/// Ranges for each thread.
constexpr Index ranges_each = 8;
constexpr auto line = static_cast<Index>(line_bytes);

/// How much may be lost where a block's runs begin and end, as `BlockShape::loss`, for it still to be worth
/// while: much of a plan that loses more itself, some, or little.
constexpr double much = 8;
constexpr double some = 2.5;
constexpr double little = 1;
constexpr double nothing = 0;

/// The same for a plan whose runs have so many bytes: much below `in_memory`, some below `of_one_stream`
/// where memory is read as one stream.
double loss_of_runs(MemoryStreams streams, Index run, Index in_memory, Index of_one_stream) {
  if (run < in_memory) return much;
  return streams == MemoryStreams::one && run < of_one_stream ? some : nothing;
}

/// For tiles of a copy that does not stay in the caches. Where columns are no whole lines of the destination,
/// the strips of each matrix begin and end within lines, which are written in two parts: batches of matrices
/// of some 100 KB have .04 to .2 of a plain copy so and .6 to .9 by blocks, of 1 MB .3 to .8 and .4 to .8.
double loss_of_tiles(MemoryStreams streams, Index dst_run, Index src_run, Index matrix, bool is_batch) {
  const bool is_one_stream = streams == MemoryStreams::one;
  if (dst_run % line == 0) return loss_of_runs(streams, src_run, line, is_batch ? 2 * line : line);
  const Index run = std::min(dst_run, src_run);
  if (run < line || (is_batch && matrix < (is_one_stream ? Index{640} << 10 : Index{256} << 10))) return much;
  if (!is_one_stream) return nothing;
  return is_batch && run < 320 ? some : little;
}

bool turns_short_rows(const Walk& walk, Index row) {
  bool turns = false;
  for (std::size_t d = 0; d + 2 < walk.plan.loops.size(); ++d)
    turns = turns || std::abs(walk.loop(d).src_stride) == row;
  return turns && row < short_row;
}

/// How much may be lost of the blocks of a plan. Copies that stay in the caches lose less by short runs
/// themselves: only a few channels, and items that are gathered, of some bytes each, cost more.
double most_loss(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  const auto dst_item = static_cast<Index>(walk.dst_item);
  const auto src_item = static_cast<Index>(walk.src_item);
  const std::size_t count = plan.loops.size();
  const bool is_large =
      plan.streaming || plan.count * static_cast<Index>(item_size(plan.dst_type)) >= large_bytes;
  Index columns = 1;
  for (std::size_t d = plan.strip_loop; d < count; ++d) columns *= plan.loops[d].extent;
  Index rows = 1;
  if (plan.turns()) {
    for (std::size_t i = 0; i < plan.source_loops; ++i) rows *= plan.loops[plan.turned_loop - i].extent;
  }
  const Index dst_run = columns * dst_item;
  const Index src_run = rows * src_item;
  const Index row = plan.loops[count - 1].extent * dst_item;
  switch (plan.kernel) {
    case CopyKernel::tile:
      return is_large ? loss_of_tiles(plan.streams, dst_run, src_run, columns * src_run, count > 2) : nothing;
    case CopyKernel::deinterleave:
      return is_large ? loss_of_runs(plan.streams, dst_run, 256, 2048)
                      : loss_of_runs(plan.streams, dst_run, line, 0);
    case CopyKernel::interleave:
      return is_large ? loss_of_runs(plan.streams, src_run, 256, 512)
                      : loss_of_runs(plan.streams, src_run, line, 0);
    case CopyKernel::rows:  // whole lines are written once
      if (turns_short_rows(walk, row)) return much;
      return is_large && row % line != 0 ? loss_of_runs(plan.streams, row, line, 640) : nothing;
    case CopyKernel::gather:
      return is_large ? loss_of_runs(plan.streams, row, line, 256)
                      : loss_of_runs(plan.streams, row, line / 2, 0);
    default:
      return nothing;
  }
}

/// A copy, cut into blocks.
class Blocks {
 public:
  explicit Blocks(const Walk& walk)
      : dst_item(static_cast<Index>(walk.dst_item)),
        src_item(static_cast<Index>(walk.src_item)),
        dst_(walk.dst),
        src_(walk.src) {
    for (std::size_t d = 0; d < walk.plan.loops.size(); ++d) {
      ByteLoop loop = walk.loop(d);
      if (loop.dst_stride < 0) {
        dst_first_ += (loop.extent - 1) * loop.dst_stride;
        src_first_ += (loop.extent - 1) * loop.src_stride;
        loop.dst_stride = -loop.dst_stride;
        loop.src_stride = -loop.src_stride;
      }
      loops.add(loop.extent, loop.dst_stride, loop.src_stride);
    }
    shape = choose_block(loops, dst_item, src_item, block_bytes / src_item);
    for (std::size_t d = 0; d < loops.count; ++d) {
      if (shape.part[d] < loops.extent[d]) cut_[cut_count_++] = d;
    }
    // What is read next lies beside what was read.
    std::sort(cut_.data(), cut_.data() + cut_count_, [&](std::size_t a, std::size_t b) {
      return std::abs(loops.src[a]) * shape.part[a] > std::abs(loops.src[b]) * shape.part[b];
    });
  }

  /// One of them: where it begins, and its extents.
  struct Block {
    std::byte* dst;
    const std::byte* src;
    std::array<Index, most_loops> extent;

    [[nodiscard]] Index items(const Loops& loops) const {
      Index items = 1;
      for (std::size_t d = 0; d < loops.count; ++d) items *= extent[d];
      return items;
    }
  };

  [[nodiscard]] Index count() const {
    Index count = 1;
    for (std::size_t i = 0; i < cut_count_; ++i) count *= parts(cut_[i]);
    return count;
  }

  [[nodiscard]] Block block(Index number) const {
    Block block{dst_ + dst_first_, src_ + src_first_, shape.part};
    for (std::size_t i = cut_count_; i-- > 0;) {
      const std::size_t d = cut_[i];
      const Index first = number % parts(d) * shape.part[d];
      number /= parts(d);
      block.dst += first * loops.dst[d];
      block.src += first * loops.src[d];
      block.extent[d] = std::min(shape.part[d], loops.extent[d] - first);
    }
    return block;
  }

  /// The loops that turn a block into a buffer, side by side as it lies in the destination.
  [[nodiscard]] Loops turning(const Block& block) const {
    Loops turning;
    Index stride = src_item;
    for (std::size_t d = loops.count; d-- > 0;) {
      if (block.extent[d] == 1) continue;
      turning.add(block.extent[d], stride, loops.src[d]);
      stride *= block.extent[d];
    }
    turning.merge();
    return turning;
  }

  Loops loops;
  BlockShape shape;
  Index dst_item;
  Index src_item;

 private:
  [[nodiscard]] Index parts(std::size_t d) const { return ceil_divide(loops.extent[d], shape.part[d]); }

  std::byte* dst_;
  const std::byte* src_;
  /// From there to where no loop goes backwards in the destination, in bytes.
  Index dst_first_ = 0;
  Index src_first_ = 0;
  std::array<std::size_t, most_loops> cut_;
  std::size_t cut_count_ = 0;
};

using Block = Blocks::Block;

/// The source of a block, asked for line by line.
class Reads {
 public:
  void begin(const Blocks& blocks, const Block& block) {
    rows_.clear();
    row_ = 0;
    asked_ = 0;
    line_ = end_ = nullptr;
    row_bytes_ = blocks.src_item;
    const std::byte* src = block.src;
    Loops outer;
    for (std::size_t d = 0; d < blocks.loops.count; ++d) {
      const Index stride = blocks.loops.src[d];
      if (!blocks.shape.in_src_run[d]) {
        if (block.extent[d] > 1) outer.add(block.extent[d], blocks.loops.dst[d], stride);
        continue;
      }
      const Index reach = (block.extent[d] - 1) * stride;
      row_bytes_ += std::abs(reach);
      if (stride < 0) src += reach;
    }
    walk_positions(outer, outer.count, block.dst, src,
                   [this](std::byte*, const std::byte* row) { rows_.push_back(row); });
    // A row begins anywhere in its first line.
    lines_ = outer.items() * (row_bytes_ / line + 1);
  }

  void end() { lines_ = 0; }

  /// Asks for what is missing of a share of all lines.
  void ask(Index numerator, Index denominator) {
    for (const Index until = lines_ * numerator / denominator; asked_ < until; ++asked_) {
      if (line_ >= end_) {
        if (row_ == rows_.size()) return;
        line_ = rows_[row_++];
        end_ = line_ + row_bytes_;
        line_ -= reinterpret_cast<std::uintptr_t>(line_) % line_bytes;
      }
      __builtin_prefetch(line_, 0, 2);
      line_ += line_bytes;
    }
  }

 private:
  std::vector<const std::byte*> rows_;
  Index row_bytes_ = 0;
  Index lines_ = 0;
  Index asked_ = 0;
  std::size_t row_ = 0;
  const std::byte* line_ = nullptr;
  const std::byte* end_ = nullptr;
};

/// The first line that begins there or behind.
std::byte* at_line(std::byte* at) {
  return at + (0 - reinterpret_cast<std::uintptr_t>(at)) % line_bytes;
}

/// The work of one thread.
class BlockWorker {
 public:
  BlockWorker(const Walk& walk, const Blocks& blocks) : blocks_(blocks), sink_(walk.plan, walk.kernels) {}

  /// Blocks [from, to).
  void operator()(Index from, Index to) {
    for (; from < to; ++from) {
      const Block block = blocks_.block(from);
      turn(block);
      if (from + 1 < to) {
        reads_.begin(blocks_, blocks_.block(from + 1));
      } else {
        reads_.end();
      }
      write(block);
    }
  }

 private:
  void turn(const Block& block) {
    const Loops loops = blocks_.turning(block);
    const auto item = static_cast<std::size_t>(blocks_.src_item);
    if (!copy_listed(loops, item, turned_, block.src)) copy_gathered(loops, item, turned_, block.src);
  }

  void write(const Block& block) {
    const Loops& loops = blocks_.loops;
    Loops outer;
    Index run = 1;
    Index stride = blocks_.src_item;
    for (std::size_t d = loops.count; d-- > 0;) {
      if (block.extent[d] == 1) continue;
      if (outer.count == 0 && loops.dst[d] == run * blocks_.dst_item) {
        run *= block.extent[d];
      } else {
        outer.add(block.extent[d], loops.dst[d], stride);
      }
      stride *= block.extent[d];
    }
    const Index items = block.items(loops);
    Index done = 0;
    walk_positions(outer, outer.count, block.dst, turned_, [&](std::byte* to, const std::byte* from) {
      for (Index left = run; left > 0;) {
        const Index count = std::min(left, piece(to));
        sink_.run(to, from, static_cast<std::size_t>(count), 0, 0);
        to += count * blocks_.dst_item;
        from += count * blocks_.src_item;
        left -= count;
        reads_.ask(done += count, items);
      }
    });
  }

  /// How many items are written at a time: whole lines after the first.
  [[nodiscard]] Index piece(const std::byte* to) const {
    const auto begun = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % line_bytes);
    return (piece_bytes - begun) / blocks_.dst_item;
  }

  const Blocks& blocks_;
  Sink sink_;
  Reads reads_;
  std::unique_ptr<std::byte[]> space_ = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(block_bytes) + spill_bytes + line_bytes);
  std::byte* turned_ = at_line(space_.get());
};

/// Whether a plan's loops can be cut, whatever comes of it.
bool can_be_cut(const CopyPlan& plan) {
  if (plan.loops.size() < 2 || plan.loops.size() > most_loops || plan.scale.size() > 1 ||
      plan.shift.size() > 1) {
    return false;
  }
  return std::all_of(plan.loops.data(), plan.loops.data() + plan.loops.size(),
                     [](const CopyLoop& loop) { return loop.dst_stride != 0 && loop.src_stride != 0; });
}

/// None where other ways are as good.
std::optional<Blocks> find_blocks(const Walk& walk) {
  if (!can_be_cut(walk.plan)) return std::nullopt;
  const double most = most_loss(walk);
  if (most == nothing) return std::nullopt;
  std::optional<Blocks> blocks(walk);
  if (blocks->shape.loss > most) blocks.reset();
  return blocks;
}

}  // namespace

bool run_cache_blocks(const Walk& walk) {
  const std::optional<Blocks> blocks = find_blocks(walk);
  if (!blocks) return false;
  const CopyPlan& plan = walk.plan;
  const Index count = blocks->count();
  const Index grain = std::max<Index>(ceil_divide(count, ranges_each * threads_of(plan)), 1);
  parallel_for(
      0, count, grain, [&](Index from, Index to) { BlockWorker(walk, *blocks)(from, to); }, plan.threads);
  return true;
}

std::string cache_blocks_text(const Walk& walk) {
  const std::optional<Blocks> blocks = find_blocks(walk);
  if (!blocks) return {};
  std::string parts;
  for (std::size_t d = 0; d < blocks->loops.count; ++d)
    parts += (d == 0 ? "" : " x ") + std::to_string(blocks->shape.part[d]);
  const Index count = blocks->count();
  return tenstride::detail::message("in ", count, count == 1 ? " block of " : " blocks of ", parts,
                                    ", turned in the L2 cache: runs of ", blocks->shape.src_run,
                                    " bytes read, of ", blocks->shape.dst_run, " written");
}

}  // namespace tenstride::copy
