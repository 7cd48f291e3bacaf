// SPDX-License-Identifier: Apache-2.0
// Turned columns on their way past the cache, included once for each instruction set.
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

/// The lines that are asked for while the columns of a block are written, one with each line: some rows in
/// turn, line by line, one row after another (`Along::prefetches_by_rows`), or a line of each row, near at
/// hand
/// (`Along::prefetches_near`) or of those that come next.
/// All of ask(i) follows from i alone: what a loop counts on in memory would stand in the store buffer behind
/// the lines, and with that full nothing is turned (.54 of a plain copy for bytes, in place of .83).
template <std::size_t count>
struct Asked {
  static constexpr std::size_t turns = std::min(count, Along::alternating_rows);

  const std::byte* const* rows = nullptr;
  std::size_t at = 0;
  /// The rows in turn, less one: of `turns`, or of all.
  std::size_t last_alternating = turns - 1;
  bool is_near = false;
  bool is_by_rows = false;

  HWY_INLINE void ask(std::size_t i) const {
    if (is_by_rows) {
      __builtin_prefetch(rows[i / Along::page_lines] + at + i % Along::page_lines * 64, 0, 3);
    } else if (count <= Along::max_followed && is_near) {
      __builtin_prefetch(rows[i] + at, 0, 3);
    } else {
      __builtin_prefetch(rows[i & last_alternating] + at + (i & ~last_alternating) * (64 / turns), 0, 2);
    }
  }
};

#if HWY_TARGET == HWY_AVX3
alignas(64) inline constexpr std::array<std::uint32_t, 32> counted{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                                   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                                   22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
#endif

/// The columns of a block, turned, on their way out. Where columns are kept, each is shifted down to a line's
/// start on both sides: its first line is put together from what was kept and its own beginning on the way
/// into a register, which takes no store (moved to stand in front of the column it took a fifth of the time),
/// and its end is kept in turn.
template <std::size_t item, bool keeps>
class Outgoing {
 public:
  static constexpr std::size_t bytes = Along::column_bytes;

  Outgoing() = default;

  /// The block whose first column is `first`.
  Outgoing(const Along& along, std::size_t first, const std::byte* transposed)
      : dst_(along.places == nullptr ? along.dst + static_cast<std::ptrdiff_t>(first) * along.dst_pitch
                                     : along.dst),
        dst_pitch_(along.dst_pitch),
        places_(along.places == nullptr ? nullptr : along.places + first),
        src_(reinterpret_cast<const std::uint8_t*>(transposed)),
        left_(along.count * item),
        begins_(along.begins),
        ends_(along.ends) {
    if constexpr (keeps) kept_ = reinterpret_cast<std::uint8_t*>(along.kept) + first * 64;
  }

  /// Writes a column, and asks for as many lines.
  HWY_INLINE void write(std::size_t column, const Asked<bytes / item>& asked) const {
    std::byte* const start = start_of(column);
    const std::uint8_t* const from = src_ + column * bytes;
    if constexpr (keeps) {
      const std::size_t shift = reinterpret_cast<std::uintptr_t>(start) % 64;
      auto* const to = reinterpret_cast<std::uint8_t*>(start - shift);
      write_shifted(to, from, shift, kept_ + column * 64, asked, column * lines);
    } else {
#pragma GCC unroll 2
      for (std::size_t line = 0; line < lines; ++line) {
        asked.ask(column * lines + line);
        for (std::size_t at = line * 64; at < (line + 1) * 64; at += step)
          hn::Stream(hn::Load(d, from + at), d, reinterpret_cast<std::uint8_t*>(start) + at);
      }
    }
  }

  /// Writes the columns from `column` on, which begin or end: of the first and the last line only what is
  /// theirs.
  HWY_NOINLINE void write_edges(std::size_t column, const Asked<bytes / item>& asked) const {
    for (; column < 64 / item; ++column) {
      for (std::size_t line = 0; line < lines; ++line) asked.ask(column * lines + line);
      std::byte* const start = start_of(column);
      const std::uint8_t* const from = src_ + column * bytes;
      const std::size_t shift = keeps ? reinterpret_cast<std::uintptr_t>(start) % 64 : 0;
      std::uint8_t* const keep = keeps ? kept_ + column * 64 : nullptr;
      const std::size_t end = ends_ ? left_ + shift : bytes;
      for (std::size_t at = 0; at < end; at += 64)
        write_part(reinterpret_cast<std::uint8_t*>(start - shift), from, shift, keep, at, end);
      if constexpr (keeps) keep_line(keep, from + bytes - 64);
    }
  }

 private:
  static constexpr std::size_t lines = bytes / 64;
  static constexpr hn::CappedTag<std::uint8_t, 64> d{};
  static constexpr std::size_t step = hn::MaxLanes(d);

  [[nodiscard]] HWY_INLINE std::byte* start_of(std::size_t column) const {
    return dst_ + (places_ == nullptr ? static_cast<std::ptrdiff_t>(column) * dst_pitch_ : places_[column]);
  }

  static HWY_INLINE void write_shifted(std::uint8_t* to, const std::uint8_t* from, std::size_t shift,
                                       std::uint8_t* keep, const Asked<bytes / item>& asked, std::size_t i) {
#if HWY_TARGET == HWY_AVX3
    if constexpr (item >= 4) {
      // Loaded as it was stored: from two vectors that are still on their way to the cache nothing is loaded.
      const __m512i place = _mm512_loadu_si512(counted.data() + (64 - shift) / 4);
      __m512i before = _mm512_loadu_si512(keep);
#pragma GCC unroll 2
      for (std::size_t line = 0; line < lines; ++line) {
        asked.ask(i + line);
        const __m512i v = _mm512_load_si512(from + line * 64);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + line * 64),
                            _mm512_permutex2var_epi32(before, place, v));
        before = v;
      }
      _mm512_storeu_si512(keep, before);
      return;
    }
#endif
#pragma GCC unroll 2
    for (std::size_t line = 0; line < lines; ++line) {
      asked.ask(i + line);
      for (std::size_t at = line * 64; at < (line + 1) * 64; at += step)
        hn::Stream(shifted(from, shift, keep, at), d, to + at);
    }
    keep_line(keep, from + bytes - 64);
  }

  /// Bytes of a shifted column, the end of what was kept in front.
  static HWY_INLINE auto shifted(const std::uint8_t* from, std::size_t shift, const std::uint8_t* keep,
                                 std::size_t at) {
    auto v = hn::LoadU(d, from + at - shift);
    if (keeps && at < 64) {
      const auto first = hn::FirstN(d, shift > at ? shift - at : 0);
      v = hn::IfThenElse(first, hn::LoadU(d, keep + 64 + at - shift), v);
    }
    return v;
  }

  static HWY_INLINE void keep_line(std::uint8_t* keep, const std::uint8_t* from) {
    for (std::size_t part = 0; part < 64; part += step) hn::StoreU(hn::Load(d, from + part), d, keep + part);
  }

  /// What a column has of the line from `at` on, up to `end`.
  HWY_INLINE void write_part(std::uint8_t* to, const std::uint8_t* from, std::size_t shift,
                             const std::uint8_t* keep, std::size_t at, std::size_t end) const {
    const std::size_t first = at == 0 && begins_ ? shift : 0;
    const std::size_t last = std::min<std::size_t>(end - at, 64);
    alignas(64) std::uint8_t whole[64];
    for (std::size_t part = 0; part < 64; part += step) {
      const auto v = shifted(from, shift, keep, at + part);
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
  std::ptrdiff_t dst_pitch_ = 0;
  const std::ptrdiff_t* places_ = nullptr;
  const std::uint8_t* src_ = nullptr;
  std::uint8_t* kept_ = nullptr;
  /// What the rows there are have of a column.
  std::size_t left_ = 0;
  bool begins_ = false;
  bool ends_ = false;
};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
