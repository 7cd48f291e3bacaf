// SPDX-License-Identifier: Apache-2.0
// Products of pooled squares of two by two short integers; included once for each instruction set. Two
// factors fit in twice as many bits, four in four times: only the last multiplication is of 64 bits or nearly
// so.
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
  /// What the factor of a column is: the product of its two elements.
  using Factor = Sized<2 * sizeof(T)>;
  static constexpr auto item = static_cast<Index>(sizeof(T));

  /// The first results of `count`, whole groups, from `src` on, and how many these are. Pre: two rows, and
  /// two pixels in a group.
  static Index fold(State* to, const PoolRows& from, const std::byte* src, Index first, Index count) {
    if (from.inner == 1) return pairs(to, from, src, count);
    if (from.inner <= staged_channels) return staged_pixels(to, from, src, count);
    return pixels(to, from, src, first, count);
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
    hwy::Prefetch(src + from.ahead);
    hwy::Prefetch(src + from.row_step + from.ahead);
  }

  /// Products of 32 or 64 bits as results, the first to `to`.
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

  /// Neighbours lie in one lane of twice the size.
  static HWY_NOINLINE Index pairs(State* to, const PoolRows from, const std::byte* src, Index count) {
    const Line d;
    const hn::RepartitionToWide<Line> wide;
    constexpr Index lanes = line_lanes / 2;
    constexpr int bits = 8 * sizeof(Factor);
    if (count < lanes) return 0;
    for (Index i = 0; i < count; i += lanes) {
      i = std::min(i, count - lanes);  // the last ones once more
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

  /// Groups of a few elements: first the rows, then the groups, in parts as in Pools.
  static HWY_NOINLINE Index staged_pixels(State* to, const PoolRows from, const std::byte* src, Index count) {
    constexpr auto staged = static_cast<Index>(staged_bytes / sizeof(State)) + 16 * staged_channels;
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

  /// What is written beyond the groups of a vector is overwritten by the next.
#if HWY_TARGET == HWY_AVX3
  static constexpr bool is_word = sizeof(Factor) == 2;
  /// Where in a lane a factor stands: a signed word is the upper half of its lower 32 bits, so multiplied by
  /// 2^16.
  static constexpr std::size_t place = is_word && std::is_signed_v<T> ? 1 : 0;
  /// Of each number of channels, where the factors of eight results lie. (Made anew for each call the places
  /// took as long as the pixels.)
  struct Places {
    alignas(64) Factor first[staged_channels + 1][64 / sizeof(Factor)] = {};
    alignas(64) Factor second[staged_channels + 1][64 / sizeof(Factor)] = {};
    constexpr Places() {
      for (Index inner = 1; inner <= staged_channels; ++inner) {
        for (Index k = 0; k < 8; ++k) {
          const std::size_t lane = static_cast<std::size_t>(k) * sizeof(State) / sizeof(Factor) + place;
          first[inner][lane] = static_cast<Factor>(k + k / inner * inner);
          second[inner][lane] = static_cast<Factor>(k + k / inner * inner + inner);
        }
      }
    }
  };
  /// The factors are brought to the lanes of their results by one permutation each.
  static HWY_INLINE void accumulate_groups(State* to, const Factor* stage, Index inner, Index count) {
    constexpr Index lanes = 8;
    static constexpr Places places;
    const __m512i a_places = _mm512_load_si512(places.first[inner]);
    const __m512i b_places = _mm512_load_si512(places.second[inner]);
    const Index whole = lanes / inner * inner;
    for (Index o = 0; o < count; o += whole) {
      const __m512i v = _mm512_loadu_si512(stage + 2 * o);
      __m512i product;
      if constexpr (is_word) {
        constexpr __mmask32 wanted = place == 1 ? 0x22222222 : 0x11111111;
        const __m512i a = _mm512_maskz_permutexvar_epi16(wanted, a_places, v);
        const __m512i b = _mm512_maskz_permutexvar_epi16(wanted, b_places, v);
        product = place == 1 ? _mm512_srai_epi64(_mm512_mul_epi32(a, b), 32) : _mm512_mul_epu32(a, b);
      } else {
        const __m512i a = _mm512_permutexvar_epi32(a_places, v);
        const __m512i b = _mm512_permutexvar_epi32(b_places, v);
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

  /// Groups of more elements, by vectors of so many: what one reads beyond must belong to the rows.
  static HWY_NOINLINE Index pixels(State* to, const PoolRows from, const std::byte* src, Index first,
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
