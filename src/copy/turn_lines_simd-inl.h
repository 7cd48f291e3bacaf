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

/// Turns a line of each of 64 / item rows, `at` bytes on, in registers.
template <std::size_t item, class D, class V>
HWY_INLINE void turn_line(D d, V* v, const std::byte* const* rows, std::size_t at) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
#pragma GCC unroll 4
  for (std::size_t b = 0; b < 4; ++b) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < group; ++k) {
      v[b * group + k] = hn::LoadU(d, reinterpret_cast<const T*>(rows[b * group + k] + at));
    }
    weave<group>(d, v + b * group);
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) turn_blocks(d, v + c, group);
}

/// Turns a line of each of `lines` (1 or 2) times 64 / item rows, and writes each column, `lines` lines, past
/// the cache. `ask` is called with each number of a line, beside its store.
template <std::size_t item, std::size_t lines, typename Ask>
HWY_INLINE void write_turned(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* const* rows,
                             std::size_t at, const Ask& ask) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  using T = Item<item>;
  if constexpr (widest == line) {
    // Straight from the registers; of two lines the first from the L1 cache, so that they go out together.
    const hn::FixedTag<T, line / sizeof(T)> d;
    hn::Vec<decltype(d)> v[count];
    alignas(line) std::byte first[count * line];
    if constexpr (lines == 2) {
      turn_line<item>(d, v, rows, at);
#pragma GCC unroll 16
      for (std::size_t c = 0; c < count; ++c) hn::Store(v[c], d, reinterpret_cast<T*>(first + c * line));
    }
    turn_line<item>(d, v, rows + (lines - 1) * count, at);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < count; ++c, dst += dst_pitch) {
      if constexpr (lines == 2) {
        hn::Stream(hn::Load(d, reinterpret_cast<const T*>(first + c * line)), d, reinterpret_cast<T*>(dst));
        ask(2 * c);
      }
      hn::Stream(v[c], d, reinterpret_cast<T*>(dst + (lines - 1) * line));
      ask(lines * c + lines - 1);
    }
  } else {
    constexpr std::size_t group = widest / item;
    constexpr std::size_t bytes = lines * line;
    const hn::FixedTag<T, widest / sizeof(T)> d;
    alignas(line) std::byte turned[count * bytes];
    for (std::size_t r = 0; r < lines * count; r += group) {
      for (std::size_t part = 0; part < line; part += widest) {
        turn_square<item, widest>(turned + part / item * bytes + r * item, bytes, rows + r, at + part,
                                  []() {});
      }
    }
    for (std::size_t c = 0; c < count; ++c, dst += dst_pitch) {
      for (std::size_t part = 0; part < bytes; part += widest) {
        hn::Stream(hn::Load(d, reinterpret_cast<const T*>(turned + c * bytes + part)), d,
                   reinterpret_cast<T*>(dst + part));
        if (part % line == line - widest) ask(c * lines + part / line);
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
  constexpr std::size_t near = 2;
  constexpr std::size_t spread = 8;
  const std::size_t beginning = std::min<std::size_t>(along.lines, 4);
  const std::byte* rows[count];
  for (std::size_t r = 0; r < count; ++r) rows[r] = along.rows[r];
  const bool goes_on = along.next[0] == rows[0] + along.lines * line;
  const std::size_t late = std::min(along.lines, spread);
  const std::size_t left = goes_on ? 0 : count * beginning;
  const std::size_t each = (left + late * count - 1) / (late * count);
  std::byte* dst = along.dst;
  std::size_t asked = 0;
  for (std::size_t l = 0; l < along.lines; ++l) {
    const bool asks_near = goes_on || l + near < along.lines;
    const std::size_t end = l + late < along.lines ? 0 : left;
    write_turned<item, 1>(dst, along.dst_pitch, rows, 0, [&](std::size_t c) HWY_ATTR {
      if (asks_near) __builtin_prefetch(rows[c] + near * line, 0, 3);
      for (const std::size_t to = std::min(asked + each, end); asked < to; ++asked) {
        __builtin_prefetch(along.next[asked / beginning] + asked % beginning * line, 0, 2);
      }
    });
    dst += static_cast<std::ptrdiff_t>(count) * along.dst_pitch;
    for (std::size_t r = 0; r < count; ++r) rows[r] += line;
  }
}

/// Columns of several lines, two of them written together. With each store a line is asked for into the L2
/// cache: two ahead where the rows go on (into the L1 cache 48 rows that share its sets have .60 of a plain
/// copy in place of .77), otherwise the same line of the rows that come next (355x384x384 .68 by beginnings
/// of rows, .81 by all of them). No loop counts in memory, and no address changes there: what is stored waits
/// behind the lines (.60-.75 in place of .75-.81).
template <std::size_t item>
void turn_several_lines(const Along& along) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  constexpr std::size_t ahead = 2 * line;
  const std::size_t groups = along.groups;
  const std::ptrdiff_t pitch = along.dst_pitch;
  const std::size_t end = along.lines * line;
  const std::byte* rows[Along::most_groups * count];
  const std::byte* next[Along::most_groups * count];
  for (std::size_t r = 0; r < groups * count; ++r) {
    rows[r] = along.rows[r];
    next[r] = along.next[r];
  }
  const bool goes_on = next[0] == rows[0] + end;
  std::byte* dst = along.dst;
  for (std::size_t at = 0; at < end; at += line) {
    const bool asks_near = !goes_on && at + ahead < end;
    const std::byte* const* group = rows;
    const std::byte* const* far = goes_on ? rows : next;
    const std::size_t far_at = goes_on ? at + ahead : at;
    const auto ask = [&](std::size_t i) HWY_ATTR __attribute__((always_inline)) {
      __builtin_prefetch(far[i] + far_at, 0, 2);
      if (asks_near) __builtin_prefetch(group[i] + at + ahead, 0, 3);
    };
    std::byte* to = dst;
    std::size_t left = groups;
    for (; left >= 2; left -= 2, to += 2 * line, group += 2 * count, far += 2 * count)
      write_turned<item, 2>(to, pitch, group, at, ask);
    if (left == 1) write_turned<item, 1>(to, pitch, group, at, ask);
    dst += static_cast<std::ptrdiff_t>(count) * pitch;
  }
}

template <std::size_t item>
void turn_lines(const Along& along) {
  if (along.groups == 1) {
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
