// SPDX-License-Identifier: Apache-2.0
// How the loops of a plan are cut into tiles, and the order of these.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "copy/bound_plan.hpp"
#include "copy/sink.hpp"
#include "plan/loop_order.hpp"

namespace tenstride::copy {

/// The destination run: one or more of the innermost loops, contiguous in the destination. Item q lies at q *
/// dst_item in the destination, and in the source where the loops say.
struct DestinationRun {
  Index extent = 1;
  /// Whether the run is one loop, with one stride in the source.
  bool is_plain = true;
  bool is_scaled = false;
  Index src_stride = 0;

  DestinationRun(const BoundPlan& bound, std::size_t outermost) : bound_(bound), outermost_(outermost) {
    const std::size_t last = bound.plan.loops.size() - 1;
    for (std::size_t d = outermost; d <= last; ++d) extent *= bound.loop(d).extent;
    is_plain = outermost == last;
    is_scaled = bound.is_scaled(last);
    src_stride = bound.loop(last).src_stride;
  }

  /// Writes the source addresses of items [first, last).
  void fill_addresses(const std::byte* base, Index first, Index last, const std::byte** out) const {
    Cursor at(bound_.loops(outermost_, bound_.plan.loops.size()), bound_.dst, base);
    at.seek(first);
    for (Index q = first; q < last; ++q) {
      *out++ = at.src();
      at.next();
    }
  }

 private:
  const BoundPlan& bound_;
  std::size_t outermost_;
};

/// Whether the prefetched lines of `rows` rows, `pitch` bytes apart, exceed some set of the L1 cache: it has
/// 64 sets of 8 lines, one line of a page in each set.
inline bool overfill_sets(std::size_t rows, Index pitch) {
  constexpr std::size_t sets = 64;
  constexpr std::size_t ways = 8;
  constexpr std::size_t lines = TransposePanel::l1_distance_lines + 2;
  std::array<std::size_t, sets> lines_of_set{};
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t first = r * static_cast<std::size_t>(pitch) / line_bytes;
    for (std::size_t l = first; l < first + lines; ++l) {
      if (++lines_of_set[l % sets] > ways) return true;
    }
  }
  return false;
}

/// How a plan is cut into tiles.
struct Tiling {
  DestinationRun inner;
  /// The source run. Where it has several loops, `column_offsets` has the offset of each column in the
  /// destination.
  Loop run;
  /// Whether scale and shift have a number for each column.
  bool has_scaled_columns = false;
  std::vector<Index> column_offsets;
  /// The first loop of the source run.
  std::size_t run_loop = 0;
  /// The number of items between the start of a line and the destination: the rows of every strip are shifted
  /// back by so many.
  Index shift = 0;
  /// Whether rows of the destination begin anywhere in a line. A strip then keeps the partial lines at the
  /// ends of its rows for the next strip, which completes and writes them.
  bool has_partial_lines = false;
  /// Whether strips are transposed straight to memory (see `TransposePanel`). Not where rows of the source
  /// lie so close together that a tile is one stream.
  bool is_along = false;
  /// See `TransposePanel`.
  bool prefetches_into_l1 = false;
  /// The kernel that transposes strips straight to memory with a conversion.
  ConvertingKernels::Transpose converting;
  /// Whether all strips with partial lines are transposed straight to memory: a range of threads can then
  /// begin with any strip.
  bool can_split_strips = false;
  /// Whether a tile is several whole destination runs that follow each other without a gap.
  bool is_dense = false;
  Index strips = 1;
  /// The number of panels along the source run, and the columns of each.
  Index panels = 1;
  Index panel = 1;

  explicit Tiling(const BoundPlan& bound)
      : inner(bound, bound.plan.strip_loop),
        run(bound.loop(bound.plan.source_loop)),
        has_scaled_columns(bound.is_scaled(bound.plan.source_loop)),
        run_loop(bound.plan.source_loop) {
    const CopyPlan& plan = bound.plan;
    const auto item = static_cast<Index>(bound.dst_item);
    is_dense = inner.extent <= plan.tile_dst && run.dst_stride == inner.extent * item &&
               !has_scaled_columns && !has_long_rows(plan, item);
    if (!is_dense && plan.streaming) {
      has_partial_lines = run.dst_stride % static_cast<Index>(line_bytes) != 0 || !has_uniform_offset(bound);
      if (!has_partial_lines) shift = static_cast<Index>(line_offset(bound.dst)) / item;
    }
    const bool streams_tiles = plan.streaming && plan.kernel == CopyKernel::tile &&
                               plan.conversion == CopyConversion::none && !is_dense;
    is_along = streams_tiles && has_aligned_items(bound, item) &&
               std::abs(inner.src_stride) >= detail::min_separate_pitch &&
               plan.tile_dst * item == static_cast<Index>(TransposePanel::column_bytes);
    if (converts_along(bound)) {
      converting = bound.kernels.converting->transpose(plan.dst_type, plan.src_type);
      is_along = plan.tile_dst * item == static_cast<Index>(converting.column_bytes);
    }
    if (is_along && plan.source_loops > 1) index_columns(bound, item);
    strips = is_dense ? 1 : ceil_divide(inner.extent + shift, plan.tile_dst);
    panel = std::min(plan.tile_src, run.extent);
    // A narrow last panel would be a strip of short rows: 8191 x 8193 bytes are cut into two panels.
    if (is_along) panel = ceil_divide(run.extent, std::max<Index>((run.extent + panel / 2) / panel, 1));
    panels = ceil_divide(run.extent, panel);
    prefetches_into_l1 = is_along && follows_rows(plan, item);
    const auto last_panel = [&] { return (run.extent - (panels - 1) * panel) * item; };
    if (!column_offsets.empty() && last_panel() < min_along_bytes) {
      panel = run.extent;
      panels = 1;
    }
    can_split_strips = is_along && has_partial_lines && last_panel() >= min_along_bytes;
  }

  /// The shortest rows that are worth a call of their own.
  static constexpr Index min_along_bytes = 2 * static_cast<Index>(line_bytes);

 private:
  /// Whether destination columns of two lines follow each other without a gap, but rows are too long for a
  /// buffer: such a matrix is transposed as a wider one.
  [[nodiscard]] bool has_long_rows(const CopyPlan& plan, Index item) const {
    return plan.kernel == CopyKernel::tile &&
           inner.extent * item == static_cast<Index>(TransposePanel::column_bytes) &&
           plan.tile_src * item >= detail::long_row_bytes;
  }

  /// Makes one source run of all its loops and fills `column_offsets`, where the run is long enough to be
  /// transposed straight to memory.
  void index_columns(const BoundPlan& bound, Index item) {
    const std::size_t end = bound.plan.source_loop + 1;
    const std::size_t first = end - bound.plan.source_loops;
    Index columns = 1;
    for (std::size_t d = first; d < end; ++d) columns *= bound.plan.loops[d].extent;
    if (columns * item < min_along_bytes) return;
    run_loop = first;
    // All strips are transposed straight to memory, also those that begin within a line.
    has_partial_lines = has_partial_lines || shift != 0;
    shift = 0;
    run.extent = columns;
    column_offsets.reserve(static_cast<std::size_t>(columns));
    column_offsets.push_back(0);
    for (std::size_t d = end; d-- > run_loop;) {
      const Loop& loop = bound.loop(d);
      const std::size_t inner_columns = column_offsets.size();
      for (Index i = 1; i < loop.extent; ++i) {
        for (std::size_t k = 0; k < inner_columns; ++k)
          column_offsets.push_back(column_offsets[k] + i * loop.dst_stride);
      }
    }
  }

  /// Whether strips that are transposed straight to memory have few enough long rows for the processor's
  /// prefetcher to follow. Prefetching lines near each row is then faster than prefetching the next page: .70
  /// → .79 of a plain copy (float16 5003 x 5009), .80 → .89 (float64 2503 x 2521), .95 → 1.02 (float32 5003 x
  /// 5009); but .65 → .45 for 128 rows of bytes, and rows that share sets of the L1 cache lose .03 to .1.
  [[nodiscard]] bool follows_rows(const CopyPlan& plan, Index item) const {
    constexpr auto max_followed = static_cast<Index>(TransposePanel::max_followed_rows);
    // For this many rows or fewer the prefetch of pages is faster. Lines → pages: .96 → 1.01 of a plain copy
    // (complex128 2503 x 2521).
    constexpr auto min_rows = static_cast<Index>(TransposePanel::alternating_rows);
    constexpr Index min_row_bytes = 4096;
    return inner.is_plain && plan.tile_dst > min_rows && plan.tile_dst <= max_followed &&
           plan.tile_src * item > min_row_bytes &&
           !overfill_sets(static_cast<std::size_t>(plan.tile_dst), inner.src_stride);
  }

  /// Whether strips may be transposed straight to memory with a conversion: one without scale and shift.
  [[nodiscard]] bool converts_along(const BoundPlan& bound) const {
    const CopyPlan& plan = bound.plan;
    return plan.streaming && plan.kernel == CopyKernel::tile && plan.conversion == CopyConversion::convert &&
           plan.conjugation == Conjugation::keep && plan.negation == Negation::none && !is_dense &&
           !has_partial_lines && std::abs(inner.src_stride) >= detail::min_separate_pitch;
  }

  /// Whether all items of the destination are aligned to their size.
  static bool has_aligned_items(const BoundPlan& bound, Index item) {
    if (reinterpret_cast<std::uintptr_t>(bound.dst) % static_cast<std::uintptr_t>(item) != 0) return false;
    for (std::size_t d = 0; d < bound.plan.loops.size(); ++d) {
      if (bound.loop(d).dst_stride % item != 0) return false;
    }
    return true;
  }

  /// Whether all positions of the outer loops have the same offset in a cache line of the destination.
  static bool has_uniform_offset(const BoundPlan& bound) {
    for (std::size_t d = 0; d < bound.plan.strip_loop; ++d) {
      if (bound.loop(d).dst_stride % static_cast<Index>(line_bytes) != 0) return false;
    }
    return true;
  }
};

/// One tile: its addresses on both sides, and its ranges in items of the destination run and of the source
/// run.
struct Tile {
  std::byte* dst = nullptr;        // of the outer loops' position
  const std::byte* src = nullptr;  // of the outer loops' position, at the tile's first column
  std::size_t scale_index = 0;     // of the outer loops' position
  Index strip = 0;
  Index first = 0;  // along the destination run
  Index last = 0;
  Index column = 0;  // along the source run
  Index columns = 0;

  [[nodiscard]] Index rows() const { return last - first; }
};

/// Whether all columns of a tile are the same number of whole destination lines, after each is shifted back
/// to the start of a line.
inline bool takes_whole_lines(const BoundPlan& bound, const Tiling& tiling, const Tile& tile) {
  const CopyPlan& plan = bound.plan;
  const auto item = static_cast<Index>(bound.dst_item);
  const Index start = tile.strip * plan.tile_dst;
  const auto alignment =
      reinterpret_cast<std::uintptr_t>(tile.dst) | static_cast<std::uintptr_t>(tiling.run.dst_stride);
  if (alignment % bound.dst_item != 0 || (tile.strip == 0 && (tiling.has_partial_lines || tiling.shift != 0)))
    return false;
  // The last strip also writes the partial lines behind it.
  if (tiling.has_partial_lines && tile.strip + 1 == tiling.strips) return false;
  if (start + plan.tile_dst <= tiling.inner.extent) return true;
  // The rows of the last strip are equally long if all are shifted alike.
  const Index end = tiling.inner.extent + tiling.shift;
  return end > start && (end - start) * item % static_cast<Index>(line_bytes) == 0;
}

/// The index of the scale and shift numbers of an element of a tile.
inline std::size_t scale_index(const Tiling& tiling, const Tile& tile, Index row, Index column) {
  // Items before the first row are never written, so any number will do for them.
  if (tiling.inner.is_scaled) return static_cast<std::size_t>(std::max<Index>(row, 0));
  return tile.scale_index + (tiling.has_scaled_columns ? static_cast<std::size_t>(tile.column + column) : 0);
}

/// The loops over tiles, built from the innermost on.
struct TileLoops {
  static constexpr std::size_t none = Cursor::max_loops;

  std::array<Loop, Cursor::max_loops> loops;
  /// The index of the outermost loop.
  std::size_t begin = Cursor::max_loops;
  /// The indices of the loop over strips, of the loop over panels, and of the one that scale and shift run
  /// along; `none` where there is none.
  std::size_t strips = none;
  std::size_t panels = none;
  std::size_t scaled = none;

  TileLoops(const BoundPlan& bound, const Tiling& tiling) {
    const CopyPlan& plan = bound.plan;
    if (tiling.has_partial_lines || plan.strip_depth >= plan.strip_loop) strips = add({tiling.strips, 0, 0});
    if (tiling.has_partial_lines) panels = add({tiling.panels, 0, 0});
    for (std::size_t d = plan.strip_loop; d-- > 0;) {
      if (d < tiling.run_loop || d > plan.source_loop) {
        add(bound.loop(d));
        if (bound.is_scaled(d)) scaled = begin;
      } else if (d == tiling.run_loop && !tiling.has_partial_lines) {
        panels = add({tiling.panels, 0, 0});
      }
      if (d == plan.strip_depth && !tiling.has_partial_lines) strips = add({tiling.strips, 0, 0});
    }
  }

  [[nodiscard]] std::span<const Loop> all() const { return {loops.data() + begin, loops.size() - begin}; }

 private:
  /// Adds a loop around the others. Returns its index.
  std::size_t add(const Loop& loop) {
    loops[--begin] = loop;
    return begin;
  }
};

/// The tiles of a copy, one after another: the loops of the plan with the loops over strips and panels among
/// them. Strips that share partial lines follow each other.
class TileSequence {
 public:
  TileSequence(const BoundPlan& bound, const Tiling& tiling)
      : plan_(bound.plan),
        tiling_(tiling),
        loops_(bound, tiling),
        cursor_(loops_.all(), bound.dst, bound.src) {}
  TileSequence(const TileSequence&) = delete;
  TileSequence& operator=(const TileSequence&) = delete;

  /// How many tiles there are.
  [[nodiscard]] Index count() const { return cursor_.count(); }

  /// Moves to the range of tiles [first, last). Pre: called only once.
  void seek(Index first, Index last) {
    left_ = last - first;
    cursor_.seek(first);
  }

  /// Sets `tile` to the next tile. Returns false at the end of the range.
  bool next(Tile& tile) {
    const Index extent = tiling_.inner.extent;
    for (; left_ > 0; cursor_.next()) {
      --left_;
      const Index strip = index(loops_.strips);
      tile.strip = strip;
      tile.first = tiling_.is_dense ? 0 : std::max<Index>(strip * plan_.tile_dst - tiling_.shift, 0);
      tile.last = tiling_.is_dense ? extent : std::min((strip + 1) * plan_.tile_dst - tiling_.shift, extent);
      if (tile.rows() <= 0) continue;
      tile.column = index(loops_.panels) * tiling_.panel;
      tile.columns = std::min(tiling_.panel, tiling_.run.extent - tile.column);
      tile.dst = cursor_.dst();
      tile.src = cursor_.src() + tile.column * tiling_.run.src_stride;
      tile.scale_index =
          loops_.scaled == TileLoops::none ? 0 : static_cast<std::size_t>(index(loops_.scaled));
      cursor_.next();
      return true;
    }
    return false;
  }

 private:
  [[nodiscard]] Index index(std::size_t loop) const { return cursor_.index(loop - loops_.begin); }

  const CopyPlan& plan_;
  const Tiling& tiling_;
  TileLoops loops_;
  Cursor cursor_;
  Index left_ = 0;
};

}  // namespace tenstride::copy
