// SPDX-License-Identifier: Apache-2.0
// How the loops of a tile plan are cut into tiles, and the order in which these are visited.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "copy/sink.hpp"
#include "copy/walk.hpp"
#include "plan/loop_order.hpp"

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
    for (std::size_t d = outermost; d <= last; ++d) extent *= walk.loop(d).extent;
    is_plain = outermost == last;
    is_scaled = walk.is_scaled(last);
    src_stride = walk.loop(last).src_stride;
  }

  /// Writes the source addresses of items [first, last).
  void list(const std::byte* base, Index first, Index last, const std::byte** out) const {
    Cursor at(walk_.loops(outermost_, walk_.plan.loops.size()), walk_.dst, base);
    at.seek(first);
    for (Index q = first; q < last; ++q) {
      *out++ = at.src();
      at.next();
    }
  }

 private:
  const Walk& walk_;
  std::size_t outermost_;
};

/// Whether so many rows, some lines of each, want more of a set of the L1 cache (a page each way) than it has
/// ways for.
inline bool crowd_sets(std::size_t rows, std::ptrdiff_t pitch) {
  constexpr std::size_t sets = 64;
  constexpr std::size_t ways = 8;
  constexpr std::size_t lines = TransposePanel::l1_distance_lines + 2;
  std::array<std::size_t, sets> wanted{};
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t first = r * static_cast<std::size_t>(pitch) / line_bytes;
    for (std::size_t l = first; l < first + lines; ++l) {
      if (++wanted[l % sets] > ways) return true;
    }
  }
  return false;
}

struct Tiling {
  DestinationRun inner;
  /// The source run; of several loops, whose columns lie at `places` in the destination.
  Loop run;
  /// Whether scale and shift have a number for each column.
  bool has_scaled_columns = false;
  std::vector<std::ptrdiff_t> places;
  /// The first loop of the source run.
  std::size_t run_loop = 0;
  /// Items by which the rows of every strip are shifted back to a line's start.
  Index shift = 0;
  /// Whether rows begin anywhere in a line: then a strip keeps the end of each of its rows for the next
  /// strip, which writes it with the beginning of its own.
  bool carries = false;
  /// Whether strips are turned straight to memory (see `TransposePanel`). Not where rows of the source lie so
  /// close together that the whole tile is one stream.
  bool is_along = false;
  /// See `TransposePanel`.
  bool prefetches_into_l1 = false;
  /// What turns strips straight to memory with a conversion.
  ConvertingKernels::Transpose converting;
  /// Whether strips that carry are all turned straight to memory: then they can be begun with anywhere.
  bool splits = false;
  /// Whole destination runs, one after another, in one dense run.
  bool is_dense = false;
  Index strips = 1;
  /// Tiles along the turned loop, and the columns of each.
  Index panels = 1;
  Index panel = 1;

  explicit Tiling(const Walk& walk)
      : inner(walk, walk.plan.strip_loop),
        run(walk.loop(walk.plan.source_loop)),
        has_scaled_columns(walk.is_scaled(walk.plan.source_loop)),
        run_loop(walk.plan.source_loop) {
    const CopyPlan& plan = walk.plan;
    const auto item = static_cast<Index>(walk.dst_item);
    is_dense = inner.extent <= plan.tile_dst && run.dst_stride == inner.extent * item &&
               !has_scaled_columns && !has_long_rows(plan, item);
    if (!is_dense && plan.streaming) {
      carries = run.dst_stride % static_cast<Index>(line_bytes) != 0 || !has_whole_lines(walk);
      if (!carries) shift = static_cast<Index>(place_in_line(walk.dst)) / item;
    }
    const bool streams_tiles = plan.streaming && plan.kernel == CopyKernel::tile &&
                               plan.conversion == CopyConversion::none && !is_dense;
    is_along = streams_tiles && has_whole_items(walk, item) &&
               std::abs(inner.src_stride) >= detail::apart_bytes &&
               plan.tile_dst * item == static_cast<Index>(TransposePanel::column_bytes);
    if (converts_along(walk)) {
      converting = walk.kernels.converting->transpose(plan.dst_type, plan.src_type);
      is_along = plan.tile_dst * item == static_cast<Index>(converting.column_bytes);
    }
    if (is_along && plan.source_loops > 1) list_columns(walk, item);
    strips = is_dense ? 1 : ceil_divide(inner.extent + shift, plan.tile_dst);
    panel = std::min(plan.tile_src, run.extent);
    // A last panel of a few columns would be a strip of short rows: 8191 x 8193 bytes are two panels.
    if (is_along) panel = ceil_divide(run.extent, std::max<Index>((run.extent + panel / 2) / panel, 1));
    panels = ceil_divide(run.extent, panel);
    prefetches_into_l1 = is_along && follows_rows(plan, item);
    const auto last_panel = [&] { return (run.extent - (panels - 1) * panel) * item; };
    if (!places.empty() && last_panel() < min_along) {
      panel = run.extent;
      panels = 1;
    }
    splits = is_along && carries && last_panel() >= min_along;
  }

  /// Rows of fewer bytes are not worth a call of their own.
  static constexpr Index min_along = 2 * static_cast<Index>(line_bytes);

 private:
  /// Whether columns of two lines, though one behind the other, come of rows too long for a buffer: turned as
  /// those of a wider matrix are.
  [[nodiscard]] bool has_long_rows(const CopyPlan& plan, Index item) const {
    return plan.kernel == CopyKernel::tile &&
           inner.extent * item == static_cast<Index>(TransposePanel::column_bytes) &&
           plan.tile_src * item >= detail::long_row_bytes;
  }

  /// Makes one run of all loops of the source run, where that is long enough to be turned along.
  void list_columns(const Walk& walk, Index item) {
    const std::size_t end = walk.plan.source_loop + 1;
    const std::size_t first = end - walk.plan.source_loops;
    Index columns = 1;
    for (std::size_t d = first; d < end; ++d) columns *= walk.plan.loops[d].extent;
    if (columns * item < min_along) return;
    run_loop = first;
    // All goes along: a strip that begins within a line too.
    carries = carries || shift != 0;
    shift = 0;
    run.extent = columns;
    places.reserve(static_cast<std::size_t>(columns));
    places.push_back(0);
    for (std::size_t d = end; d-- > run_loop;) {
      const Loop& loop = walk.loop(d);
      const std::size_t inner_places = places.size();
      for (Index i = 1; i < loop.extent; ++i) {
        for (std::size_t k = 0; k < inner_places; ++k) places.push_back(places[k] + i * loop.dst_stride);
      }
    }
  }

  /// Whether strips turned straight to memory are few long rows, which the processor's prefetcher follows. Of
  /// a plain copy float16 5003 x 5009 .79 so and .70 otherwise, float64 2503 x 2521 .89 and .80, float32 5003
  /// x 5009 1.02 and .95; 128 rows of bytes .45 and .65, and rows that share sets of the L1 cache lose .03 to
  /// .1 too.
  [[nodiscard]] bool follows_rows(const CopyPlan& plan, Index item) const {
    constexpr auto max_followed = static_cast<Index>(TransposePanel::max_followed_rows);
    // Of so few rows the page takes no turns (complex128 2503 x 2521 .96 in place of 1.01).
    constexpr auto few = static_cast<Index>(TransposePanel::alternating_rows);
    constexpr Index long_bytes = 4096;
    return inner.is_plain && plan.tile_dst > few && plan.tile_dst <= max_followed &&
           plan.tile_src * item > long_bytes &&
           !crowd_sets(static_cast<std::size_t>(plan.tile_dst), inner.src_stride);
  }

  /// Whether strips may be turned straight to memory with a conversion: one without scale and shift.
  [[nodiscard]] bool converts_along(const Walk& walk) const {
    const CopyPlan& plan = walk.plan;
    return plan.streaming && plan.kernel == CopyKernel::tile && plan.conversion == CopyConversion::convert &&
           plan.conjugation == Conjugation::keep && plan.negation == Negation::none && !is_dense &&
           !carries && std::abs(inner.src_stride) >= detail::apart_bytes;
  }

  /// Whether all items of the destination lie at a multiple of their size.
  static bool has_whole_items(const Walk& walk, Index item) {
    if (reinterpret_cast<std::uintptr_t>(walk.dst) % static_cast<std::uintptr_t>(item) != 0) return false;
    for (std::size_t d = 0; d < walk.plan.loops.size(); ++d) {
      if (walk.loop(d).dst_stride % item != 0) return false;
    }
    return true;
  }

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

/// Whether all columns of a tile are as many whole lines of the destination, each shifted to its start.
inline bool takes_whole_lines(const Walk& walk, const Tiling& tiling, const Tile& tile) {
  const CopyPlan& plan = walk.plan;
  const auto item = static_cast<Index>(walk.dst_item);
  const Index start = tile.strip * plan.tile_dst;
  const auto place =
      reinterpret_cast<std::uintptr_t>(tile.dst) | static_cast<std::uintptr_t>(tiling.run.dst_stride);
  if (place % walk.dst_item != 0 || (tile.strip == 0 && (tiling.carries || tiling.shift != 0))) return false;
  // What is carried beyond the last strip goes with it.
  if (tiling.carries && tile.strip + 1 == tiling.strips) return false;
  if (start + plan.tile_dst <= tiling.inner.extent) return true;
  // The last strip: its rows are equally long where all are shifted alike.
  const Index end = tiling.inner.extent + tiling.shift;
  return end > start && (end - start) * item % static_cast<Index>(line_bytes) == 0;
}

/// The number of scale and shift of an element of a tile.
inline std::size_t scale_index(const Tiling& tiling, const Tile& tile, Index row, Index column) {
  // What lies before the first row is carried along by no column that needs it.
  if (tiling.inner.is_scaled) return static_cast<std::size_t>(std::max<Index>(row, 0));
  return tile.scale_index + (tiling.has_scaled_columns ? static_cast<std::size_t>(tile.column + column) : 0);
}

/// The loops from tile to tile, put together from the innermost on.
struct TileLoops {
  static constexpr std::size_t none = Cursor::max_loops;

  std::array<Loop, Cursor::max_loops> loops;
  /// The outermost one.
  std::size_t begin = Cursor::max_loops;
  /// The loop over strips, over tiles along the turned loop, and the one that scale and shift run along.
  std::size_t strips = none;
  std::size_t panels = none;
  std::size_t scaled = none;

  TileLoops(const Walk& walk, const Tiling& tiling) {
    const CopyPlan& plan = walk.plan;
    if (tiling.carries || plan.strip_depth >= plan.strip_loop) strips = add({tiling.strips, 0, 0});
    if (tiling.carries) panels = add({tiling.panels, 0, 0});
    for (std::size_t d = plan.strip_loop; d-- > 0;) {
      if (d < tiling.run_loop || d > plan.source_loop) {
        add(walk.loop(d));
        if (walk.is_scaled(d)) scaled = begin;
      } else if (d == tiling.run_loop && !tiling.carries) {
        panels = add({tiling.panels, 0, 0});
      }
      if (d == plan.strip_depth && !tiling.carries) strips = add({tiling.strips, 0, 0});
    }
  }

  [[nodiscard]] std::span<const Loop> all() const { return {loops.data() + begin, loops.size() - begin}; }

 private:
  /// Adds a loop outside of those that are there. Its place.
  std::size_t add(const Loop& loop) {
    loops[--begin] = loop;
    return begin;
  }
};

/// The tiles of a copy, one after another: the loops of the plan with the strips and the tiles along the
/// turned loop in their places. Strips that carry follow each other.
class TileSequence {
 public:
  TileSequence(const Walk& walk, const Tiling& tiling)
      : plan_(walk.plan), tiling_(tiling), loops_(walk, tiling), at_(loops_.all(), walk.dst, walk.src) {}
  TileSequence(const TileSequence&) = delete;
  TileSequence& operator=(const TileSequence&) = delete;

  /// How many tiles there are.
  [[nodiscard]] Index count() const { return at_.count(); }

  /// Goes to a range. Pre: only once.
  void seek(Index from, Index to) {
    left_ = to - from;
    at_.seek(from);
  }

  /// False at the end.
  bool next(Tile& tile) {
    const Index extent = tiling_.inner.extent;
    for (; left_ > 0; at_.next()) {
      --left_;
      const Index strip = index(loops_.strips);
      tile.strip = strip;
      tile.first = tiling_.is_dense ? 0 : std::max<Index>(strip * plan_.tile_dst - tiling_.shift, 0);
      tile.last = tiling_.is_dense ? extent : std::min((strip + 1) * plan_.tile_dst - tiling_.shift, extent);
      if (tile.rows() <= 0) continue;
      tile.column = index(loops_.panels) * tiling_.panel;
      tile.columns = std::min(tiling_.panel, tiling_.run.extent - tile.column);
      tile.dst = at_.dst();
      tile.src = at_.src() + tile.column * tiling_.run.src_stride;
      tile.scale_index =
          loops_.scaled == TileLoops::none ? 0 : static_cast<std::size_t>(index(loops_.scaled));
      at_.next();
      return true;
    }
    return false;
  }

 private:
  [[nodiscard]] Index index(std::size_t loop) const { return at_.index(loop - loops_.begin); }

  const CopyPlan& plan_;
  const Tiling& tiling_;
  TileLoops loops_;
  Cursor at_;
  Index left_ = 0;
};

}  // namespace tenstride::copy
