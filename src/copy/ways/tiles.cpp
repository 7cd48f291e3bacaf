// SPDX-License-Identifier: Apache-2.0
// A tile is prefetched into the L2 cache by rows of a page, then transposed block by block in registers,
// through buffers in the L1 cache, to whole lines of the destination. While a block is transposed the
// previous one is written and the next tile is prefetched. Where rows of the destination begin anywhere in a
// line, each row's part of a tile is shifted back to the start of a line: the block is transposed together
// with the few items before it, and every line but the first and last of a row is written once and whole.
#include <algorithm>
#include <array>
#include <cstring>

#include "copy/line_buffer.hpp"
#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "copy/ways/channel_tiles.hpp"
#include "copy/ways/tiling.hpp"
#include "copy/ways/ways.hpp"
#include "plan/ways/tile_shape.hpp"

namespace tenstride::copy {
namespace {

/// Bytes of the largest block, with the items before it for a shift and with padded rows.
constexpr std::size_t buffer_bytes = 65536;

class TileWorker {
 public:
  explicit TileWorker(const Tiling& tiling)
      : bound_(tiling.bound),
        tiling_(tiling),
        way_(tiling.way),
        sink_(bound_, way_.stores, way_.reverses_numbers),
        item_(bound_.src_item),
        line_items_bytes_(line_bytes / bound_.dst_item * bound_.src_item),
        channels_(tiling, sink_, first_.data(), second_.data()) {
    // The bytes between rows are converted with them, so they have to be initialized.
    if (way_.converts && is_streaming()) first_.fill(std::byte{});
    if (way_.has_partial_lines) {
      partial_lines_ = LineBuffer(static_cast<Size>(way_.panel) * line_items_bytes_ + line_bytes);
      std::memset(partial_lines_.data(), 0, partial_lines_.size());
    }
  }

  /// Copies tiles [first, last).
  void operator()(Index first, Index last) {
    TileSequence tiles(tiling_, first, last);
    Tile tile;
    if (!tiles.next(tile)) return;
    SourceRows rows = rows_of(tile, row_addresses_[0].data());
    if (way_.has_partial_lines && tile.strip > 0 && !is_transposed_along(tile)) keep_items_before(tile, rows);
    is_first_ = true;
    for (is_last_ = false; !is_last_; is_first_ = false) {
      Tile following;
      is_last_ = !tiles.next(following);
      SourceRows following_rows;
      queue_.prefetch = {};
      if (!is_last_) {
        following_rows = rows_of(following, row_addresses_[current_addresses_ ^= 1].data());
        if (is_streaming() && !is_transposed_along(tile) && !is_transposed_along(following))
          prefetch_lines(following, following_rows);
      }
      next_rows_ = following.rows() < tile.rows() ? &rows : &following_rows;
      next_count_ = static_cast<Size>(is_last_ ? tile.rows() : following.rows());
      if (!is_last_ && way_.method == TileMethod::panels && !way_.converts) next_rows_ = &following_rows;
      if (way_.is_dense) {
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

  /// The rows of a tile in the source.
  SourceRows rows_of(const Tile& tile, const std::byte** addresses) const {
    SourceRows rows;
    if (tiling_.is_plain()) {
      rows.first = tile.src + tile.first * tiling_.inner.src_stride;
      rows.pitch = tiling_.inner.src_stride;
    } else {
      tiling_.fill_addresses(tile.src, tile.first, tile.last, addresses);
      rows.addresses = addresses;
    }
    return rows;
  }

  /// Sets up the prefetch of the next tile: as many lines for each written line as bring it in by the end of
  /// this tile.
  void prefetch_lines(const Tile& tile, const SourceRows& rows) {
    const Size row_bytes = static_cast<Size>(tile.columns) * item_;
    const auto line_count = [](const std::byte* start, Size bytes) {
      return (line_offset(start) + bytes + line_bytes - 1) / line_bytes;
    };
    Prefetch& prefetch = queue_.prefetch;
    prefetch.rows = rows;
    prefetch.count = static_cast<Size>(tile.rows());
    prefetch.lines = line_count(rows[0], row_bytes);
    if (rows.addresses == nullptr && rows.pitch > 0 &&
        static_cast<Size>(rows.pitch) < std::min(2 * line_bytes, row_bytes + line_bytes)) {
      // Rows that share lines are one stretch of memory.
      prefetch.lines = line_count(rows[0], (prefetch.count - 1) * static_cast<Size>(rows.pitch) + row_bytes);
      prefetch.count = 1;
    }
    const Size written =
        std::max<Size>(static_cast<Size>(tile.rows() * tile.columns) * bound_.dst_item / line_bytes, 1);
    prefetch.pace = std::max<Size>((prefetch.count * prefetch.lines + written / 2) / written, 1);
  }

  void pack(std::byte* out, Size pitch, const SourceRows& rows, Index count, Index columns) {
    const Size log2 = bound_.item_log2();
    const auto size = static_cast<Size>(count);
    if (way_.kernel == TileKernel::deinterleave) {
      bound_.kernels.deinterleave[log2](out, pitch, rows[0], static_cast<Size>(columns), size,
                                        columns > detail::max_followed_channels ? (*next_rows_)[0] : nullptr);
    } else if (way_.kernel == TileKernel::interleave && way_.is_dense) {
      bound_.kernels.interleave[log2](out, rows[0], rows.pitch, size, static_cast<Size>(columns));
    } else {
      bound_.kernels.transpose[log2](out, pitch, rows, size, static_cast<Size>(columns), queue_);
    }
  }

  /// The buffer that has no lines in the store queue.
  std::byte* free_buffer() {
    return queue_.lines() > 0 && queued_from_first_ ? second_.data() : first_.data();
  }

  /// Queues rows of whole lines of a buffer for streaming stores.
  void queue_stores(std::byte* dst, Index dst_pitch, const std::byte* src, Size src_pitch, Size count,
                    Size bytes, bool from_first) {
    queue_.dst = dst;
    queue_.dst_pitch = dst_pitch;
    queue_.src = src;
    queue_.src_pitch = static_cast<Index>(src_pitch);
    queue_.count = count;
    queue_.bytes = bytes;
    queued_from_first_ = from_first;
  }

  void flush() {
    if (queue_.lines() > 0) bound_.kernels.stream(queue_);
  }

  [[nodiscard]] bool is_streaming() const { return way_.stores != Stores::ordinary; }

  /// Deinterleaves channels whose runs all have one offset in a line: by streaming stores where they are
  /// whole lines, by ordinary ones where they are not, as at the ends of a run.
  void deinterleave_items(const Tile& tile, const SourceRows& rows, bool is_lines) {
    if (is_lines) {
      channels_.deinterleave_items(tile, rows);
      return;
    }
    pack(tile.dst + tile.column * tiling_.run.dst_stride + tile.first * static_cast<Index>(item_),
         static_cast<Size>(tiling_.run.dst_stride), rows, tile.rows(), tile.columns);
  }

  void dense_tile(const Tile& tile, const SourceRows& rows) {
    std::byte* const dst = tile.dst + tile.column * tiling_.run.dst_stride;
    const auto items = static_cast<Size>(tile.rows() * tile.columns);
    const Size pitch = static_cast<Size>(tile.rows()) * item_;
    if (way_.method == TileMethod::straight) {
      pack(dst, pitch, rows, tile.rows(), tile.columns);
      return;
    }
    if (way_.method == TileMethod::lines) {
      stream_channels(tile, rows);
      return;
    }
    std::byte* const transposed = free_buffer();
    pack(transposed, pitch, rows, tile.rows(), tile.columns);
    flush();
    const Size bytes = items * item_;
    if (is_streaming() && !way_.converts &&
        (reinterpret_cast<std::uintptr_t>(dst) | bytes) % line_bytes == 0) {
      queue_stores(dst, 0, transposed, 0, 1, bytes, transposed == first_.data());
      return;
    }
    sink_.prefetch() = queue_.prefetch;
    // Scale numbers along the destination run repeat from run to run.
    sink_.run(dst, transposed, items, tiling_.has_scaled_rows ? 0 : tile.scale_index,
              tiling_.has_scaled_rows ? 1 : 0);
  }

  /// Streams channels that follow each other without gaps.
  void stream_channels(const Tile& tile, const SourceRows& rows) {
    if (way_.kernel == TileKernel::deinterleave) {
      deinterleave_items(tile, rows, line_offset(tile.dst) == 0);
    } else if (way_.converts) {
      channels_.interleave_converted(tile, rows);
    } else {
      channels_.interleave_items(tile, rows);
    }
  }

  /// Whether packing a tile writes nothing behind a column, so that it may go directly to the destination.
  [[nodiscard]] bool packs_exactly(const Tile& tile) const {
    return way_.kernel == TileKernel::deinterleave ||
           static_cast<Size>(tile.rows()) * item_ % line_bytes == 0;
  }

  /// A tile of a method that leaves it whole. Returns false for tiles at the edges that it cannot take.
  bool whole_tile(const Tile& tile, const SourceRows& rows) {
    if (way_.method == TileMethod::straight && packs_exactly(tile)) {
      pack(tile.dst + tile.column * tiling_.run.dst_stride + tile.first * static_cast<Index>(item_),
           static_cast<Size>(tiling_.run.dst_stride), rows, tile.rows(), tile.columns);
      return true;
    }
    if (way_.method != TileMethod::lines) return false;
    if (way_.converts) return channels_.convert_deinterleaved(tile, rows);
    deinterleave_items(tile, rows, takes_whole_lines(tiling_, tile));
    return true;
  }

  void general_tile(const Tile& tile, SourceRows rows) {
    if (whole_tile(tile, rows)) return;
    Tile block = tile;
    const Index offset = rows.offset;
    Index along = 0;
    if (is_transposed_along(tile)) {
      flush();
      along = transpose_panel(tile, rows);
    }
    for (Index done = along; done < tile.columns; done += way_.block_src) {
      block.column = tile.column + done;
      block.columns = std::min(way_.block_src, tile.columns - done);
      rows.offset = offset + done * tiling_.run.src_stride;
      general_block(block, rows,
                    way_.has_partial_lines
                        ? partial_lines_.data() + static_cast<Size>(done) * line_items_bytes_
                        : nullptr);
    }
  }

  /// Whether a tile is transposed straight to memory.
  [[nodiscard]] bool is_transposed_along(const Tile& tile) const {
    if (way_.method != TileMethod::panels || static_cast<Size>(tile.columns) * item_ < 2 * line_bytes)
      return false;
    // Not every instruction set has the kernels that convert.
    if (way_.converts)
      return tiling_.converting.run != nullptr && takes_whole_lines(tiling_, tile) &&
             tile.rows() == way_.tile_dst;
    return tile.strip > 0 || way_.shift == 0;
  }

  /// Transposes a tile, or its whole lines, straight to memory. Returns the number of columns that were done.
  Index transpose_panel(const Tile& tile, const SourceRows& rows) {
    const auto item = static_cast<Index>(item_);
    TransposePanel panel;
    panel.dst = tile.dst + tile.first * static_cast<Index>(bound_.dst_item);
    if (tiling_.column_offsets.empty()) {
      panel.dst += tile.column * tiling_.run.dst_stride;
      panel.dst_pitch = tiling_.run.dst_stride;
    } else {
      panel.column_offsets = tiling_.column_offsets.data() + tile.column;
    }
    panel.rows = rows;
    panel.lines = static_cast<Size>(tile.columns) * item_ / line_bytes;
    panel.prefetches_sequentially = way_.stores == Stores::streaming_sequential;
    panel.partial_lines = partial_lines_.data();
    panel.next_rows = *next_rows_;
    if (way_.converts) {
      tiling_.converting.run(panel);
      return static_cast<Index>(panel.lines * line_bytes) / item;
    }
    panel.tail_columns = static_cast<Size>(tile.columns) - panel.lines * line_bytes / item_;
    panel.row_count = static_cast<Size>(tile.rows());
    panel.next_row_count = next_count_;
    panel.is_first = way_.has_partial_lines && (tile.strip == 0 || is_first_);
    const bool is_last_strip = tile.strip + 1 == way_.strips;
    panel.is_last =
        way_.has_partial_lines ? is_last_strip || is_last_ : is_last_strip && tile.rows() < way_.tile_dst;
    panel.prefetches_into_l1 = way_.prefetches_near;
    bound_.kernels.transpose_panel[bound_.item_log2()](panel);
    return tile.columns;
  }

  /// Transposes a block while the previous one is written. Where strips share partial lines, a line's items
  /// of each column are kept from the previous strip and stand before the block.
  void general_block(const Tile& block, const SourceRows& rows, std::byte* partial_lines) {
    const Index before = partial_lines == nullptr ? 0 : items_in_line();
    const Index first = block.first - before;
    const Index count = block.last - first;
    const Size pitch = odd_lines(static_cast<Size>(count) * item_);
    std::byte* const transposed = free_buffer();
    pack(transposed + static_cast<Size>(before) * item_, pitch, rows, block.rows(), block.columns);
    flush();
    if (partial_lines != nullptr) join_partial_lines(transposed, pitch, block, partial_lines);
    if (!is_streaming() || !takes_whole_lines(tiling_, block) || !fits_converter(block)) {
      write_clipped_rows(block, first, transposed, pitch);
      return;
    }
    const Index start = block.strip * way_.tile_dst;
    std::byte* dst =
        block.dst + block.column * tiling_.run.dst_stride + start * static_cast<Index>(bound_.dst_item);
    const std::byte* src = transposed;
    Size src_pitch = pitch;
    if (way_.converts) {
      src = second_.data();
      src_pitch = convert_block(block, first, pitch);
    }
    src += (start - first) * static_cast<Index>(bound_.dst_item);
    const Index end = std::min(start + way_.tile_dst, way_.run + way_.shift);
    queue_stores(dst, tiling_.run.dst_stride, src, src_pitch, static_cast<Size>(block.columns),
                 static_cast<Size>(end - start) * bound_.dst_item,
                 !way_.converts && transposed == first_.data());
  }

  [[nodiscard]] Index items_in_line() const { return static_cast<Index>(line_bytes / bound_.dst_item); }

  /// Copies the items kept from the previous strip to the front of each column, and keeps the end of this
  /// strip's.
  void join_partial_lines(std::byte* transposed, Size pitch, const Tile& block, std::byte* partial_lines) {
    const Size end = static_cast<Size>(block.rows()) * item_;
    for (Index c = 0; c < block.columns; ++c, transposed += pitch, partial_lines += line_items_bytes_) {
      std::memcpy(transposed, partial_lines, line_items_bytes_);
      std::memcpy(partial_lines, transposed + end, line_items_bytes_);
    }
  }

  /// Keeps the items before the first tile of a range, as the strip before it would have done.
  void keep_items_before(const Tile& tile, const SourceRows& next) {
    Tile before = tile;
    before.first = tile.first - items_in_line();
    before.last = tile.first;
    SourceRows rows = rows_of(before, row_addresses_[1].data());
    const Index offset = rows.offset;
    const Size pitch = odd_lines(line_items_bytes_);
    next_rows_ = &next;
    for (Index done = 0; done < tile.columns; done += way_.block_src) {
      const Index columns = std::min(way_.block_src, tile.columns - done);
      rows.offset = offset + done * tiling_.run.src_stride;
      pack(first_.data(), pitch, rows, before.rows(), columns);
      for (Index c = 0; c < columns; ++c)
        std::memcpy(partial_lines_.data() + static_cast<Size>(done + c) * line_items_bytes_,
                    first_.data() + static_cast<Size>(c) * pitch, line_items_bytes_);
    }
  }

  /// Whether one call can convert a row of a block.
  [[nodiscard]] bool fits_converter(const Tile& block) const {
    return !way_.converts || static_cast<Size>(block.rows() + items_in_line()) <= RowConverter::longest;
  }

  /// Converts a transposed block. Returns the pitch of the converted rows.
  Size convert_block(const Tile& block, Index first, Size pitch) {
    if (tiling_.has_scaled_rows || tiling_.has_scaled_columns) {
      const Size to_pitch = odd_lines(static_cast<Size>(block.last - first) * bound_.dst_item);
      convert_rows(block, first, pitch, to_pitch);
      return to_pitch;
    }
    // One call converts rows and the bytes between them: a call for each row would take longer than the
    // conversion.
    const Size row_items = pitch / item_;
    const Size items = row_items * static_cast<Size>(block.columns);
    for (Size done = 0; done < items; done += RowConverter::longest) {
      sink_.convert(second_.data() + done * bound_.dst_item, first_.data() + done * item_,
                    std::min(items - done, RowConverter::longest), block.scale_index, 0);
    }
    return row_items * bound_.dst_item;
  }

  void convert_rows(const Tile& block, Index first, Size from_pitch, Size to_pitch) {
    for (Index c = 0; c < block.columns; ++c) {
      sink_.convert(second_.data() + static_cast<Size>(c) * to_pitch,
                    first_.data() + static_cast<Size>(c) * from_pitch, static_cast<Size>(block.last - first),
                    scale_index(tiling_, block, first, c), tiling_.has_scaled_rows ? 1 : 0);
    }
  }

  /// Writes a block row by row, each clipped to the matrix. `first` is the row that `transposed` begins with.
  void write_clipped_rows(const Tile& block, Index first, const std::byte* transposed, Size pitch) {
    const Index size = way_.tile_dst;
    sink_.prefetch() = queue_.prefetch;
    for (Index c = 0; c < block.columns; ++c) {
      std::byte* row = block.dst + (block.column + c) * tiling_.run.dst_stride;
      const Index shift = shift_of(row);
      const Index row_first = std::max<Index>(block.strip * size - shift, 0);
      const Index row_last =
          block.strip + 1 == way_.strips ? way_.run : std::min((block.strip + 1) * size - shift, way_.run);
      if (row_first >= row_last) continue;
      sink_.run(row + row_first * static_cast<Index>(bound_.dst_item),
                transposed + static_cast<Size>(c) * pitch + static_cast<Size>(row_first - first) * item_,
                static_cast<Size>(row_last - row_first), scale_index(tiling_, block, row_first, c),
                tiling_.has_scaled_rows ? 1 : 0);
    }
    queue_.prefetch = sink_.prefetch();
  }

  [[nodiscard]] Index shift_of(const std::byte* row) const {
    if (!is_streaming()) return 0;
    return static_cast<Index>(line_offset(row) / bound_.dst_item);
  }

  const Bound& bound_;
  const Tiling& tiling_;
  const Tiles& way_;
  Sink sink_;
  Size item_;
  /// Bytes of the source items that make up a line of the destination.
  Size line_items_bytes_;
  StoreQueue queue_;
  const SourceRows* next_rows_ = nullptr;
  Size next_count_ = 0;
  /// Whether this is the first or last tile of the range.
  bool is_first_ = true;
  bool is_last_ = false;
  bool queued_from_first_ = false;
  /// The items of a partial line for each column of a tile, aligned to lines, and a line behind them (see
  /// `TransposePanel::partial_lines`).
  LineBuffer partial_lines_;
  unsigned current_addresses_ = 0;
  std::array<std::array<const std::byte*, max_row_addresses>, 2> row_addresses_;
  alignas(line_bytes) std::array<std::byte, buffer_bytes + spill_bytes> first_;
  alignas(line_bytes) std::array<std::byte, buffer_bytes + spill_bytes> second_;
  ChannelTiles channels_;
};

}  // namespace

void run(const Tiles& given, const Bound& plan) {
  Tiles replaced;
  const Tiles* way = &given;
  const Bound bound(given.nest, plan);
  const auto in_line = static_cast<Index>(line_offset(bound.dst));
  if (in_line != given.dst_in_line) {
    replaced = given;
    detail::place(replaced, bound.conversion, in_line);
    way = &replaced;
  }
  const Tiling tiling(*way, bound);
  share_out(tiling.grid, bound.threads, [&](Index first, Index last) { TileWorker{tiling}(first, last); });
}

}  // namespace tenstride::copy
