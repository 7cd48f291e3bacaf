// SPDX-License-Identifier: Apache-2.0
// Floating values to integers of 32 and 64 bits, a line of results at once, where the processor has such
// instructions: AVX-512. On AVX2, which has none for 64 bits, 4 of these at once, and the way back. Included
// once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_CONVERT_SATURATED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_CONVERT_SATURATED_INL
#undef TENSTRIDE_COPY_KERNELS_CONVERT_SATURATED_INL
#else
#define TENSTRIDE_COPY_KERNELS_CONVERT_SATURATED_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3

template <class To, class From>
inline constexpr bool saturates_by_lines = std::is_floating_point_v<From>&& std::is_integral_v<To> &&
                                           sizeof(To) >= 4;

/// Converts to signed integers. The instruction returns the least integer for every value out of range: that
/// is right below the range, and is replaced by the greatest integer above it. NaN becomes 0: its lanes are
/// masked.
HWY_INLINE __m512i saturated(std::int32_t, __m512 v) {
  const __mmask16 numbers = _mm512_cmp_ps_mask(v, v, _CMP_ORD_Q);
  const __mmask16 above = _mm512_cmp_ps_mask(v, _mm512_set1_ps(0x1p31F), _CMP_GE_OQ);
  return _mm512_mask_mov_epi32(_mm512_maskz_cvttps_epi32(numbers, v), above, _mm512_set1_epi32(0x7fffffff));
}
HWY_INLINE __m512i saturated(std::int64_t, __m256 v) {
  const __mmask8 numbers = _mm256_cmp_ps_mask(v, v, _CMP_ORD_Q);
  const __mmask8 above = _mm256_cmp_ps_mask(v, _mm256_set1_ps(0x1p63F), _CMP_GE_OQ);
  const __m512i largest = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::max());
  return _mm512_mask_mov_epi64(_mm512_maskz_cvttps_epi64(numbers, v), above, largest);
}
HWY_INLINE __m256i saturated(std::int32_t, __m512d v) {
  const __mmask8 numbers = _mm512_cmp_pd_mask(v, v, _CMP_ORD_Q);
  const __mmask8 above = _mm512_cmp_pd_mask(v, _mm512_set1_pd(0x1p31), _CMP_GE_OQ);
  return _mm256_mask_mov_epi32(_mm512_maskz_cvttpd_epi32(numbers, v), above, _mm256_set1_epi32(0x7fffffff));
}
HWY_INLINE __m512i saturated(std::int64_t, __m512d v) {
  const __mmask8 numbers = _mm512_cmp_pd_mask(v, v, _CMP_ORD_Q);
  const __mmask8 above = _mm512_cmp_pd_mask(v, _mm512_set1_pd(0x1p63), _CMP_GE_OQ);
  const __m512i largest = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::max());
  return _mm512_mask_mov_epi64(_mm512_maskz_cvttpd_epi64(numbers, v), above, largest);
}

/// Converts to unsigned integers. The instruction returns the greatest integer for every value out of range.
/// Values that are not above 0, and NaN, become 0: their lanes are masked.
HWY_INLINE __m512i saturated(std::uint32_t, __m512 v) {
  return _mm512_maskz_cvttps_epu32(_mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_GT_OQ), v);
}
HWY_INLINE __m512i saturated(std::uint64_t, __m256 v) {
  return _mm512_maskz_cvttps_epu64(_mm256_cmp_ps_mask(v, _mm256_setzero_ps(), _CMP_GT_OQ), v);
}
HWY_INLINE __m256i saturated(std::uint32_t, __m512d v) {
  return _mm512_maskz_cvttpd_epu32(_mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_GT_OQ), v);
}
HWY_INLINE __m512i saturated(std::uint64_t, __m512d v) {
  return _mm512_maskz_cvttpd_epu64(_mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_GT_OQ), v);
}

/// Loads as many floating values as become 64 bytes of integers, and converts them.
template <class To, class From>
HWY_INLINE __m512i saturated_line(const std::byte* from) {
  if constexpr (std::is_same_v<From, float> && sizeof(To) == 4) {
    return saturated(To{}, _mm512_loadu_ps(from));
  } else if constexpr (std::is_same_v<From, float>) {
    return saturated(To{}, _mm256_loadu_ps(reinterpret_cast<const float*>(from)));
  } else if constexpr (sizeof(To) == 4) {
    const __m512i lower = _mm512_castsi256_si512(saturated(To{}, _mm512_loadu_pd(from)));
    return _mm512_inserti64x4(lower, saturated(To{}, _mm512_loadu_pd(from + 64)), 1);
  } else {
    return saturated(To{}, _mm512_loadu_pd(from));
  }
}

#else

template <class To, class From>
inline constexpr bool saturates_by_lines = false;

#endif

#if HWY_TARGET == HWY_AVX2

/// Whether `convert_four` converts these types.
template <class To, class From>
inline constexpr bool converts_by_four = (std::is_same_v<To, std::int64_t> &&
                                          std::is_floating_point_v<From>) ||
                                         (std::is_floating_point_v<To> && std::is_same_v<From, std::int64_t>);

/// Returns whether all of 4 integers are at least -2^51 and less than 2^51. Added to the bits of
/// `middle_of_integers`, these are the bits of a double that is greater by as much.
HWY_INLINE bool are_short(__m256i v) {
  const __m256i moved = _mm256_add_epi64(v, _mm256_set1_epi64x(std::int64_t{1} << 51));
  return _mm256_testz_si256(moved, _mm256_set1_epi64x(-(std::int64_t{1} << 52))) != 0;
}

/// The doubles from 2^52 to 2^53 are the integers.
inline constexpr double middle_of_integers = 0x1.8p52;

/// Converts to int64. A sum with 2^52 has an integer below that in its lowest bits, so the value is cut into
/// a multiple of 2^32 and a remainder (https://stackoverflow.com/q/41144668). Values out of range are
/// clamped, NaN becomes 0.
HWY_INLINE __m256i saturated_long(__m256d v) {
  const __m256d limit = _mm256_set1_pd(0x1p63);
  const __m256d above = _mm256_cmp_pd(v, limit, _CMP_GE_OQ);
  const __m256d number = _mm256_and_pd(v, _mm256_cmp_pd(v, v, _CMP_ORD_Q));
  const __m256d inside = _mm256_max_pd(number, _mm256_set1_pd(-0x1p63));
  const __m256d whole = _mm256_round_pd(inside, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m256d high = _mm256_floor_pd(_mm256_mul_pd(whole, _mm256_set1_pd(0x1p-32)));
  const __m256d low = _mm256_sub_pd(whole, _mm256_mul_pd(high, _mm256_set1_pd(0x1p32)));
  // The lowest 32 bits of 1.5 * 2^52 are 0, so that shifting leaves those of `high` alone.
  const __m256i high_bits =
      _mm256_slli_epi64(_mm256_castpd_si256(_mm256_add_pd(high, _mm256_set1_pd(middle_of_integers))), 32);
  const __m256d shift = _mm256_set1_pd(0x1p52);
  const __m256i low_bits =
      _mm256_xor_si256(_mm256_castpd_si256(_mm256_add_pd(low, shift)), _mm256_castpd_si256(shift));
  const __m256i largest = _mm256_set1_epi64x(std::numeric_limits<std::int64_t>::max());
  return _mm256_blendv_epi8(_mm256_or_si256(high_bits, low_bits), largest, _mm256_castpd_si256(above));
}

/// Converts to int64; where all values are short, which most are, by one addition.
HWY_INLINE __m256i saturated_four(__m256d v) {
  const __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
  const __m256d is_short = _mm256_cmp_pd(magnitude, _mm256_set1_pd(0x1p51), _CMP_LT_OQ);
  if (HWY_UNLIKELY(_mm256_movemask_pd(is_short) != 15)) return saturated_long(v);
  const __m256d middle = _mm256_set1_pd(middle_of_integers);
  const __m256d whole = _mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  return _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(whole, middle)), _mm256_castpd_si256(middle));
}

/// Converts int64 to double: the upper and the lower halves become doubles by their bits alone, and their sum
/// is rounded once (https://stackoverflow.com/q/41144668).
HWY_INLINE __m256d doubles_of(__m256i v) {
  const __m256i low = _mm256_blend_epi32(_mm256_castpd_si256(_mm256_set1_pd(0x1p52)), v, 0x55);
  const __m256i upper = _mm256_xor_si256(_mm256_srli_epi64(v, 32), _mm256_set1_epi64x(0x4530000080000000));
  const __m256d high = _mm256_sub_pd(_mm256_castsi256_pd(upper), _mm256_set1_pd(0x1p84 + 0x1p63 + 0x1p52));
  return _mm256_add_pd(high, _mm256_castsi256_pd(low));
}

/// Converts int64 to float. By way of double, which would round twice where it does not hold the integer.
HWY_INLINE __m128 floats_of(__m256i v) {
  if (HWY_UNLIKELY(!are_short(v))) {
    alignas(32) std::int64_t integers[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(integers), v);
    return _mm_setr_ps(static_cast<float>(integers[0]), static_cast<float>(integers[1]),
                       static_cast<float>(integers[2]), static_cast<float>(integers[3]));
  }
  return _mm256_cvtpd_ps(doubles_of(v));
}

/// Converts 4 numbers at any address.
HWY_INLINE void convert_four(std::int64_t* to, const double* from) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), saturated_four(_mm256_loadu_pd(from)));
}
HWY_INLINE void convert_four(std::int64_t* to, const float* from) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), saturated_four(_mm256_cvtps_pd(_mm_loadu_ps(from))));
}
HWY_INLINE void convert_four(double* to, const std::int64_t* from) {
  _mm256_storeu_pd(to, doubles_of(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}
HWY_INLINE void convert_four(float* to, const std::int64_t* from) {
  _mm_storeu_ps(to, floats_of(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}

/// Converts 8 doubles to integers of at most 31 bits and a sign, in lanes of 32 bits. The compiler takes ten
/// times as long for those of 8 and 16 bits, as it saturates each by itself.
template <class To>
HWY_INLINE __m256i saturated_eight(const double* from) {
  const auto four = [](const double* at) HWY_ATTR {
    __m256d v = _mm256_loadu_pd(at);
    // The maximum of NaN and a number is the number, here 0 for unsigned integers.
    if constexpr (std::is_signed_v<To>) v = _mm256_and_pd(v, _mm256_cmp_pd(v, v, _CMP_ORD_Q));
    v = _mm256_max_pd(v, _mm256_set1_pd(static_cast<double>(std::numeric_limits<To>::min())));
    v = _mm256_min_pd(v, _mm256_set1_pd(static_cast<double>(std::numeric_limits<To>::max())));
    return _mm256_cvttpd_epi32(v);
  };
  return _mm256_set_m128i(four(from + 4), four(from));
}

/// Converts 8 floats to int32. The instruction returns the least integer for every value out of range, which
/// is right below it.
template <class To>
HWY_INLINE __m256i saturated_eight(const float* from) {
  static_assert(std::is_same_v<To, std::int32_t>);
  const __m256 v = _mm256_loadu_ps(from);
  const __m256 above = _mm256_cmp_ps(v, _mm256_set1_ps(0x1p31F), _CMP_GE_OQ);
  const __m256i whole = _mm256_cvttps_epi32(_mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q)));
  return _mm256_blendv_epi8(whole, _mm256_set1_epi32(0x7fffffff), _mm256_castps_si256(above));
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
