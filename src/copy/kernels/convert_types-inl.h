// SPDX-License-Identifier: Apache-2.0
// How each type becomes a vector of floats, and is made of one. Included once for each instruction set. Every
// rule gives exactly what convert_element gives.
#if defined(TENSTRIDE_COPY_KERNELS_CONVERT_TYPES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_CONVERT_TYPES_INL
#undef TENSTRIDE_COPY_KERNELS_CONVERT_TYPES_INL
#else
#define TENSTRIDE_COPY_KERNELS_CONVERT_TYPES_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "copy/kernels/convert_numbers-inl.h"
#include "tenstride/base/element.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// What the elements of a type are loaded and stored as.
template <class T>
using Bits =
    std::conditional_t<is_small_float<T>, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>, T>;

template <class T>
inline constexpr bool is_small_integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 2;

/// The tag of as many floats as become one store of T.
template <class T>
using FloatsFor = hn::CappedTag<float, store_bytes / sizeof(T)>;

/// Makes floats of a type: `run` loads and converts as many elements as the tag has lanes.
template <class From>
struct ToFloats;

template <>
struct ToFloats<float> {
  template <class D>
  static HWY_INLINE auto run(D d, const float* from) {
    return hn::LoadU(d, from);
  }
};

/// Rounds doubles to float. Only for conversions whose definition goes through float, too.
template <>
struct ToFloats<double> {
  template <class D>
  static HWY_INLINE auto run(D d, const double* from) {
    const hn::Half<D> half;
    const hn::Rebind<double, decltype(half)> numbers;
    const auto low = hn::DemoteTo(half, hn::LoadU(numbers, from));
    return hn::Combine(d, hn::DemoteTo(half, hn::LoadU(numbers, from + hn::Lanes(half))), low);
  }
};

template <class From>
requires is_small_integer<From>
struct ToFloats<From> {
  template <class D>
  static HWY_INLINE auto run(D d, const From* from) {
    return hn::ConvertTo(d, hn::PromoteTo(hn::RebindToSigned<D>(), hn::LoadU(hn::Rebind<From, D>(), from)));
  }
};

template <>
struct ToFloats<std::int32_t> {
  template <class D>
  static HWY_INLINE auto run(D d, const std::int32_t* from) {
    return hn::ConvertTo(d, hn::LoadU(hn::RebindToSigned<D>(), from));
  }
};

template <>
struct ToFloats<bool> {
  template <class D>
  static HWY_INLINE auto run(D d, const bool* from) {
    const hn::Rebind<std::uint8_t, D> bytes;
    const auto v = hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from));
    return hn::ConvertTo(d, hn::PromoteTo(hn::RebindToSigned<D>(), hn::Min(v, hn::Set(bytes, 1))));
  }
};

#if HWY_TARGET == HWY_AVX2
template <>
struct ToFloats<std::int64_t> {
  template <class D>
  static HWY_INLINE hn::Vec<D> run(D, const std::int64_t* from) {
    const auto four = [](const std::int64_t* at) HWY_ATTR {
      return floats_of(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    };
    static_assert(hn::MaxLanes(D()) == 8);
    return hn::Vec<D>{_mm256_set_m128(four(from + 4), four(from))};
  }
};
#endif

template <>
struct ToFloats<bfloat16> {
  template <class D>
  static HWY_INLINE auto run(D d, const std::uint16_t* from) {
    const auto v = hn::LoadU(hn::Rebind<std::uint16_t, D>(), from);
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<D>(), v)));
  }
};

/// Makes a type of floats: `run` returns a vector of the type's bits. Some types also have `word`, which
/// returns the bits of each result in the lower part of its float's lane, with any bits above them.
template <class To>
struct FromFloats;

/// Truncates floats to integers, without the four instructions by which Highway corrects values out of range.
/// Pre: all values are in the range.
template <class D, class V>
HWY_INLINE auto truncate_in_range(D number, V v) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(number) == 16) return hn::Vec<D>{_mm512_cvttps_epi32(v.raw)};
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  if constexpr (hn::MaxLanes(number) == 8) return hn::Vec<D>{_mm256_cvttps_epi32(v.raw)};
#endif
#if HWY_ARCH_X86
  if constexpr (hn::MaxLanes(number) <= 4) return hn::Vec<D>{_mm_cvttps_epi32(v.raw)};
#endif
  return hn::ConvertTo(number, v);
}

template <>
struct FromFloats<float> {
  template <class D, class V>
  static HWY_INLINE auto run(D, V v) {
    return v;
  }
};

/// Integers of at most 16 bits: floats are clamped to the range before they are truncated; NaN becomes 0.
template <class To>
requires is_small_integer<To>
struct FromFloats<To> {
  template <class D, class V>
  static HWY_INLINE auto word(D d, V v) {
    const auto low = hn::Set(d, static_cast<float>(std::numeric_limits<To>::min()));
    const auto high = hn::Set(d, static_cast<float>(std::numeric_limits<To>::max()));
#if HWY_ARCH_X86
    // The processor's maximum of NaN and a number is the number.
    constexpr bool max_drops_nan = std::is_unsigned_v<To>;
#else
    constexpr bool max_drops_nan = false;
#endif
    const auto number = max_drops_nan ? v : hn::IfThenZeroElse(hn::IsNaN(v), v);
    const auto inside = hn::Min(hn::Max(number, low), high);
    return truncate_in_range(hn::RebindToSigned<D>(), inside);
  }
  template <class D, class V>
  static HWY_INLINE auto run(D d, V v) {
    return hn::DemoteTo(hn::Rebind<To, D>(), word(d, v));
  }
};

#if HWY_TARGET == HWY_AVX2
/// Makes lanes of 32 bits of doubles or floats, each with the integer To.
template <class To>
struct SaturatedWords {
  template <class D, class From>
  static HWY_INLINE auto run(D, const From* from) {
    return hn::Vec<hn::RebindToSigned<D>>{saturated_eight<To>(from)};
  }
};

/// Makes integers of such lanes.
template <class To>
struct FromWords {
  template <class D, class V>
  static HWY_INLINE V word(D, V v) requires(sizeof(To) < sizeof(float)) {
    return v;
  }
  template <class D, class V>
  static HWY_INLINE auto run(D, V v) {
    if constexpr (sizeof(To) < sizeof(float)) {
      return hn::DemoteTo(hn::Rebind<To, D>(), v);
    } else {
      return v;
    }
  }
};
#endif

/// Returns the upper half of each float, rounded to nearest even, in the lower half. For NaN the result is
/// not defined.
template <class D, class V>
HWY_INLINE auto round_to_upper_half(D, V v) {
  const hn::RebindToUnsigned<D> bits;
  const auto number = hn::BitCast(bits, v);
  const auto odd = hn::And(hn::ShiftRight<16>(number), hn::Set(bits, 1U));
  return hn::ShiftRight<16>(hn::Add(hn::Add(number, hn::Set(bits, 0x7fffU)), odd));
}

template <>
struct FromFloats<bfloat16> {
  template <class D, class V>
  static HWY_INLINE auto word(D d, V v) {
    const hn::RebindToUnsigned<D> bits;
    const auto rounded = round_to_upper_half(d, v);
    const auto is_nan = hn::RebindMask(bits, hn::IsNaN(v));
    return hn::BitCast(hn::RebindToSigned<D>(), hn::IfThenElse(is_nan, hn::Set(bits, 0x7fc0U), rounded));
  }
  template <class D, class V>
  static HWY_INLINE auto run(D d, V v) {
    return hn::DemoteTo(hn::Rebind<std::uint16_t, D>(), word(d, v));
  }
};

/// bfloat16 of integers of 8 bits, all of which it holds exactly: no rounding.
struct ExactBfloat16 {
  template <class D, class V>
  static HWY_INLINE auto word(D, V v) {
    const auto bits = hn::BitCast(hn::RebindToUnsigned<D>(), v);
    return hn::BitCast(hn::RebindToSigned<D>(), hn::ShiftRight<16>(bits));
  }
  template <class D, class V>
  static HWY_INLINE auto run(D d, V v) {
    return hn::DemoteTo(hn::Rebind<std::uint16_t, D>(), word(d, v));
  }
};

/// bfloat16 of floats of 8 bits, all of which it holds exactly: no rounding, but a NaN of its own.
struct UnroundedBfloat16 {
  template <class D, class V>
  static HWY_INLINE auto word(D d, V v) {
    const hn::RebindToSigned<D> bits;
    const auto is_nan = hn::RebindMask(bits, hn::IsNaN(v));
    return hn::IfThenElse(is_nan, hn::Set(bits, 0x7fc0), ExactBfloat16::word(d, v));
  }
  template <class D, class V>
  static HWY_INLINE auto run(D d, V v) {
    return hn::DemoteTo(hn::Rebind<std::uint16_t, D>(), word(d, v));
  }
};

/// The rule that makes To of floats that were made of From.
template <class To, class From>
struct RuleFor {
  using type = FromFloats<To>;
};
template <class From>
requires(std::is_integral_v<From> && sizeof(From) == 1) struct RuleFor<bfloat16, From> {
  using type = ExactBfloat16;
};
template <class From>
requires(is_small_float<From> && sizeof(From) == 1) struct RuleFor<bfloat16, From> {
  using type = UnroundedBfloat16;
};

/// Makes an 8-bit float: values that round to `over` or more become `over`, NaN becomes 0x7f. A
/// floating-point addition rounds: the number, scaled by 2^-place, is added to the power of two with the
/// number's exponent, or with the least normal exponent where that is greater. The sum is rounded to nearest
/// even at the last bit of the result. Its lowest bits are the mantissa with its leading bit; for results
/// below the least normal number they are the whole result. Takes 9 instructions for a vector; rounding as
/// integers takes 13.
template <int exponent_bits, int mantissa_bits, std::int32_t over>
struct FloatsTo8Bits {
  static constexpr int least = 127 - (1 << (exponent_bits - 1)) + 2;
  /// The shift that moves the exponent of a float next to the mantissa of the result.
  static constexpr int place = 23 - mantissa_bits;
  /// The bits of the float that `over` stands for.
  static constexpr std::int32_t limit = (over << place) + ((least - 1) << 23);

  template <class D, class V>
  static HWY_INLINE auto word(D d, V v) {
    const hn::RebindToUnsigned<D> bits;
    const hn::RebindToSigned<D> number;
    const auto float_bits = hn::BitCast(number, v);
    const auto magnitude = hn::And(float_bits, hn::Set(number, 0x7fffffff));
    const auto inside = hn::Min(magnitude, hn::Set(number, limit));
    // As floats, whose maximum the processor computes on two ports; that of integers has one.
    const auto normal = hn::Max(hn::BitCast(d, inside), hn::BitCast(d, hn::Set(number, least << 23)));
    // Subtracts the least exponent from the result, modulo 256: only the lowest byte of the sum is used.
    const auto start = hn::Set(number, (-(least << mantissa_bits)) & 0xff);
    const auto power = hn::OrAnd(start, hn::BitCast(number, normal), hn::Set(number, 0x7f800000));
    const auto scale = hn::BitCast(d, hn::Set(number, (127 - place) << 23));
    const auto sum = hn::MulAdd(hn::BitCast(d, inside), scale, hn::BitCast(d, power));
    auto result = hn::Add(hn::BitCast(number, sum), hn::ShiftRight<place>(power));
    if constexpr (over != 0x7f)
      result = hn::IfThenElse(hn::RebindMask(number, hn::IsNaN(v)), hn::Set(number, 0x7f), result);
    const auto sign = hn::BitCast(number, hn::ShiftRight<24>(hn::BitCast(bits, v)));
    return hn::OrAnd(result, sign, hn::Set(number, 0x80));
  }
  template <class D, class V>
  static HWY_INLINE auto run(D d, V v) {
    const hn::RebindToSigned<D> number;
    return hn::DemoteTo(hn::Rebind<std::uint8_t, D>(), hn::And(word(d, v), hn::Set(number, 0xff)));
  }
};
template <>
struct FromFloats<float8_e4m3fn> : FloatsTo8Bits<4, 3, 0x7f> {};
template <>
struct FromFloats<float8_e5m2> : FloatsTo8Bits<5, 2, 0x7c> {};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
template <>
struct ToFloats<float16> {
  template <class D>
  static HWY_INLINE auto run(D d, const std::uint16_t* from) {
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from)));
  }
};

/// float8_e5m2 is the upper byte of a float16.
template <>
struct ToFloats<float8_e5m2> {
  template <class D>
  static HWY_INLINE auto run(D d, const std::uint8_t* from) {
    const hn::Rebind<hwy::float16_t, D> half;
    const hn::Rebind<std::uint16_t, D> bits;
    const auto v = hn::PromoteTo(bits, hn::LoadU(hn::Rebind<std::uint8_t, D>(), from));
    return hn::PromoteTo(d, hn::BitCast(half, hn::ShiftLeft<8>(v)));
  }
};

/// The bits of float8_e4m3fn, read as float16, have 2^-8 of its value, below the least normal number, too.
template <>
struct ToFloats<float8_e4m3fn> {
  template <class D>
  static HWY_INLINE auto run(D d, const std::uint8_t* from) {
    const hn::Rebind<hwy::float16_t, D> half;
    const hn::Rebind<std::uint16_t, D> bits;
    const hn::RebindToUnsigned<D> word;
    const hn::RebindToSigned<D> number;
    const auto v = hn::PromoteTo(bits, hn::LoadU(hn::Rebind<std::uint8_t, D>(), from));
    const auto sign = hn::ShiftLeft<8>(hn::And(v, hn::Set(bits, 0x80U)));
    const auto magnitude = hn::ShiftLeft<7>(hn::And(v, hn::Set(bits, 0x7fU)));
    const auto scaled = hn::PromoteTo(d, hn::BitCast(half, hn::Or(sign, magnitude)));
    const auto value = hn::BitCast(word, hn::Mul(scaled, hn::Set(d, 256.0F)));
    // 480 stands for NaN.
    const auto is_nan =
        hn::Gt(hn::BitCast(number, hn::And(value, hn::Set(word, 0x7fffffffU))), hn::Set(number, 0x43efffff));
    const auto nan = hn::Or(value, hn::Set(word, 0x7ff00000U));
    return hn::BitCast(d, hn::IfThenElse(hn::RebindMask(word, is_nan), nan, value));
  }
};

template <>
struct FromFloats<float16> {
  template <class D, class V>
  static HWY_INLINE auto run(D d, V v) {
    const hn::RebindToUnsigned<D> bits;
    // The processor keeps a NaN's payload; the definition drops it.
    const auto quiet = hn::CopySign(hn::BitCast(d, hn::Set(bits, 0x7fc00000U)), v);
    const auto plain = hn::IfThenElse(hn::IsNaN(v), quiet, v);
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::BitCast(hn::Rebind<std::uint16_t, D>(), hn::DemoteTo(half, plain));
  }
};

/// float16 of integers, none of which is NaN.
struct NumbersToFloat16 {
  template <class D, class V>
  static HWY_INLINE auto run(D d, V v) {
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::BitCast(hn::Rebind<std::uint16_t, D>(), hn::DemoteTo(half, v));
  }
};
template <class From>
requires std::is_integral_v<From>
struct RuleFor<float16, From> {
  using type = NumbersToFloat16;
};
#endif

template <class T>
concept GivesFloats = requires(const Bits<T>* from) {
  ToFloats<T>::run(hn::ScalableTag<float>(), from);
};
template <class T>
concept TakesFloats = requires {
  FromFloats<T>::run(hn::ScalableTag<float>(), hn::Zero(hn::ScalableTag<float>()));
};

/// float16 and bfloat16, where this instruction set converts them.
template <class T>
inline constexpr bool is_half = is_small_float<T> && sizeof(T) == 2 && GivesFloats<T>&& TakesFloats<T>;

/// Makes floats of `count` float16 or bfloat16.
template <std::size_t count, class T>
HWY_INLINE void widen_halves(std::array<float, count>& to, const std::byte* from) {
  const FloatsFor<float> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::Store(ToFloats<T>::run(d, reinterpret_cast<const Bits<T>*>(from) + i), d, to.data() + i);
}

/// Rounds `count` floats to float16 or bfloat16.
template <std::size_t count, class T>
HWY_INLINE void narrow_halves(std::byte* to, const std::array<float, count>& from) {
  const FloatsFor<float> d;
  const hn::Rebind<Bits<T>, FloatsFor<float>> result;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::StoreU(FromFloats<T>::run(d, hn::Load(d, from.data() + i)), result,
               reinterpret_cast<Bits<T>*>(to) + i);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
