// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tenstride/base/export.hpp"

namespace tenstride {

/// Counts, extents, strides and positions: 64 bits, signed, as PyTorch's.
using Index = std::int64_t;

/// a * b, or nothing where the product does not fit 64 bits.
constexpr std::optional<Index> try_multiply(Index a, Index b) {
  Index result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// a + b, or nothing where the sum does not fit 64 bits.
constexpr std::optional<Index> try_add(Index a, Index b) {
  Index result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// a * b and a + b of numbers that are not negative, or the greatest Index where that does not fit: of bytes
/// that only a forecast counts.
constexpr Index saturating_multiply(Index a, Index b) {
  return try_multiply(a, b).value_or(INT64_MAX);
}
constexpr Index saturating_add(Index a, Index b) {
  return try_add(a, b).value_or(INT64_MAX);
}

namespace detail {
/// Throws OverflowError: "<operation>: 4 * 5 must fit a signed 64-bit integer", with the numbers.
[[noreturn]] TENSTRIDE_API void throw_overflow(std::string_view operation, Index a, char sign, Index b);
}  // namespace detail

/// a * b; throws OverflowError, naming the operation, where the product does not fit 64 bits.
constexpr Index checked_multiply(Index a, Index b, std::string_view operation) {
  Index result = 0;
  if (__builtin_mul_overflow(a, b, &result)) detail::throw_overflow(operation, a, '*', b);
  return result;
}

/// a + b; throws OverflowError, naming the operation, where the sum does not fit 64 bits.
constexpr Index checked_add(Index a, Index b, std::string_view operation) {
  Index result = 0;
  if (__builtin_add_overflow(a, b, &result)) detail::throw_overflow(operation, a, '+', b);
  return result;
}

/// a / b rounded up. Pre: a >= 0, b > 0.
constexpr Index ceil_divide(Index a, Index b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace tenstride
