// SPDX-License-Identifier: Apache-2.0
// Rows of short items backwards, by whole lines past the cache: numbers, and pixels. Included once for each
// instruction set.
#if defined(TENSTRIDE_COPY_REVERSED_ROWS_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_REVERSED_ROWS_SIMD_INL
#undef TENSTRIDE_COPY_REVERSED_ROWS_SIMD_INL
#else
#define TENSTRIDE_COPY_REVERSED_ROWS_SIMD_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "copy/gather_simd-inl.h"
#include "copy/kernels.hpp"
#include "copy/turn_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// How a vector of a reversed row is made that begins within an item. The items that it takes lie in two
/// vectors of the source, `low` and `high` bytes from the place of its first byte, were the row not reversed.
/// Of each a block of 16 bytes takes four words, then the bytes that are its own. No table crosses a line.
struct ReversedVector {
  alignas(widest) std::array<std::int32_t, widest / 4> low_words{};
  std::array<std::int32_t, widest / 4> high_words{};
  std::array<std::uint8_t, widest> low_bytes{};
  std::array<std::uint8_t, widest> high_bytes{};
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 0;
};

/// The vector that begins with byte `begin` of an item of `item` bytes.
constexpr ReversedVector reversed_vector(std::size_t item, std::size_t begin) {
  const std::size_t items = (begin + widest + item - 1) / item;
  const std::size_t beyond = items * item - widest;
  ReversedVector v;
  v.low = static_cast<std::ptrdiff_t>(begin) - static_cast<std::ptrdiff_t>((items - 1) * item);
  v.high = v.low + static_cast<std::ptrdiff_t>(beyond);
  for (std::size_t block = 0; block < widest; block += 16) {
    std::array<std::size_t, 16> from{};
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t at = begin + block + i;
      from[i] = (items - 1 - at / item) * item + at % item;
    }
    const std::size_t first = *std::min_element(from.begin(), from.end());
    const std::size_t last = *std::max_element(from.begin(), from.end());
    const std::size_t low = std::min(first / 4, widest / 4 - 4);
    const std::size_t high = last < beyond + 16 ? 0 : (last - beyond) / 4 - 3;
    for (std::size_t word = 0; word < 4; ++word) {
      v.low_words[block / 4 + word] = static_cast<std::int32_t>(low + word);
      v.high_words[block / 4 + word] = static_cast<std::int32_t>(high + word);
    }
    for (std::size_t i = 0; i < 16; ++i) {
      constexpr std::uint8_t none = 0x80;
      const bool is_low = from[i] < low * 4 + 16;
      v.low_bytes[block + i] = is_low ? static_cast<std::uint8_t>(from[i] - low * 4) : none;
      v.high_bytes[block + i] = is_low ? none : static_cast<std::uint8_t>(from[i] - beyond - high * 4);
    }
  }
  return v;
}

template <std::size_t item>
constexpr std::array<ReversedVector, item> reversed_vectors() {
  std::array<ReversedVector, item> vectors{};
  for (std::size_t begin = 0; begin < item; ++begin) vectors[begin] = reversed_vector(item, begin);
  return vectors;
}

/// Four words for each block of 16 bytes, and of them bytes, or none.
HWY_INLINE auto pick_bytes(const std::byte* in, const std::array<std::int32_t, widest / 4>& words,
                           const std::array<std::uint8_t, widest>& bytes) {
  const hn::FixedTag<std::uint8_t, widest> d;
  const auto v = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(in));
  const auto indices = hn::LoadU(d, bytes.data());
  if constexpr (widest == 16) {
    return hn::TableLookupBytesOr0(v, indices);
  } else {
    const hn::FixedTag<std::uint32_t, widest / 4> d32;
    const auto blocks = hn::TableLookupLanes(hn::BitCast(d32, v), hn::SetTableIndices(d32, words.data()));
    return hn::TableLookupBytesOr0(hn::BitCast(d, blocks), indices);
  }
}

/// The vector of a reversed row that begins with byte `begin` of the item at `at - begin`, which is 0 where
/// vectors are whole items.
template <std::size_t item>
HWY_INLINE auto load_reversed_items(const std::byte* at, std::size_t begin) {
  if constexpr (item == 16) {
    const hn::FixedTag<std::uint8_t, widest> d;
    return hn::ReverseBlocks(d, hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(at + item) - widest));
  } else if constexpr (widest % item == 0) {
    const hn::FixedTag<Item<item>, widest / item> d;
    return hn::BitCast(hn::FixedTag<std::uint8_t, widest>(), load_reversed(d, at));
  } else {
    static constexpr auto vectors = reversed_vectors<item>();
    const ReversedVector& v = vectors[begin];
    return hn::Or(pick_bytes(at + v.low, v.low_words, v.low_bytes),
                  pick_bytes(at + v.high, v.high_words, v.high_bytes));
  }
}

/// So many bytes ahead the rows that come next are asked for (3-byte pixels 1.03 of a plain copy, without
/// .96).
inline constexpr std::size_t reversed_ahead = 2048;

/// A line from `in` on downwards, of whole items, and asks for what lies `ask` bytes further.
template <std::size_t item>
HWY_INLINE void stream_reversed_line(std::byte* dst, const std::byte* in, std::ptrdiff_t ask) {
  const hn::FixedTag<std::uint8_t, widest> d;
  __builtin_prefetch(in + ask, 0, 3);
#pragma GCC unroll 4
  for (std::size_t part = 0; part < 64; part += widest)
    hn::Stream(load_reversed_items<item>(in - part, 0), d, reinterpret_cast<std::uint8_t*>(dst + part));
}

/// As many bytes of the `bytes` of a row as are some whole pages, these in turn, so that as many banks of the
/// memory work at once.
template <std::size_t item, std::size_t pages>
std::size_t stream_reversed_pages(std::byte* dst, const std::byte* in, std::size_t bytes,
                                  std::ptrdiff_t ask) {
  constexpr std::size_t page = 4096;
  const std::size_t whole = bytes / (pages * page) * (pages * page);
  for (std::size_t done = 0; done < whole; done += pages * page) {
    for (std::size_t at = done; at < done + page; at += 64) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < pages; ++k)
        stream_reversed_line<item>(dst + at + k * page, in - (at + k * page), ask);
    }
  }
  return whole;
}

template <std::size_t item>
std::size_t reverse_lines_of(std::byte* dst, const ReversedRows& rows, std::size_t from) {
  constexpr std::size_t line = 64;
  const hn::FixedTag<std::uint8_t, widest> d;
  const std::size_t row = rows.items * item;
  const std::size_t lines = (rows.count * row - from) / line;
  const auto pitch = rows.pitch;
  const std::ptrdiff_t ask = pitch * static_cast<std::ptrdiff_t>((reversed_ahead + row - 1) / row);
  std::size_t r = from / row;
  std::size_t at = from % row;
  const std::byte* src = rows.first + static_cast<std::ptrdiff_t>(r) * pitch;
  for (std::size_t left = lines * line; left > 0; ++r, src += pitch) {
    const std::size_t within = std::min(left, (row - at) / widest * widest);
    const std::byte* in = src - at;
    std::size_t done = 0;
    if constexpr (widest % item == 0) {
      done = stream_reversed_pages<item, 4>(dst, in, within, ask);
      done += stream_reversed_pages<item, 2>(dst + done, in - done, within - done, ask);
    }
    std::size_t begin = at % item;
    for (; done < within; done += widest) {
      __builtin_prefetch(in - done + ask, 0, 3);
      hn::Stream(load_reversed_items<item>(in - done, begin), d, reinterpret_cast<std::uint8_t*>(dst + done));
      begin += widest % item;
      if (begin >= item) begin -= item;
    }
    in -= within;
    dst += within;
    at += within;
    left -= within;
    if (left > 0 && at < row) {
      auto* const to = reinterpret_cast<std::uint8_t*>(dst);
      const bool is_inside = pitch < 0 || (r > 0 && r + 2 < rows.count);
      if (is_inside) {
        const auto ends = load_reversed_items<item>(in, begin);
        const auto begins = load_reversed_items<item>(in + pitch + row, begin);
        hn::Stream(hn::IfThenElse(hn::FirstN(d, row - at), ends, begins), d, to);
      } else {
        alignas(widest) std::array<std::byte, widest> bytes;
        reverse_plainly(bytes.data(), rows, r * row + at, widest);
        hn::Stream(hn::Load(d, reinterpret_cast<const std::uint8_t*>(bytes.data())), d, to);
      }
      dst += widest;
      at += widest;
      left -= widest;
    }
    at -= std::min(at, row);
  }
  return lines * line;
}

inline std::size_t reverse_lines(std::byte* dst, const ReversedRows& rows, std::size_t from) {
  if (rows.count > 1 && std::abs(rows.pitch) < ReversedRows::least_pitch) return 0;
  if (widest % rows.item == 0 && from % rows.item != 0) return 0;
  if (rows.item == 1) return reverse_lines_of<1>(dst, rows, from);
  if (rows.item == 2) return reverse_lines_of<2>(dst, rows, from);
  if (rows.item == 3) return reverse_lines_of<3>(dst, rows, from);
  if (rows.item == 4) return reverse_lines_of<4>(dst, rows, from);
  if (rows.item == 6) return reverse_lines_of<6>(dst, rows, from);
  if (rows.item == 8) return reverse_lines_of<8>(dst, rows, from);
  if (rows.item == 12 && from % 4 == 0) return reverse_lines_of<12>(dst, rows, from);
  if (rows.item == 16) return reverse_lines_of<16>(dst, rows, from);
  return 0;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
