// SPDX-License-Identifier: Apache-2.0
// Turning short rows to columns of one line, included once for each instruction set.
#if defined(TENSTRIDE_COPY_TURN_LINES_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_TURN_LINES_SIMD_INL
#undef TENSTRIDE_COPY_TURN_LINES_SIMD_INL
#else
#define TENSTRIDE_COPY_TURN_LINES_SIMD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "copy/kernels.hpp"
#include "copy/turn_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Addresses one after another, in a register. The compiler would compute all of them first, and store them:
/// what is stored waits behind the lines on their way past the cache (.81 of a plain copy in place of .86).
class Steps {
 public:
  HWY_INLINE Steps(const std::byte* first, std::ptrdiff_t step) : at_(first), step_(step) {}

  HWY_INLINE const std::byte* next() {
    const std::byte* const here = at_;
    at_ += step_;
#if defined(__GNUC__)
    asm("" : "+r"(at_));
#endif
    return here;
  }

 private:
  const std::byte* at_;
  std::ptrdiff_t step_;
};

/// Turns a line of each of the next 64 / item rows in registers.
template <std::size_t item, class D, class V>
HWY_INLINE void turn_line(D d, V* v, Steps& rows) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
#pragma GCC unroll 4
  for (std::size_t b = 0; b < 4; ++b) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < group; ++k)
      v[b * group + k] = hn::LoadU(d, reinterpret_cast<const T*>(rows.next()));
    interleave_blocks<group>(d, v + b * group);
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) turn_blocks(d, v + c, group);
}

/// Turns a line of each of the next `lines` (1 or 2) times 64 / item rows, and writes each column, `lines`
/// lines, past the cache. `ask` is called beside the store of each line.
template <std::size_t item, std::size_t lines, class Ask>
HWY_INLINE void write_turned(std::byte* dst, std::ptrdiff_t dst_pitch, Steps& rows, const Ask& ask) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  using T = Item<item>;
  Steps columns(dst, dst_pitch);
  const auto next_column = [&]() HWY_ATTR {
    return reinterpret_cast<T*>(const_cast<std::byte*>(columns.next()));
  };
  if constexpr (widest == line) {
    // Straight from the registers; of two lines the first from the L1 cache, so that they go out together.
    const hn::FixedTag<T, line / sizeof(T)> d;
    hn::Vec<decltype(d)> v[count];
    alignas(line) std::byte first[count * line];
    if constexpr (lines == 2) {
      turn_line<item>(d, v, rows);
#pragma GCC unroll 16
      for (std::size_t c = 0; c < count; ++c) hn::Store(v[c], d, reinterpret_cast<T*>(first + c * line));
    }
    turn_line<item>(d, v, rows);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < count; ++c) {
      T* const to = next_column();
      if constexpr (lines == 2) {
        hn::Stream(hn::Load(d, reinterpret_cast<const T*>(first + c * line)), d, to);
        ask();
      }
      hn::Stream(v[c], d, to + (lines - 1) * line / sizeof(T));
      ask();
    }
  } else {
    constexpr std::size_t group = widest / item;
    constexpr std::size_t bytes = lines * line;
    const hn::FixedTag<T, widest / sizeof(T)> d;
    alignas(line) std::byte turned[count * bytes];
    for (std::size_t r = 0; r < lines * count; r += group) {
      const std::byte* list[group];
      for (std::size_t k = 0; k < group; ++k) list[k] = rows.next();
      for (std::size_t part = 0; part < line; part += widest)
        turn_square<item, widest>(turned + part / item * bytes + r * item, bytes, list, part, []() {});
    }
    for (std::size_t c = 0; c < count; ++c) {
      T* const to = next_column();
      for (std::size_t part = 0; part < bytes; part += widest) {
        hn::Stream(hn::Load(d, reinterpret_cast<const T*>(turned + c * bytes + part)), d,
                   to + part / sizeof(T));
        if (part % line == line - widest) ask();
      }
    }
  }
}

/// Two lines ahead are asked for within the rows, which the processor's prefetcher brings as near as the L2
/// cache by then; of other rows that come next the beginnings, from which it goes on by itself. Both beside
/// the stores, one for each: all before them cost up to .2 of a plain copy.
template <std::size_t item>
void turn_single_lines(const Along& along) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  constexpr std::size_t ahead = 2;
  constexpr std::size_t spread = 8;
  const std::size_t beginning = std::min<std::size_t>(along.lines, 4);
  const std::byte* const first = along.rows[0];
  const bool goes_on = along.next[0] == first + along.lines * line;
  const std::size_t late = std::min(along.lines, spread);
  const std::size_t left = goes_on ? 0 : count * beginning;
  const std::size_t each = (left + late * count - 1) / (late * count);
  std::byte* dst = along.dst;
  std::size_t asked = 0;
  for (std::size_t l = 0; l < along.lines; ++l) {
    const bool asks_near = goes_on || l + ahead < along.lines;
    const std::size_t end = l + late < along.lines ? 0 : left;
    Steps rows(first + l * line, along.rows.pitch);
    Steps near(first + (l + ahead) * line, along.rows.pitch);
    write_turned<item, 1>(
        dst, along.dst_pitch, rows, [&]() HWY_ATTR __attribute__((always_inline)) {
          if (asks_near) __builtin_prefetch(near.next(), 0, 3);
          for (const std::size_t to = std::min(asked + each, end); asked < to; ++asked) {
            __builtin_prefetch(along.next[asked / beginning] + asked % beginning * line, 0, 2);
          }
        });
    dst += static_cast<std::ptrdiff_t>(count) * along.dst_pitch;
  }
}

/// Columns of some lines, of rows that are one stream: each line goes out as it is turned, and with it the
/// next one of that stream is asked for (Zen 5: 28x28x28x48x48 by (2,0,4,1,3) .84 of a plain copy, by the
/// rows' beginnings .73).
template <std::size_t item>
void turn_one_stream(const Along& along) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  const std::ptrdiff_t step = along.rows.pitch;
  const std::byte* at = along.rows[0];
  const std::byte* const end = at + along.lines * line;
  std::byte* dst = along.dst;
  Steps next(along.next[0], line);
  const auto ask = [&]() HWY_ATTR __attribute__((always_inline)) {
    __builtin_prefetch(next.next(), 0, 3);
  };
  for (; at != end; at += line, dst += static_cast<std::ptrdiff_t>(count) * along.dst_pitch) {
    Steps rows(at, step);
    for (std::size_t g = 0; g < along.groups; ++g)
      write_turned<item, 1>(dst + g * line, along.dst_pitch, rows, ask);
  }
}

/// Whether so many rows share sets of the L1 cache (a page each way) with more others than it has ways for:
/// 32 rows a multiple of 4 KiB apart.
inline bool share_sets(std::size_t rows, std::ptrdiff_t pitch) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t most = 8;
  const auto bytes = static_cast<std::size_t>(pitch);
  return rows * std::min(bytes & (~bytes + 1), page) > most * page;
}

/// Columns of several lines, two of them written together. With each store a line is asked for into the L2
/// cache, of the same rows where they go on, otherwise the same line of the rows that come next (355x384x384
/// .68 by beginnings of rows, .84 by all of them); and one of the same rows into the L1 cache, where it has
/// room (28x352x28x4x48 reversed but the first .87, so 1.01; 48 rows that share its sets .85, so .60).
template <std::size_t item>
void turn_several_lines(const Along& along) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  constexpr std::ptrdiff_t ahead = 2 * line;
  const std::ptrdiff_t step = along.rows.pitch;
  const bool shares_sets = share_sets(along.groups * count, step);
  const std::byte* at = along.rows[0];
  const std::byte* const end = at + along.lines * line;
  const bool goes_on = along.next[0] == end;
  const std::byte* next = !goes_on ? along.next[0] : shares_sets ? at + ahead : at + 2 * ahead;
  const std::ptrdiff_t next_step = goes_on ? step : along.next.pitch;
  std::byte* dst = along.dst;
  for (; at != end; at += line, next += line, dst += static_cast<std::ptrdiff_t>(count) * along.dst_pitch) {
    const bool asks_near = !shares_sets && (goes_on || end - at > ahead);
    Steps rows(at, step);
    Steps near(at + ahead, step);
    Steps far(next, next_step);
    const auto ask = [&]() HWY_ATTR __attribute__((always_inline)) {
      __builtin_prefetch(far.next(), 0, 2);
      if (asks_near) __builtin_prefetch(near.next(), 0, 3);
    };
    std::byte* to = dst;
    std::size_t left = along.groups;
    for (; left >= 2; left -= 2, to += 2 * line) write_turned<item, 2>(to, along.dst_pitch, rows, ask);
    if (left == 1) write_turned<item, 1>(to, along.dst_pitch, rows, ask);
  }
}

template <std::size_t item>
void turn_lines(const Along& along) {
  if (along.asks_by_rows && along.next.pitch == static_cast<std::ptrdiff_t>(along.lines * 64)) {
    turn_one_stream<item>(along);
  } else if (along.groups == 1) {
    turn_single_lines<item>(along);
  } else {
    turn_several_lines<item>(along);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
