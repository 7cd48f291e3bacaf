// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "base/message.hpp"
#include "tenstride/base/scalar.hpp"

/// Numbers from a caller converted to elements, with PyTorch's refusals (c10's `checked_convert`). The
/// conversion of a tensor's elements refuses nothing: that is `convert_element`.
namespace tenstride::detail {

[[noreturn]] inline void throw_out_of_range(std::string_view operation, const Scalar& value, DType dtype) {
  throw RuntimeError(message(operation, ": ", value.to_string(), " must lie in the range of ", name(dtype),
                             " (value cannot be converted to type ", name(dtype), " without overflow)"));
}

/// The largest finite element of a floating type. Example: 448 of float8_e4m3fn.
template <typename T>
constexpr double highest_of() {
  if constexpr (std::is_same_v<T, float16>) {
    return 65504.0;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return 0x1.FEp127;
  } else if constexpr (std::is_same_v<T, float8_e4m3fn>) {
    return 448.0;
  } else if constexpr (std::is_same_v<T, float8_e5m2>) {
    return 57344.0;
  } else {
    return static_cast<double>(std::numeric_limits<T>::max());
  }
}

/// Whether a whole number lies outside T. Unsigned types also take the integers -max..-1, to be wrapped.
/// Example: of uint8 the numbers -256 and 256, not -255.
template <typename T, typename Whole>
bool overflows_whole(Whole value) {
  if constexpr (std::is_integral_v<T>) {
    if (std::is_signed_v<T> || value >= 0) return !std::in_range<T>(value);
    return 0 - static_cast<std::uint64_t>(value) > std::numeric_limits<T>::max();
  } else {
    return std::abs(static_cast<double>(value)) > highest_of<T>();
  }
}

/// Whether a number, its fraction kept, lies outside T. Infinity fits floating types that have it, NaN all of
/// them. The power of two above a 64-bit type's highest counts as its highest: to a double it is.
template <typename T>
bool overflows_real(double value) {
  if constexpr (std::is_integral_v<T>) {
    const auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    return !(value >= lowest && value <= static_cast<double>(std::numeric_limits<T>::max()));
  } else {
    if (!std::is_same_v<T, float8_e4m3fn> && std::isinf(value)) return false;
    return std::abs(value) > highest_of<T>();
  }
}

/// Whether PyTorch refuses to make the number an element of T. A bool is made of every number. A real type
/// takes a complex number whose imaginary part is 0.
template <typename T>
bool overflows(const Scalar& scalar) {
  if constexpr (std::is_same_v<T, bool>) {
    return false;
  } else if constexpr (is_complex_element<T>) {
    using Part = typename T::value_type;
    return std::visit(
        [](auto value) {
          if constexpr (is_complex_element<decltype(value)>) {
            return overflows_real<Part>(value.real()) || overflows_real<Part>(value.imag());
          } else {
            return overflows<Part>(Scalar(value));
          }
        },
        scalar.value());
  } else {
    return std::visit(
        [](auto value) {
          using From = decltype(value);
          if constexpr (std::is_same_v<From, bool>) {
            return false;
          } else if constexpr (is_complex_element<From>) {
            return value.imag() != 0 || overflows_real<T>(value.real());
          } else if constexpr (std::is_integral_v<From>) {
            return overflows_whole<T>(value);
          } else {
            return overflows_real<T>(value);
          }
        },
        scalar.value());
  }
}

/// The number as an element of T. Throws RuntimeError where T does not hold it.
/// Examples: `checked_element<std::uint8_t>(-1, "fill_") == 255`; 300 is refused.
template <typename T>
T checked_element(const Scalar& value, std::string_view operation) {
  if (overflows<T>(value)) throw_out_of_range(operation, value, dtype_of<T>);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    // What passes as a 64-bit type's highest though it is one more becomes the lowest, as x86 converts it.
    const auto beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const bool is_real = value.is_floating_point() || value.is_complex();
    if (is_real && value.to<double>() == beyond) return std::numeric_limits<T>::lowest();
  }
  return value.to<T>();
}

/// Refuses the number where `checked_element` of the type does.
inline void require_element(std::string_view operation, const Scalar& value, DType dtype) {
  visit(dtype, [&]<class T>(std::type_identity<T>) {
    if (overflows<T>(value)) throw_out_of_range(operation, value, dtype);
  });
}

}  // namespace tenstride::detail
