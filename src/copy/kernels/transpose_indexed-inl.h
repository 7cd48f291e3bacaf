// SPDX-License-Identifier: Apache-2.0
// Turning a tile whose rows and columns lie anywhere, or a pitch apart, straight into its place, with both
// sides in a cache. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_TRANSPOSE_INDEXED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_TRANSPOSE_INDEXED_INL
#undef TENSTRIDE_COPY_KERNELS_TRANSPOSE_INDEXED_INL
#else
#define TENSTRIDE_COPY_KERNELS_TRANSPOSE_INDEXED_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Rows or columns of a tile, each so many bytes from the first. Byte is const in the source.
template <class Byte>
struct IndexedPlaces {
  Byte* first;
  const std::ptrdiff_t* places;

  /// The first one; what is left are those behind it.
  HWY_INLINE Byte* next() { return first + *places++; }
  HWY_INLINE Byte* operator[](std::size_t at) const { return first + places[at]; }
  /// Those from one on, each from one of its bytes on.
  [[nodiscard]] HWY_INLINE IndexedPlaces from(std::size_t at, std::size_t byte) const {
    return {first + byte, places + at};
  }
};

/// Rows or columns of a tile, each `pitch` from the one before it.
template <class Byte>
struct PitchedPlaces {
  Byte* first;
  std::ptrdiff_t pitch;

  /// The compiler is not to make products of the pitch of these sums: their registers, 16 of them, would be
  /// taken from the vectors (64 x 64 float32 .82 of the speed).
  HWY_INLINE Byte* next() {
    Byte* const place = first;
    first += pitch;
    asm("" : "+r"(first));
    return place;
  }
  HWY_INLINE Byte* operator[](std::size_t at) const {
    return first + static_cast<std::ptrdiff_t>(at) * pitch;
  }
  [[nodiscard]] HWY_INLINE PitchedPlaces from(std::size_t at, std::size_t byte) const {
    return {(*this)[at] + byte, pitch};
  }
};

/// Turns 16 bytes of each of `bytes` / item rows, where `bytes` fill a vector: every column comes out as one.
template <std::size_t item, std::size_t bytes, class Columns, class Rows>
HWY_INLINE void transpose_wide(Columns columns, const Rows& rows) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
  const hn::FixedTag<T, bytes / item> d;
  hn::Vec<decltype(d)> v[group];
  Rows part[bytes / 16];
#pragma GCC unroll 4
  for (std::size_t j = 0; j < bytes / 16; ++j) part[j] = rows.from(j * group, 0);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < group; ++r)
    v[r] = load_blocks(d, [&](std::size_t j) HWY_ATTR { return part[j].next(); });
  interleave_blocks<group>(d, v);
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) hn::StoreU(v[c], d, reinterpret_cast<T*>(columns.next()));
}

/// Turns as many rows as `bytes` hold by as many columns: each byte is loaded once, by a whole vector.
template <std::size_t item, std::size_t bytes, class Columns, class Rows>
HWY_INLINE void transpose_tile_square(Columns columns, Rows rows) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t blocks = bytes / 16;
  using T = Item<item>;
  const hn::FixedTag<T, bytes / sizeof(T)> d;
  hn::Vec<decltype(d)> v[blocks * group];
#pragma GCC unroll 4
  for (std::size_t b = 0; b < blocks; ++b) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < group; ++k)
      v[b * group + k] = hn::LoadU(d, reinterpret_cast<const T*>(rows.next()));
    interleave_blocks<group>(d, v + b * group);
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) transpose_blocks(d, v + c, group);
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group * blocks; ++c) hn::StoreU(v[c], d, reinterpret_cast<T*>(columns.next()));
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
template <std::size_t item, class Columns, class Rows>
HWY_INLINE void transpose_low(const Columns& columns, const Rows& rows) {
  constexpr std::size_t count = 8 / item;
  using T = Item<item>;
  const hn::FixedTag<T, 16 / item> d;
  hn::Vec<decltype(d)> v[count];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < count; ++r) v[r] = hn::LoadU(d, reinterpret_cast<const T*>(rows[r]));
  if constexpr (count > 1) interleave_blocks<count>(d, v);
#pragma GCC unroll 8
  for (std::size_t r = 0; r < count; ++r) store_halves(d, v[r], columns[2 * r], columns[2 * r + 1]);
}

/// Turns 8 bytes of each of as many rows as `bytes`, 8 or 16, hold.
template <std::size_t item, std::size_t bytes, class Columns, class Rows>
HWY_INLINE void transpose_narrow(const Columns& columns, const Rows& rows) {
  constexpr std::size_t count = bytes / item;
  using T = Item<item>;
  if constexpr (count == 1) {
    std::memcpy(columns[0], rows[0], item);
  } else {
    const hn::FixedTag<T, 16 / item> d;
    const hn::Half<decltype(d)> half;
    const auto load = [=](std::size_t r) HWY_ATTR {
      return hn::ZeroExtendVector(d, hn::LoadU(half, reinterpret_cast<const T*>(rows[r])));
    };
    // Of the first weaving the upper halves would hold nothing.
    hn::Vec<decltype(d)> v[count / 2];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < count / 2; ++r) v[r] = hn::InterleaveLower(d, load(r), load(r + count / 2));
    if constexpr (count > 2) interleave_blocks<count / 2>(d, v);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < count / 2; ++c) {
      if constexpr (bytes == 16) {
        hn::StoreU(v[c], d, reinterpret_cast<T*>(columns[c]));
      } else {
        store_halves(d, v[c], columns[2 * c], columns[2 * c + 1]);
      }
    }
  }
}

/// Columns [from, to) of as many rows as `bytes` hold: the last ones, where they do not fill a block, once
/// more with some before them.
template <std::size_t item, std::size_t bytes, class Columns, class Rows>
HWY_INLINE void transpose_tile_rows(const Columns& columns, const Rows& rows, std::size_t from,
                                    std::size_t to) {
  constexpr std::size_t group = 16 / item;
  if constexpr (bytes > 16 && item >= 4) {
    for (; from + bytes / item <= to; from += bytes / item)
      transpose_tile_square<item, bytes>(columns.from(from, 0), rows.from(0, from * item));
  }
  if (to >= group) {
    for (std::size_t c = from; c < to; c += group) {
      c = std::min(c, to - group);
      if constexpr (bytes == 8) {
        transpose_low<item>(columns.from(c, 0), rows.from(0, c * item));
      } else {
        transpose_wide<item, bytes>(columns.from(c, 0), rows.from(0, c * item));
      }
    }
  } else if constexpr (bytes <= 16) {
    constexpr std::size_t few = group / 2;
    for (std::size_t c = from; c < to; c += few) {
      c = std::min(c, to - few);
      transpose_narrow<item, bytes>(columns.from(c, 0), rows.from(0, c * item));
    }
  }
}

/// Columns [from, to) of the rows of a tile from `row` on, as many as a block takes. How far they go.
template <std::size_t item, class Columns, class Rows>
HWY_INLINE std::size_t transpose_next_rows(const Columns& columns, const Rows& rows, std::size_t row_count,
                                           std::size_t row, std::size_t from, std::size_t to,
                                           std::size_t most) {
  // The narrowest block that holds the rest, or the widest.
  std::size_t bytes = 8;
  while (bytes < most && bytes < (row_count - row) * item) bytes *= 2;
  // The rest once more with some rows before it; by a narrower block where there are none.
  if (bytes > row_count * item) bytes /= 2;
  row = std::min(row, row_count - bytes / item);
  const Columns part = columns.from(0, row * item);
  const Rows next = rows.from(row, 0);
  if (bytes == 8) transpose_tile_rows<item, 8>(part, next, from, to);
  if (bytes == 16) transpose_tile_rows<item, 16>(part, next, from, to);
  if constexpr (widest >= 32) {
    if (bytes == 32) transpose_tile_rows<item, 32>(part, next, from, to);
  }
  if constexpr (widest >= 64) {
    if (bytes == 64) transpose_tile_rows<item, 64>(part, next, from, to);
  }
  return row + bytes / item;
}

/// A tile that lies in the L1 cache, or of which a line of each row does.
template <std::size_t item, class Columns, class Rows>
HWY_INLINE void transpose_tile(const Columns& columns, std::size_t column_count, const Rows& rows,
                               std::size_t row_count) {
  if constexpr (item == 16) {
    const hn::FixedTag<std::uint8_t, 16> d;
    for (std::size_t c = 0; c < column_count; ++c) {
      auto* const to = reinterpret_cast<std::uint8_t*>(columns[c]);
      for (std::size_t r = 0; r < row_count; ++r)
        hn::StoreU(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(rows[r] + c * 16)), d, to + r * 16);
    }
  } else {
    constexpr std::size_t line = 64 / item;
    const std::size_t most = column_count * item < 16 ? 16 : widest;
    for (std::size_t c = 0; c < column_count; c += line) {
      const std::size_t end = std::min(c + line, column_count);
      for (std::size_t r = 0; r < row_count;)
        r = transpose_next_rows<item>(columns, rows, row_count, r, c, end, most);
    }
  }
}

template <std::size_t item>
void transpose_indexed(std::byte* dst, const std::byte* src, const IndexedTile& tile) {
  transpose_tile<item>(IndexedPlaces<std::byte>{dst, tile.columns}, tile.column_count,
                       IndexedPlaces<const std::byte>{src, tile.rows}, tile.row_count);
}

/// All of a tile by squares, its sides multiples of theirs, 128 bytes of as many rows at a time: then two
/// lines of a column, or of a row, are met one after the other (256 x 256 float32 .60 of a plain copy; .44 by
/// 256 bytes or column after column).
template <std::size_t item>
HWY_NOINLINE void transpose_by_squares(PitchedPlaces<std::byte> columns, std::size_t column_count,
                                       PitchedPlaces<const std::byte> rows, std::size_t row_count) {
  constexpr std::size_t side = 128 / item;
  constexpr std::size_t step = widest / item;
  for (std::size_t left = 0; left < column_count; left += side) {
    const std::size_t right = std::min(left + side, column_count);
    for (std::size_t top = 0; top < row_count; top += side) {
      const std::size_t bottom = std::min(top + side, row_count);
      for (std::size_t c = left; c < right; c += step) {
        const auto to = columns.from(c, 0);
        const auto from = rows.from(0, c * item);
        for (std::size_t r = top; r < bottom; r += step)
          transpose_tile_square<item, widest>(to.from(0, r * item), from.from(r, 0));
      }
    }
  }
}

template <std::size_t item>
void transpose_pitched(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                       std::ptrdiff_t src_pitch, std::size_t row_count, std::size_t column_count) {
  const PitchedPlaces<std::byte> columns{dst, dst_pitch};
  const PitchedPlaces<const std::byte> rows{src, src_pitch};
  if constexpr (widest > 16 && item >= 4) {
    constexpr std::size_t step = widest / item;
    constexpr std::size_t few = item < 8 ? 8 / item : 1;
    const std::size_t row_end = row_count / step * step;
    const std::size_t column_end = column_count / step * step;
    transpose_by_squares<item>(columns, column_end, rows, row_end);
    if (row_end < row_count) {
      const std::size_t row = std::min(row_end, row_count - few);
      transpose_tile<item>(columns.from(0, row * item), column_end, rows.from(row, 0), row_count - row);
    }
    if (column_end < column_count) {
      const std::size_t column = std::min(column_end, column_count - few);
      transpose_tile<item>(columns.from(column, 0), column_count - column, rows.from(0, column * item),
                           row_count);
    }
  } else {
    transpose_tile<item>(columns, column_count, rows, row_count);
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
