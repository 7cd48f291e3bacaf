// SPDX-License-Identifier: Apache-2.0
// A tile is read into the L2 cache by rows of a page, then turned block by block in registers, through
// buffers in the L1 cache, to whole lines of the destination. While a block is turned the one before it is
// written and the next tile is asked for. Where rows of the destination begin anywhere in a line, each row's
// part of the tile is shifted back to a line's start: the block is turned with the few items before it that
// this takes, and every line but a row's first and last is written once and whole.
#include "copy/strategies/tiles.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "copy/line_buffer.hpp"
#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "copy/strategies/channel_tiles.hpp"
#include "copy/strategies/tiling.hpp"

namespace tenstride::copy {
namespace {

/// The largest block, with the items before it that a shift takes and padded rows.
constexpr std::size_t buffer_bytes = 65536;

/// A range of strips that carry: what it begins and ends with are parts of lines.
constexpr Index min_strips = 4;

class TileWorker {
 public:
  TileWorker(const Walk& walk, const Tiling& tiling)
      : walk_(walk),
        tiling_(tiling),
        plan_(walk.plan),
        sink_(walk.plan, walk.kernels),
        item_(walk.src_item),
        carried_bytes_(line_bytes / walk.dst_item * walk.src_item),
        converts_(walk.plan.conversion != CopyConversion::none),
        channels_(walk, tiling, sink_, first_.data(), second_.data()) {
    // What stands between rows is converted with them.
    if (converts_ && plan_.streaming) first_.fill(std::byte{});
    if (tiling.carries) {
      carried_ = LineBuffer(static_cast<Size>(tiling.panel) * carried_bytes_ + line_bytes);
      std::memset(carried_.data(), 0, carried_.size());
    }
  }

  /// Copies units [from, to).
  void operator()(Index from, Index to) {
    TileSequence tiles(walk_, tiling_);
    tiles.seek(from, to);
    Tile tile;
    if (!tiles.next(tile)) return;
    Rows rows = rows_of(tile, lists_[0].data());
    is_first_ = true;
    for (is_last_ = false; !is_last_; is_first_ = false) {
      Tile following;
      is_last_ = !tiles.next(following);
      Rows following_rows;
      queue_.prefetch = {};
      if (!is_last_) {
        following_rows = rows_of(following, lists_[list_ ^= 1].data());
        if (plan_.streaming && !goes_along(tile) && !goes_along(following))
          prefetch_lines(following, following_rows);
      }
      next_rows_ = following.rows() < tile.rows() ? &rows : &following_rows;
      next_count_ = static_cast<Size>(is_last_ ? tile.rows() : following.rows());
      if (!is_last_ && tiling_.is_along && !converts_) next_rows_ = &following_rows;
      if (tiling_.is_dense) {
        dense_tile(tile, rows);
      } else {
        general_tile(tile, rows);
      }
      tile = following;
      rows = following_rows;
    }
    flush();
  }

 private:
  using Size = std::size_t;

  /// Where the rows of a tile begin in the source.
  Rows rows_of(const Tile& tile, const std::byte** list) const {
    Rows rows;
    if (tiling_.inner.is_plain) {
      rows.first = tile.src + tile.first * tiling_.inner.src_stride;
      rows.pitch = tiling_.inner.src_stride;
    } else {
      tiling_.inner.list(tile.src, tile.first, tile.last, list);
      rows.addresses = list;
    }
    return rows;
  }

  /// As many lines with each line written as bring the tile in by the end of this one.
  void prefetch_lines(const Tile& tile, const Rows& rows) {
    const Size row_bytes = static_cast<Size>(tile.columns) * item_;
    const auto lines_from = [](const std::byte* start, Size bytes) {
      return (place_in_line(start) + bytes + line_bytes - 1) / line_bytes;
    };
    Prefetch& prefetch = queue_.prefetch;
    prefetch.rows = rows;
    prefetch.count = static_cast<Size>(tile.rows());
    prefetch.lines = lines_from(rows[0], row_bytes);
    if (rows.addresses == nullptr && rows.pitch > 0 &&
        static_cast<Size>(rows.pitch) < std::min(2 * line_bytes, row_bytes + line_bytes)) {
      // Rows that share lines.
      prefetch.lines = lines_from(rows[0], (prefetch.count - 1) * static_cast<Size>(rows.pitch) + row_bytes);
      prefetch.count = 1;
    }
    const Size written =
        std::max<Size>(static_cast<Size>(tile.rows() * tile.columns) * walk_.dst_item / line_bytes, 1);
    prefetch.pace = std::max<Size>((prefetch.count * prefetch.lines + written / 2) / written, 1);
  }

  void pack(std::byte* out, Size pitch, const Rows& rows, Index count, Index columns) {
    const Size log2 = walk_.item_log2();
    const auto size = static_cast<Size>(count);
    if (plan_.kernel == CopyKernel::deinterleave) {
      walk_.kernels.deinterleave[log2](out, pitch, rows[0], static_cast<Size>(columns), size,
                                       columns > detail::few_channels ? (*next_rows_)[0] : nullptr);
    } else if (plan_.kernel == CopyKernel::interleave && tiling_.is_dense) {
      walk_.kernels.interleave[log2](out, rows[0], rows.pitch, size, static_cast<Size>(columns));
    } else {
      walk_.kernels.transpose[log2](out, pitch, rows, size, static_cast<Size>(columns), queue_);
    }
  }

  /// The buffer from which nothing is on its way.
  std::byte* free_buffer() {
    return queue_.lines() > 0 && queued_from_first_ ? second_.data() : first_.data();
  }

  /// Sends rows of whole lines from a buffer on their way.
  void send(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src, Size src_pitch, Size count,
            Size bytes, bool from_first) {
    queue_.dst = dst;
    queue_.dst_pitch = dst_pitch;
    queue_.src = src;
    queue_.src_pitch = static_cast<std::ptrdiff_t>(src_pitch);
    queue_.count = count;
    queue_.bytes = bytes;
    queued_from_first_ = from_first;
  }

  void flush() {
    if (queue_.lines() > 0) walk_.kernels.stream(queue_);
  }

  /// Whether tiles are packed straight into the destination.
  [[nodiscard]] bool is_direct() const { return !plan_.streaming && !converts_; }

  /// Whether short axes go straight past the cache, line by line.
  [[nodiscard]] bool streams_straight() const { return plan_.streaming && !converts_; }

  /// Channels whose runs have the same place within a line, past the cache where they are whole lines. Those
  /// that are not are the first and the last of a run.
  void deinterleave_items(const Tile& tile, const Rows& rows, bool is_lines) {
    if (is_lines) {
      channels_.deinterleave_items(tile, rows);
      return;
    }
    pack(tile.dst + tile.column * tiling_.run.dst_stride + tile.first * static_cast<Index>(item_),
         static_cast<Size>(tiling_.run.dst_stride), rows, tile.rows(), tile.columns);
  }

  void dense_tile(const Tile& tile, const Rows& rows) {
    if (is_direct() && plan_.kernel != CopyKernel::tile) {
      pack(tile.dst + tile.column * tiling_.run.dst_stride, static_cast<Size>(tile.rows()) * item_, rows,
           tile.rows(), tile.columns);
      return;
    }
    if (plan_.streaming && converts_ && plan_.kernel == CopyKernel::interleave) {
      channels_.interleave_converted(tile, rows);
      return;
    }
    if (streams_straight() && plan_.kernel == CopyKernel::interleave) {
      channels_.interleave_items(tile, rows);
      return;
    }
    if (streams_straight() && plan_.kernel == CopyKernel::deinterleave &&
        tiling_.run.dst_stride % static_cast<Index>(line_bytes) == 0) {
      deinterleave_items(tile, rows, place_in_line(tile.dst) == 0);
      return;
    }
    std::byte* const transposed = free_buffer();
    pack(transposed, static_cast<Size>(tile.rows()) * item_, rows, tile.rows(), tile.columns);
    flush();
    std::byte* const dst = tile.dst + tile.column * tiling_.run.dst_stride;
    const auto items = static_cast<Size>(tile.rows() * tile.columns);
    const Size bytes = items * item_;
    if (plan_.streaming && !converts_ && (reinterpret_cast<std::uintptr_t>(dst) | bytes) % line_bytes == 0) {
      send(dst, 0, transposed, 0, 1, bytes, transposed == first_.data());
      return;
    }
    sink_.prefetch = queue_.prefetch;
    // The numbers of a run come again with the next.
    sink_.run(dst, transposed, items, tiling_.inner.is_scaled ? 0 : tile.scale_index,
              tiling_.inner.is_scaled ? 1 : 0);
  }

  /// Whether a tile's columns are packed without a byte to spare: by vectors that end where a column ends.
  [[nodiscard]] bool packs_exactly(const Tile& tile) const {
    return plan_.kernel == CopyKernel::deinterleave ||
           static_cast<Size>(tile.rows()) * item_ % line_bytes == 0;
  }

  void general_tile(const Tile& tile, Rows rows) {
    if (is_direct() && packs_exactly(tile)) {
      pack(tile.dst + tile.column * tiling_.run.dst_stride + tile.first * static_cast<Index>(item_),
           static_cast<Size>(tiling_.run.dst_stride), rows, tile.rows(), tile.columns);
      return;
    }
    if (streams_straight() && plan_.kernel == CopyKernel::deinterleave && !tiling_.carries) {
      deinterleave_items(tile, rows, takes_whole_lines(walk_, tiling_, tile));
      return;
    }
    if (!tiling_.carries && channels_.convert_deinterleaved(tile, rows)) return;
    Tile block = tile;
    const std::ptrdiff_t offset = rows.offset;
    Index along = 0;
    if (goes_along(tile)) {
      flush();
      along = transpose_panel(tile, rows);
    }
    for (Index done = along; done < tile.columns; done += plan_.block_src) {
      block.column = tile.column + done;
      block.columns = std::min(plan_.block_src, tile.columns - done);
      rows.offset = offset + done * tiling_.run.src_stride;
      general_block(block, rows,
                    tiling_.carries ? carried_.data() + static_cast<Size>(done) * carried_bytes_ : nullptr);
    }
  }

  /// Whether a tile is turned as the source is read.
  [[nodiscard]] bool goes_along(const Tile& tile) const {
    const Size bytes = static_cast<Size>(tile.columns) * item_;
    if (!tiling_.is_along || static_cast<Index>(bytes) < Tiling::min_along) return false;
    if (converts_) return takes_whole_lines(walk_, tiling_, tile) && tile.rows() == plan_.tile_dst;
    return tile.strip > 0 || tiling_.shift == 0;
  }

  /// Turns a tile's rows straight to memory, or their whole lines. How many columns these were.
  Index transpose_panel(const Tile& tile, const Rows& rows) {
    const auto item = static_cast<Index>(item_);
    TransposePanel panel;
    panel.dst = tile.dst + tile.first * static_cast<Index>(walk_.dst_item);
    if (tiling_.places.empty()) {
      panel.dst += tile.column * tiling_.run.dst_stride;
      panel.dst_pitch = tiling_.run.dst_stride;
    } else {
      panel.column_offsets = tiling_.places.data() + tile.column;
    }
    panel.rows = rows;
    panel.lines = static_cast<Size>(tile.columns) * item_ / line_bytes;
    panel.prefetches_sequentially = walk_.plan.streams == MemoryStreams::one;
    panel.partial_lines = carried_.data();
    panel.next_rows = *next_rows_;
    if (converts_) {
      tiling_.converting.run(panel);
      return static_cast<Index>(panel.lines * line_bytes) / item;
    }
    panel.tail_columns = static_cast<Size>(tile.columns) - panel.lines * line_bytes / item_;
    panel.row_count = static_cast<Size>(tile.rows());
    panel.next_row_count = next_count_;
    panel.is_first = tiling_.carries && (tile.strip == 0 || is_first_);
    panel.is_last = (tile.strip + 1 == tiling_.strips && (tiling_.carries || tile.rows() < plan_.tile_dst)) ||
                    (tiling_.splits && is_last_);
    panel.prefetches_into_l1 = tiling_.prefetches_into_l1;
    walk_.kernels.transpose_panel[walk_.item_log2()](panel);
    return tile.columns;
  }

  /// Turns a block while the one before it is written. Where strips carry, a line's worth of each column
  /// before the block is kept from the strip before.
  void general_block(const Tile& block, const Rows& rows, std::byte* carried) {
    const Index before = carried == nullptr ? 0 : carried_items();
    const Index first = block.first - before;
    const Index count = block.last - first;
    const Size pitch = odd_lines(static_cast<Size>(count) * item_);
    std::byte* const transposed = free_buffer();
    pack(transposed + static_cast<Size>(before) * item_, pitch, rows, block.rows(), block.columns);
    flush();
    if (carried != nullptr) carry(transposed, pitch, block, carried);
    if (!plan_.streaming || !takes_whole_lines(walk_, tiling_, block) || !fits_converter(block)) {
      border_rows(block, first, transposed, pitch);
      return;
    }
    const Index start = block.strip * plan_.tile_dst;
    std::byte* dst =
        block.dst + block.column * tiling_.run.dst_stride + start * static_cast<Index>(walk_.dst_item);
    const std::byte* src = transposed;
    Size src_pitch = pitch;
    if (converts_) {
      src = second_.data();
      src_pitch = convert_block(block, first, pitch);
    }
    src += (start - first) * static_cast<Index>(walk_.dst_item);
    const Index end = std::min(start + plan_.tile_dst, tiling_.inner.extent + tiling_.shift);
    send(dst, tiling_.run.dst_stride, src, src_pitch, static_cast<Size>(block.columns),
         static_cast<Size>(end - start) * walk_.dst_item, !converts_ && transposed == first_.data());
  }

  [[nodiscard]] Index carried_items() const { return static_cast<Index>(line_bytes / walk_.dst_item); }

  /// Puts what was kept of the strip before in front of each column, and keeps the end of this one.
  void carry(std::byte* transposed, Size pitch, const Tile& block, std::byte* carried) {
    const Size end = static_cast<Size>(block.rows()) * item_;
    for (Index c = 0; c < block.columns; ++c, transposed += pitch, carried += carried_bytes_) {
      std::memcpy(transposed, carried, carried_bytes_);
      std::memcpy(carried, transposed + end, carried_bytes_);
    }
  }

  /// Whether a row of a block is converted by one call.
  [[nodiscard]] bool fits_converter(const Tile& block) const {
    return !converts_ || static_cast<Size>(block.rows() + carried_items()) <= RowConverter::longest;
  }

  /// Converts a turned block. The pitch of the converted rows.
  Size convert_block(const Tile& block, Index first, Size pitch) {
    if (tiling_.inner.is_scaled || tiling_.has_scaled_columns) {
      const Size to_pitch = odd_lines(static_cast<Size>(block.last - first) * walk_.dst_item);
      convert_rows(block, first, pitch, to_pitch);
      return to_pitch;
    }
    // In one go with what stands between the rows: a call for each would take longer than the conversion.
    const Size row_items = pitch / item_;
    const Size items = row_items * static_cast<Size>(block.columns);
    for (Size done = 0; done < items; done += RowConverter::longest) {
      sink_.convert(second_.data() + done * walk_.dst_item, first_.data() + done * item_,
                    std::min(items - done, RowConverter::longest), block.scale_index, 0);
    }
    return row_items * walk_.dst_item;
  }

  void convert_rows(const Tile& block, Index first, Size from_pitch, Size to_pitch) {
    for (Index c = 0; c < block.columns; ++c) {
      sink_.convert(second_.data() + static_cast<Size>(c) * to_pitch,
                    first_.data() + static_cast<Size>(c) * from_pitch, static_cast<Size>(block.last - first),
                    scale_index(tiling_, block, first, c), tiling_.inner.is_scaled ? 1 : 0);
    }
  }

  /// Row by row, each clipped to the matrix. `first` is the row that `transposed` begins with.
  void border_rows(const Tile& block, Index first, const std::byte* transposed, Size pitch) {
    const Index size = plan_.tile_dst;
    sink_.prefetch = queue_.prefetch;
    for (Index c = 0; c < block.columns; ++c) {
      std::byte* row = block.dst + (block.column + c) * tiling_.run.dst_stride;
      const Index shift = shift_of(row);
      const Index from = std::max<Index>(block.strip * size - shift, 0);
      const Index to = block.strip + 1 == tiling_.strips
                           ? tiling_.inner.extent
                           : std::min((block.strip + 1) * size - shift, tiling_.inner.extent);
      if (from >= to) continue;
      sink_.run(row + from * static_cast<Index>(walk_.dst_item),
                transposed + static_cast<Size>(c) * pitch + static_cast<Size>(from - first) * item_,
                static_cast<Size>(to - from), scale_index(tiling_, block, from, c),
                tiling_.inner.is_scaled ? 1 : 0);
    }
    queue_.prefetch = sink_.prefetch;
  }

  [[nodiscard]] Index shift_of(const std::byte* row) const {
    if (!plan_.streaming) return 0;
    return static_cast<Index>(place_in_line(row) / walk_.dst_item);
  }

  const Walk& walk_;
  const Tiling& tiling_;
  const CopyPlan& plan_;
  Sink sink_;
  Size item_;
  /// What makes a line of the destination.
  Size carried_bytes_;
  bool converts_;
  StoreQueue queue_;
  const Rows* next_rows_ = nullptr;
  Size next_count_ = 0;
  /// Of the range.
  bool is_first_ = true;
  bool is_last_ = false;
  bool queued_from_first_ = false;
  /// A line's worth of each column of a tile, from a line's start on, and a line behind
  /// (`TransposePanel::partial_lines`).
  LineBuffer carried_;
  unsigned list_ = 0;
  std::array<std::array<const std::byte*, max_indexed_rows>, 2> lists_;
  alignas(line_bytes) std::array<std::byte, buffer_bytes + spill_bytes> first_;
  alignas(line_bytes) std::array<std::byte, buffer_bytes + spill_bytes> second_;
  ChannelTiles channels_;
};

/// Ranges of tiles for each thread: what has no part of strips that carry. A range begins with nothing asked
/// for and a worker of its own: 64 ranges for two threads take images apart, with scale, at .52 and .63 of a
/// plain copy where 16 have .66 and .70.
constexpr Index ranges_each = 8;

/// Strips that carry stay together; or are some, and one range for each thread: strips that begin or end
/// within a line take several times as long (4097 x 4099 float32 on two threads .70 of a plain copy by two
/// ranges for each, .75 so, float16 5003 x 5009 .73 and .77).
Shares shares_of(const Tiling& tiling, Index tiles) {
  if (tiling.splits) return {tiles, 1, min_strips};
  return {tiles, ranges_each, tiling.carries ? tiling.strips : 1};
}

}  // namespace

void run(const Tiles& /*strategy*/, const Walk& walk) {
  const Tiling tiling(walk);
  share_out(walk.plan, shares_of(tiling, TileSequence(walk, tiling).count()),
            [&](Index from, Index to) { TileWorker(walk, tiling)(from, to); });
}

}  // namespace tenstride::copy
