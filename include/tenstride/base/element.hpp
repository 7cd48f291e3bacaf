// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "tenstride/base/dtype.hpp"

namespace tenstride {

namespace detail {

/// Magnitude of a finite float rounded to nearest even in a format of `exponent_bits` and `mantissa_bits`,
/// as bits of that format without the sign. The carry out of the mantissa runs into the exponent, which is
/// what rounding up to the next binade (or to infinity) means. A result that is subnormal is rounded by one
/// float addition whose unit in the last place is the format's smallest number.
template <int exponent_bits, int mantissa_bits>
constexpr std::uint32_t round_magnitude(std::uint32_t magnitude) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr int dropped = 23 - mantissa_bits;
  if (magnitude < static_cast<std::uint32_t>(127 - bias + 1) << 23) {
    constexpr auto magic = static_cast<std::uint32_t>(127 - bias + dropped + 1) << 23;
    const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(magic);
    return std::bit_cast<std::uint32_t>(sum) - magic;
  }
  const std::uint32_t odd = (magnitude >> dropped) & 1U;
  const std::uint32_t rebased = magnitude - (static_cast<std::uint32_t>(127 - bias) << 23);
  return (rebased + ((1U << (dropped - 1)) - 1U) + odd) >> dropped;
}

/// The float of a finite magnitude in such a format; exact.
template <int exponent_bits, int mantissa_bits>
constexpr float expand_magnitude(std::uint32_t magnitude) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr int added = 23 - mantissa_bits;
  if (magnitude >> mantissa_bits == 0) {
    constexpr auto smallest = static_cast<std::uint32_t>(127 - bias + 1 - mantissa_bits) << 23;
    return static_cast<float>(magnitude) * std::bit_cast<float>(smallest);
  }
  return std::bit_cast<float>((magnitude << added) + (static_cast<std::uint32_t>(127 - bias) << 23));
}

constexpr float with_sign(float magnitude, bool negative) {
  const auto sign = static_cast<std::uint32_t>(negative) << 31;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

inline constexpr std::uint32_t float_infinity = 0x7f800000U;

}  // namespace detail

/// IEEE binary16. From float: nearest even, overflow to infinity, NaN to the quiet NaN 0x7e00 with its sign.
/// Example: `float16(65520.0F).bits == 0x7c00`.
struct float16 {
  std::uint16_t bits = 0;

  constexpr float16() = default;
  constexpr explicit float16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = word & 0x7fffffffU;
    std::uint32_t result = 0;
    if (magnitude > detail::float_infinity) {
      result = 0x7e00U;
    } else if (magnitude >= 0x477ff000U) {  // 65520, halfway from the largest number to 2^16
      result = 0x7c00U;
    } else {
      result = detail::round_magnitude<5, 10>(magnitude);
    }
    bits = static_cast<std::uint16_t>(result | (word >> 16 & 0x8000U));
  }
  static constexpr float16 from_bits(std::uint16_t bits) {
    float16 result;
    result.bits = bits;
    return result;
  }
  /// Exact. A NaN keeps its payload and becomes quiet, as the processors' own conversion.
  constexpr explicit operator float() const {
    const std::uint32_t magnitude = bits & 0x7fffU;
    const bool negative = bits >> 15 != 0;
    if (magnitude < 0x7c00U) return detail::with_sign(detail::expand_magnitude<5, 10>(magnitude), negative);
    const std::uint32_t payload = magnitude << 13 & 0x7fffffU;
    const std::uint32_t quiet = payload == 0 ? 0U : 0x400000U;
    return detail::with_sign(std::bit_cast<float>(detail::float_infinity | payload | quiet), negative);
  }
};

/// The upper half of a float. From float: nearest even; every NaN becomes 0x7fc0.
/// Example: `bfloat16(1.00390625F).bits == 0x3f80`.
struct bfloat16 {
  std::uint16_t bits = 0;

  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const bool is_nan = (word & 0x7fffffffU) > detail::float_infinity;
    bits = is_nan ? std::uint16_t{0x7fc0}
                  : static_cast<std::uint16_t>((word + 0x7fffU + (word >> 16 & 1U)) >> 16);
  }
  static constexpr bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 result;
    result.bits = bits;
    return result;
  }
  constexpr explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

/// Four exponent bits, three of mantissa, no infinity (Micikevicius et al., arXiv:2209.05433). From float:
/// nearest even; infinity, NaN and all that rounds beyond 448 become NaN (0x7f with the sign).
/// Example: `float8_e4m3fn(464.0F).bits == 0x7e`, which is 448.
struct float8_e4m3fn {
  std::uint8_t bits = 0;

  constexpr float8_e4m3fn() = default;
  constexpr explicit float8_e4m3fn(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = word & 0x7fffffffU;
    const std::uint32_t result =
        magnitude >= 0x43f00000U ? 0x7fU : detail::round_magnitude<4, 3>(magnitude);  // from 480 on
    bits = static_cast<std::uint8_t>(result | (word >> 24 & 0x80U));
  }
  static constexpr float8_e4m3fn from_bits(std::uint8_t bits) {
    float8_e4m3fn result;
    result.bits = bits;
    return result;
  }
  constexpr explicit operator float() const {
    const std::uint32_t magnitude = bits & 0x7fU;
    const float value =
        magnitude == 0x7fU ? std::bit_cast<float>(0x7ff00000U) : detail::expand_magnitude<4, 3>(magnitude);
    return detail::with_sign(value, bits >> 7 != 0);
  }
};

/// The upper half of a float16. From float: nearest even, overflow to infinity, NaN to 0x7f with its sign.
/// Example: `float8_e5m2(61440.0F).bits == 0x7c`, infinity.
struct float8_e5m2 {
  std::uint8_t bits = 0;

  constexpr float8_e5m2() = default;
  constexpr explicit float8_e5m2(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = word & 0x7fffffffU;
    std::uint32_t result = 0;
    if (magnitude >= 0x47800000U) {  // 65536
      result = magnitude > detail::float_infinity ? 0x7fU : 0x7cU;
    } else {
      result = detail::round_magnitude<5, 2>(magnitude);
    }
    bits = static_cast<std::uint8_t>(result | (word >> 24 & 0x80U));
  }
  static constexpr float8_e5m2 from_bits(std::uint8_t bits) {
    float8_e5m2 result;
    result.bits = bits;
    return result;
  }
  constexpr explicit operator float() const {
    return static_cast<float>(float16::from_bits(static_cast<std::uint16_t>(bits << 8)));
  }
};

/// The floating types C++20 lacks; all arithmetic on them goes through float.
template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16> ||
                                       std::is_same_v<T, float8_e4m3fn> || std::is_same_v<T, float8_e5m2>;

template <class T>
requires is_small_float<T>
constexpr bool operator==(T a, T b) {
  return static_cast<float>(a) == static_cast<float>(b);
}

/// A complex number of two float16; all arithmetic on it goes through complex64.
/// Example: `complex32(float16(1.0F), float16(2.0F)).imag().bits == 0x4000`.
class complex32 {
 public:
  using value_type = float16;

  constexpr complex32() = default;
  constexpr explicit complex32(float16 real, float16 imag = {}) : real_(real), imag_(imag) {}
  [[nodiscard]] constexpr float16 real() const { return real_; }
  [[nodiscard]] constexpr float16 imag() const { return imag_; }
  friend constexpr bool operator==(complex32 a, complex32 b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }

 private:
  float16 real_;
  float16 imag_;
};

template <class T>
inline constexpr bool is_complex_element =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>> ||
    std::is_same_v<T, complex32>;

/// A list of types, in the order of DType's enumerators.
template <class... T>
struct TypeList {};

using ElementTypes =
    TypeList<bool, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
             std::uint64_t, std::int64_t, float16, bfloat16, float, double, std::complex<float>,
             std::complex<double>, float8_e4m3fn, float8_e5m2, complex32>;

namespace detail {
template <class T, class... List>
constexpr int index_in(TypeList<List...>) {
  int index = 0;
  const bool found = ((std::is_same_v<T, List> || (++index, false)) || ...);
  return found ? index : -1;
}
}  // namespace detail

template <class T>
concept Element = detail::index_in<T>(ElementTypes{})
>= 0;

/// The DType of a C++ element type. Example: `dtype_of<float> == DType::float32`.
template <Element T>
inline constexpr DType dtype_of = static_cast<DType>(detail::index_in<T>(ElementTypes{}));

/// Calls `f(std::type_identity<T>{})` with the C++ type of `type` and gives what `f` gives.
/// Example: `visit(type, []<class T>(std::type_identity<T>) { return sizeof(T); })`.
template <class F>
constexpr decltype(auto) visit(DType type, F&& f) {
  switch (type) {
    case DType::bool_:
      return f(std::type_identity<bool>{});
    case DType::uint8:
      return f(std::type_identity<std::uint8_t>{});
    case DType::int8:
      return f(std::type_identity<std::int8_t>{});
    case DType::uint16:
      return f(std::type_identity<std::uint16_t>{});
    case DType::int16:
      return f(std::type_identity<std::int16_t>{});
    case DType::uint32:
      return f(std::type_identity<std::uint32_t>{});
    case DType::int32:
      return f(std::type_identity<std::int32_t>{});
    case DType::uint64:
      return f(std::type_identity<std::uint64_t>{});
    case DType::int64:
      return f(std::type_identity<std::int64_t>{});
    case DType::float16:
      return f(std::type_identity<float16>{});
    case DType::bfloat16:
      return f(std::type_identity<bfloat16>{});
    case DType::float32:
      return f(std::type_identity<float>{});
    case DType::float64:
      return f(std::type_identity<double>{});
    case DType::complex64:
      return f(std::type_identity<std::complex<float>>{});
    case DType::complex128:
      return f(std::type_identity<std::complex<double>>{});
    case DType::float8_e4m3fn:
      return f(std::type_identity<float8_e4m3fn>{});
    case DType::float8_e5m2:
      return f(std::type_identity<float8_e5m2>{});
    case DType::complex32:
      return f(std::type_identity<complex32>{});
  }
  __builtin_unreachable();  // a DType holds one of its enumerators
}

namespace detail {

/// float or double to an integer: towards zero; NaN gives 0, and what does not fit gives the nearest limit,
/// on every instruction set alike.
template <class To, class From>
constexpr To saturate(From value) {
  constexpr From limit = From(2) * static_cast<From>(To(1) << (std::numeric_limits<To>::digits - 1));
  if (value != value) return To(0);
  if (value >= limit) return std::numeric_limits<To>::max();
  if (value <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(value);
}

template <class T>
inline constexpr bool is_within_float =
    sizeof(T) <= 2 || std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, complex32>;

}  // namespace detail

/// The definition of every conversion between element types: C++'s rules, with PyTorch's answers where C++
/// leaves room. To bool: whether it is not 0 (either part of a complex number; NaN is true). Complex to real:
/// the imaginary part is dropped. Integer to narrower integer: modulo 2^bits. Floating to integer: towards
/// zero, saturating, NaN to 0. To the small floats: through float (so float64 and int64 are rounded twice).
/// Examples: `convert_element<std::uint8_t>(300.7F) == 255`, `convert_element<bool>(0.5F) == true`.
template <Element To, Element From>
constexpr To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_complex_element<From> && is_complex_element<To>) {
    using Part = typename To::value_type;
    return To(convert_element<Part>(value.real()), convert_element<Part>(value.imag()));
  } else if constexpr (is_complex_element<From> && std::is_same_v<To, bool>) {
    return convert_element<bool>(value.real()) || convert_element<bool>(value.imag());
  } else if constexpr (is_complex_element<From>) {
    return convert_element<To>(value.real());
  } else if constexpr (is_complex_element<To>) {
    return To(convert_element<typename To::value_type>(value));
  } else if constexpr (is_small_float<From>) {
    return convert_element<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_small_float<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return detail::saturate<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// The type in which scale and shift are carried out: float where both ends lie within float's precision
/// (at most 16-bit integers and float32), double otherwise.
template <Element To, Element From>
using ScaleType =
    std::conditional_t<detail::is_within_float<To> && detail::is_within_float<From>, float, double>;

/// convert(value * scale + shift), multiplied and added in ScaleType with a rounding after each. A complex
/// value is scaled in both parts and shifted in the real one.
/// Example: `scale_element<float>(std::uint8_t{51}, 0.5, 1.0) == 26.5F`.
template <Element To, Element From>
constexpr To scale_element(From value, double scale, double shift) {
  using Real = ScaleType<To, From>;
  if constexpr (is_complex_element<From>) {
    const Real product = convert_element<Real>(value.real()) * static_cast<Real>(scale);
    const Real imaginary = convert_element<Real>(value.imag()) * static_cast<Real>(scale);
    return convert_element<To>(std::complex<Real>(product + static_cast<Real>(shift), imaginary));
  } else {
    const Real product = convert_element<Real>(value) * static_cast<Real>(scale);
    return convert_element<To>(product + static_cast<Real>(shift));
  }
}

/// The negative of a number, of integers modulo 2^bits; a bool, which has none, itself.
/// Example: `negate(std::uint8_t{3}) == 253`.
template <Element T>
constexpr T negate(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(0 - static_cast<std::uint64_t>(value));
  } else if constexpr (is_small_float<T>) {
    constexpr unsigned sign = 1U << (8 * sizeof(T) - 1);
    return T::from_bits(static_cast<decltype(value.bits)>(value.bits ^ sign));
  } else if constexpr (is_complex_element<T>) {
    return T(negate(value.real()), negate(value.imag()));
  } else {
    return -value;
  }
}

/// The conjugate of a complex number; the number itself for real types.
template <Element T>
constexpr T conjugate(T value) {
  if constexpr (is_complex_element<T>) {
    return T(value.real(), negate(value.imag()));
  } else {
    return value;
  }
}

/// Reads an element at any address, aligned or not. A bool is true for every byte but 0.
template <Element T>
T load_element(const void* address) {
  if constexpr (std::is_same_v<T, bool>) {
    unsigned char byte = 0;
    std::memcpy(&byte, address, 1);
    return byte != 0;
  } else {
    T value;
    std::memcpy(&value, address, sizeof(T));
    return value;
  }
}

/// Writes an element at any address, aligned or not.
template <Element T>
void store_element(void* address, T value) {
  std::memcpy(address, &value, sizeof(T));
}

}  // namespace tenstride
