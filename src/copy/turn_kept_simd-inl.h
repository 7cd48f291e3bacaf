// SPDX-License-Identifier: Apache-2.0
// Turning long rows to columns that begin anywhere in a line, straight from the registers. Included once for
// each instruction set.
#if defined(TENSTRIDE_COPY_TURN_KEPT_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_TURN_KEPT_SIMD_INL
#undef TENSTRIDE_COPY_TURN_KEPT_SIMD_INL
#else
#define TENSTRIDE_COPY_TURN_KEPT_SIMD_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "copy/kernels.hpp"
#include "copy/turn_lines_simd-inl.h"
#include "copy/turn_out_simd-inl.h"
#include "copy/turn_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

/// Strips of two lines that keep their ends, of items of 4 and 8 bytes, where a column neither begins nor
/// ends. Of each column the first line passes the L1 cache, the second stays in a register, which is then
/// kept. The next line of each row is asked for into the L1 cache, one further on into the L2 cache: lines of
/// rows that share sets of the L1 cache are gone before pages of all of them are turned. Of a plain copy 4097
/// x 4099 float32 .79 (.74 by pages), float64 .95 (.92; by 12 lines ahead .87), 2503 x 2521 float64 .91
/// (.87).
template <std::size_t item>
class KeptTurner {
 public:
  /// Whether it is for these.
  static bool takes(const Along& along) {
    return along.kept != nullptr && !along.begins && !along.ends && along.places == nullptr &&
           along.rows.list == nullptr && along.next.list == nullptr && along.count == 2 * columns;
  }

  static void turn(const Along& along) {
    const std::ptrdiff_t pitch = along.rows.pitch;
    const std::byte* const first = along.rows[0];
    const std::byte* const next = along.next[0];
    const std::size_t lines = along.lines;
    // The last byte of a line: where rows begin anywhere in one, its first lies in the line before.
    const auto place = [=](std::size_t l) HWY_ATTR {
      return (l < lines ? first + l * line : next + (l - lines) * line) + line - 1;
    };
    for (std::size_t l = 0; l < lines; ++l) {
      Steps rows(first + l * line, pitch);
      Steps near(place(l + 1), pitch);
      Steps far(place(l + lines_ahead), pitch);
      write(
          along, l * columns, rows, 0, [&]() HWY_ATTR __attribute__((always_inline)) {
            __builtin_prefetch(near.next(), 0, 3);
            __builtin_prefetch(far.next(), 0, 2);
          });
    }
    if (along.columns > 0) write_rest(along);
  }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t columns = line / item;
  static constexpr std::size_t lines_ahead = 4;

  /// Fewer columns than a line has: its last ones, of which the first are written.
  static HWY_NOINLINE void write_rest(const Along& along) {
    const std::size_t at = (along.lines - 1) * columns + along.columns;
    Steps rows(along.rows[0] + at * item, along.rows.pitch);
    write(along, at, rows, columns - along.columns, []() {});
  }

  /// Turns a line of each row to the columns from `at` on, and writes those but the first `written`.
  template <class Ask>
  static HWY_INLINE void write(const Along& along, std::size_t at, Steps& rows, std::size_t written,
                               const Ask& ask) {
    using T = Item<item>;
    const hn::FixedTag<T, line / sizeof(T)> d;
    hn::Vec<decltype(d)> v[columns];
    alignas(line) std::byte first[columns * line];
    turn_line<item>(d, v, rows);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < columns; ++c) hn::Store(v[c], d, reinterpret_cast<T*>(first + c * line));
    turn_line<item>(d, v, rows);
    Steps starts(along.column(at), along.dst_pitch);
    Steps keeps(along.kept + at * line, line);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < columns; ++c) {
      const std::byte* const start = starts.next();
      auto* const keep = const_cast<std::byte*>(keeps.next());
      if (c < written) continue;
      const std::size_t shift = reinterpret_cast<std::uintptr_t>(start) % line;
      auto* const to = reinterpret_cast<__m512i*>(const_cast<std::byte*>(start - shift));
      const __m512i places = _mm512_loadu_si512(counted.data() + (line - shift) / 4);
      const __m512i before = _mm512_loadu_si512(keep);
      const __m512i here = _mm512_load_si512(first + c * line);
      ask();
      _mm512_stream_si512(to, _mm512_permutex2var_epi32(before, places, here));
      ask();
      _mm512_stream_si512(to + 1, _mm512_permutex2var_epi32(here, places, v[c].raw));
      _mm512_storeu_si512(keep, v[c].raw);
    }
  }
};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
