// SPDX-License-Identifier: Apache-2.0
// Floating values to integers of 32 and 64 bits, a line of results at once, where the processor has such
// instructions: AVX-512. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_CONVERT_SATURATED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_CONVERT_SATURATED_INL
#undef TENSTRIDE_COPY_CONVERT_SATURATED_INL
#else
#define TENSTRIDE_COPY_CONVERT_SATURATED_INL
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

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
