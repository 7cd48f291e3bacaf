// SPDX-License-Identifier: Apache-2.0
// Products of 2 × 2 elements, pooled, for integers of one or two bytes. Two factors fit in twice as many bits
// and four in four times as many, so only the last multiplication is wide. Included once for each instruction
// set.
#if defined(TENSTRIDE_REDUCE_KERNELS_POOL_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_REDUCE_KERNELS_POOL_PRODUCTS_INL
#undef TENSTRIDE_REDUCE_KERNELS_POOL_PRODUCTS_INL
#else
#define TENSTRIDE_REDUCE_KERNELS_POOL_PRODUCTS_INL
#endif

#include <hwy/cache_control.h>

#include <algorithm>

#include "reduce/kernels/kernels.hpp"
#include "reduce/kernels/rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {

/// Whether a rule multiplies integers of which four fit in 64 bits.
template <class Rule>
inline constexpr bool has_product_squares = false;

#if HWY_TARGET != HWY_SCALAR
template <class T>
inline constexpr bool has_product_squares<WholeProduct<T>> = sizeof(T) <= 2;

template <class T>
struct ProductSquares {
  using State = Word<T>;
  template <std::size_t size>
  using Sized = SignedAs<T, size>;
  /// The product of the two elements of a column, which is a factor of the result.
  using Factor = Sized<2 * sizeof(T)>;
  static constexpr auto item = static_cast<Index>(sizeof(T));

  /// Sets `to` to the first of `count` results, made of the elements from `src` on, and returns how many it
  /// set: a multiple of `inner`. Precondition: two rows, and two pixels in a group.
  static Index pool(State* to, const PoolRows& from, const std::byte* src, Index first, Index count) {
    if (from.inner == 1) return pool_pairs(to, from, src, count);
    if (from.inner <= max_staged_channels) return pool_staged_pixels(to, from, src, count);
    return pool_pixels(to, from, src, first, count);
  }

 private:
  using Line = VectorTag<Factor, static_cast<Index>(64 / sizeof(Factor))>;
  static constexpr auto line_lanes = static_cast<Index>(hn::MaxLanes(Line()));

  template <class D>
  static HWY_INLINE hn::Vec<D> factors(D d, const PoolRows& from, const std::byte* src) {
    return hn::Mul(hn::PromoteTo(d, load_dense<T>(d, src)),
                   hn::PromoteTo(d, load_dense<T>(d, src + from.row_step)));
  }
  static HWY_INLINE void prefetch_next(const PoolRows& from, const std::byte* src) {
    hwy::Prefetch(src + from.prefetch_distance);
    hwy::Prefetch(src + from.row_step + from.prefetch_distance);
  }

  /// Writes products of 32 or 64 bits as results to `to` and behind.
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, State* to) {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(State)) {
      hn::StoreU(v, d, to);
    } else {
      const hn::RepartitionToWide<D> wide;
      const hn::Half<D> half;
      hn::StoreU(hn::PromoteTo(wide, hn::LowerHalf(half, v)), wide, to);
      hn::StoreU(hn::PromoteTo(wide, hn::UpperHalf(half, v)), wide, to + hn::MaxLanes(wide));
    }
  }

  /// Pools single channels: the two factors of a result lie in one lane of twice the size.
  static HWY_NOINLINE Index pool_pairs(State* to, const PoolRows from, const std::byte* src, Index count) {
    const Line d;
    const hn::RepartitionToWide<Line> wide;
    constexpr Index lanes = line_lanes / 2;
    constexpr int bits = 8 * sizeof(Factor);
    if (count < lanes) return 0;
    for (Index i = 0; i < count; i += lanes) {
      i = std::min(i, count - lanes);  // the last vector overlaps the one before
      const std::byte* const at = src + 2 * i * item;
      prefetch_next(from, at);
      const auto both = factors(d, from, at);
      if constexpr (bits == 32) {
        const hn::Repartition<std::uint64_t, Line> words;
        const auto odd = hn::ShiftRight<bits>(hn::BitCast(words, both));
        store(wide, hn::MulEven(both, hn::BitCast(d, odd)), to + i);
      } else {
        const auto even = hn::ShiftRight<bits>(hn::ShiftLeft<bits>(hn::BitCast(wide, both)));
        store(wide, hn::Mul(even, hn::ShiftRight<bits>(hn::BitCast(wide, both))), to + i);
      }
    }
    return count;
  }

  /// Pools pixels of up to `max_staged_channels` channels: first the rows into `stage`, then the groups, in
  /// parts as in Pools.
  static HWY_NOINLINE Index pool_staged_pixels(State* to, const PoolRows from, const std::byte* src,
                                               Index count) {
    constexpr auto staged = static_cast<Index>(staged_bytes / sizeof(State)) + 16 * max_staged_channels;
    alignas(64) Factor stage[static_cast<std::size_t>(staged + line_lanes)];
    const Line d;
    if (2 * count < line_lanes) return 0;
    const Index part = 24 * line_lanes / (2 * from.inner) * from.inner;
    for (Index o = 0, now = 0; o < count; o += now) {
      now = count - o < 2 * part ? count - o : part;
      const std::byte* const at = src + 2 * o * item;
      for (Index i = 0; i < 2 * now; i += line_lanes) {
        i = std::min(i, 2 * now - line_lanes);
        prefetch_next(from, at + i * item);
        hn::StoreU(factors(d, from, at + i * item), d, stage + i);
      }
      accumulate_groups(to + o, stage, from.inner, now);
    }
    return count;
  }

#if HWY_TARGET == HWY_AVX3
  static constexpr bool is_word = sizeof(Factor) == 2;
  /// The lane of a factor within its result. A signed factor of 16 bits stands in the upper half of the lower
  /// 32 bits, so that it is multiplied by 2^16 and keeps its sign.
  static constexpr std::size_t lane_offset = is_word && std::is_signed_v<T> ? 1 : 0;
  /// For each number of channels, the indices of the two factors of eight results. It is a constant because
  /// building it in each call took as long as reducing the pixels.
  struct FactorIndices {
    alignas(64) Factor first[max_staged_channels + 1][64 / sizeof(Factor)] = {};
    alignas(64) Factor second[max_staged_channels + 1][64 / sizeof(Factor)] = {};
    constexpr FactorIndices() {
      for (Index inner = 1; inner <= max_staged_channels; ++inner) {
        for (Index k = 0; k < 8; ++k) {
          const std::size_t lane = static_cast<std::size_t>(k) * sizeof(State) / sizeof(Factor) + lane_offset;
          first[inner][lane] = static_cast<Factor>(k + k / inner * inner);
          second[inner][lane] = static_cast<Factor>(k + k / inner * inner + inner);
        }
      }
    }
  };
  /// Multiplies the factors of each group. One permutation each brings the first and the second factors to
  /// the lanes of their results. Lanes beyond the groups of a vector are overwritten by the next one.
  static HWY_INLINE void accumulate_groups(State* to, const Factor* stage, Index inner, Index count) {
    constexpr Index lanes = 8;
    static constexpr FactorIndices indices;
    const __m512i a_indices = _mm512_load_si512(indices.first[inner]);
    const __m512i b_indices = _mm512_load_si512(indices.second[inner]);
    const Index whole = lanes / inner * inner;
    for (Index o = 0; o < count; o += whole) {
      const __m512i v = _mm512_loadu_si512(stage + 2 * o);
      __m512i product;
      if constexpr (is_word) {
        constexpr __mmask32 selected = lane_offset == 1 ? 0x22222222 : 0x11111111;
        const __m512i a = _mm512_maskz_permutexvar_epi16(selected, a_indices, v);
        const __m512i b = _mm512_maskz_permutexvar_epi16(selected, b_indices, v);
        product = lane_offset == 1 ? _mm512_srai_epi64(_mm512_mul_epi32(a, b), 32) : _mm512_mul_epu32(a, b);
      } else {
        const __m512i a = _mm512_permutexvar_epi32(a_indices, v);
        const __m512i b = _mm512_permutexvar_epi32(b_indices, v);
        product = std::is_signed_v<T> ? _mm512_mul_epi32(a, b) : _mm512_mul_epu32(a, b);
      }
      _mm512_storeu_si512(to + o, product);
    }
  }
#else
  template <class D>
  static HWY_INLINE hn::Vec<D> multiply(D d, const Factor* a, const Factor* b) {
    const hn::Rebind<Factor, D> factor;
    if constexpr (sizeof(Factor) == 4) {
      return WholeProduct<T>::times(d, hn::PromoteTo(d, hn::LoadU(factor, a)),
                                    hn::PromoteTo(d, hn::LoadU(factor, b)));
    } else {
      const hn::Rebind<Sized<4>, D> words;
      return hn::PromoteTo(
          d, hn::Mul(hn::PromoteTo(words, hn::LoadU(factor, a)), hn::PromoteTo(words, hn::LoadU(factor, b))));
    }
  }
  static HWY_INLINE void accumulate_groups(State* to, const Factor* stage, Index inner, Index count) {
    inner <= 4 ? accumulate_groups<4>(to, stage, inner, count)
               : accumulate_groups<8>(to, stage, inner, count);
  }
  template <Index lanes>
  static HWY_INLINE void accumulate_groups(State* to, const Factor* stage, Index inner, Index count) {
    const VectorTag<State, lanes> d;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(decltype(d)()));
    for (Index o = 0; o < count; o += inner) {
      for (Index k = 0; k < lanes; k += width) {
        const Factor* const at = stage + 2 * o + k;
        hn::StoreU(multiply(d, at, at + inner), d, to + o + k);
      }
    }
  }
#endif

  /// Pools pixels of more channels, by vectors of 16 factors. What a vector reads beyond its pixel must
  /// belong to the rows.
  static HWY_NOINLINE Index pool_pixels(State* to, const PoolRows from, const std::byte* src, Index first,
                                        Index count) {
    using D = VectorTag<Factor, 16>;
    const D d;
    constexpr Index lanes = 16;
    constexpr auto width = static_cast<Index>(hn::MaxLanes(D()));
    const Index inner = from.inner;
    const Index beyond = ceil_divide(inner, lanes) * lanes - inner;
    const Index left = (from.groups - first / inner) * 2 * inner;
    const Index end = std::min(count, left < beyond ? 0 : (left - beyond) / (2 * inner) * inner);
    for (Index o = 0; o < end; o += inner, src += 2 * inner * item) {
      for (Index k = 0; k < inner; k += width) {
        const std::byte* const at = src + k * item;
        store_products(d, factors(d, from, at), factors(d, from, at + inner * item), to + o + k);
      }
    }
    return end;
  }
  template <class D>
  static HWY_INLINE void store_products(D, hn::Vec<D> a, hn::Vec<D> b, State* to) {
    const hn::RepartitionToWide<D> wide;
    const hn::Half<D> half;
    store(wide,
          WholeProduct<T>::times(wide, hn::PromoteTo(wide, hn::LowerHalf(half, a)),
                                 hn::PromoteTo(wide, hn::LowerHalf(half, b))),
          to);
    store(wide,
          WholeProduct<T>::times(wide, hn::PromoteTo(wide, hn::UpperHalf(half, a)),
                                 hn::PromoteTo(wide, hn::UpperHalf(half, b))),
          to + hn::MaxLanes(wide));
  }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#endif  // toggle
