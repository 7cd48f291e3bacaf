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

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "copy/convert_numbers-inl.h"
#include "copy/kernels.hpp"
#include "tenstride/element.hpp"

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

/// So many floats at once as become one store of T.
template <class T>
using FloatsFor = hn::CappedTag<float, store_bytes / sizeof(T)>;

/// The types that a vector of floats is loaded from: `run` reads as many as the tag has lanes.
template <class From>
struct ToFloats;

template <>
struct ToFloats<float> {
  template <class D>
  static HWY_INLINE auto run(D d, const float* from) {
    return hn::LoadU(d, from);
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
struct ToFloats<bfloat16> {
  template <class D>
  static HWY_INLINE auto run(D d, const std::uint16_t* from) {
    const auto v = hn::LoadU(hn::Rebind<std::uint16_t, D>(), from);
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<D>(), v)));
  }
};

/// The types that a vector of floats is converted to: `run` gives a vector of the type's bits.
template <class To>
struct FromFloats;

template <>
struct FromFloats<float> {
  template <class D, class V>
  static HWY_INLINE auto run(D, V v) {
    return v;
  }
};

/// An integer of at most 16 bits: brought into its range first; NaN becomes 0.
template <class To>
requires is_small_integer<To>
struct FromFloats<To> {
  template <class D, class V>
  static HWY_INLINE auto run(D d, V v) {
    const auto low = hn::Set(d, static_cast<float>(std::numeric_limits<To>::min()));
    const auto high = hn::Set(d, static_cast<float>(std::numeric_limits<To>::max()));
    const auto inside = hn::Min(hn::Max(hn::IfThenZeroElse(hn::IsNaN(v), v), low), high);
    return hn::DemoteTo(hn::Rebind<To, D>(), hn::ConvertTo(hn::RebindToSigned<D>(), inside));
  }
};

template <>
struct FromFloats<bfloat16> {
  template <class D, class V>
  static HWY_INLINE auto run(D, V v) {
    const hn::RebindToUnsigned<D> bits;
    const hn::RebindToSigned<D> number;
    const auto word = hn::BitCast(bits, v);
    const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(bits, 1U));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(word, hn::Set(bits, 0x7fffU)), odd));
    const auto is_nan = hn::RebindMask(bits, hn::IsNaN(v));
    const auto result = hn::IfThenElse(is_nan, hn::Set(bits, 0x7fc0U), rounded);
    return hn::DemoteTo(hn::Rebind<std::uint16_t, D>(), hn::BitCast(number, result));
  }
};

/// detail::round_magnitude for whole vectors.
template <int exponent_bits, int mantissa_bits, class D, class V>
HWY_INLINE V round_magnitudes(D bits, V magnitude) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr int dropped = 23 - mantissa_bits;
  constexpr auto magic = static_cast<std::uint32_t>(127 - bias + dropped + 1) << 23;
  const hn::RebindToFloat<D> d;
  const hn::RebindToSigned<D> number;
  const auto sum = hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, hn::Set(bits, magic)));
  const V subnormal = hn::Sub(hn::BitCast(bits, sum), hn::Set(bits, magic));
  const V odd = hn::And(hn::ShiftRight<dropped>(magnitude), hn::Set(bits, 1U));
  const V rebased = hn::Sub(magnitude, hn::Set(bits, static_cast<std::uint32_t>(127 - bias) << 23));
  const V normal =
      hn::ShiftRight<dropped>(hn::Add(hn::Add(rebased, hn::Set(bits, (1U << (dropped - 1)) - 1U)), odd));
  const auto is_subnormal = hn::Lt(hn::BitCast(number, magnitude), hn::Set(number, (127 - bias + 1) << 23));
  return hn::IfThenElse(hn::RebindMask(bits, is_subnormal), subnormal, normal);
}

/// One of the 8-bit floats: magnitudes from `limit` on become `over`, those beyond infinity 0x7f.
template <int exponent_bits, int mantissa_bits, std::uint32_t limit, std::uint32_t over>
struct FloatsTo8Bits {
  template <class D, class V>
  static HWY_INLINE auto run(D, V v) {
    const hn::RebindToUnsigned<D> bits;
    const hn::RebindToSigned<D> number;
    const auto word = hn::BitCast(bits, v);
    const auto magnitude = hn::And(word, hn::Set(bits, 0x7fffffffU));
    const auto reaches = [&](std::uint32_t value) HWY_ATTR {
      return hn::RebindMask(bits, hn::Gt(hn::BitCast(number, magnitude),
                                         hn::Set(number, static_cast<std::int32_t>(value - 1))));
    };
    auto result = round_magnitudes<exponent_bits, mantissa_bits>(bits, magnitude);
    result = hn::IfThenElse(reaches(limit), hn::Set(bits, over), result);
    result = hn::IfThenElse(reaches(tenstride::detail::float_infinity + 1), hn::Set(bits, 0x7fU), result);
    result = hn::Or(result, hn::And(hn::ShiftRight<24>(word), hn::Set(bits, 0x80U)));
    return hn::DemoteTo(hn::Rebind<std::uint8_t, D>(), hn::BitCast(number, result));
  }
};
template <>
struct FromFloats<float8_e4m3fn> : FloatsTo8Bits<4, 3, 0x43f00000U, 0x7fU> {};
template <>
struct FromFloats<float8_e5m2> : FloatsTo8Bits<5, 2, 0x47800000U, 0x7cU> {};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
template <>
struct ToFloats<float16> {
  template <class D>
  static HWY_INLINE auto run(D d, const std::uint16_t* from) {
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from)));
  }
};

/// The upper byte of a float16.
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
#endif

template <class T>
concept GivesFloats = requires(const Bits<T>* from) {
  ToFloats<T>::run(hn::ScalableTag<float>(), from);
};
template <class T>
concept TakesFloats = requires {
  FromFloats<T>::run(hn::ScalableTag<float>(), hn::Zero(hn::ScalableTag<float>()));
};

/// Elements whose conversion goes through float: one of the two is float, or one of the small floats.
template <class To, class From>
void convert_floats(std::byte* out, const std::byte* in, std::size_t count) {
  const FloatsFor<To> d;
  const hn::Rebind<Bits<To>, FloatsFor<To>> result;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    if constexpr (sizeof(To) < sizeof(From)) __builtin_prefetch(in + i * sizeof(From) + ahead_bytes, 0, 2);
    const auto v = ToFloats<From>::run(d, reinterpret_cast<const Bits<From>*>(in + i * sizeof(From)));
    hn::StoreU(FromFloats<To>::run(d, v), result, reinterpret_cast<Bits<To>*>(out + i * sizeof(To)));
  }
  for (; i < count; ++i) {
    store_element<To>(out + i * sizeof(To), convert_element<To>(load_element<From>(in + i * sizeof(From))));
  }
}

/// The same with scale and shift in the registers: one of each for all, or one for each element. Two
/// roundings: the sources are built without contraction, which would fuse the multiplication and the
/// addition.
template <class To, class From, Numbers numbers>
void scale_floats(std::byte* out, const std::byte* in, std::size_t count, const float* scale,
                  const float* shift) {
  const FloatsFor<To> d;
  const hn::Rebind<Bits<To>, FloatsFor<To>> result;
  const std::size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, *scale);
  const auto addend = hn::Set(d, *shift);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    if constexpr (sizeof(To) < sizeof(From)) __builtin_prefetch(in + i * sizeof(From) + ahead_bytes, 0, 2);
    auto v = ToFloats<From>::run(d, reinterpret_cast<const Bits<From>*>(in + i * sizeof(From)));
    if constexpr (numbers == Numbers::one) {
      v = hn::Add(hn::Mul(v, factor), addend);
    } else {
      v = hn::Add(hn::Mul(v, hn::LoadU(d, scale + i)), hn::LoadU(d, shift + i));
    }
    hn::StoreU(FromFloats<To>::run(d, v), result, reinterpret_cast<Bits<To>*>(out + i * sizeof(To)));
  }
  for (; i < count; ++i) {
    const std::size_t at = numbers == Numbers::one ? 0 : i;
    store_element<To>(out + i * sizeof(To),
                      scale_element<To>(load_element<From>(in + i * sizeof(From)), scale[at], shift[at]));
  }
}

/// The 8-bit floats to float: there are 256 of each.
template <class From>
void from_float8(std::byte* out, const std::byte* in, std::size_t count) {
  static constexpr auto table = [] {
    std::array<float, 256> values{};
    for (unsigned bits = 0; bits < 256; ++bits) {
      values[bits] = static_cast<float>(From::from_bits(static_cast<std::uint8_t>(bits)));
    }
    return values;
  }();
  for (std::size_t i = 0; i < count; ++i) {
    store_element<float>(out + i * sizeof(float), table[std::to_integer<std::uint8_t>(in[i])]);
  }
}

/// Two conversions, the middle one in the L1 cache.
template <class To, class Middle, class From, ConvertRow first, ConvertRow second>
void through(std::byte* out, const std::byte* in, std::size_t count) {
  constexpr std::size_t part = 256;
  alignas(64) std::array<std::byte, part * sizeof(Middle)> middle;
  while (count > 0) {
    const std::size_t now = std::min(count, part);
    first(middle.data(), in, now);
    second(out, middle.data(), now);
    in += now * sizeof(From);
    out += now * sizeof(To);
    count -= now;
  }
}

/// Real numbers to complex ones of the same precision.
template <class Real>
void with_zeros(std::byte* out, const std::byte* in, std::size_t count) {
  const hn::CappedTag<Real, store_bytes / sizeof(Real)> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreInterleaved2(hn::LoadU(d, reinterpret_cast<const Real*>(in + i * sizeof(Real))), hn::Zero(d), d,
                          reinterpret_cast<Real*>(out + 2 * i * sizeof(Real)));
  }
  for (; i < count; ++i) {
    store_element(out + 2 * i * sizeof(Real), std::complex<Real>(load_element<Real>(in + i * sizeof(Real))));
  }
}

/// The real parts of complex numbers.
template <class Real>
void real_parts(std::byte* out, const std::byte* in, std::size_t count) {
  const hn::CappedTag<Real, store_bytes / sizeof(Real)> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> real, imaginary;
    hn::LoadInterleaved2(d, reinterpret_cast<const Real*>(in + 2 * i * sizeof(Real)), real, imaginary);
    hn::StoreU(real, d, reinterpret_cast<Real*>(out + i * sizeof(Real)));
  }
  for (; i < count; ++i) {
    store_element(out + i * sizeof(Real), load_element<Real>(in + 2 * i * sizeof(Real)));
  }
}

/// Both parts of complex numbers.
template <class To, class From>
void both_parts(std::byte* out, const std::byte* in, std::size_t count) {
  convert_numbers<To, From>(out, in, 2 * count);
}

template <class T>
struct RealOf {
  using type = T;
};
template <class Real>
struct RealOf<std::complex<Real>> {
  using type = Real;
};

/// A loop, or none: the plain one has to do.
struct FastRow {
  bool is_there = false;
  ConvertRow run = nullptr;

  constexpr FastRow() = default;
  constexpr FastRow(ConvertRow loop) : is_there(true), run(loop) {}
};

/// The fastest loop for a pair.
template <class To, class From>
constexpr FastRow row_of() {
  constexpr bool takes_small_float = is_small_float<To> || is_small_float<From>;
  if constexpr (std::is_same_v<To, From>) {
    return {};
  } else if constexpr (is_complex_element<To> && is_complex_element<From>) {
    return both_parts<typename RealOf<To>::type, typename RealOf<From>::type>;
  } else if constexpr (is_complex_element<To>) {
    using Real = typename RealOf<To>::type;
    if constexpr (std::is_same_v<Real, From>) {
      return with_zeros<Real>;
    } else if constexpr (constexpr FastRow to_real = row_of<Real, From>(); to_real.is_there) {
      return through<To, Real, From, to_real.run, with_zeros<Real>>;
    } else {
      return {};
    }
  } else if constexpr (is_complex_element<From>) {
    using Real = typename RealOf<From>::type;
    if constexpr (std::is_same_v<Real, To>) {
      return real_parts<Real>;
    } else if constexpr (std::is_same_v<To, bool>) {
      return {};
    } else if constexpr (constexpr FastRow from_real = row_of<To, Real>(); from_real.is_there) {
      return through<To, Real, From, real_parts<Real>, from_real.run>;
    } else {
      return {};
    }
  } else if constexpr ((takes_small_float || std::is_same_v<From, float> ||
                        std::is_same_v<To, float>)&&GivesFloats<From> &&
                       TakesFloats<To>) {
    return convert_floats<To, From>;
  } else if constexpr (is_small_float<From> && sizeof(From) == 1 && std::is_same_v<To, float>) {
    return from_float8<From>;
  } else if constexpr (!takes_small_float) {
    return convert_numbers<To, From>;
  } else if constexpr (std::is_same_v<To, float> || std::is_same_v<From, float>) {
    return {};
  } else if constexpr (constexpr FastRow first = row_of<float, From>(), second = row_of<To, float>();
                       first.is_there && second.is_there) {
    return through<To, float, From, first.run, second.run>;
  } else {
    return {};
  }
}

ConvertRow find_convert(DType to, DType from) {
  return visit(to, [&]<class To>(std::type_identity<To>) {
    return visit(from, []<class From>(std::type_identity<From>) { return row_of<To, From>().run; });
  });
}

ScaleRow find_scale(DType to, DType from, Numbers numbers) {
  return visit(to, [&]<class To>(std::type_identity<To>) {
    return visit(from, [&]<class From>(std::type_identity<From>) -> ScaleRow {
      if constexpr (GivesFloats<From> && TakesFloats<To>) {
        return numbers == Numbers::one ? scale_floats<To, From, Numbers::one>
                                       : scale_floats<To, From, Numbers::each>;
      }
      return nullptr;
    });
  });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
