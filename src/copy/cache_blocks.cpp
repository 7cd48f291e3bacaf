// SPDX-License-Identifier: Apache-2.0
// Copies whose plan has short runs. A line of the source has 64 bytes: where a tile, a row or some channels
// take 12 of them and come back for the others when the line has left the caches, memory is read five times.
// Here a block is turned whose lines are read once, and written once, by long runs. Half floats (243, 16,
// 558, 2, 4) permuted by (2, 0, 4, 1, 3) had .006 of a plain copy by the leaf for channels and have .38 so,
// float32 (72817, 12, 4, 3) by (1, 3, 2, 0) .1 by tiles and .7, rows of 24 bytes .25 and .7 (Zen 5). While a
// block is written, the next one's source is asked for a few lines at a time: of what is asked for at once,
// the processor drops what it cannot begin.
#include "copy/cache_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <vector>

#include "copy/block_shape.hpp"
#include "copy/listed.hpp"
#include "copy/loops.hpp"
#include "copy/sink.hpp"
#include "copy/streams.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// A block, turned, and the source of the next one are in the L2 cache.
constexpr Index block_bytes = Index{128} << 10;
/// Smaller copies stay in the L3 cache, where tiles and rows cost less however short (of 3 MB half the time).
constexpr Index large_bytes = Index{8} << 20;
/// So much is written before more of the source is asked for.
constexpr Index piece_bytes = 1024;
/// Ranges for each thread.
constexpr Index ranges_each = 8;

/// Which runs are short. Below `in_caches` any are worth blocks of which `most_loss` is lost, below
/// `in_memory` those of large copies; below `of_one_stream`, where memory is read as one stream, blocks of
/// which `some_loss` is.
struct Short {
  Index run;
  Index in_caches;
  Index in_memory;
  Index of_one_stream;

  [[nodiscard]] bool is_worth(double loss, bool is_large) const {
    if (run < (is_large ? in_memory : in_caches)) return loss <= most_loss;
    return is_large && streams() == Streams::one && run < of_one_stream && loss <= some_loss;
  }

  static constexpr double most_loss = 8;
  static constexpr double some_loss = 2.5;
};

constexpr Index no_run = std::numeric_limits<Index>::max();

/// What lies together where a plan reads or writes least at a time, in bytes, and what is short for its
/// kernel.
Short short_runs(const CopyPlan& plan, Index item) {
  constexpr auto line = static_cast<Index>(line_bytes);
  Index dst_run = item;
  for (std::size_t d = plan.strip_loop; d < plan.loops.size(); ++d) dst_run *= plan.loops[d].extent;
  Index src_run = item;
  if (plan.turns()) {
    for (std::size_t i = 0; i < plan.source_loops; ++i) src_run *= plan.loops[plan.turned_loop - i].extent;
  }
  const Index row = plan.loops[plan.loops.size() - 1].extent * item;
  // Whole lines are written once.
  const auto but_for_lines = [](Index run) { return run % line == 0 ? no_run : run; };
  switch (plan.kernel) {
    case CopyKernel::tile:  // a matrix of longer rows is one stream
      return {std::min(but_for_lines(dst_run), src_run), 0, line, plan.loops.size() > 2 ? 320 : line};
    case CopyKernel::deinterleave:
      return {dst_run, line, 256, 2048};
    case CopyKernel::interleave:
      return {src_run, line, 256, 512};
    case CopyKernel::rows:
      return {but_for_lines(row), 0, line, 640};
    case CopyKernel::gather:
      return {row, 32, line, 256};
    default:
      return {no_run, 0, 0, 0};
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
        dst_ += (loop.extent - 1) * loop.dst_stride;
        src_ += (loop.extent - 1) * loop.src_stride;
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
    Block block{dst_, src_, shape.part};
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
    lines_ = outer.items() * (row_bytes_ / static_cast<Index>(line_bytes) + 1);
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
    if (!copy_listed(loops, item, turned_.data(), block.src))
      copy_gathered(loops, item, turned_.data(), block.src);
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
    walk_positions(outer, outer.count, block.dst, turned_.data(), [&](std::byte* to, const std::byte* from) {
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
  alignas(line_bytes) std::array<std::byte, static_cast<std::size_t>(block_bytes) + spill_bytes> turned_;
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

}  // namespace

bool run_cache_blocks(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  if (!can_be_cut(plan)) return false;
  const bool is_large =
      plan.streaming || plan.count * static_cast<Index>(item_size(plan.dst_type)) >= large_bytes;
  const Short runs = short_runs(plan, static_cast<Index>(walk.src_item));
  if (!runs.is_worth(0, is_large)) return false;
  const Blocks blocks(walk);
  if (!runs.is_worth(blocks.shape.loss, is_large)) return false;
  const Index count = blocks.count();
  const Index grain = std::max<Index>(ceil_divide(count, ranges_each * threads_of(plan)), 1);
  parallel_for(
      0, count, grain, [&](Index from, Index to) { BlockWorker(walk, blocks)(from, to); }, plan.threads);
  return true;
}

}  // namespace tenstride::copy
