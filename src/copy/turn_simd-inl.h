// SPDX-License-Identifier: Apache-2.0
// The turn of a tile in registers, included once for each instruction set.
#if defined(TENSTRIDE_COPY_TURN_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_TURN_SIMD_INL
#undef TENSTRIDE_COPY_TURN_SIMD_INL
#else
#define TENSTRIDE_COPY_TURN_SIMD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t item>
using Item =
    std::conditional_t<item == 1, std::uint8_t,
                       std::conditional_t<item == 2, std::uint16_t,
                                          std::conditional_t<item == 4, std::uint32_t, std::uint64_t>>>;

template <std::size_t item>
inline constexpr std::size_t log2_of = static_cast<std::size_t>(std::countr_zero(item));

#if HWY_TARGET == HWY_AVX3
inline constexpr const char* hwy_target_name = "avx512";
#elif HWY_TARGET == HWY_AVX2
inline constexpr const char* hwy_target_name = "avx2";
#elif HWY_TARGET == HWY_SSSE3
inline constexpr const char* hwy_target_name = "ssse3";
#else
inline constexpr const char* hwy_target_name = "vector";
#endif

#if HWY_HAVE_SCALABLE
inline constexpr std::size_t widest = 16;
#elif HWY_TARGET == HWY_AVX3
inline constexpr std::size_t widest = 64;
#elif HWY_TARGET == HWY_AVX2
inline constexpr std::size_t widest = 32;
#else
inline constexpr std::size_t widest = 16;
#endif

/// Stores the 16-byte block `at` of a vector.
template <std::size_t at, class V>
HWY_INLINE void store_block(V v, std::byte* to) {
  using D = hn::DFromV<V>;
  using T = hn::TFromD<D>;
  const hn::FixedTag<T, 16 / sizeof(T)> block;
  constexpr std::size_t width = hn::MaxLanes(D()) * sizeof(T);
  if constexpr (width == 16) {
    hn::StoreU(v, block, reinterpret_cast<T*>(to));
  } else {
#if HWY_TARGET == HWY_AVX3
    if constexpr (width == 64) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_extracti32x4_epi32(v.raw, at));
      return;
    }
#endif
    const hn::Half<D> half;
    if constexpr (at * 32 >= width) {
      store_block<at - width / 32>(hn::UpperHalf(half, v), to);
    } else {
      store_block<at>(hn::LowerHalf(half, v), to);
    }
  }
}

/// Turns `rows_of<item>` rows of `width` bytes. Each step of the network weaves row k with row k + half;
/// after log2 of them block b of vector k is column b * rows + k (the perfect shuffle: H. S. Stone, IEEE
/// Trans. Computers C-20, 1971).
template <std::size_t item, std::size_t width>
struct TurnBlock {
  static constexpr std::size_t rows = 16 / item;
  static constexpr std::size_t columns = width / item;
  using T = Item<item>;

  static HWY_INLINE void run(std::byte* out, std::size_t pitch, const std::byte* const* in, std::size_t at) {
    const hn::FixedTag<T, width / sizeof(T)> d;
    using V = hn::Vec<decltype(d)>;
    V v[rows];
#pragma GCC unroll 16
    for (std::size_t r = 0; r < rows; ++r) v[r] = hn::LoadU(d, reinterpret_cast<const T*>(in[r] + at));
#pragma GCC unroll 4
    for (std::size_t step = 1; step < rows; step *= 2) {
      V w[rows];
#pragma GCC unroll 8
      for (std::size_t r = 0; r < rows / 2; ++r) {
        w[2 * r] = hn::InterleaveLower(d, v[r], v[r + rows / 2]);
        w[2 * r + 1] = hn::InterleaveUpper(d, v[r], v[r + rows / 2]);
      }
#pragma GCC unroll 16
      for (std::size_t r = 0; r < rows; ++r) v[r] = w[r];
    }
    // Columns in rising order: see Kernels::Turn on spilling rows.
#pragma GCC unroll 16
    for (std::size_t r = 0; r < rows; ++r) store_block<0>(v[r], out + r * pitch);
    if constexpr (width >= 32) {
#pragma GCC unroll 16
      for (std::size_t r = 0; r < rows; ++r) store_block<1>(v[r], out + (rows + r) * pitch);
    }
    if constexpr (width >= 64) {
#pragma GCC unroll 16
      for (std::size_t r = 0; r < rows; ++r) store_block<2>(v[r], out + (2 * rows + r) * pitch);
#pragma GCC unroll 16
      for (std::size_t r = 0; r < rows; ++r) store_block<3>(v[r], out + (3 * rows + r) * pitch);
    }
  }
};

/// The last columns of a group, fewer than fill a block.
template <std::size_t item>
HWY_NOINLINE void turn_rest(std::byte* out, std::size_t pitch, const std::byte* const* in, std::size_t at,
                            std::size_t columns) {
  constexpr std::size_t rows = 16 / item;
  alignas(16) std::byte padded[rows][16];
  const std::byte* pointers[rows];
  for (std::size_t r = 0; r < rows; ++r) {
    std::memcpy(padded[r], in[r] + at, columns * item);
    pointers[r] = padded[r];
  }
  alignas(16) std::byte turned[rows][16];
  TurnBlock<item, 16>::run(turned[0], 16, pointers, 0);
  for (std::size_t c = 0; c < columns; ++c) std::memcpy(out + c * pitch, turned[c], 16);
}

/// Group after group of rows, each along all its columns: the source is read in long runs. The groups go from
/// last to first: see Kernels::Turn on spilling rows.
template <std::size_t item>
void turn(std::byte* out, std::size_t out_pitch, const std::byte* in, std::ptrdiff_t in_pitch,
          std::size_t rows, std::size_t cols, std::ptrdiff_t prefetch) {
  constexpr std::size_t group = 16 / item;
  constexpr std::size_t line = 64;
  const std::size_t row_bytes = cols * item;
  const std::size_t groups = (rows + group - 1) / group;
  // Groups between asking for a row and using it: about 8 KiB.
  const std::size_t ahead = std::min(groups, std::max<std::size_t>(1, 8192 / (group * row_bytes)));
  const auto row = [=](std::size_t r) {
    return in + static_cast<std::ptrdiff_t>(std::min(r, rows - 1)) * in_pitch;
  };
  for (std::size_t g = groups; g-- > 0;) {
    const std::byte* pointers[group];
    const std::byte* next[group];
    for (std::size_t r = 0; r < group; ++r) {
      pointers[r] = row(g * group + r);
      next[r] = g >= ahead ? row((g - ahead) * group + r) : row((groups + g - ahead) * group + r) + prefetch;
    }
    std::byte* const to = out + g * 16;
    for (std::size_t at = 0; at < row_bytes; at += line) {
      if (prefetch != 0) {
        for (std::size_t r = 0; r < group; ++r) __builtin_prefetch(next[r] + at, 0, 2);
      }
      if (at + line <= row_bytes) {
        for (std::size_t part = at; part < at + line; part += widest) {
          TurnBlock<item, widest>::run(to + part / item * out_pitch, out_pitch, pointers, part);
        }
        continue;
      }
      std::size_t part = at;
      for (; part + 16 <= row_bytes; part += 16) {
        TurnBlock<item, 16>::run(to + part / item * out_pitch, out_pitch, pointers, part);
      }
      if (part < row_bytes) {
        turn_rest<item>(to + part / item * out_pitch, out_pitch, pointers, part, (row_bytes - part) / item);
      }
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
