// SPDX-License-Identifier: Apache-2.0
// The leaves of a copy: short loops over a block that fits the L1 cache, one table of them per instruction
// set. They move bits; an item is 1 << log2 bytes. No address needs an alignment unless said.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tenstride/dtype.hpp"
#include "tenstride/machine.hpp"

namespace tenstride::copy {

/// Bytes by which a leaf may write past the end of its block; buffers have so much room after their end.
inline constexpr std::size_t spill_bytes = 64;

enum class Stores : std::uint8_t {
  ordinary,
  streaming,  ///< past the cache, some pages in turn, where a kernel can; `out` is a cache line's start
  streaming_in_order  ///< the same page after page, for MemoryStreams::one
};

constexpr Stores streaming_stores(MemoryStreams streams) {
  return streams == MemoryStreams::one ? Stores::streaming_in_order : Stores::streaming;
}

/// `count` elements of one type to another, from dense to dense.
using ConvertRow = void (*)(std::byte* out, const std::byte* in, std::size_t count, Stores stores);

/// How many numbers a loop with scale and shift takes: one of each, or one for each element.
enum class Numbers : std::uint8_t { one, each };

/// The same with arithmetic in float: out[i] = in[i] * scale[i] + shift[i], rounded after each step. `out`
/// may be `in` where the types are the same.
using ScaleRow = void (*)(std::byte* out, const std::byte* in, std::size_t count, const float* scale,
                          const float* shift, Stores stores);

/// What is done to numbers beside their conversion.
enum class Arithmetic : std::uint8_t { none, scaled };

/// Rows of the source: one address for each in `list`, or `pitch` apart from `first`; `offset` is added.
struct Rows {
  const std::byte* first = nullptr;
  std::ptrdiff_t pitch = 0;
  const std::byte* const* list = nullptr;
  std::ptrdiff_t offset = 0;

  const std::byte* operator[](std::size_t row) const {
    return (list != nullptr ? list[row] : first + static_cast<std::ptrdiff_t>(row) * pitch) + offset;
  }
};

/// Memory that will be read soon: `lines` cache lines of each of `count` rows. With each line written the
/// next `pace` lines are asked for, so that reads and writes go on at the same time; asked for in a block of
/// 4 KiB or more, they would wait for each other (.80 of a plain copy, in place of .95).
struct Prefetch {
  Rows rows;
  std::size_t count = 0;
  std::size_t lines = 1;
  std::size_t pace = 1;
  /// The next row, the next line of the one before it, and how many of its lines are left.
  std::size_t row = 0;
  const std::byte* line = nullptr;
  std::size_t left = 0;

  /// Goes to the next row. False after the last.
  bool next_row() {
    if (row == count) return false;
    line = rows[row++];
    left = lines;
    return true;
  }
};

/// Whole cache lines on their way past the cache: `bytes` (a multiple of 64) of each of `count` rows. Each
/// row is shifted down to a line's start on both sides, by (dst & 63) bytes.
struct StoreQueue {
  std::byte* dst = nullptr;
  std::ptrdiff_t dst_pitch = 0;
  const std::byte* src = nullptr;
  std::ptrdiff_t src_pitch = 0;
  std::size_t count = 0;
  std::size_t bytes = 0;
  Prefetch prefetch;
  /// The next line of the row begun, and how many of its lines are left.
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t left = 0;

  [[nodiscard]] std::size_t lines() const { return left + count * (bytes / 64); }

  /// Goes to the next row. False after the last.
  bool next_row() {
    if (count == 0) return false;
    --count;
    const std::size_t shift = reinterpret_cast<std::uintptr_t>(dst) & 63U;
    to = dst - shift;
    from = src - shift;
    left = bytes / 64;
    dst += dst_pitch;
    src += src_pitch;
    return true;
  }
};

/// Rows turned into columns of 128 bytes: `lines` lines of 64 bytes of each of as many rows as a column
/// has items. Column c goes to dst + c * dst_pitch. `page_lines` lines of all rows are brought into the L2
/// cache, `alternating_rows` rows at a time, while those before are turned.
struct Along {
  /// Bytes of a column.
  static constexpr std::size_t column_bytes = 128;
  /// 1 KiB: of 128 rows, with as much that comes next, a fourth of the L2 cache. Runs of half of it are read
  /// at .6 of the speed.
  static constexpr std::size_t page_lines = 16;
  /// So many rows the processor's prefetcher follows best: .95 of a plain copy, where row by row gives .85.
  static constexpr std::size_t alternating_rows = 8;

  std::byte* dst = nullptr;
  std::ptrdiff_t dst_pitch = 0;
  /// For `transpose_along`, of columns that are not all `dst_pitch` apart: how far each lies behind dst.
  const std::ptrdiff_t* places = nullptr;
  Rows rows;
  /// At least one.
  std::size_t lines = 0;
  /// Null where each column begins at a line's start. Otherwise the 64 bytes before each column, and 64 more
  /// that may be read: each column is shifted down to a line's start, takes what this leaves free from here,
  /// and leaves its end here. Then dst and dst_pitch are multiples of an item.
  std::byte* kept = nullptr;
  /// As many rows that will be read next.
  Rows next;
  /// For `transpose_along` the rest: items of each row behind its last whole line, and the rows that there
  /// are.
  std::size_t columns = 0;
  std::size_t count = 0;
  std::size_t next_count = 0;
  /// Whether the columns begin here, so that nothing was kept, and whether they end: with the rows there are,
  /// of which a column may have less than it has room for. What is not theirs of a line is left as it is.
  bool begins = false;
  bool ends = false;
  /// For `transpose_along`: whether the processor's prefetcher follows all rows, no more than `max_followed`,
  /// by itself. Then what is asked for is not the next page, but a line so far ahead of each row, into the L1
  /// cache.
  bool prefetches_near = false;
  /// Whether a page of the next rows is asked for one row after another: see Streams.
  bool prefetches_by_rows = false;

  /// Where a column begins.
  [[nodiscard]] std::byte* column(std::size_t at) const {
    return dst + (places == nullptr ? static_cast<std::ptrdiff_t>(at) * dst_pitch : places[at]);
  }

  static constexpr std::size_t near_lines = 2;
  static constexpr std::size_t max_followed = 64;
};

/// Leaves that convert what they turn, by whole lines past the cache. Each function gives one for a pair of
/// types, or nullptr: not all pairs have one.
struct ConvertingKernels {
  /// What `deinterleave_lines` does: out[c][i] = in[i][c] * scale[c] + shift[c], rounded after each step, all
  /// numbers finite; without arithmetic neither is read. `count` is a multiple of the results in a line.
  using Deinterleave = void (*)(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t count,
                                const float* scale, const float* shift);
  Deinterleave (*apart)(DType to, DType from, std::size_t channels, Arithmetic arithmetic);
  /// What `interleave_lines` does, in the same way: `count` is a multiple of the items in a line.
  using Interleave = void (*)(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t count,
                              const float* scale, const float* shift);
  Interleave (*interleave)(DType to, DType from, std::size_t channels, Arithmetic arithmetic);
  /// What `transpose_along` does, to columns of `column_bytes` of results, of whole lines.
  struct Transpose {
    void (*run)(const Along& along) = nullptr;
    std::size_t column_bytes = 0;
  };
  Transpose (*transpose)(DType to, DType from);
};

/// Leaves for items of up to 16 bytes of any length: pixels of three bytes.
struct ShortItemKernels {
  /// out[(i * times + t) * bytes] = in[i * pitch] for t < times, 1 <= bytes <= 16.
  void (*repeat)(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t bytes,
                 std::size_t times, std::size_t count);
  /// What `repeat` does with items side by side, past the cache and to `copies` places `dst_pitch` apart, all
  /// lines' starts. As many whole lines as it can: how many bytes of a copy these were, 0 for most items.
  std::size_t (*repeat_lines)(std::byte* dst, std::ptrdiff_t dst_pitch, std::size_t copies,
                              const std::byte* in, std::size_t bytes, std::size_t times, std::size_t count);
};

/// A tile of rows and columns that lie anywhere, each so many bytes from the first: the items of a row are
/// neighbours in the source, those of a column in the destination.
struct IndexedTile {
  const std::ptrdiff_t* rows = nullptr;
  std::size_t row_count = 0;
  const std::ptrdiff_t* columns = nullptr;
  std::size_t column_count = 0;
};

/// Kernels for what lies in a cache: listed tiles and short rows.
struct IndexedKernels {
  /// dst[columns[c] + r * item] = src[rows[r] + c * item]. Rows and columns have 8 bytes at least, and any
  /// part may be written more than once.
  using Transpose = void (*)(std::byte* dst, const std::byte* src, const IndexedTile& tile);
  std::array<Transpose, 5> transpose;
  /// The same with rows and columns that lie a pitch apart:
  /// dst[c * dst_pitch + r * item] = src[r * src_pitch + c * item].
  using TransposePitched = void (*)(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                                    std::ptrdiff_t src_pitch, std::size_t rows, std::size_t columns);
  std::array<TransposePitched, 5> transpose_pitched;
  /// The same for items of 3, 5, 6 or 7 bytes. Rows of the source have 16 bytes at least, and there are two
  /// of them at least, four for items of 3.
  using TransposeShort = void (*)(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                                  std::ptrdiff_t src_pitch, std::size_t rows, std::size_t columns,
                                  std::size_t item);
  TransposeShort transpose_short;
  /// What `copy_rows` does, faster for what lies in a cache: rows of 32 to 64 bytes, and rows of a multiple
  /// of 64.
  using Rows = void (*)(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                        std::ptrdiff_t src_pitch, std::size_t rows, std::size_t bytes);
  Rows overlapping_rows;
  Rows line_rows;
};

/// Rows past the cache, each at a place of its own, wherever these begin and end. The line in which a row
/// ends and its neighbour in the destination begins is carried from the call that has the one to the call
/// that has the other, and written whole.
struct PartialRows {
  /// From the carried line of one row to that of the next, in bytes.
  static constexpr std::size_t pitch = 128;
  std::byte* dst = nullptr;
  std::ptrdiff_t dst_pitch = 0;
  const std::byte* src = nullptr;
  std::ptrdiff_t src_pitch = 0;
  std::size_t rows = 0;
  std::size_t bytes = 0;  // of a row, a line's at least
  /// A line's start; what lies 64 bytes before each carried line and behind it may be written to. nullptr
  /// where no row has a neighbour, or all are whole lines.
  std::byte* lines = nullptr;
  /// Whether no row has a neighbour before it (behind it): then nothing but the row is written there.
  bool is_first = true;
  bool is_last = true;
};

struct Kernels {
  const char* name;
  /// out[c * out_pitch + r * item] = in[r][c * item] for r < rows, c < cols. A row of `out` may
  /// spill over its end by less than 64 bytes, which the next rows, written later, repair; so out_pitch may
  /// be rows * item. Meanwhile what is pending goes out, some or all of it.
  using Transpose = void (*)(std::byte* out, std::size_t out_pitch, const Rows& in, std::size_t rows,
                             std::size_t cols, StoreQueue& queue);
  std::array<Transpose, 5> transpose;
  /// Writes whole lines of columns of `column_bytes`.
  using TransposeAlong = void (*)(const Along& along);
  std::array<TransposeAlong, 5> transpose_along;
  /// out[i] = in[i * stride], the stride in bytes.
  using Gather = void (*)(std::byte* out, const std::byte* in, std::ptrdiff_t stride, std::size_t count);
  std::array<Gather, 5> gather;
  /// As many whole lines of `gather` as can be written past the cache by whole vectors, from a line's start
  /// on. How many lines these were: 0 for most strides.
  using GatherLines = std::size_t (*)(std::byte* dst, const std::byte* src, std::ptrdiff_t stride,
                                      std::size_t count, MemoryStreams streams);
  std::array<GatherLines, 5> gather_lines;
  /// out[c * pitch + i * item] = in[(i * channels + c) * item], for 2 channels and more; 16 at a time, as far
  /// as these are followed by the processor, and what is read again of a pixel should be in a cache by then:
  /// as many bytes from `next` on, where it is not null, are asked for meanwhile.
  using Deinterleave = void (*)(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                                std::size_t count, const std::byte* next);
  std::array<Deinterleave, 5> deinterleave;
  /// out[(i * channels + c) * item] = in[c * pitch + i * item], for 2 to 16 channels.
  using Interleave = void (*)(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t channels,
                              std::size_t count);
  std::array<Interleave, 5> interleave;
  /// Writes all that is pending.
  void (*stream)(StoreQueue& queue);
  /// `bytes` (a multiple of 64) past the cache, a page after the other or four in turn; `dst` is a line's
  /// start.
  void (*stream_run)(std::byte* dst, const std::byte* src, std::size_t bytes, MemoryStreams streams);
  /// Rows by ordinary stores.
  using CopyRows = void (*)(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                            std::ptrdiff_t src_pitch, std::size_t rows, std::size_t bytes);
  CopyRows copy_rows;
  /// Rows of `count` items that are all the row's one item of the source, by ordinary stores.
  using FillRows = void (*)(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                            std::ptrdiff_t src_pitch, std::size_t rows, std::size_t count);
  std::array<FillRows, 5> fill_rows;
  /// Makes streamed lines visible to other threads.
  void (*fence)();
  /// A faster loop for the pair, or nullptr.
  ConvertRow (*convert)(DType to, DType from);
  /// A loop for the pair with scale and shift, or nullptr: never for float32 to float32.
  ScaleRow (*scale)(DType to, DType from, Numbers numbers);
  /// One line again and again, past the cache: `bytes` (a multiple of 64) from a line's start on.
  void (*stream_line)(std::byte* dst, const std::byte* line, std::size_t bytes);
  /// dst[i * stride] = item, the stride in bytes; nothing in between is written.
  using FillStrided = void (*)(std::byte* dst, std::ptrdiff_t stride, const std::byte* item,
                               std::size_t count);
  std::array<FillStrided, 5> fill_strided;
  /// What `deinterleave` does, past the cache: whole lines of each channel. `out` is a line's start, `pitch`
  /// and `count` items are multiples of a line.
  using DeinterleaveLines = void (*)(std::byte* out, std::size_t pitch, const std::byte* in,
                                     std::size_t channels, std::size_t count);
  std::array<DeinterleaveLines, 5> deinterleave_lines;
  /// What `interleave` does, past the cache. `out` is a line's start, `count` items are a multiple of a line.
  using InterleaveLines = void (*)(std::byte* out, const std::byte* in, std::ptrdiff_t pitch,
                                   std::size_t channels, std::size_t count, MemoryStreams streams);
  std::array<InterleaveLines, 5> interleave_lines;
  /// Leaves that convert on the way.
  const ConvertingKernels* converting;
  const ShortItemKernels* short_items;
  const IndexedKernels* indexed;
  /// The whole lines of up to `max_alternating` rows past the cache, wherever these begin, a piece of each in
  /// turn; of the source so many rows further on is asked for. What is before and behind the lines of a row
  /// is left.
  static constexpr std::size_t max_alternating = 4;
  CopyRows stream_alternating;
  void (*stream_partial_rows)(const PartialRows& rows);
};

/// The table of plain C++, which every machine runs and all others are tested against.
const Kernels& portable_kernels();

/// The tables this processor can run, the best first, the portable one last.
std::span<const Kernels* const> available_kernels();

/// The table of the engine: that of `Machine::here().instructions`.
const Kernels& kernels();

/// The plain loop over `convert_element` for a pair.
ConvertRow portable_convert(DType to, DType from);

}  // namespace tenstride::copy
