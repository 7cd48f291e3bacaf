// SPDX-License-Identifier: Apache-2.0
// Turning a tile whose rows and columns lie anywhere, straight into its place, with both sides in a cache.
// Included once for each instruction set.
#if defined(TENSTRIDE_COPY_TURN_LISTED_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_TURN_LISTED_SIMD_INL
#undef TENSTRIDE_COPY_TURN_LISTED_SIMD_INL
#else
#define TENSTRIDE_COPY_TURN_LISTED_SIMD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/kernels.hpp"
#include "copy/turn_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Turns 16 bytes of each of `bytes` / item rows, where `bytes` fill a vector: every column comes out as one.
template <std::size_t item, std::size_t bytes>
HWY_INLINE void turn_wide(std::byte* dst, const std::byte* src, const std::ptrdiff_t* rows,
                          const std::ptrdiff_t* columns) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
  const hn::FixedTag<T, bytes / item> d;
  hn::Vec<decltype(d)> v[group];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < group; ++r)
    v[r] = load_blocks(d, [=](std::size_t j) HWY_ATTR { return src + rows[r + j * group]; });
  weave<group>(d, v);
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) hn::StoreU(v[c], d, reinterpret_cast<T*>(dst + columns[c]));
}

/// Turns as many rows as `bytes` hold by as many columns: each byte is loaded once, by a whole vector.
template <std::size_t item, std::size_t bytes>
HWY_INLINE void turn_listed_square(std::byte* dst, const std::byte* src, const std::ptrdiff_t* rows,
                                   const std::ptrdiff_t* columns) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t blocks = bytes / 16;
  using T = Item<item>;
  const hn::FixedTag<T, bytes / item> d;
  hn::Vec<decltype(d)> v[blocks * group];
#pragma GCC unroll 4
  for (std::size_t b = 0; b < blocks; ++b) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < group; ++k)
      v[b * group + k] = hn::LoadU(d, reinterpret_cast<const T*>(src + rows[b * group + k]));
    weave<group>(d, v + b * group);
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) {
    turn_blocks(d, v + c, group);
#pragma GCC unroll 4
    for (std::size_t b = 0; b < blocks; ++b)
      hn::StoreU(v[b * group + c], d, reinterpret_cast<T*>(dst + columns[b * group + c]));
  }
}

/// Stores the halves of a vector in two places.
template <class D, class V>
HWY_INLINE void store_halves(D d, V v, std::byte* lower, std::byte* upper) {
  using T = hn::TFromD<D>;
  const hn::Half<D> half;
  hn::StoreU(hn::LowerHalf(half, v), half, reinterpret_cast<T*>(lower));
  hn::StoreU(hn::UpperHalf(half, v), half, reinterpret_cast<T*>(upper));
}

/// Turns 16 bytes of each of as many rows as 8 bytes hold: two columns come out in each vector.
template <std::size_t item>
HWY_INLINE void turn_low(std::byte* dst, const std::byte* src, const std::ptrdiff_t* rows,
                         const std::ptrdiff_t* columns) {
  constexpr std::size_t count = 8 / item;
  using T = Item<item>;
  const hn::FixedTag<T, 16 / item> d;
  hn::Vec<decltype(d)> v[count];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < count; ++r) v[r] = hn::LoadU(d, reinterpret_cast<const T*>(src + rows[r]));
  if constexpr (count > 1) weave<count>(d, v);
#pragma GCC unroll 8
  for (std::size_t r = 0; r < count; ++r)
    store_halves(d, v[r], dst + columns[2 * r], dst + columns[2 * r + 1]);
}

/// Turns 8 bytes of each of as many rows as `bytes`, 8 or 16, hold.
template <std::size_t item, std::size_t bytes>
HWY_INLINE void turn_narrow(std::byte* dst, const std::byte* src, const std::ptrdiff_t* rows,
                            const std::ptrdiff_t* columns) {
  constexpr std::size_t count = bytes / item;
  using T = Item<item>;
  if constexpr (count == 1) {
    std::memcpy(dst + columns[0], src + rows[0], item);
  } else {
    const hn::FixedTag<T, 16 / item> d;
    const hn::Half<decltype(d)> half;
    const auto load = [=](std::size_t r) HWY_ATTR {
      return hn::ZeroExtendVector(d, hn::LoadU(half, reinterpret_cast<const T*>(src + rows[r])));
    };
    // Of the first weaving the upper halves would hold nothing.
    hn::Vec<decltype(d)> v[count / 2];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < count / 2; ++r) v[r] = hn::InterleaveLower(d, load(r), load(r + count / 2));
    if constexpr (count > 2) weave<count / 2>(d, v);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < count / 2; ++c) {
      if constexpr (bytes == 16) {
        hn::StoreU(v[c], d, reinterpret_cast<T*>(dst + columns[c]));
      } else {
        store_halves(d, v[c], dst + columns[2 * c], dst + columns[2 * c + 1]);
      }
    }
  }
}

/// Columns [from, to) of as many rows as `bytes` hold: the last ones, where they do not fill a block, once
/// more with some before them.
template <std::size_t item, std::size_t bytes>
HWY_INLINE void turn_listed_rows(std::byte* dst, const std::byte* src, const std::ptrdiff_t* rows,
                                 const std::ptrdiff_t* columns, std::size_t from, std::size_t to) {
  constexpr std::size_t group = 16 / item;
  if constexpr (bytes > 16 && item >= 4) {
    for (; from + bytes / item <= to; from += bytes / item)
      turn_listed_square<item, bytes>(dst, src + from * item, rows, columns + from);
  }
  if (to >= group) {
    for (std::size_t c = from; c < to; c += group) {
      c = std::min(c, to - group);
      if constexpr (bytes == 8) {
        turn_low<item>(dst, src + c * item, rows, columns + c);
      } else {
        turn_wide<item, bytes>(dst, src + c * item, rows, columns + c);
      }
    }
  } else if constexpr (bytes <= 16) {
    constexpr std::size_t few = group / 2;
    for (std::size_t c = from; c < to; c += few) {
      c = std::min(c, to - few);
      turn_narrow<item, bytes>(dst, src + c * item, rows, columns + c);
    }
  }
}

/// The rows of a tile from `row` on, as many as a block takes. How far they go.
template <std::size_t item>
HWY_INLINE std::size_t turn_next_rows(std::byte* dst, const std::byte* src, const Listed& tile,
                                      std::size_t row, std::size_t from, std::size_t to, std::size_t most) {
  // The narrowest block that holds the rest, or the widest.
  std::size_t bytes = 8;
  while (bytes < most && bytes < (tile.row_count - row) * item) bytes *= 2;
  // The rest once more with some rows before it; by a narrower block where there are none.
  if (bytes > tile.row_count * item) bytes /= 2;
  row = std::min(row, tile.row_count - bytes / item);
  dst += row * item;
  const std::ptrdiff_t* const rows = tile.rows + row;
  if (bytes == 8) turn_listed_rows<item, 8>(dst, src, rows, tile.columns, from, to);
  if (bytes == 16) turn_listed_rows<item, 16>(dst, src, rows, tile.columns, from, to);
  if constexpr (widest >= 32) {
    if (bytes == 32) turn_listed_rows<item, 32>(dst, src, rows, tile.columns, from, to);
  }
  if constexpr (widest >= 64) {
    if (bytes == 64) turn_listed_rows<item, 64>(dst, src, rows, tile.columns, from, to);
  }
  return row + bytes / item;
}

template <std::size_t item>
void turn_listed(std::byte* dst, const std::byte* src, const Listed& tile) {
  constexpr std::size_t line = 64 / item;
  const std::size_t most = tile.column_count * item < 16 ? 16 : widest;
  for (std::size_t c = 0; c < tile.column_count; c += line) {
    const std::size_t end = std::min(c + line, tile.column_count);
    for (std::size_t r = 0; r < tile.row_count;) r = turn_next_rows<item>(dst, src, tile, r, c, end, most);
  }
}

template <>
void turn_listed<16>(std::byte* dst, const std::byte* src, const Listed& tile) {
  const hn::FixedTag<std::uint8_t, 16> d;
  for (std::size_t c = 0; c < tile.column_count; ++c) {
    auto* const to = reinterpret_cast<std::uint8_t*>(dst + tile.columns[c]);
    for (std::size_t r = 0; r < tile.row_count; ++r) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(src + tile.rows[r]);
      hn::StoreU(hn::LoadU(d, from + c * 16), d, to + r * 16);
    }
  }
}

/// Rows of 32 to 64 bytes: the first 32 and the last, which may overlap.
inline void copy_overlapping(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                             std::ptrdiff_t src_pitch, std::size_t rows, std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, 32> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (; rows > 0; --rows, dst += dst_pitch, src += src_pitch) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(src);
    auto* to = reinterpret_cast<std::uint8_t*>(dst);
    for (std::size_t at = 0; at < 32; at += step) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
    for (std::size_t at = bytes - 32; at < bytes; at += step) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
  }
}

/// Rows of whole lines, by the widest vectors.
inline void copy_line_rows(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                           std::ptrdiff_t src_pitch, std::size_t rows, std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, 64> d;
  for (; rows > 0; --rows, dst += dst_pitch, src += src_pitch) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(src);
    auto* to = reinterpret_cast<std::uint8_t*>(dst);
    for (std::size_t at = 0; at < bytes; at += hn::MaxLanes(d))
      hn::StoreU(hn::LoadU(d, from + at), d, to + at);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
