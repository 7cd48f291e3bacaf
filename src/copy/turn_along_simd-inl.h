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

/// Puts the line kept of each column in front of it, and keeps the column's last line. What was kept of the
/// columns after these.
HWY_INLINE std::byte* keep_ends(std::byte* column, std::size_t columns, std::byte* kept) {
  constexpr std::size_t bytes = Along::column_bytes;
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (; columns > 0; --columns, column += 64 + bytes, kept += 64) {
    for (std::size_t part = 0; part < 64; part += step) {
      auto* const keep = reinterpret_cast<std::uint8_t*>(kept + part);
      auto* const start = reinterpret_cast<std::uint8_t*>(column + part);
      hn::StoreU(hn::LoadU(d, keep), d, start);
      hn::StoreU(hn::LoadU(d, start + bytes), d, keep);
    }
  }
  return kept;
}

/// Turned columns on their way past the cache, each shifted down to a line's start on both sides, and the
/// lines that are asked for meanwhile, one with each line written. All of line i follows from i alone: what
/// a loop counts on in memory would stand in the store buffer behind the lines, and with that full nothing is
/// turned (.54 of a plain copy for bytes, in place of .83).
struct Outgoing {
  std::byte* dst = nullptr;
  std::ptrdiff_t dst_pitch = 0;
  const std::byte* src = nullptr;
  std::size_t src_pitch = 0;
  const std::byte* const* rows = nullptr;
  std::size_t at = 0;

  HWY_INLINE void write(std::size_t i) const {
    const hn::CappedTag<std::uint8_t, 64> d;
    constexpr std::size_t step = hn::MaxLanes(d);
    constexpr std::size_t lines = Along::column_bytes / 64;
    // Its last byte: where rows begin anywhere in a line, its first lies in the line before.
    __builtin_prefetch(rows[i % Along::rows_in_turn] + at + i / Along::rows_in_turn * 64 + 63, 0, 2);
    const std::size_t column = i / lines;
    std::byte* to = dst + static_cast<std::ptrdiff_t>(column) * dst_pitch;
    const std::size_t shift = reinterpret_cast<std::uintptr_t>(to) % 64;
    const std::size_t line = i % lines * 64;
    const std::byte* const from = src + column * src_pitch + line - shift;
    to += line - shift;
    for (std::size_t part = 0; part < 64; part += step) {
      hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from) + part), d,
                 reinterpret_cast<std::uint8_t*>(to) + part);
    }
  }
};

/// While a line of each row is turned into one buffer, the columns in the other are written, and the same
/// part of the next page is asked for as this line is of its own.
template <std::size_t item>
void turn_along(const Along& along) {
  constexpr std::size_t line = 64;
  constexpr std::size_t columns = line / item;
  constexpr std::size_t group = widest / item;
  constexpr std::size_t bytes = Along::column_bytes;
  constexpr std::size_t count = bytes / item;  // as many lines as a line of each row makes
  constexpr std::size_t page_lines = Along::page_lines;
  constexpr std::size_t calls = count / group * (line / widest) * calls_in_square<item, widest>;
  constexpr std::size_t pace = (count + calls - 1) / calls;
  static_assert(page_lines % (count / Along::rows_in_turn) == 0);
  alignas(line) std::byte buffers[2][columns * (bytes + line)];
  const std::byte* rows[count];
  const std::byte* next[count];
  for (std::size_t r = 0; r < count; ++r) {
    rows[r] = along.rows[r];
    next[r] = along.next[r];
  }
  std::byte* kept = along.kept;
  const std::size_t before = kept == nullptr ? 0 : line;
  Outgoing outgoing;
  outgoing.dst_pitch = along.dst_pitch;
  outgoing.src_pitch = bytes + before;
  std::size_t written = count;  // nothing is on its way yet
  for (std::size_t l = 0; l < along.lines; ++l) {
    const std::size_t page = l / page_lines * page_lines;
    const bool is_last = page + page_lines >= along.lines;
    const std::size_t asked = (l - page) * (count / Along::rows_in_turn);
    outgoing.rows = (is_last ? next : rows) + asked / page_lines * Along::rows_in_turn;
    outgoing.at = ((is_last ? 0 : page + page_lines) + asked % page_lines) * line;
    std::byte* const buffer = buffers[l % 2];
    const auto between = [&]() HWY_ATTR {
      for (const std::size_t end = std::min(written + pace, count); written < end; ++written)
        outgoing.write(written);
    };
    for (std::size_t r = 0; r < count; r += group) {
      for (std::size_t part = 0; part < line; part += widest) {
        turn_square<item, widest>(buffer + part / item * outgoing.src_pitch + before + r * item,
                                  outgoing.src_pitch, rows + r, l * line + part, between);
      }
    }
    for (; written < count; ++written) outgoing.write(written);
    if (kept != nullptr) kept = keep_ends(buffer, columns, kept);
    outgoing.dst = along.dst + static_cast<std::ptrdiff_t>(l * columns) * along.dst_pitch;
    outgoing.src = buffer + before;
    written = 0;
  }
  for (; written < count; ++written) outgoing.write(written);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
