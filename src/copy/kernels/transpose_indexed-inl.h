// SPDX-License-Identifier: Apache-2.0
// Transposing a tile directly into the destination, with both sides in a cache. The offsets of its rows and
// columns stand in tables, or are multiples of a pitch. Included once for each instruction set.
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

/// The rows or columns of a tile, by a table of their offsets in bytes. Byte is const for the source.
template <class Byte>
struct IndexedAddresses {
  Byte* first;
  const Index* offsets;

  /// Returns the address of the first one, and goes to the next one.
  HWY_INLINE Byte* next() { return first + *offsets++; }
  HWY_INLINE Byte* operator[](std::size_t at) const { return first + offsets[at]; }
  /// Returns the rows or columns from index `at` on, each from byte `byte` on.
  [[nodiscard]] HWY_INLINE IndexedAddresses from(std::size_t at, std::size_t byte) const {
    return {first + byte, offsets + at};
  }
};

/// The rows or columns of a tile that lie `pitch` bytes apart.
template <class Byte>
struct PitchedAddresses {
  Byte* first;
  Index pitch;

  /// Returns the address of the first one, and goes to the next one. The `asm` keeps the compiler from
  /// replacing these sums by 16 products in as many registers, which cost spills: 1 → .82 of the speed (64×64
  /// float32).
  HWY_INLINE Byte* next() {
    Byte* const current = first;
    first += pitch;
    asm("" : "+r"(first));
    return current;
  }
  HWY_INLINE Byte* operator[](std::size_t at) const { return first + static_cast<Index>(at) * pitch; }
  [[nodiscard]] HWY_INLINE PitchedAddresses from(std::size_t at, std::size_t byte) const {
    return {(*this)[at] + byte, pitch};
  }
};

/// Transposes 16 bytes of each of `bytes` / item rows, where `bytes` fill a vector: each column is one
/// vector.
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

/// Transposes `bytes` / item rows by as many columns. Each byte is loaded once, by a whole vector.
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

/// Stores the halves of a vector at two addresses.
template <class D, class V>
HWY_INLINE void store_halves([[maybe_unused]] D d, V v, std::byte* lower, std::byte* upper) {
  using T = hn::TFromD<D>;
  const hn::Half<D> half;
  hn::StoreU(hn::LowerHalf(half, v), half, reinterpret_cast<T*>(lower));
  hn::StoreU(hn::UpperHalf(half, v), half, reinterpret_cast<T*>(upper));
}

/// Transposes 16 bytes of each of 8 / item rows: each vector holds two columns.
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

/// Transposes 8 bytes of each of `bytes` / item rows, where `bytes` are 8 or 16.
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
    // The first interleaving needs no upper halves, which would be empty.
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

/// Transposes columns [from, to) of `bytes` / item rows. Where the last ones do not fill a vector, they are
/// transposed together with some columns before them, again.
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
    constexpr std::size_t step = group / 2;
    for (std::size_t c = from; c < to; c += step) {
      c = std::min(c, to - step);
      transpose_narrow<item, bytes>(columns.from(c, 0), rows.from(0, c * item));
    }
  }
}

/// Transposes columns [from, to) of the rows of a tile from `row` on, as many rows as a vector of up to
/// `max_bytes` holds. Returns the row after them.
template <std::size_t item, class Columns, class Rows>
HWY_INLINE std::size_t transpose_next_rows(const Columns& columns, const Rows& rows, std::size_t row_count,
                                           std::size_t row, std::size_t from, std::size_t to,
                                           std::size_t max_bytes) {
  // The narrowest vector that holds all remaining rows, or the widest.
  std::size_t bytes = 8;
  while (bytes < max_bytes && bytes < (row_count - row) * item) bytes *= 2;
  // The remaining rows are transposed together with some before them; by a narrower vector where there are
  // none.
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

/// Transposes a tile of which at least one line of each row fits the L1 cache.
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
    const std::size_t max_bytes = column_count * item < 16 ? 16 : widest;
    for (std::size_t c = 0; c < column_count; c += line) {
      const std::size_t end = std::min(c + line, column_count);
      for (std::size_t r = 0; r < row_count;)
        r = transpose_next_rows<item>(columns, rows, row_count, r, c, end, max_bytes);
    }
  }
}

template <std::size_t item>
void transpose_indexed(std::byte* dst, const std::byte* src, const IndexedTile& tile) {
  transpose_tile<item>(IndexedAddresses<std::byte>{dst, tile.columns}, tile.column_count,
                       IndexedAddresses<const std::byte>{src, tile.rows}, tile.row_count);
}

/// Transposes a tile by squares; its sides are multiples of a square's. Squares are grouped to 128 bytes of
/// each row and column, so that two neighbouring lines are used one after the other: .44 (256 bytes, or
/// column after column) → .60 of a plain copy (256×256 float32).
template <std::size_t item>
HWY_NOINLINE void transpose_by_squares(PitchedAddresses<std::byte> columns, std::size_t column_count,
                                       PitchedAddresses<const std::byte> rows, std::size_t row_count) {
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
void transpose_pitched(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                       std::size_t row_count, std::size_t column_count) {
  const PitchedAddresses<std::byte> columns{dst, dst_pitch};
  const PitchedAddresses<const std::byte> rows{src, src_pitch};
  if constexpr (widest > 16 && item >= 4) {
    constexpr std::size_t step = widest / item;
    constexpr std::size_t min_side = item < 8 ? 8 / item : 1;  // 8 bytes
    const std::size_t row_end = row_count / step * step;
    const std::size_t column_end = column_count / step * step;
    transpose_by_squares<item>(columns, column_end, rows, row_end);
    if (row_end < row_count) {
      const std::size_t row = std::min(row_end, row_count - min_side);
      transpose_tile<item>(columns.from(0, row * item), column_end, rows.from(row, 0), row_count - row);
    }
    if (column_end < column_count) {
      const std::size_t column = std::min(column_end, column_count - min_side);
      transpose_tile<item>(columns.from(column, 0), column_count - column, rows.from(0, column * item),
                           row_count);
    }
  } else {
    transpose_tile<item>(columns, column_count, rows, row_count);
  }
}

/// Copies rows of 32 to 64 bytes: the first 32 and the last 32, which may overlap.
inline void copy_overlapping(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                             std::size_t rows, std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, 32> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (; rows > 0; --rows, dst += dst_pitch, src += src_pitch) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(src);
    auto* to = reinterpret_cast<std::uint8_t*>(dst);
    for (std::size_t at = 0; at < 32; at += step) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
    for (std::size_t at = bytes - 32; at < bytes; at += step) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
  }
}

/// Copies rows of whole lines by the widest vectors.
inline void copy_line_rows(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                           std::size_t rows, std::size_t bytes) {
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
