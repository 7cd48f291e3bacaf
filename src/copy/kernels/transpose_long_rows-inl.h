// SPDX-License-Identifier: Apache-2.0
// Transposing a panel of long rows directly to memory, included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_TRANSPOSE_LONG_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_TRANSPOSE_LONG_ROWS_INL
#undef TENSTRIDE_COPY_KERNELS_TRANSPOSE_LONG_ROWS_INL
#else
#define TENSTRIDE_COPY_KERNELS_TRANSPOSE_LONG_ROWS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"
#include "copy/kernels/transpose_stores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Transposes a panel tile by tile: a tile is one line of each row. While a tile is transposed into one of
/// two buffers, the columns of the tile before it are written from the other one by streaming stores, and
/// lines of the next block (`TransposePanel::block_lines` lines of each row) are prefetched, one with each
/// line written. The last block has up to twice as many lines. Its additional lines are prefetched between
/// the others (`prefetch_more`), and so are the lines in which the next panel's rows begin where that is not
/// at the start of a line.
template <std::size_t item, bool has_partial_lines>
class PanelTransposer {
 public:
  explicit PanelTransposer(const TransposePanel& panel)
      : column_count_(panel.lines * columns + panel.tail_columns),
        tiles_(panel.lines + (panel.tail_columns > 0 ? 1 : 0)),
        prefetches_into_l1_(count <= TransposePanel::max_followed_rows && panel.prefetches_into_l1),
        prefetches_sequentially_(panel.prefetches_sequentially) {
    const std::size_t blocks = std::max<std::size_t>(tiles_ / block_lines, 1);
    last_block_ = (blocks - 1) * block_lines;
    for (std::size_t r = 0; r < count; ++r) {
      rows_[r] = panel.rows[std::min(r, panel.row_count - 1)];
      next_[r] = panel.next_rows[std::min(r, panel.next_row_count - 1)];
    }
  }

  void transpose(const TransposePanel& panel) {
    const bool is_edge = panel.is_first || panel.is_last;
    for (std::size_t l = 0; l <= tiles_; ++l) {
      // Local values, which stay in registers: members would be loaded again after each store.
      const BlockPrefetch<count> prefetch = prefetch_of(std::min(l, tiles_ - 1));
      const ColumnWriter<item, has_partial_lines> writer =
          l == 0 ? ColumnWriter<item, has_partial_lines>() : columns_of(panel, l - 1);
      std::size_t written = l == 0 ? columns : (l - 1) * columns - first_of(l - 1);
      if (l > 0 && is_edge) {
        write_edges(panel, l - 1);
        written = columns;
      }
      const auto write_columns = [&](std::size_t end) HWY_ATTR __attribute__((always_inline)) {
        for (end = std::min(end, columns); written < end; ++written) writer.write(written, prefetch);
      };
      if (l < tiles_) {
        const std::size_t first = first_of(l);
        std::byte* const buffer = buffer_of(l);
        for (std::size_t r = 0; r < count; r += group) {
          for (std::size_t part = 0; part < line; part += widest) {
            transpose_square<item, widest>(buffer + part / item * bytes + r * item, bytes, rows_ + r,
                                           first * item + part,
                                           [&]() HWY_ATTR { write_columns(written + pace); });
          }
        }
        prefetch_more(l);
      }
      write_columns(columns);
    }
  }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t bytes = TransposePanel::column_bytes;
  static constexpr std::size_t columns = line / item;
  static constexpr std::size_t group = widest / item;
  static constexpr std::size_t count = bytes / item;  // rows, and lines of a transposed tile
  static constexpr std::size_t alternating_rows = BlockPrefetch<count>::alternating_rows;
  static constexpr std::size_t block_lines = TransposePanel::block_lines;
  static constexpr std::size_t calls = count / group * (line / widest) * calls_in_square<item, widest>;
  static constexpr std::size_t pace = (columns + calls - 1) / calls;
  static_assert(block_lines % (count / alternating_rows) == 0);

  [[nodiscard]] std::byte* buffer_of(std::size_t tile) {
    return buffers_ + line + tile % 2 * columns * bytes;
  }

  [[nodiscard]] ColumnWriter<item, has_partial_lines> columns_of(const TransposePanel& panel,
                                                                 std::size_t tile) {
    return {panel, first_of(tile), buffer_of(tile)};
  }

  HWY_NOINLINE void write_edges(const TransposePanel& panel, std::size_t tile) {
    // The columns that this tile shares with the one before are already written.
    columns_of(panel, tile).write_edges(tile * columns - first_of(tile), prefetch_of(tile));
  }

  /// Returns the first column of a tile. The last tile ends where the rows end, and may overlap the one
  /// before.
  [[nodiscard]] std::size_t first_of(std::size_t tile) const {
    return std::min(tile * columns, column_count_ - columns);
  }

  /// Returns whether rows are shorter than a block. Then each tile prefetches the same line of the next
  /// panel's rows.
  [[nodiscard]] bool is_short() const { return tiles_ < block_lines; }

  [[nodiscard]] std::size_t block_of(std::size_t tile) const {
    return std::min(tile / block_lines * block_lines, last_block_);
  }

  [[nodiscard]] BlockPrefetch<count> prefetch_of(std::size_t tile) const {
    if (prefetches_into_l1_) return prefetch_each_row(tile + TransposePanel::l1_distance_lines);
    if (is_short()) return prefetch_each_row(tile + tiles_);
    const std::size_t block = block_of(tile);
    // A tile prefetches `count` lines: of `alternating_rows` rows alternately, or of count / block_lines rows
    // one after another.
    const std::size_t alternating = prefetches_sequentially_ ? 1 : alternating_rows;
    const std::size_t touched = std::max(alternating, count / block_lines);
    const std::size_t offset = (tile - block) * (count / alternating);
    BlockPrefetch<count> prefetch;
    prefetch.rows = (block == last_block_ ? next_ : rows_) +
                    std::min(offset / block_lines * alternating, count - touched);
    // The last byte of 64: where a row begins within a cache line, the first byte is in the line before.
    prefetch.at = ((block == last_block_ ? 0 : block + block_lines) + offset % block_lines) * line + line - 1;
    prefetch.is_sequential = prefetches_sequentially_;
    return prefetch;
  }

  /// Returns the prefetch of one line of each row: of this panel, or of the next one behind its end.
  [[nodiscard]] BlockPrefetch<count> prefetch_each_row(std::size_t tile) const {
    const bool is_here = tile < tiles_;
    BlockPrefetch<count> prefetch;
    prefetch.rows = is_here ? rows_ : next_;
    prefetch.at = (is_here ? tile : tile - tiles_) * line + line - 1;
    prefetch.last_alternating = count - 1;
    prefetch.is_into_l1 = prefetches_into_l1_;
    return prefetch;
  }

  /// Prefetches the tile's share of the lines for which there is no line written.
  void prefetch_more(std::size_t tile) const {
    if (prefetches_into_l1_) return;
    const std::size_t block = block_of(tile);
    const std::size_t offset = tile - block;
    if (block == last_block_) {
      const std::size_t transposed = tiles_ - block;
      if (reinterpret_cast<std::uintptr_t>(next_[0]) % line == 0) return;
      for (std::size_t k = offset * count / transposed; k < (offset + 1) * count / transposed; ++k)
        __builtin_prefetch(next_[k], 0, 2);
    } else if (block + block_lines == last_block_) {
      const std::size_t lines = last_block_ + block_lines;
      const std::size_t more = count * (tiles_ - lines);
      for (std::size_t k = offset * more / block_lines; k < (offset + 1) * more / block_lines; ++k)
        __builtin_prefetch(rows_[k % count] + (lines + k / count) * line + line - 1, 0, 2);
    }
  }

  std::size_t column_count_;
  std::size_t tiles_;
  bool prefetches_into_l1_;
  bool prefetches_sequentially_;
  std::size_t last_block_;
  const std::byte* rows_[count];
  const std::byte* next_[count];
  // A shifted column is read from up to a line before its first byte to a line behind its last one.
  alignas(line) std::byte buffers_[line + 2 * columns * bytes + line];
};

template <std::size_t item>
void transpose_panel(const TransposePanel& panel) {
  if (panel.partial_lines == nullptr) {
    PanelTransposer<item, false>(panel).transpose(panel);
  } else {
    PanelTransposer<item, true>(panel).transpose(panel);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
