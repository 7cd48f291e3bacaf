// SPDX-License-Identifier: Apache-2.0
// How the loops of a tile plan are cut into tiles, and the order in which these are visited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "copy/sink.hpp"
#include "copy/walk.hpp"

namespace tenstride::copy {

/// The destination run: one or more of the innermost loops, dense in the destination. Item q of it lies at
/// q * dst_item there, and in the source where the loops say.
struct DestinationRun {
  Index extent = 1;
  /// Whether it is one loop: one stride in the source.
  bool is_plain = true;
  bool is_scaled = false;
  std::ptrdiff_t src_stride = 0;

  DestinationRun(const Walk& walk, std::size_t outermost) : walk_(walk), outermost_(outermost) {
    const std::size_t last = walk.plan.loops.size() - 1;
    for (std::size_t d = outermost; d <= last; ++d) extent *= walk.plan.loops[d].extent;
    const ByteLoop inner = walk.loop(last);
    is_plain = outermost == last;
    is_scaled = inner.is_scaled;
    src_stride = inner.src_stride;
  }

  /// Writes the source addresses of items [first, last).
  void list(const std::byte* base, Index first, Index last, const std::byte** out) const {
    for (Index q = first; q < last; ++q) {
      const std::byte* at = base;
      Index rest = q;
      for (std::size_t d = walk_.plan.loops.size(); d-- > outermost_;) {
        const ByteLoop loop = walk_.loop(d);
        at += rest % loop.extent * loop.src_stride;
        rest /= loop.extent;
      }
      *out++ = at;
    }
  }

 private:
  const Walk& walk_;
  std::size_t outermost_;
};

struct Tiling {
  DestinationRun inner;
  ByteLoop run;
  /// Items by which the rows of every strip are shifted back to a line's start.
  Index shift = 0;
  /// Whether rows begin anywhere in a line: then a strip keeps the end of each of its rows for the next
  /// strip, which writes it with the beginning of its own.
  bool carries = false;
  /// Whether strips are turned straight to memory (see `Along`). Not where rows of the source lie so close
  /// together that the whole tile is one stream.
  bool is_along = false;
  /// Whole destination runs, one after another, in one dense run.
  bool is_dense = false;
  Index strips = 1;
  Index panel = 1;
  Index panels = 1;

  explicit Tiling(const Walk& walk)
      : inner(walk, walk.plan.strip_loop), run(walk.loop(walk.plan.turned_loop)) {
    const CopyPlan& plan = walk.plan;
    const auto item = static_cast<Index>(walk.dst_item);
    is_dense = inner.extent <= plan.tile_dst && run.dst_stride == inner.extent * item && !run.is_scaled;
    if (!is_dense && plan.streaming) {
      carries = run.dst_stride % static_cast<Index>(line_bytes) != 0 || !has_whole_lines(walk);
      if (!carries)
        shift = static_cast<Index>(reinterpret_cast<std::uintptr_t>(walk.dst) % line_bytes) / item;
    }
    is_along = plan.streaming && plan.kernel == CopyKernel::tile && plan.conversion == CopyConversion::none &&
               !is_dense && std::abs(inner.src_stride) >= apart_bytes &&
               plan.tile_dst * item == static_cast<Index>(Along::column_bytes);
    strips = is_dense ? 1 : ceil_divide(inner.extent + shift, plan.tile_dst);
    panel = carries ? plan.tile_src : std::max(plan.tile_src, panel_items / plan.tile_src * plan.tile_src);
    panels = ceil_divide(run.extent, panel);
  }

 private:
  /// Columns of the turned loop that one unit of work covers.
  static constexpr Index panel_items = 4096;
  static constexpr Index apart_bytes = 2048;

  /// Whether all outer loops keep the destination's place within a line.
  static bool has_whole_lines(const Walk& walk) {
    for (std::size_t d = 0; d < walk.plan.strip_loop; ++d) {
      if (walk.loop(d).dst_stride % static_cast<Index>(line_bytes) != 0) return false;
    }
    return true;
  }
};

/// One tile: where it lies on both sides, in items of the destination run and of the turned loop.
struct Tile {
  std::byte* dst = nullptr;        // of the outer loops
  const std::byte* src = nullptr;  // of the outer loops, at the tile's first column
  std::size_t scale_index = 0;     // of the outer loops
  Index strip = 0;
  Index first = 0;  // along the destination run
  Index last = 0;
  Index column = 0;  // along the turned loop
  Index columns = 0;

  [[nodiscard]] Index rows() const { return last - first; }
};

/// The tiles of a range, one after another. Loops whose steps in the source are longer than the destination
/// run's are outside of the strips, the others inside, so that the rows of a strip are read on and on. Strips
/// that carry follow each other.
class TileSequence {
 public:
  TileSequence(const Walk& walk, const Tiling& tiling)
      : walk_(walk),
        tiling_(tiling),
        outside_(walk, 0, split(walk, tiling), walk.plan.turned_loop),
        inside_(walk, split(walk, tiling), walk.plan.strip_loop, walk.plan.turned_loop) {}

  /// How many tiles there are, counted in panels.
  [[nodiscard]] Index count() const {
    return outside_.count() * inside_.count() * tiling_.strips * tiling_.panels;
  }

  /// Goes to a range. Pre: only once.
  void seek(Index from, Index to) {
    left_ = to - from;
    const auto take = [&from](Index extent) {
      const Index part = from % extent;
      from /= extent;
      return part;
    };
    if (tiling_.carries) {
      strip_ = take(tiling_.strips);
      panel_ = take(tiling_.panels);
      inside_.seek(take(inside_.count()));
    } else {
      panel_ = take(tiling_.panels);
      inner_ = take(inside_.count());
      inside_.seek(inner_);
      strip_ = take(tiling_.strips);
    }
    outside_.seek(from);
    column_ = panel_ * tiling_.panel;
  }

  /// False at the end.
  bool next(Tile& tile) {
    const CopyPlan& plan = walk_.plan;
    while (left_ > 0) {
      const Index panel_end = std::min((panel_ + 1) * tiling_.panel, tiling_.run.extent);
      tile.strip = strip_;
      tile.first = tiling_.is_dense ? 0 : std::max<Index>(strip_ * plan.tile_dst - tiling_.shift, 0);
      tile.last = tiling_.is_dense
                      ? tiling_.inner.extent
                      : std::min((strip_ + 1) * plan.tile_dst - tiling_.shift, tiling_.inner.extent);
      tile.column = column_;
      tile.columns = std::min(plan.tile_src, panel_end - column_);
      tile.dst = outside_.dst() + (inside_.dst() - walk_.dst);
      tile.src = outside_.src() + (inside_.src() - walk_.src) + column_ * tiling_.run.src_stride;
      tile.scale_index = outside_.scale_index() + inside_.scale_index();
      column_ += plan.tile_src;
      if (column_ >= panel_end) next_panel();
      if (tile.rows() > 0) return true;
    }
    return false;
  }

 private:
  /// The first of the outer loops that is inside of the strips.
  static std::size_t split(const Walk& walk, const Tiling& tiling) {
    const CopyPlan& plan = walk.plan;
    if (tiling.carries) return 0;
    const Index step = std::abs(plan.loops[plan.loops.size() - 1].src_stride);
    std::size_t d = 0;
    while (d < plan.strip_loop && (d == plan.turned_loop || std::abs(plan.loops[d].src_stride) > step)) ++d;
    return d;
  }

  /// Counts a digit up. True where it began anew.
  static bool wraps(Index& digit, Index extent) {
    if (++digit < extent) return false;
    digit = 0;
    return true;
  }

  void next_panel() {
    --left_;
    if (tiling_.carries) {
      if (wraps(strip_, tiling_.strips) && wraps(panel_, tiling_.panels)) inside_.next();
    } else if (wraps(panel_, tiling_.panels)) {
      inside_.next();
      if (wraps(inner_, inside_.count()) && wraps(strip_, tiling_.strips)) outside_.next();
    }
    column_ = panel_ * tiling_.panel;
  }

  const Walk& walk_;
  const Tiling& tiling_;
  Odometer outside_;
  Odometer inside_;
  Index left_ = 0;
  Index strip_ = 0;
  Index inner_ = 0;
  Index panel_ = 0;
  Index column_ = 0;
};

}  // namespace tenstride::copy
