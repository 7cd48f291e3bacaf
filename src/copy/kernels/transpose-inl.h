// SPDX-License-Identifier: Apache-2.0
// Transposing a tile in registers while the tile before it is written to memory, included once for each
// instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_TRANSPOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_TRANSPOSE_INL
#undef TENSTRIDE_COPY_KERNELS_TRANSPOSE_INL
#else
#define TENSTRIDE_COPY_KERNELS_TRANSPOSE_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "copy/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t item>
using Item = hwy::UnsignedFromSize<(item < 8 ? item : 8)>;

template <std::size_t item>
inline constexpr std::size_t log2_of = static_cast<std::size_t>(std::countr_zero(item));

#if HWY_HAVE_SCALABLE
inline constexpr std::size_t widest = 16;
#elif HWY_TARGET == HWY_AVX3
inline constexpr std::size_t widest = 64;
#elif HWY_TARGET == HWY_AVX2
inline constexpr std::size_t widest = 32;
#else
inline constexpr std::size_t widest = 16;
#endif

/// Prefetches the next `pace` lines.
HWY_INLINE void prefetch_lines(Prefetch& prefetch) {
  for (std::size_t i = 0; i < prefetch.pace; ++i) {
    if (prefetch.lines_left == 0 && !prefetch.next_row()) return;
    __builtin_prefetch(prefetch.line, 0, 2);
    prefetch.line += 64;
    --prefetch.lines_left;
  }
}

/// Writes the next `count` lines of a queue, and prefetches with each of them.
HWY_INLINE void write_queued(StoreQueue& queue, std::size_t count) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (; count > 0; --count) {
    if (queue.lines_left == 0 && !queue.next_row()) return;
    prefetch_lines(queue.prefetch);
    for (std::size_t part = 0; part < 64; part += step) {
      hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(queue.next_src) + part), d,
                 reinterpret_cast<std::uint8_t*>(queue.next_dst) + part);
    }
    queue.next_src += 64;
    queue.next_dst += 64;
    --queue.lines_left;
  }
}

/// Returns a vector of 16-byte blocks: block j is loaded from address(j).
template <class D, class Address>
HWY_INLINE hn::Vec<D> load_blocks(D d, const Address& address) {
  using T = hn::TFromD<D>;
  const auto block = [&](std::size_t j) HWY_ATTR {
    return hn::LoadU(hn::FixedTag<T, 16 / sizeof(T)>(), reinterpret_cast<const T*>(address(j)));
  };
  constexpr std::size_t width = hn::MaxLanes(d) * sizeof(T);
  if constexpr (width == 16) {
    return block(0);
  } else if constexpr (width == 32) {
    return hn::Combine(d, block(1), block(0));
  } else {
#if HWY_TARGET == HWY_AVX3
    // A masked broadcast from memory needs no shuffle unit.
    __m512i v = _mm512_castsi128_si512(block(0).raw);
    v = _mm512_mask_broadcast_i32x4(v, 0x00f0, block(1).raw);
    v = _mm512_mask_broadcast_i32x4(v, 0x0f00, block(2).raw);
    v = _mm512_mask_broadcast_i32x4(v, 0xf000, block(3).raw);
    return hn::Vec<D>{v};
#else
    const hn::Half<D> half;
    return hn::Combine(d, hn::Combine(half, block(3), block(2)), hn::Combine(half, block(1), block(0)));
#endif
  }
}

/// Transposes the `group` x (16 / item) matrix that block j of the `group` vectors holds, for each j. Each
/// step interleaves vector k with vector k + group / 2 within the blocks (the perfect shuffle: H. S. Stone,
/// IEEE Trans. Computers C-20, 1971).
template <std::size_t group, class D, class V>
HWY_INLINE void interleave_blocks(D d, V* v) {
#pragma GCC unroll 4
  for (std::size_t step = 1; step < group; step *= 2) {
    V w[group];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < group / 2; ++r) {
      w[2 * r] = hn::InterleaveLower(d, v[r], v[r + group / 2]);
      w[2 * r + 1] = hn::InterleaveUpper(d, v[r], v[r + group / 2]);
    }
#pragma GCC unroll 16
    for (std::size_t r = 0; r < group; ++r) v[r] = w[r];
  }
}

/// Transposes 16 bytes of each of as many rows as a vector has items: columns[c] becomes column c. Vector k
/// is loaded from the rows k, k + group, ….
template <std::size_t group, class D, class V>
HWY_INLINE void transpose_columns(D d, V* columns, const std::byte* const* rows, std::size_t at) {
#pragma GCC unroll 16
  for (std::size_t r = 0; r < group; ++r)
    columns[r] = load_blocks(d, [=](std::size_t j) HWY_ATTR { return rows[r + j * group] + at; });
  interleave_blocks<group>(d, columns);
}

/// Transposes 16 bytes of each of width / item rows into columns that lie `pitch` bytes apart.
template <std::size_t item, std::size_t width>
HWY_INLINE void transpose_unit(std::byte* out, std::size_t pitch, const std::byte* const* rows,
                               std::size_t at) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
  const hn::FixedTag<T, width / sizeof(T)> d;
  hn::Vec<decltype(d)> v[group];
  transpose_columns<group>(d, v, rows, at);
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) hn::StoreU(v[c], d, reinterpret_cast<T*>(out + c * pitch));
}

/// Transposes rows of fewer than 16 bytes.
template <std::size_t item, std::size_t width>
HWY_NOINLINE void transpose_short_rows(std::byte* out, std::size_t pitch, const std::byte* const* rows,
                                       std::size_t columns) {
  constexpr std::size_t count = width / item;
  alignas(16) std::byte padded[count][16];
  const std::byte* pointers[count];
  for (std::size_t r = 0; r < count; ++r) {
    std::memcpy(padded[r], rows[r], columns * item);
    pointers[r] = padded[r];
  }
  alignas(64) std::byte transposed[16 / item][width];
  transpose_unit<item, width>(transposed[0], width, pointers, 0);
  for (std::size_t c = 0; c < columns; ++c) std::memcpy(out + c * pitch, transposed[c], width);
}

/// Transposes the square matrix of 16-byte blocks whose rows are the vectors v[0], v[step], ….
template <class D, class V>
HWY_INLINE void transpose_blocks(D d, V* v, std::size_t step) {
  constexpr std::size_t blocks = hn::MaxLanes(d) * sizeof(hn::TFromD<D>) / 16;
  if constexpr (blocks == 2) {
    const V a = v[0];
    const V b = v[step];
    v[0] = hn::ConcatLowerLower(d, b, a);
    v[step] = hn::ConcatUpperUpper(d, b, a);
  }
#if HWY_TARGET == HWY_AVX3
  if constexpr (blocks == 4) {
    const __m512i low01 = _mm512_shuffle_i32x4(v[0].raw, v[step].raw, 0x44);
    const __m512i high01 = _mm512_shuffle_i32x4(v[0].raw, v[step].raw, 0xee);
    const __m512i low23 = _mm512_shuffle_i32x4(v[2 * step].raw, v[3 * step].raw, 0x44);
    const __m512i high23 = _mm512_shuffle_i32x4(v[2 * step].raw, v[3 * step].raw, 0xee);
    v[0] = V{_mm512_shuffle_i32x4(low01, low23, 0x88)};
    v[step] = V{_mm512_shuffle_i32x4(low01, low23, 0xdd)};
    v[2 * step] = V{_mm512_shuffle_i32x4(high01, high23, 0x88)};
    v[3 * step] = V{_mm512_shuffle_i32x4(high01, high23, 0xdd)};
  }
#endif
}

/// How often `transpose_square` calls `between`: after each group of rows and after each four columns of a
/// group.
template <std::size_t item, std::size_t width>
inline constexpr std::size_t calls_in_square = width / 16 + 16 / item / 4;

/// Transposes `width` bytes of each of width / item rows. Each byte is loaded once, by a whole vector. In
/// between it calls `between`, which writes lines that were transposed before.
template <std::size_t item, std::size_t width, class Between>
HWY_INLINE void transpose_square(std::byte* out, std::size_t pitch, const std::byte* const* rows,
                                 std::size_t at, const Between& between) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t blocks = width / 16;
  using T = Item<item>;
  const hn::FixedTag<T, width / sizeof(T)> d;
  using V = hn::Vec<decltype(d)>;
  V v[blocks * group];
#pragma GCC unroll 4
  for (std::size_t b = 0; b < blocks; ++b) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < group; ++k) {
      v[b * group + k] = hn::LoadU(d, reinterpret_cast<const T*>(rows[b * group + k] + at));
    }
    between();
    interleave_blocks<group>(d, v + b * group);
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) {
    transpose_blocks(d, v + c, group);
#pragma GCC unroll 4
    for (std::size_t b = 0; b < blocks; ++b) {
      hn::StoreU(v[b * group + c], d, reinterpret_cast<T*>(out + (b * group + c) * pitch));
    }
    if (c % 4 == 3) between();
  }
}

/// Transposes a tile, the columns of one line of the source at a time, and writes lines of the queue in
/// between. Loads, shuffles and streaming stores that stand close together in the program overlap: .82 (one
/// after the other) → .91 of a plain copy.
template <std::size_t item, std::size_t width>
HWY_INLINE void transpose_rows(std::byte* out, std::size_t out_pitch, const SourceRows& in, std::size_t rows,
                               std::size_t cols, StoreQueue& queued_before) {
  constexpr std::size_t count = width / item;
  constexpr std::size_t line = 64;
  constexpr std::size_t calls = calls_in_square<item, width>;
  const std::size_t row_bytes = cols * item;
  const std::size_t groups = (rows + count - 1) / count;
  // Where columns are written past their end they must be written in ascending order, as units do.
  const bool spills = groups * width > out_pitch;
  StoreQueue queue = queued_before;  // local copy: stores through out cannot alias it
  const std::size_t squares = groups * ((row_bytes + width - 1) / width);
  const std::size_t lines = (queue.lines() + squares * calls - 1) / (squares * calls);
  const auto between = [&]() HWY_ATTR { write_queued(queue, lines); };
  for (std::size_t start = 0; start < row_bytes; start += line) {
    const std::size_t end = std::min(start + line, row_bytes);
    // From the last group to the first: what the last one writes past the end of its columns is overwritten.
    for (std::size_t g = groups; g-- > 0;) {
      const std::byte* pointers[count];
      for (std::size_t r = 0; r < count; ++r) pointers[r] = in[std::min(g * count + r, rows - 1)];
      std::byte* const to = out + g * width;
      std::size_t at = start;
      for (; !spills && at + width <= end; at += width) {
        transpose_square<item, width>(to + at / item * out_pitch, out_pitch, pointers, at, between);
      }
      for (; at < end; at += 16) {
        write_queued(queue, lines);
        if (at + 16 <= row_bytes) {
          transpose_unit<item, width>(to + at / item * out_pitch, out_pitch, pointers, at);
        } else if (row_bytes >= 16) {
          // A whole unit again, which ends with the row; its first columns are already written.
          transpose_unit<item, width>(to + (row_bytes - 16) / item * out_pitch, out_pitch, pointers,
                                      row_bytes - 16);
        } else {
          transpose_short_rows<item, width>(to, out_pitch, pointers, cols);
        }
      }
    }
  }
  queued_before = queue;
}

template <std::size_t item>
void transpose(std::byte* out, std::size_t out_pitch, const SourceRows& in, std::size_t rows,
               std::size_t cols, StoreQueue& queue) {
  if (rows * item <= 16) {
    transpose_rows<item, 16>(out, out_pitch, in, rows, cols, queue);
  } else {
    transpose_rows<item, widest>(out, out_pitch, in, rows, cols, queue);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
