// SPDX-License-Identifier: Apache-2.0
// The definition of every operation of arithmetic, one element at a time: what all kernels are made of.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "elementwise/kernels/arithmetic.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::elementwise {

template <class T>
inline constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Integers wrap around: their sums, differences and products are those of unsigned numbers, and never of
/// `int`, in which the product of two uint16 would not fit.
template <class T, bool = is_whole<T>>
struct WrapOf {
  using type = T;
};
template <class T>
struct WrapOf<T, true> {
  using type = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
};
template <class T>
using Wrap = typename WrapOf<T>::type;

template <class T>
struct PartOf {
  using type = T;
};
template <class Part>
struct PartOf<std::complex<Part>> {
  using type = Part;
};
/// The complex types that operations compute in; complex32 becomes complex64 first.
template <class T>
inline constexpr bool is_complex_number = is_complex_element<T> && !std::is_same_v<T, complex32>;
/// The type of the result of an operation on elements of T.
template <UnaryOp op, class T>
using UnaryResult = std::conditional_t<(op >= UnaryOp::isnan), std::uint8_t,
                                       std::conditional_t<op == UnaryOp::abs, typename PartOf<T>::type, T>>;

template <UnaryOp op, class T>
constexpr bool has_unary() {
  constexpr bool is_real = std::is_floating_point_v<T>;
  switch (op) {
    case UnaryOp::neg:
    case UnaryOp::square:
    case UnaryOp::cube:
    case UnaryOp::abs:
      return is_whole<T> || is_real || is_complex_number<T>;
    case UnaryOp::bit_not:
      return is_whole<T>;
    case UnaryOp::sqrt:
    case UnaryOp::rsqrt:
    case UnaryOp::reciprocal:
    case UnaryOp::reciprocal_square:
      return is_real;
    default:
      return is_real || is_complex_number<T>;
  }
}

template <BinaryOp op, class T>
constexpr bool has_binary() {
  constexpr bool is_real = std::is_floating_point_v<T>;
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::mul:
    case BinaryOp::pow:
      return is_whole<T> || is_real || is_complex_number<T>;
    case BinaryOp::div:
      return is_real || is_complex_number<T>;
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      return is_whole<T>;
    default:
      return is_whole<T> || is_real;
  }
}

template <TernaryOp op, class T>
constexpr bool has_ternary() {
  if (op == TernaryOp::where) return true;
  if (op == TernaryOp::add_halves) return std::is_same_v<T, std::complex<float>>;
  if (op == TernaryOp::clamp) return is_whole<T> || std::is_floating_point_v<T>;
  return is_whole<T> || std::is_floating_point_v<T> || is_complex_number<T>;
}

template <class T>
constexpr T multiply(const T& a, const T& b) {
  if constexpr (is_complex_number<T>) {
    // Infinities are not corrected as in Annex G of the C standard; nor are they in PyTorch and NumPy.
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(b));
  }
}

/// Divides by the larger part of the divisor first, so that nothing overflows early. Divided by 0, both parts
/// are NaN (R. L. Smith, "Algorithm 116: Complex division", CACM 5, 1962).
template <class T>
T divide_complex(const T& a, const T& b) {
  using Part = typename T::value_type;
  if (std::abs(b.real()) >= std::abs(b.imag())) {
    const Part ratio = b.imag() / b.real();
    const Part scale = b.real() + b.imag() * ratio;
    return T((a.real() + a.imag() * ratio) / scale, (a.imag() - a.real() * ratio) / scale);
  }
  const Part ratio = b.real() / b.imag();
  const Part scale = b.imag() + b.real() * ratio;
  return T((a.real() * ratio + a.imag()) / scale, (a.imag() * ratio - a.real()) / scale);
}

[[noreturn]] void throw_zero_division();

/// Returns the quotient, rounded towards zero. The least integer divided by -1 wraps around.
template <class T>
T truncated_quotient(T a, T b) {
  if (b == 0) throw_zero_division();
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(Wrap<T>(0) - static_cast<Wrap<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
T floored_quotient(T a, T b) {
  const T quotient = truncated_quotient(a, b);
  if constexpr (std::is_signed_v<T>) {
    const bool is_exact = b == -1 || a % b == 0;
    if (!is_exact && (a < 0) != (b < 0)) return static_cast<T>(quotient - 1);
  }
  return quotient;
}

/// Returns the remainder, which has the sign of the divisor.
template <class T>
T floored_remainder(T a, T b) {
  if (b == 0) throw_zero_division();
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  } else {
    return static_cast<T>(a % b);
  }
}

/// Returns the floored quotient that belongs to the remainder, as Python defines it. floor(a / b) may be one
/// too large where a / b was rounded up.
template <class T>
T floored_real_quotient(T a, T b) {
  if (b == 0) return a / b;
  const T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), a / b);
  const T floored = std::floor(quotient);
  return quotient - floored > T(0.5) ? floored + 1 : floored;
}

template <class T>
T floored_real_remainder(T a, T b) {
  const T rest = std::fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

/// Computes the power by squaring, modulo 2^bits. With a negative exponent only the bases 1 and -1 give a
/// result other than 0.
template <class T>
T whole_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 == 0 ? T(1) : T(-1);
      return 0;
    }
  }
  T result = 1;
  for (; exponent != 0; exponent = static_cast<T>(exponent / 2)) {
    if (exponent % 2 != 0) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

/// Returns the maximum or the minimum; NaN where either number is NaN.
template <BinaryOp op, class T>
constexpr T extreme(T a, T b) {
  const T other = (op == BinaryOp::maximum ? a < b : b < a) ? b : a;
  if constexpr (std::is_floating_point_v<T>) {
    const T known = b != b ? b : other;
    return a != a ? a : known;
  } else {
    return other;
  }
}

template <Extreme which, class T>
constexpr bool is_better(T x, T best) {
  if constexpr (which == Extreme::greatest) return !(x <= best);
  return !(x >= best);
}

template <Extreme which, class T>
Index better_in(T& best, const std::byte* in, Index count) {
  Index found = -1;
  if (best != best) return found;
  for (Index i = 0; i < count; ++i) {
    const T x = load_element<T>(in + i * static_cast<Index>(sizeof(T)));
    if (!is_better<which>(x, best)) continue;
    best = x;
    found = i;
    if (x != x) break;
  }
  return found;
}

template <class T>
constexpr bool is_infinite(T x) {
  return x == std::numeric_limits<T>::infinity() || x == -std::numeric_limits<T>::infinity();
}

template <UnaryOp op, class T>
UnaryResult<op, T> unary_element(const T& x) {
  if constexpr (op >= UnaryOp::isnan && is_complex_number<T>) {
    const auto real = unary_element<op>(x.real());
    const auto imag = unary_element<op>(x.imag());
    return static_cast<std::uint8_t>(op == UnaryOp::isfinite ? real & imag : real | imag);
  } else if constexpr (op == UnaryOp::isnan) {
    return x != x;
  } else if constexpr (op == UnaryOp::isinf) {
    return is_infinite(x);
  } else if constexpr (op == UnaryOp::isfinite) {
    return x - x == 0;
  } else if constexpr (op == UnaryOp::neg && is_whole<T>) {
    return static_cast<T>(Wrap<T>(0) - static_cast<Wrap<T>>(x));
  } else if constexpr (op == UnaryOp::neg) {
    return -x;
  } else if constexpr (op == UnaryOp::abs && is_whole<T>) {
    return x < 0 ? static_cast<T>(Wrap<T>(0) - static_cast<Wrap<T>>(x)) : x;
  } else if constexpr (op == UnaryOp::abs) {
    return std::abs(x);
  } else if constexpr (op == UnaryOp::bit_not) {
    return static_cast<T>(~x);
  } else if constexpr (op == UnaryOp::square) {
    return multiply(x, x);
  } else if constexpr (op == UnaryOp::cube) {
    return multiply(multiply(x, x), x);
  } else if constexpr (op == UnaryOp::sqrt) {
    return std::sqrt(x);
  } else if constexpr (op == UnaryOp::rsqrt) {
    return 1 / std::sqrt(x);
  } else if constexpr (op == UnaryOp::reciprocal) {
    return 1 / x;
  } else {
    return 1 / (x * x);
  }
}

template <BinaryOp op, class T>
T binary_element(const T& a, const T& b) {
  if constexpr (op == BinaryOp::add) {
    return static_cast<T>(static_cast<Wrap<T>>(a) + static_cast<Wrap<T>>(b));
  } else if constexpr (op == BinaryOp::sub) {
    return static_cast<T>(static_cast<Wrap<T>>(a) - static_cast<Wrap<T>>(b));
  } else if constexpr (op == BinaryOp::mul) {
    return multiply(a, b);
  } else if constexpr (op == BinaryOp::div && is_complex_number<T>) {
    return divide_complex(a, b);
  } else if constexpr (op == BinaryOp::div) {
    return a / b;
  } else if constexpr (op == BinaryOp::floor_divide) {
    if constexpr (is_whole<T>)
      return floored_quotient(a, b);
    else
      return floored_real_quotient(a, b);
  } else if constexpr (op == BinaryOp::trunc_divide) {
    if constexpr (is_whole<T>)
      return truncated_quotient(a, b);
    else
      return std::trunc(a / b);
  } else if constexpr (op == BinaryOp::remainder) {
    if constexpr (is_whole<T>)
      return floored_remainder(a, b);
    else
      return floored_real_remainder(a, b);
  } else if constexpr (op == BinaryOp::pow) {
    if constexpr (is_whole<T>)
      return whole_power(a, b);
    else
      return std::pow(a, b);
  } else if constexpr (op == BinaryOp::maximum || op == BinaryOp::minimum) {
    return extreme<op>(a, b);
  } else if constexpr (op == BinaryOp::bit_and) {
    return static_cast<T>(a & b);
  } else if constexpr (op == BinaryOp::bit_or) {
    return static_cast<T>(a | b);
  } else {
    return static_cast<T>(a ^ b);
  }
}

/// Computes one element of any operation but `where`, whose first element is a byte.
template <TernaryOp op, class T>
T ternary_element(const T& a, const T& b, const T& c) {
  if constexpr (op == TernaryOp::add_scaled) {
    return binary_element<BinaryOp::add>(a, multiply(b, c));
  } else if constexpr (op == TernaryOp::add_halves) {
    return a + convert_element<T>(convert_element<complex32>(multiply(b, c)));
  } else {
    return extreme<BinaryOp::minimum>(extreme<BinaryOp::maximum>(a, b), c);
  }
}

}  // namespace tenstride::elementwise
