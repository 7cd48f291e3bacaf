// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "message.hpp"
#include "tenstride/scalar.hpp"

/// Numbers from a caller turned into elements, with PyTorch's refusals.
namespace tenstride::detail {

[[noreturn]] inline void throw_out_of_range(std::string_view operation, const Scalar& value, DType dtype) {
  throw RuntimeError(message(operation, ": ", value.to_string(), " must lie in the range of ", name(dtype)));
}

/// Whether a number, its fraction kept, lies between the limits of T, an integer type. Unsigned types also
/// take the integers -max..-1, to be wrapped, as PyTorch has it. Of a complex number the real part counts.
template <typename T>
bool fits_integer(const Scalar& value) {
  using Limits = std::numeric_limits<T>;
  if (value.is_bool()) return true;
  if (const auto* const whole = std::get_if<std::int64_t>(&value.value())) {
    if (std::is_signed_v<T> || *whole >= 0) return std::in_range<T>(*whole);
    return 0 - static_cast<std::uint64_t>(*whole) <= Limits::max();
  }
  if (const auto* const whole = std::get_if<std::uint64_t>(&value.value())) return std::in_range<T>(*whole);
  const auto number = value.to<double>();
  // Both limits of 64-bit types are beyond a double's precision: one above the highest is not.
  const double highest = std::ldexp(1.0, Limits::digits) - (Limits::digits < 53 ? 1.0 : 0.0);
  const double lowest = std::is_signed_v<T> ? std::ldexp(-1.0, Limits::digits) : 0.0;
  return number >= lowest && (Limits::digits < 53 ? number <= highest : number < highest);
}

/// The number as T, refused with RuntimeError where T is an integer type that does not hold it.
template <typename T>
T checked_integer(const Scalar& value, std::string_view operation) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (!fits_integer<T>(value)) throw_out_of_range(operation, value, dtype_of<T>);
  }
  return value.to<T>();
}

}  // namespace tenstride::detail
