// SPDX-License-Identifier: Apache-2.0
// Writing transposed columns by streaming stores, included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_TRANSPOSE_STORES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_TRANSPOSE_STORES_INL
#undef TENSTRIDE_COPY_KERNELS_TRANSPOSE_STORES_INL
#else
#define TENSTRIDE_COPY_KERNELS_TRANSPOSE_STORES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// The source lines that are prefetched while a tile of `count` rows is written, one with each line written:
/// lines of `alternating_rows` rows alternately, of one row after another
/// (`TransposePanel::prefetches_sequentially`), or one line of each row, of this panel
/// (`TransposePanel::prefetches_into_l1`) or of the next one.
/// prefetch(i) computes its address from i alone. A counter in memory would wait in the store buffer behind
/// the lines, and while that is full the transposition stalls: .54 → .83 of a plain copy without one (uint8).
template <std::size_t count>
struct BlockPrefetch {
  static constexpr std::size_t alternating_rows = std::min(count, TransposePanel::alternating_rows);

  const std::byte* const* rows = nullptr;
  std::size_t at = 0;
  /// One less than the number of rows that alternate: `alternating_rows`, or all rows.
  std::size_t last_alternating = alternating_rows - 1;
  bool is_into_l1 = false;
  bool is_sequential = false;

  HWY_INLINE void prefetch(std::size_t i) const {
    if (is_sequential) {
      __builtin_prefetch(rows[i / TransposePanel::block_lines] + at + i % TransposePanel::block_lines * 64, 0,
                         3);
    } else if (count <= TransposePanel::max_followed_rows && is_into_l1) {
      __builtin_prefetch(rows[i] + at, 0, 3);
    } else {
      __builtin_prefetch(rows[i & last_alternating] + at + (i & ~last_alternating) * (64 / alternating_rows),
                         0, 2);
    }
  }
};

#if HWY_TARGET == HWY_AVX3
alignas(64) inline constexpr std::array<std::uint32_t, 32> lane_numbers{
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
#endif

/// Writes the columns of a transposed tile. With partial lines each column is written from the start of a
/// cache line on: its first line is merged in a register from the partial line and the column's first bytes,
/// and the column's last 64 bytes become the new partial line. Merged by a copy to the place before the
/// column, this took a fifth of the time.
template <std::size_t item, bool has_partial_lines>
class ColumnWriter {
 public:
  static constexpr std::size_t bytes = TransposePanel::column_bytes;

  ColumnWriter() = default;

  /// The tile whose first column is `first`.
  ColumnWriter(const TransposePanel& panel, std::size_t first, const std::byte* transposed)
      : dst_(panel.column_offsets == nullptr ? panel.dst + static_cast<Index>(first) * panel.dst_pitch
                                             : panel.dst),
        dst_pitch_(panel.dst_pitch),
        column_offsets_(panel.column_offsets == nullptr ? nullptr : panel.column_offsets + first),
        src_(reinterpret_cast<const std::uint8_t*>(transposed)),
        column_bytes_(panel.row_count * item),
        is_first_(panel.is_first),
        is_last_(panel.is_last) {
    if constexpr (has_partial_lines)
      partial_lines_ = reinterpret_cast<std::uint8_t*>(panel.partial_lines) + first * 64;
  }

  /// Writes a column, and prefetches as many lines.
  HWY_INLINE void write(std::size_t column, const BlockPrefetch<bytes / item>& prefetch) const {
    std::byte* const start = start_of(column);
    const std::uint8_t* const from = src_ + column * bytes;
    if constexpr (has_partial_lines) {
      const std::size_t shift = reinterpret_cast<std::uintptr_t>(start) % 64;
      auto* const to = reinterpret_cast<std::uint8_t*>(start - shift);
      write_shifted(to, from, shift, partial_lines_ + column * 64, prefetch, column * lines);
    } else {
#pragma GCC unroll 2
      for (std::size_t line = 0; line < lines; ++line) {
        prefetch.prefetch(column * lines + line);
        for (std::size_t at = line * 64; at < (line + 1) * 64; at += step)
          hn::Stream(hn::Load(d, from + at), d, reinterpret_cast<std::uint8_t*>(start) + at);
      }
    }
  }

  /// Writes the columns from `column` on in the first or the last panel. Bytes of their first and last cache
  /// line outside of the columns are preserved.
  HWY_NOINLINE void write_edges(std::size_t column, const BlockPrefetch<bytes / item>& prefetch) const {
    for (; column < 64 / item; ++column) {
      for (std::size_t line = 0; line < lines; ++line) prefetch.prefetch(column * lines + line);
      std::byte* const start = start_of(column);
      const std::uint8_t* const from = src_ + column * bytes;
      const std::size_t shift = has_partial_lines ? reinterpret_cast<std::uintptr_t>(start) % 64 : 0;
      std::uint8_t* const partial_line = has_partial_lines ? partial_lines_ + column * 64 : nullptr;
      const std::size_t end = is_last_ ? column_bytes_ + shift : bytes;
      for (std::size_t at = 0; at < end; at += 64)
        write_part(reinterpret_cast<std::uint8_t*>(start - shift), from, shift, partial_line, at, end);
      if constexpr (has_partial_lines) save_partial_line(partial_line, from + bytes - 64);
    }
  }

 private:
  static constexpr std::size_t lines = bytes / 64;
  static constexpr hn::CappedTag<std::uint8_t, 64> d{};
  static constexpr std::size_t step = hn::MaxLanes(d);

  [[nodiscard]] HWY_INLINE std::byte* start_of(std::size_t column) const {
    return dst_ +
           (column_offsets_ == nullptr ? static_cast<Index>(column) * dst_pitch_ : column_offsets_[column]);
  }

  static HWY_INLINE void write_shifted(std::uint8_t* to, const std::uint8_t* from, std::size_t shift,
                                       std::uint8_t* partial_line,
                                       const BlockPrefetch<bytes / item>& prefetch, std::size_t i) {
#if HWY_TARGET == HWY_AVX3
    if constexpr (item >= 4) {
      // Loads are aligned as the stores of the transposition were: a load that spans two stores which are
      // still in the store buffer would wait for both.
      const __m512i lanes = _mm512_loadu_si512(lane_numbers.data() + (64 - shift) / 4);
      __m512i before = _mm512_loadu_si512(partial_line);
#pragma GCC unroll 2
      for (std::size_t line = 0; line < lines; ++line) {
        prefetch.prefetch(i + line);
        const __m512i v = _mm512_load_si512(from + line * 64);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + line * 64),
                            _mm512_permutex2var_epi32(before, lanes, v));
        before = v;
      }
      _mm512_storeu_si512(partial_line, before);
      return;
    }
#endif
#pragma GCC unroll 2
    for (std::size_t line = 0; line < lines; ++line) {
      prefetch.prefetch(i + line);
      for (std::size_t at = line * 64; at < (line + 1) * 64; at += step)
        hn::Stream(shifted(from, shift, partial_line, at), d, to + at);
    }
    save_partial_line(partial_line, from + bytes - 64);
  }

  /// Returns a vector of the shifted column, whose first `shift` bytes come from the partial line.
  static HWY_INLINE auto shifted(const std::uint8_t* from, std::size_t shift,
                                 const std::uint8_t* partial_line, std::size_t at) {
    auto v = hn::LoadU(d, from + at - shift);
    if (has_partial_lines && at < 64) {
      const auto first = hn::FirstN(d, shift > at ? shift - at : 0);
      v = hn::IfThenElse(first, hn::LoadU(d, partial_line + 64 + at - shift), v);
    }
    return v;
  }

  static HWY_INLINE void save_partial_line(std::uint8_t* partial_line, const std::uint8_t* from) {
    for (std::size_t part = 0; part < 64; part += step)
      hn::StoreU(hn::Load(d, from + part), d, partial_line + part);
  }

  /// Writes the bytes of the column in the line from `at` on, up to `end`.
  HWY_INLINE void write_part(std::uint8_t* to, const std::uint8_t* from, std::size_t shift,
                             const std::uint8_t* partial_line, std::size_t at, std::size_t end) const {
    const std::size_t first = at == 0 && is_first_ ? shift : 0;
    const std::size_t last = std::min<std::size_t>(end - at, 64);
    alignas(64) std::uint8_t whole[64];
    for (std::size_t part = 0; part < 64; part += step) {
      const auto v = shifted(from, shift, partial_line, at + part);
      if (last - first == 64) {
        hn::Stream(v, d, to + at + part);
      } else {
        hn::Store(v, d, whole + part);
      }
    }
    if (last - first == 64) return;
#if HWY_TARGET == HWY_AVX3
    const __mmask64 mask = ~std::uint64_t{0} << first & ~std::uint64_t{0} >> (64 - last);
    _mm512_mask_storeu_epi8(to + at, mask, _mm512_load_si512(whole));
#else
    std::memcpy(to + at + first, whole + first, last - first);
#endif
  }

  std::byte* dst_ = nullptr;
  Index dst_pitch_ = 0;
  const Index* column_offsets_ = nullptr;
  const std::uint8_t* src_ = nullptr;
  std::uint8_t* partial_lines_ = nullptr;
  /// Bytes of a column of the rows that there are.
  std::size_t column_bytes_ = 0;
  bool is_first_ = false;
  bool is_last_ = false;
};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
