// SPDX-License-Identifier: Apache-2.0
// Turning long rows straight to memory, included once for each instruction set.
#if defined(TENSTRIDE_COPY_TURN_ALONG_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_TURN_ALONG_SIMD_INL
#undef TENSTRIDE_COPY_TURN_ALONG_SIMD_INL
#else
#define TENSTRIDE_COPY_TURN_ALONG_SIMD_INL
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

/// Turned columns on their way past the cache, and the lines that are asked for meanwhile, one with each line
/// written. Where columns are kept, each is shifted down to a line's start on both sides: its first line is
/// put together from what was kept and its own beginning on the way into a register, which takes no store
/// (moved to stand in front of the column it took a fifth of the time), and its end is kept in turn. All of
/// line i follows from i alone: what a loop counts on in memory would stand in the store buffer behind the
/// lines, and with that full nothing is turned (.54 of a plain copy for bytes, in place of .83).
template <std::size_t bytes, std::size_t turns, bool keeps>
struct Outgoing {
  std::byte* dst = nullptr;
  std::ptrdiff_t dst_pitch = 0;
  const std::byte* src = nullptr;
  std::byte* kept = nullptr;
  const std::byte* const* rows = nullptr;
  std::size_t at = 0;

  HWY_INLINE void write(std::size_t i) const {
    const hn::CappedTag<std::uint8_t, 64> d;
    constexpr std::size_t step = hn::MaxLanes(d);
    constexpr std::size_t lines = bytes / 64;
    // Its last byte: where rows begin anywhere in a line, its first lies in the line before.
    __builtin_prefetch(rows[i % turns] + at + i / turns * 64 + 63, 0, 2);
    const std::size_t column = i / lines;
    std::byte* to = dst + static_cast<std::ptrdiff_t>(column) * dst_pitch;
    const std::size_t line = i % lines * 64;
    const auto* from = reinterpret_cast<const std::uint8_t*>(src + column * bytes + line);
    if constexpr (keeps) {
      const std::size_t shift = reinterpret_cast<std::uintptr_t>(to) % 64;
      auto* const keep = reinterpret_cast<std::uint8_t*>(kept + column * 64);
      to += line - shift;
      for (std::size_t part = 0; part < 64; part += step) {
        auto v = hn::LoadU(d, from + part - shift);
        if (lines == 1 || line == 0) {
          const auto first = hn::FirstN(d, shift > part ? shift - part : 0);
          v = hn::IfThenElse(first, hn::LoadU(d, keep + 64 + part - shift), v);
        }
        hn::Stream(v, d, reinterpret_cast<std::uint8_t*>(to) + part);
      }
      if (line == bytes - 64) {
        for (std::size_t part = 0; part < 64; part += step)
          hn::StoreU(hn::Load(d, from + part), d, keep + part);
      }
    } else {
      to += line;
      for (std::size_t part = 0; part < 64; part += step)
        hn::Stream(hn::Load(d, from + part), d, reinterpret_cast<std::uint8_t*>(to) + part);
    }
  }
};

/// While a line of each row is turned into one buffer, the columns in the other are written, and the same
/// part of the next page is asked for as this line is of its own.
template <std::size_t item, std::size_t bytes, bool keeps>
void turn_pages(const Along& along) {
  constexpr std::size_t line = 64;
  constexpr std::size_t columns = line / item;
  constexpr std::size_t group = widest / item;
  constexpr std::size_t count = bytes / item;  // as many lines as a line of each row makes
  constexpr std::size_t turns = std::min(count, Along::rows_in_turn);
  constexpr std::size_t page_lines = Along::page_lines;
  constexpr std::size_t calls = count / group * (line / widest) * calls_in_square<item, widest>;
  constexpr std::size_t pace = (count + calls - 1) / calls;
  static_assert(page_lines % (count / turns) == 0);
  // A shifted column is read from before its beginning on.
  alignas(line) std::byte buffers[line + 2 * columns * bytes];
  const std::byte* rows[count];
  const std::byte* next[count];
  for (std::size_t r = 0; r < count; ++r) {
    rows[r] = along.rows[r];
    next[r] = along.next[r];
  }
  Outgoing<bytes, turns, keeps> outgoing;
  outgoing.dst_pitch = along.dst_pitch;
  std::size_t written = count;  // nothing is on its way yet
  for (std::size_t l = 0; l < along.lines; ++l) {
    const std::size_t page = l / page_lines * page_lines;
    const bool is_last = page + page_lines >= along.lines;
    const std::size_t asked = (l - page) * (count / turns);
    outgoing.rows = (is_last ? next : rows) + asked / page_lines * turns;
    outgoing.at = ((is_last ? 0 : page + page_lines) + asked % page_lines) * line;
    std::byte* const buffer = buffers + line + l % 2 * columns * bytes;
    const auto between = [&]() HWY_ATTR {
      for (const std::size_t end = std::min(written + pace, count); written < end; ++written)
        outgoing.write(written);
    };
    for (std::size_t r = 0; r < count; r += group) {
      for (std::size_t part = 0; part < line; part += widest) {
        turn_square<item, widest>(buffer + part / item * bytes + r * item, bytes, rows + r, l * line + part,
                                  between);
      }
    }
    for (; written < count; ++written) outgoing.write(written);
    outgoing.dst = along.dst + static_cast<std::ptrdiff_t>(l * columns) * along.dst_pitch;
    outgoing.src = buffer;
    if constexpr (keeps) outgoing.kept = along.kept + l * columns * line;
    written = 0;
  }
  for (; written < count; ++written) outgoing.write(written);
}

template <std::size_t item, std::size_t bytes>
void turn_along(const Along& along) {
  if (along.kept == nullptr) {
    turn_pages<item, bytes, false>(along);
  } else {
    turn_pages<item, bytes, true>(along);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
