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

/// The pairs written out as vectors. Each has `Lanes`, the tag of the wider side, and `run`: as many
/// converted elements as that has lanes.
template <class To, class From>
struct Step;

template <class T>
inline constexpr bool is_small_integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 2;

/// A small integer to float.
template <class From>
requires(is_small_integer<From> || std::is_same_v<From, std::int32_t>) struct Step<float, From> {
  using Lanes = hn::ScalableTag<float>;
  static HWY_INLINE auto run(const From* from) {
    const hn::RebindToSigned<Lanes> number;
    const auto v = hn::LoadU(hn::Rebind<From, Lanes>(), from);
    if constexpr (sizeof(From) == 4) {
      return hn::ConvertTo(Lanes(), v);
    } else {
      return hn::ConvertTo(Lanes(), hn::PromoteTo(number, v));
    }
  }
};

/// Float to an integer of at most 16 bits: brought into its range first; NaN becomes 0.
template <class To>
requires is_small_integer<To>
struct Step<To, float> {
  using Lanes = hn::ScalableTag<float>;
  static HWY_INLINE auto run(const float* from) {
    const Lanes d;
    const hn::RebindToSigned<Lanes> number;
    const auto v = hn::LoadU(d, from);
    const auto low = hn::Set(d, static_cast<float>(std::numeric_limits<To>::min()));
    const auto high = hn::Set(d, static_cast<float>(std::numeric_limits<To>::max()));
    const auto inside = hn::Min(hn::Max(hn::IfThenZeroElse(hn::IsNaN(v), v), low), high);
    return hn::DemoteTo(hn::Rebind<To, Lanes>(), hn::ConvertTo(number, inside));
  }
};

template <>
struct Step<double, float> {
  using Lanes = hn::ScalableTag<double>;
  static HWY_INLINE auto run(const float* from) {
    return hn::PromoteTo(Lanes(), hn::LoadU(hn::Rebind<float, Lanes>(), from));
  }
};

template <>
struct Step<float, double> {
  using Lanes = hn::ScalableTag<double>;
  static HWY_INLINE auto run(const double* from) {
    return hn::DemoteTo(hn::Rebind<float, Lanes>(), hn::LoadU(Lanes(), from));
  }
};

template <>
struct Step<float, bfloat16> {
  using Lanes = hn::ScalableTag<float>;
  static HWY_INLINE auto run(const std::uint16_t* from) {
    const hn::RebindToUnsigned<Lanes> bits;
    const auto v = hn::LoadU(hn::Rebind<std::uint16_t, Lanes>(), from);
    return hn::BitCast(Lanes(), hn::ShiftLeft<16>(hn::PromoteTo(bits, v)));
  }
};

template <>
struct Step<bfloat16, float> {
  using Lanes = hn::ScalableTag<float>;
  static HWY_INLINE auto run(const float* from) {
    const Lanes d;
    const hn::RebindToUnsigned<Lanes> bits;
    const hn::RebindToSigned<Lanes> number;
    const auto v = hn::LoadU(d, from);
    const auto word = hn::BitCast(bits, v);
    const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(bits, 1U));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(word, hn::Set(bits, 0x7fffU)), odd));
    const auto is_nan = hn::RebindMask(bits, hn::IsNaN(v));
    const auto result = hn::IfThenElse(is_nan, hn::Set(bits, 0x7fc0U), rounded);
    return hn::DemoteTo(hn::Rebind<std::uint16_t, Lanes>(), hn::BitCast(number, result));
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

/// Float to one of the 8-bit floats: magnitudes from `limit` on become `over`, those beyond infinity 0x7f.
template <int exponent_bits, int mantissa_bits, std::uint32_t limit, std::uint32_t over>
struct StepToFloat8 {
  using Lanes = hn::ScalableTag<float>;
  static HWY_INLINE auto run(const float* from) {
    const hn::RebindToUnsigned<Lanes> bits;
    const hn::RebindToSigned<Lanes> number;
    const auto word = hn::BitCast(bits, hn::LoadU(Lanes(), from));
    const auto magnitude = hn::And(word, hn::Set(bits, 0x7fffffffU));
    const auto reaches = [&](std::uint32_t value) HWY_ATTR {
      return hn::RebindMask(bits, hn::Gt(hn::BitCast(number, magnitude),
                                         hn::Set(number, static_cast<std::int32_t>(value - 1))));
    };
    auto result = round_magnitudes<exponent_bits, mantissa_bits>(bits, magnitude);
    result = hn::IfThenElse(reaches(limit), hn::Set(bits, over), result);
    result = hn::IfThenElse(reaches(tenstride::detail::float_infinity + 1), hn::Set(bits, 0x7fU), result);
    result = hn::Or(result, hn::And(hn::ShiftRight<24>(word), hn::Set(bits, 0x80U)));
    return hn::DemoteTo(hn::Rebind<std::uint8_t, Lanes>(), hn::BitCast(number, result));
  }
};
template <>
struct Step<float8_e4m3fn, float> : StepToFloat8<4, 3, 0x43f00000U, 0x7fU> {};
template <>
struct Step<float8_e5m2, float> : StepToFloat8<5, 2, 0x47800000U, 0x7cU> {};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#define TENSTRIDE_HALF 1
template <>
struct Step<float, float16> {
  using Lanes = hn::ScalableTag<float>;
  static HWY_INLINE auto run(const std::uint16_t* from) {
    const hn::Rebind<hwy::float16_t, Lanes> half;
    return hn::PromoteTo(Lanes(), hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from)));
  }
};

template <>
struct Step<float16, float> {
  using Lanes = hn::ScalableTag<float>;
  static HWY_INLINE auto run(const float* from) {
    const Lanes d;
    const hn::RebindToUnsigned<Lanes> bits;
    const auto v = hn::LoadU(d, from);
    // The processor keeps a NaN's payload; the definition drops it.
    const auto quiet = hn::CopySign(hn::BitCast(d, hn::Set(bits, 0x7fc00000U)), v);
    const auto plain = hn::IfThenElse(hn::IsNaN(v), quiet, v);
    const hn::Rebind<hwy::float16_t, Lanes> half;
    return hn::BitCast(hn::Rebind<std::uint16_t, Lanes>(), hn::DemoteTo(half, plain));
  }
};
#else
#define TENSTRIDE_HALF 0
#endif

/// What the elements of a type are loaded and stored as.
template <class T>
using Bits =
    std::conditional_t<is_small_float<T>, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>, T>;

template <class To, class From, Stores stores>
void convert_vectors(std::byte* out, const std::byte* in, std::size_t count) {
  using S = Step<To, From>;
  const typename S::Lanes d;
  const hn::Rebind<Bits<To>, typename S::Lanes> result;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto* from = reinterpret_cast<const Bits<From>*>(in + i * sizeof(From));
    auto* to = reinterpret_cast<Bits<To>*>(out + i * sizeof(To));
    if constexpr (stores == Stores::streaming) {
      __builtin_prefetch(in + i * sizeof(From) + far_bytes, 0, 2);
      hn::Stream(S::run(from), result, to);
    } else {
      hn::StoreU(S::run(from), result, to);
    }
  }
  for (; i < count; ++i) {
    store_element<To>(out + i * sizeof(To), convert_element<To>(load_element<From>(in + i * sizeof(From))));
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

/// Two conversions, the float between them in the L1 cache: what the definition says of the small floats.
template <class To, class From, ConvertRow first, ConvertRow second>
void through_float(std::byte* out, const std::byte* in, std::size_t count) {
  constexpr std::size_t part = 256;
  alignas(64) std::array<std::byte, part * sizeof(float)> floats;
  while (count > 0) {
    const std::size_t now = std::min(count, part);
    first(floats.data(), in, now);
    second(out, floats.data(), now);
    in += now * sizeof(From);
    out += now * sizeof(To);
    count -= now;
  }
}

template <class To, class From>
concept HasStep = requires {
  typename Step<To, From>::Lanes;
};

/// Numbers that C++ knows and a loop over them that the compiler turns into vectors.
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class To, class From>
inline constexpr bool is_table_row = std::is_same_v<To, float>&& is_small_float<From> && sizeof(From) == 1;

/// Whether there is a loop for the pair that goes straight from one to the other.
template <class To, class From>
inline constexpr bool has_straight_row =
    !std::is_same_v<To, From> &&
    (HasStep<To, From> || (is_number<To> && is_number<From>) || is_table_row<To, From>);

template <class To, class From>
constexpr ConvertRow straight_row() {
  if constexpr (HasStep<To, From>) {
    return convert_vectors<To, From, Stores::ordinary>;
  } else if constexpr (is_table_row<To, From>) {
    return from_float8<From>;
  } else {
    return convert_numbers<To, From>;
  }
}

template <class To, class From>
constexpr ConvertRow row_of() {
  if constexpr (has_straight_row<To, From>) {
    return straight_row<To, From>();
  } else if constexpr ((is_small_float<To> || is_small_float<From>)&&!std::is_same_v<To, From> &&
                       has_straight_row<float, From> && has_straight_row<To, float>) {
    return through_float<To, From, straight_row<float, From>(), straight_row<To, float>()>;
  } else {
    return nullptr;
  }
}

ConvertRow find_convert(DType to, DType from, Stores stores) {
  return visit(to, [&]<class To>(std::type_identity<To>) {
    return visit(from, [&]<class From>(std::type_identity<From>) -> ConvertRow {
      if (stores == Stores::ordinary) return row_of<To, From>();
      if constexpr (HasStep<To, From>) {
        // There is no streaming store of less than 16 bytes.
        if constexpr (hn::MaxLanes(typename Step<To, From>::Lanes()) * sizeof(To) >= 16)
          return convert_vectors<To, From, Stores::streaming>;
      }
      return nullptr;
    });
  });
}

#undef TENSTRIDE_HALF
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
