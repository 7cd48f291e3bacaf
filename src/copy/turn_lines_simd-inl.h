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

/// Turns a line of each of 64 / item rows, and writes each column, a line too, past the cache.
/// `ask` is called with each number of a column, beside its store.
template <std::size_t item, typename Ask>
HWY_INLINE void write_turned(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* const* rows,
                             const Ask& ask) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  using T = Item<item>;
  if constexpr (widest == line) {
    // Straight from the registers.
    constexpr std::size_t group = 16 / item;
    const hn::FixedTag<T, line / sizeof(T)> d;
    hn::Vec<decltype(d)> v[count];
#pragma GCC unroll 4
    for (std::size_t b = 0; b < count / group; ++b) {
#pragma GCC unroll 16
      for (std::size_t k = 0; k < group; ++k) {
        v[b * group + k] = hn::LoadU(d, reinterpret_cast<const T*>(rows[b * group + k]));
      }
      weave<group>(d, v + b * group);
    }
#pragma GCC unroll 16
    for (std::size_t c = 0; c < group; ++c) turn_blocks(d, v + c, group);
#pragma GCC unroll 16
    for (std::size_t b = 0; b < count / group; ++b) {
#pragma GCC unroll 16
      for (std::size_t c = 0; c < group; ++c, dst += dst_pitch) {
        hn::Stream(v[b * group + c], d, reinterpret_cast<T*>(dst));
        ask(b * group + c);
      }
    }
  } else {
    constexpr std::size_t group = widest / item;
    const hn::FixedTag<T, widest / sizeof(T)> d;
    alignas(line) std::byte turned[count * line];
    for (std::size_t r = 0; r < count; r += group) {
      for (std::size_t part = 0; part < line; part += widest) {
        turn_square<item, widest>(turned + part / item * line + r * item, line, rows + r, part, []() {});
      }
    }
    for (std::size_t c = 0; c < count; ++c, dst += dst_pitch) {
      for (std::size_t part = 0; part < line; part += widest) {
        hn::Stream(hn::Load(d, reinterpret_cast<const T*>(turned + c * line + part)), d,
                   reinterpret_cast<T*>(dst + part));
      }
      ask(c);
    }
  }
}

/// Two lines ahead are asked for within the rows, which the processor's prefetcher brings as near as the L2
/// cache by then; of other rows that come next the beginnings, from which it goes on by itself. Both beside
/// the stores, one for each: all before them cost up to .2 of a plain copy.
template <std::size_t item>
void turn_lines(const Along& along) {
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
    write_turned<item>(dst, along.dst_pitch, rows, [&](std::size_t c) HWY_ATTR {
      if (asks_near) __builtin_prefetch(rows[c] + near * line, 0, 3);
      for (const std::size_t to = std::min(asked + each, end); asked < to; ++asked) {
        __builtin_prefetch(along.next[asked / beginning] + asked % beginning * line, 0, 2);
      }
    });
    dst += static_cast<std::ptrdiff_t>(count) * along.dst_pitch;
    for (std::size_t r = 0; r < count; ++r) rows[r] += line;
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
