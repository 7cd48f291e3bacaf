// SPDX-License-Identifier: Apache-2.0
// The conversions worth an instruction set of their own, included once for each. Every loop gives exactly
// what convert_element gives.
#if defined(TENSTRIDE_COPY_CONVERT_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_CONVERT_SIMD_INL
#undef TENSTRIDE_COPY_CONVERT_SIMD_INL
#else
#define TENSTRIDE_COPY_CONVERT_SIMD_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "copy/kernels.hpp"
#include "tenstride/element.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Elements of one step: a loop of this fixed length over local arrays is one the compiler turns into
/// vectors.
inline constexpr std::size_t step_length = 32;

/// A floating value as an integer without a branch: brought into the range first, then repaired at both odd
/// ends.
template <class To, class From>
HWY_INLINE To saturate_straight(From x) {
  constexpr From limit = From(2) * static_cast<From>(To(1) << (std::numeric_limits<To>::digits - 1));
  constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
  // The largest value below the limit that From has and To can take.
  constexpr From high = std::numeric_limits<To>::digits > std::numeric_limits<From>::digits
                            ? limit - limit / From(std::uint64_t(1) << std::numeric_limits<From>::digits)
                            : limit - From(1);
  From inside = x >= low ? x : low;  // NaN too
  inside = inside <= high ? inside : high;
  To result = static_cast<To>(inside);
  result = x >= limit ? std::numeric_limits<To>::max() : result;
  return x == x ? result : To(0);
}

template <class To, class From>
HWY_INLINE void convert_step(To* HWY_RESTRICT out, const From* HWY_RESTRICT in) {
  for (std::size_t i = 0; i < step_length; ++i) {
    if constexpr (std::is_same_v<To, bool>) {
      out[i] = in[i] != From(0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      out[i] = saturate_straight<To>(in[i]);
    } else {
      out[i] = static_cast<To>(in[i]);
    }
  }
}

/// Numbers C++ knows.
template <class To, class From>
void convert_numbers(std::byte* out, const std::byte* in, std::size_t count) {
  std::size_t i = 0;
  for (; i + step_length <= count; i += step_length) {
    From from[step_length];
    To to[step_length];
    std::memcpy(from, in + i * sizeof(From), sizeof(from));
    convert_step(to, from);
    std::memcpy(out + i * sizeof(To), to, sizeof(to));
  }
  for (; i < count; ++i) {
    store_element<To>(out + i * sizeof(To), convert_element<To>(load_element<From>(in + i * sizeof(From))));
  }
}

/// Loads, converts and stores vectors of floats on one side; the rest goes element by element.
template <class To, class From, class Step>
HWY_INLINE void convert_vectors(std::byte* out, const std::byte* in, std::size_t count, Step&& vector_step) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) vector_step(d, out + i * sizeof(To), in + i * sizeof(From));
  for (; i < count; ++i) {
    store_element<To>(out + i * sizeof(To), convert_element<To>(load_element<From>(in + i * sizeof(From))));
  }
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#define TENSTRIDE_HALF 1
#else
#define TENSTRIDE_HALF 0
#endif

#if TENSTRIDE_HALF
void half_to_float(std::byte* out, const std::byte* in, std::size_t count) {
  convert_vectors<float, float16>(out, in, count, [](auto d, std::byte* to, const std::byte* from) HWY_ATTR {
    const hn::Rebind<hwy::float16_t, decltype(d)> half;
    const auto v = hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from));
    hn::StoreU(hn::PromoteTo(d, v), d, reinterpret_cast<float*>(to));
  });
}

void float_to_half(std::byte* out, const std::byte* in, std::size_t count) {
  convert_vectors<float16, float>(out, in, count, [](auto d, std::byte* to, const std::byte* from) HWY_ATTR {
    const hn::Rebind<hwy::float16_t, decltype(d)> half;
    const hn::RebindToUnsigned<decltype(d)> bits;
    const auto v = hn::LoadU(d, reinterpret_cast<const float*>(from));
    // The processor keeps a NaN's payload; the definition drops it.
    const auto quiet = hn::CopySign(hn::BitCast(d, hn::Set(bits, 0x7fc00000U)), v);
    const auto plain = hn::IfThenElse(hn::IsNaN(v), quiet, v);
    hn::StoreU(hn::DemoteTo(half, plain), half, reinterpret_cast<hwy::float16_t*>(to));
  });
}
#endif

void bfloat_to_float(std::byte* out, const std::byte* in, std::size_t count) {
  convert_vectors<float, bfloat16>(out, in, count, [](auto d, std::byte* to, const std::byte* from) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> bits;
    const hn::Rebind<std::uint16_t, decltype(d)> half;
    const auto v = hn::LoadU(half, reinterpret_cast<const std::uint16_t*>(from));
    hn::StoreU(hn::ShiftLeft<16>(hn::PromoteTo(bits, v)), bits, reinterpret_cast<std::uint32_t*>(to));
  });
}

void float_to_bfloat(std::byte* out, const std::byte* in, std::size_t count) {
  convert_vectors<bfloat16, float>(out, in, count, [](auto d, std::byte* to, const std::byte* from) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> bits;
    const hn::RebindToSigned<decltype(d)> number;
    const hn::Rebind<std::uint16_t, decltype(d)> half;
    const auto v = hn::LoadU(d, reinterpret_cast<const float*>(from));
    const auto word = hn::BitCast(bits, v);
    const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(bits, 1U));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(word, hn::Set(bits, 0x7fffU)), odd));
    const auto is_nan = hn::RebindMask(bits, hn::IsNaN(v));
    const auto result = hn::IfThenElse(is_nan, hn::Set(bits, 0x7fc0U), rounded);
    hn::StoreU(hn::DemoteTo(half, hn::BitCast(number, result)), half, reinterpret_cast<std::uint16_t*>(to));
  });
}

template <class To>
ConvertRow find_number(DType from) {
  switch (from) {
    case DType::uint8:
      return convert_numbers<To, std::uint8_t>;
    case DType::int8:
      return convert_numbers<To, std::int8_t>;
    case DType::uint16:
      return convert_numbers<To, std::uint16_t>;
    case DType::int16:
      return convert_numbers<To, std::int16_t>;
    case DType::uint32:
      return convert_numbers<To, std::uint32_t>;
    case DType::int32:
      return convert_numbers<To, std::int32_t>;
    case DType::int64:
      return convert_numbers<To, std::int64_t>;
    case DType::float32:
      return convert_numbers<To, float>;
    case DType::float64:
      return convert_numbers<To, double>;
    default:
      return nullptr;
  }
}

ConvertRow find_convert(DType to, DType from) {
  if (to == from) return nullptr;
#if TENSTRIDE_HALF
  if (to == DType::float32 && from == DType::float16) return half_to_float;
  if (to == DType::float16 && from == DType::float32) return float_to_half;
#endif
  if (to == DType::float32 && from == DType::bfloat16) return bfloat_to_float;
  if (to == DType::bfloat16 && from == DType::float32) return float_to_bfloat;
  switch (to) {
    case DType::uint8:
      return find_number<std::uint8_t>(from);
    case DType::int16:
      return find_number<std::int16_t>(from);
    case DType::uint16:
      return find_number<std::uint16_t>(from);
    case DType::int32:
      return find_number<std::int32_t>(from);
    case DType::int64:
      return find_number<std::int64_t>(from);
    case DType::float32:
      return find_number<float>(from);
    case DType::float64:
      return find_number<double>(from);
    default:
      return nullptr;
  }
}

#undef TENSTRIDE_HALF
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
