// SPDX-License-Identifier: Apache-2.0
// A tile is packed into the L1 cache, turned, and goes from there to the destination in whole lines. Where
// rows of the destination begin anywhere in a line, each row's part of the tile is shifted back to a line's
// start: the tile is packed with the few items before it that this takes, and every line but a row's first
// and last is written once and whole.
#include "copy/tiles.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "copy/sink.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// The largest tile: 512 bytes of each of 128 + 63 rows of bytes, with padded rows.
constexpr std::size_t buffer_bytes = 131072;
/// Columns of the turned loop that one unit of work covers.
constexpr Index panel_items = 4096;

/// How the two loops of a tile plan are cut into units.
struct Tiling {
  ByteLoop inner;
  ByteLoop run;
  /// Items by which a strip's rows are shifted back to a line's start, at least and at most.
  Index least_shift = 0;
  Index most_shift = 0;
  /// Whole rows of the destination, one after another, in one dense run.
  bool is_dense = false;
  Index strips = 1;
  Index panel = 1;
  Index panels = 1;

  explicit Tiling(const Walk& walk)
      : inner(walk.loop(walk.plan.loops.size() - 1)), run(walk.loop(walk.plan.turned_loop)) {
    const CopyPlan& plan = walk.plan;
    const auto item = static_cast<Index>(walk.dst_item);
    is_dense = inner.extent <= plan.tile_dst && run.dst_stride == inner.extent * item && !inner.is_scaled &&
               !run.is_scaled;
    if (!is_dense && plan.streaming) {
      most_shift = (static_cast<Index>(line_bytes) - 1) / item;
      if (run.dst_stride % static_cast<Index>(line_bytes) == 0 && has_whole_lines(walk)) {
        most_shift = static_cast<Index>(reinterpret_cast<std::uintptr_t>(walk.dst) % line_bytes) / item;
        least_shift = most_shift;
      }
    }
    strips = is_dense ? 1 : ceil_divide(inner.extent + most_shift, plan.tile_dst);
    panel = std::max(plan.tile_src, panel_items / plan.tile_src * plan.tile_src);
    panels = ceil_divide(run.extent, panel);
  }

 private:
  /// Whether all outer loops keep the destination's place within a line.
  static bool has_whole_lines(const Walk& walk) {
    for (std::size_t d = 0; d + 1 < walk.plan.loops.size(); ++d) {
      if (walk.loop(d).dst_stride % static_cast<Index>(line_bytes) != 0) return false;
    }
    return true;
  }
};

class TileWorker {
 public:
  TileWorker(const Walk& walk, const Tiling& tiling)
      : walk_(walk),
        tiling_(tiling),
        plan_(walk.plan),
        sink_(walk.plan, walk.kernels),
        item_(walk.src_item),
        converts_(walk.plan.conversion != CopyConversion::none) {}

  /// One strip of one panel at one position of the outer loops.
  void operator()(const Odometer& at, Index strip, Index panel) {
    const Index from = panel * tiling_.panel;
    const Index to = std::min(from + tiling_.panel, tiling_.run.extent);
    for (Index column = from; column < to; column += plan_.tile_src) {
      const Index columns = std::min(plan_.tile_src, to - column);
      if (tiling_.is_dense) {
        dense_tile(at, column, columns);
      } else {
        tile(at, strip, column, columns);
      }
    }
  }

 private:
  using Size = std::size_t;

  void pack(Size pitch, const std::byte* src, Index rows, Index columns) {
    const Size log2 = walk_.item_log2();
    if (plan_.kernel == CopyKernel::deinterleave) {
      walk_.kernels.deinterleave[log2][static_cast<Size>(columns) - 2](buffer_.data(), pitch, src,
                                                                       static_cast<Size>(rows));
    } else if (plan_.kernel == CopyKernel::interleave && tiling_.is_dense) {
      walk_.kernels.interleave[log2][static_cast<Size>(rows) - 2](
          buffer_.data(), src, tiling_.inner.src_stride, static_cast<Size>(columns));
    } else {
      walk_.kernels.turn[log2](buffer_.data(), pitch, src, tiling_.inner.src_stride, static_cast<Size>(rows),
                               static_cast<Size>(columns), columns * static_cast<Index>(item_));
    }
  }

  void dense_tile(const Odometer& at, Index column, Index columns) {
    const Index rows = tiling_.inner.extent;
    pack(static_cast<Size>(rows) * item_, at.src() + column * tiling_.run.src_stride, rows, columns);
    sink_.run(at.dst() + column * tiling_.run.dst_stride, buffer_.data(), static_cast<Size>(rows * columns),
              at.scale_index(), 0);
  }

  void tile(const Odometer& at, Index strip, Index column, Index columns) {
    const Index size = plan_.tile_dst;
    const Index first = std::max<Index>(strip * size - tiling_.most_shift, 0);
    const Index last = std::min((strip + 1) * size - tiling_.least_shift, tiling_.inner.extent);
    if (first >= last) return;
    // An odd number of 16-byte units, so that rows of the buffer fall into different sets of the cache.
    const Size pitch = ((static_cast<Size>(last - first) * item_ + 15) / 16 | 1U) * 16;
    const std::byte* in = at.src() + first * tiling_.inner.src_stride + column * tiling_.run.src_stride;
    pack(pitch, in, last - first, columns);
    std::byte* dst = at.dst() + column * tiling_.run.dst_stride + strip * size * tiling_.inner.dst_stride;
    const std::byte* src = buffer_.data() + static_cast<Size>(strip * size - first) * item_;
    const bool is_inside = strip * size >= tiling_.most_shift && (strip + 1) * size <= tiling_.inner.extent;
    if (is_inside && !converts_ && (!plan_.streaming || is_item_aligned(dst))) {
      const auto row_bytes = static_cast<Size>(size) * item_;
      const auto row_pitch = static_cast<std::ptrdiff_t>(pitch);
      if (plan_.streaming) {
        walk_.kernels.stream_rows(dst, tiling_.run.dst_stride, src, row_pitch, static_cast<Size>(columns),
                                  row_bytes, {});
      } else {
        walk_.kernels.copy_rows(dst, tiling_.run.dst_stride, src, row_pitch, static_cast<Size>(columns),
                                row_bytes);
      }
    } else {
      border_rows(at, strip, column, columns, first, pitch);
    }
  }

  /// Row by row, each clipped to the matrix.
  void border_rows(const Odometer& at, Index strip, Index column, Index columns, Index first, Size pitch) {
    const Index size = plan_.tile_dst;
    for (Index c = 0; c < columns; ++c) {
      std::byte* row = at.dst() + (column + c) * tiling_.run.dst_stride;
      const Index shift = shift_of(row);
      const Index from = std::max<Index>(strip * size - shift, 0);
      const Index to = std::min((strip + 1) * size - shift, tiling_.inner.extent);
      if (from >= to) continue;
      const Index scaled = tiling_.inner.is_scaled ? from : tiling_.run.is_scaled ? column + c : 0;
      sink_.run(row + from * tiling_.inner.dst_stride,
                buffer_.data() + static_cast<Size>(c) * pitch + static_cast<Size>(from - first) * item_,
                static_cast<Size>(to - from), at.scale_index() + static_cast<Size>(scaled),
                tiling_.inner.is_scaled ? 1 : 0);
    }
  }

  [[nodiscard]] Index shift_of(const std::byte* row) const {
    if (!plan_.streaming) return 0;
    return static_cast<Index>(reinterpret_cast<std::uintptr_t>(row) % line_bytes / walk_.dst_item);
  }

  [[nodiscard]] bool is_item_aligned(const std::byte* dst) const {
    return reinterpret_cast<std::uintptr_t>(dst) % walk_.dst_item == 0 &&
           tiling_.run.dst_stride % static_cast<Index>(walk_.dst_item) == 0;
  }

  const Walk& walk_;
  const Tiling& tiling_;
  const CopyPlan& plan_;
  Sink sink_;
  Size item_;
  bool converts_;
  alignas(line_bytes) std::array<std::byte, buffer_bytes + spill_bytes> buffer_;
};

}  // namespace

void run_tiles(const Walk& walk) {
  const Tiling tiling(walk);
  const Index units_each = tiling.strips * tiling.panels;
  const Index units = Odometer(walk, walk.plan.turned_loop).count() * units_each;
  const Index grain = std::max<Index>(1, units / 64);
  parallel_for(
      0, units, grain,
      [&](Index from, Index to) {
        TileWorker worker(walk, tiling);
        Odometer at(walk, walk.plan.turned_loop);
        at.seek(from / units_each);
        for (Index unit = from; unit < to; ++unit) {
          const Index part = unit % units_each;
          worker(at, part / tiling.panels, part % tiling.panels);
          if (part + 1 == units_each) at.next();
        }
      },
      walk.plan.threads);
}

}  // namespace tenstride::copy
