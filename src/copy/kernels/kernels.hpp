// SPDX-License-Identifier: Apache-2.0
// The kernels of a copy: innermost loops over a block that fits the L1 cache, one table of them for each
// instruction set. They move bits and know nothing of values: an item is 1, 2, 4, 8 or 16 bytes, and a kernel
// for items stands at index log2(bytes) of its array. An address needs no alignment unless a comment says so.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/limits.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/plan/copy_way.hpp"

namespace tenstride::copy {

/// The number of bytes that a kernel may write past the end of its block. Buffers have this much room after
/// their end.
inline constexpr std::size_t spill_bytes = 64;

using tenstride::Stores;

/// The memory streams of streaming stores.
constexpr MemoryStreams streams_of(Stores stores) {
  return stores == Stores::streaming_sequential ? MemoryStreams::one : MemoryStreams::several;
}

/// Converts `count` contiguous elements of one type to contiguous elements of another. `out` and `in` do not
/// overlap: the last elements may be converted twice. For streaming stores `out` is the start of a cache
/// line.
using ConvertRow = void (*)(std::byte* out, const std::byte* in, std::size_t count, Stores stores);

/// How many scales and shifts a kernel reads: one of each for all elements, or one of each for each element.
enum class Numbers : std::uint8_t { one, each };

/// Converts, scales and shifts `count` contiguous elements: out[i] = in[i] * scale[i] + shift[i], computed in
/// float and rounded after each operation. `out` may be `in` where both types are the same.
using ScaleRow = void (*)(std::byte* out, const std::byte* in, std::size_t count, const float* scale,
                          const float* shift, Stores stores);

/// What a converting kernel computes besides the conversion.
enum class Arithmetic : std::uint8_t { none, scaled };

/// The addresses of rows in the source. Row r begins at addresses[r] + offset, or, where `addresses` is null,
/// at first + r * pitch + offset.
struct SourceRows {
  const std::byte* first = nullptr;
  Index pitch = 0;
  const std::byte* const* addresses = nullptr;
  Index offset = 0;

  const std::byte* operator[](std::size_t row) const {
    return (addresses != nullptr ? addresses[row] : first + static_cast<Index>(row) * pitch) + offset;
  }
};

/// Memory to be prefetched: `lines` cache lines of each of `count` rows, and how far the prefetch has come.
/// With each line that a kernel writes it prefetches the next `pace` lines, so that reads and writes overlap.
/// Prefetched 4 KiB or more at a time instead, they wait for each other: .80 → .95 of a plain copy by this
/// pacing.
struct Prefetch {
  SourceRows rows;
  std::size_t count = 0;
  std::size_t lines = 1;
  std::size_t pace = 1;
  /// The index of the row after the current one.
  std::size_t row = 0;
  /// The next line of the current row, and how many of its lines remain.
  const std::byte* line = nullptr;
  std::size_t lines_left = 0;

  /// Goes to the next row. Returns false after the last one.
  bool next_row() {
    if (row == count) return false;
    line = rows[row++];
    lines_left = lines;
    return true;
  }
};

/// A queue of cache lines that wait to be written by streaming stores: `bytes` (a multiple of 64) of each of
/// `count` rows. Each row begins (dst & 63) bytes before `dst` and before `src`, so that it is written from
/// the start of a line on.
struct StoreQueue {
  std::byte* dst = nullptr;
  Index dst_pitch = 0;
  const std::byte* src = nullptr;
  Index src_pitch = 0;
  /// Rows after the current one.
  std::size_t count = 0;
  std::size_t bytes = 0;
  Prefetch prefetch;
  /// The next line of the current row, and how many of its lines remain.
  std::byte* next_dst = nullptr;
  const std::byte* next_src = nullptr;
  std::size_t lines_left = 0;

  /// Returns the number of lines that remain to be written.
  [[nodiscard]] std::size_t lines() const { return lines_left + count * (bytes / 64); }

  /// Goes to the next row. Returns false after the last one.
  bool next_row() {
    if (count == 0) return false;
    --count;
    const std::size_t shift = reinterpret_cast<std::uintptr_t>(dst) & 63U;
    next_dst = dst - shift;
    next_src = src - shift;
    lines_left = bytes / 64;
    dst += dst_pitch;
    src += src_pitch;
    return true;
  }
};

/// A panel of source rows that is transposed and written by streaming stores: row_count rows become columns
/// of row_count items, 128 bytes where the panel is complete. Example: 32 rows of 5009 float32 become 5009
/// columns of 128 bytes, column c at dst + c * dst_pitch.
struct TransposePanel {
  /// Bytes of a column of a complete panel.
  static constexpr std::size_t column_bytes = detail::panel_column_bytes;
  /// Lines of each row that are brought into the L2 cache together, as a block, while the block before them
  /// is transposed. 1 KiB of each of 128 rows, and as much for the next block, fill a fourth of the L2 cache;
  /// blocks of half the size are read at .6 of the speed.
  static constexpr std::size_t block_lines = 16;
  /// Rows of a block that are prefetched alternately, a line of each. The processor's prefetcher follows 8
  /// rows best: .85 (row after row) → .95 of a plain copy.
  static constexpr std::size_t alternating_rows = 8;
  /// The prefetch distance into the L1 cache, in lines of each row; see `prefetches_into_l1`.
  static constexpr std::size_t l1_distance_lines = detail::near_prefetch_lines;
  /// The greatest number of rows that the processor's prefetcher follows at a time.
  static constexpr std::size_t max_followed_rows = detail::max_followed_rows;

  std::byte* dst = nullptr;
  Index dst_pitch = 0;
  /// Column c begins at dst + column_offsets[c], in bytes. May be null. Only for `transpose_panel`.
  const Index* column_offsets = nullptr;
  SourceRows rows;
  /// Whole lines of each row. At least one.
  std::size_t lines = 0;
  /// Null where each column begins at the start of a cache line. Otherwise the partial line of each column:
  /// the 64 bytes that come before the column, saved from the panel before this one. A column is written from
  /// the start of the line on in which it begins, with the bytes that are missing there taken from its
  /// partial line, and its last 64 bytes replace that partial line. Behind the last partial line 64 bytes may
  /// be read. `dst`, `dst_pitch` and the offsets are then multiples of an item.
  std::byte* partial_lines = nullptr;
  /// The rows of the panel after this one, for the prefetch.
  SourceRows next_rows;
  /// For `transpose_panel`: the items of each row after its last whole line.
  std::size_t tail_columns = 0;
  /// For `transpose_panel`: the rows of this panel and of the next one.
  std::size_t row_count = 0;
  std::size_t next_row_count = 0;
  /// For `transpose_panel`: whether this is the first panel of its columns, so that no partial lines were
  /// saved, and whether it is the last one, which may have fewer than 128 bytes of each column. Bytes of a
  /// cache line outside of the columns are preserved.
  bool is_first = false;
  bool is_last = false;
  /// For `transpose_panel`: whether the processor's prefetcher follows all rows by itself, no more than
  /// `max_followed_rows`. Then not the next block is prefetched, but the line of each row that is
  /// `l1_distance_lines` ahead, into the L1 cache.
  bool prefetches_into_l1 = false;
  /// Whether the next block is prefetched row after row, for MemoryStreams::one, and not alternately.
  bool prefetches_sequentially = false;

  /// Returns where a column begins.
  [[nodiscard]] std::byte* column(std::size_t at) const {
    return dst + (column_offsets == nullptr ? static_cast<Index>(at) * dst_pitch : column_offsets[at]);
  }
};

/// Kernels that convert while they transpose, and write whole lines by streaming stores. Each function
/// returns the kernel for a pair of types, or nullptr where that pair has none.
struct ConvertingKernels {
  /// Deinterleaves as `Kernels::deinterleave_lines` does: out[c][i] = in[i][c] * scale[c] + shift[c], rounded
  /// after each operation, scale and shift finite. For Arithmetic::none it reads neither. `count` is a
  /// multiple of the results in a line.
  using Deinterleave = void (*)(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t count,
                                const float* scale, const float* shift);
  Deinterleave (*deinterleave)(DType to, DType from, std::size_t channels, Arithmetic arithmetic);
  /// Interleaves as `Kernels::interleave_lines` does, with the same arithmetic:
  /// out[i][c] = in[c][i] * scale[c] + shift[c]. `count` is a multiple of the items in a line.
  using Interleave = void (*)(std::byte* out, const std::byte* in, Index pitch, std::size_t count,
                              const float* scale, const float* shift);
  Interleave (*interleave)(DType to, DType from, std::size_t channels, Arithmetic arithmetic);
  /// Transposes as `Kernels::transpose_panel` does, into columns of `column_bytes` of results. Rows have
  /// whole lines only.
  struct Transpose {
    void (*run)(const TransposePanel& panel) = nullptr;
    std::size_t column_bytes = 0;
  };
  Transpose (*transpose)(DType to, DType from);
};

/// Kernels for items of any length from 1 to 16 bytes, such as pixels of three bytes.
struct ShortItemKernels {
  /// Repeats each item: out[(i * times + t) * bytes] = in[i * pitch] for t < times, 1 <= bytes <= 16.
  void (*repeat)(std::byte* out, const std::byte* in, Index pitch, std::size_t bytes, std::size_t times,
                 std::size_t count);
  /// Repeats contiguous items (pitch == bytes) by streaming stores, into `copies` destinations that lie
  /// `dst_pitch` apart, each at the start of a line. It writes as many whole lines as it can, and returns how
  /// many bytes of each destination these were: 0 for most lengths of items.
  std::size_t (*repeat_lines)(std::byte* dst, Index dst_pitch, std::size_t copies, const std::byte* in,
                              std::size_t bytes, std::size_t times, std::size_t count);
};

/// A tile whose rows and columns have their offsets in tables, in bytes: row r begins at src + rows[r], where
/// its items are contiguous, and column c at dst + columns[c], where its items are contiguous.
struct IndexedTile {
  const Index* rows = nullptr;
  std::size_t row_count = 0;
  const Index* columns = nullptr;
  std::size_t column_count = 0;
};

/// Kernels for copies within the caches: tiles with tables of offsets, small tiles and short rows.
struct IndexedKernels {
  /// Transposes a tile: dst[columns[c] + r * item] = src[rows[r] + c * item]. Rows and columns have at least
  /// 8 bytes. Any part of a column may be written more than once.
  using Transpose = void (*)(std::byte* dst, const std::byte* src, const IndexedTile& tile);
  std::array<Transpose, 5> transpose;
  /// Transposes a tile with equal distances: dst[c * dst_pitch + r * item] = src[r * src_pitch + c * item].
  /// Again rows and columns have at least 8 bytes.
  using TransposePitched = void (*)(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                                    std::size_t rows, std::size_t columns);
  std::array<TransposePitched, 5> transpose_pitched;
  /// Does the same for items of 3, 5, 6 or 7 bytes. Source rows have at least 16 bytes, and there are at
  /// least two of them, four for items of 3 bytes.
  using TransposeShort = void (*)(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                                  std::size_t rows, std::size_t columns, std::size_t item);
  TransposeShort transpose_short;
  /// Copy rows as `Kernels::copy_rows` does, faster within the caches: `overlapping_rows` for rows of 32 to
  /// 64 bytes, `line_rows` for rows of a multiple of 64 bytes.
  using Rows = void (*)(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                        std::size_t rows, std::size_t bytes);
  Rows overlapping_rows;
  Rows line_rows;
};

/// Rows that are written by streaming stores wherever they begin and end. A row shares the cache line in
/// which it ends with its neighbour in the destination: the call that has the row saves its last bytes in a
/// partial line, and the call that has the neighbour writes the whole line.
struct PartialRows {
  /// Bytes from the partial line of one row to that of the next.
  static constexpr std::size_t pitch = 128;
  std::byte* dst = nullptr;
  Index dst_pitch = 0;
  const std::byte* src = nullptr;
  Index src_pitch = 0;
  std::size_t rows = 0;
  /// Bytes of a row. At least 64.
  std::size_t bytes = 0;
  /// The partial lines, the first one at the start of a cache line; the 64 bytes before and behind each may
  /// be overwritten. Null where no row has a neighbour, or where rows begin and end with whole lines.
  std::byte* partial_lines = nullptr;
  /// Whether no row has a neighbour before it, or behind it. Bytes of a cache line outside of the row are
  /// then preserved at that end.
  bool is_first = true;
  bool is_last = true;
};

/// The functions of a template for items of 1, 2, 4, 8 and 16 bytes, as the tables of kernels have them.
#define TENSTRIDE_ITEMS(function) \
  { function<1>, function<2>, function<4>, function<8>, function<16> }

/// The kernels of one instruction set.
struct Kernels {
  const char* name;
  /// Transposes a tile: out[c * out_pitch + r * item] = in[r][c * item] for r < rows, c < cols. A row of
  /// `out` may be written up to 63 bytes past its end: rows are written in ascending order, so that the next
  /// one overwrites this, and out_pitch may be rows * item. Lines of `queue` are written meanwhile, some or
  /// all.
  using Transpose = void (*)(std::byte* out, std::size_t out_pitch, const SourceRows& in, std::size_t rows,
                             std::size_t cols, StoreQueue& queue);
  std::array<Transpose, 5> transpose;
  /// Transposes a panel of rows, and writes its columns by streaming stores.
  std::array<void (*)(const TransposePanel& panel), 5> transpose_panel;
  /// Gathers `count` items: out[i * item] = in[i * stride], `stride` in bytes.
  using Gather = void (*)(std::byte* out, const std::byte* in, Index stride, std::size_t count);
  std::array<Gather, 5> gather;
  /// Gathers as `gather` does, by streaming stores from the start of a line on, as many whole lines as it
  /// can. Returns how many lines these were: 0 for most strides.
  using GatherLines = std::size_t (*)(std::byte* dst, const std::byte* src, Index stride, std::size_t count,
                                      MemoryStreams streams);
  std::array<GatherLines, 5> gather_lines;
  /// Deinterleaves: out[c * pitch + i * item] = in[(i * channels + c) * item], for 2 or more channels. More
  /// than 16 channels are read in several passes over the pixels, which should be in a cache by then. Where
  /// `next` is not null, as many bytes from it on as this call reads are prefetched meanwhile.
  using Deinterleave = void (*)(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                                std::size_t count, const std::byte* next);
  std::array<Deinterleave, 5> deinterleave;
  /// Interleaves: out[(i * channels + c) * item] = in[c * pitch + i * item], for 2 to 16 channels.
  using Interleave = void (*)(std::byte* out, const std::byte* in, Index pitch, std::size_t channels,
                              std::size_t count);
  std::array<Interleave, 5> interleave;
  /// Writes all lines of a queue.
  void (*stream)(StoreQueue& queue);
  /// Copies `bytes` (a multiple of 64) by streaming stores, page after page or four pages alternately. `dst`
  /// is the start of a line.
  void (*stream_run)(std::byte* dst, const std::byte* src, std::size_t bytes, MemoryStreams streams);
  /// Copies rows by ordinary stores.
  using CopyRows = void (*)(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                            std::size_t rows, std::size_t bytes);
  CopyRows copy_rows;
  /// Fills rows by ordinary stores: all `count` items of row r are the item at src + r * src_pitch.
  using FillRows = void (*)(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                            std::size_t rows, std::size_t count);
  std::array<FillRows, 5> fill_rows;
  /// Makes lines that were written by streaming stores visible to other threads.
  void (*fence)();
  /// Returns the kernel that converts this pair of types.
  ConvertRow (*convert)(DType to, DType from);
  /// Returns the kernel that converts, scales and shifts this pair of types, or nullptr where there is none.
  /// There is always one for float32 to float32.
  ScaleRow (*scale)(DType to, DType from, Numbers numbers);
  /// Writes the same line again and again by streaming stores: `bytes` (a multiple of 64) from the start of a
  /// line on.
  void (*stream_line)(std::byte* dst, const std::byte* line, std::size_t bytes);
  /// Scatters one item: dst[i * stride] = item, `stride` in bytes. Bytes between the items are preserved.
  using FillStrided = void (*)(std::byte* dst, Index stride, const std::byte* item, std::size_t count);
  std::array<FillStrided, 5> fill_strided;
  /// Deinterleaves as `deinterleave` does, by streaming stores. `out` is the start of a line; `pitch` and the
  /// bytes of `count` items are multiples of 64.
  using DeinterleaveLines = void (*)(std::byte* out, std::size_t pitch, const std::byte* in,
                                     std::size_t channels, std::size_t count);
  std::array<DeinterleaveLines, 5> deinterleave_lines;
  /// Interleaves as `interleave` does, by streaming stores. `out` is the start of a line, and the bytes of
  /// `count` items are a multiple of 64.
  using InterleaveLines = void (*)(std::byte* out, const std::byte* in, Index pitch, std::size_t channels,
                                   std::size_t count, MemoryStreams streams);
  std::array<InterleaveLines, 5> interleave_lines;
  const ConvertingKernels* converting;
  const ShortItemKernels* short_items;
  const IndexedKernels* indexed;
  /// Copies the whole lines of up to `max_alternating` rows by streaming stores, a piece of each alternately,
  /// and prefetches as many rows of the source that follow them. Partial lines at the two ends of a row are
  /// not written.
  static constexpr std::size_t max_alternating = 4;
  CopyRows stream_alternating;
  /// Copies rows by streaming stores, partial lines included.
  void (*stream_partial_rows)(const PartialRows& rows);
};

/// Returns the table of plain C++, which every machine runs and all others are tested against.
const Kernels& portable_kernels();

/// Returns the tables that this processor can run, the best first, the portable one last.
std::span<const Kernels* const> available_kernels();

/// Returns the table that copies use: that of `Machine::here().instructions`.
TENSTRIDE_API const Kernels& kernels();

/// Returns the loop over `convert_element` for a pair of types.
TENSTRIDE_API ConvertRow portable_convert(DType to, DType from);

}  // namespace tenstride::copy
