// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tenstride/base/export.hpp"

namespace tenstride {

/// The element types, named as PyTorch's.
enum class DType : std::uint8_t {
  bool_,
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  uint64,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  float8_e4m3fn,
  float8_e5m2,
  complex32,
};

enum class DTypeKind : std::uint8_t { boolean, unsigned_integer, signed_integer, floating, complex };

namespace detail {
struct DTypeFacts {
  std::string_view name;
  std::uint8_t item_size;
  DTypeKind kind;
};
inline constexpr std::array<DTypeFacts, 18> dtype_facts{{
    {"bool", 1, DTypeKind::boolean},
    {"uint8", 1, DTypeKind::unsigned_integer},
    {"int8", 1, DTypeKind::signed_integer},
    {"uint16", 2, DTypeKind::unsigned_integer},
    {"int16", 2, DTypeKind::signed_integer},
    {"uint32", 4, DTypeKind::unsigned_integer},
    {"int32", 4, DTypeKind::signed_integer},
    {"uint64", 8, DTypeKind::unsigned_integer},
    {"int64", 8, DTypeKind::signed_integer},
    {"float16", 2, DTypeKind::floating},
    {"bfloat16", 2, DTypeKind::floating},
    {"float32", 4, DTypeKind::floating},
    {"float64", 8, DTypeKind::floating},
    {"complex64", 8, DTypeKind::complex},
    {"complex128", 16, DTypeKind::complex},
    {"float8_e4m3fn", 1, DTypeKind::floating},
    {"float8_e5m2", 1, DTypeKind::floating},
    {"complex32", 4, DTypeKind::complex},
}};
constexpr const DTypeFacts& facts(DType type) {
  return dtype_facts[static_cast<std::size_t>(type)];
}
}  // namespace detail

inline constexpr std::size_t dtype_count = detail::dtype_facts.size();

/// Bytes of one element. Example: `item_size(DType::complex64) == 8`.
constexpr std::size_t item_size(DType type) {
  return detail::facts(type).item_size;
}
/// Its logarithm to base 2. Example: `item_size_log2(DType::complex64) == 3`.
constexpr unsigned item_size_log2(DType type) {
  return static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(detail::facts(type).item_size)));
}
/// PyTorch's name without the "torch." prefix. Example: `name(DType::bool_) == "bool"`.
constexpr std::string_view name(DType type) {
  return detail::facts(type).name;
}
constexpr DTypeKind kind(DType type) {
  return detail::facts(type).kind;
}
constexpr bool is_complex(DType type) {
  return kind(type) == DTypeKind::complex;
}
/// True for the real floating types only, as PyTorch's `is_floating_point`.
constexpr bool is_floating_point(DType type) {
  return kind(type) == DTypeKind::floating;
}
/// True for signed and unsigned integers, not for bool.
constexpr bool is_integer(DType type) {
  return kind(type) == DTypeKind::unsigned_integer || kind(type) == DTypeKind::signed_integer;
}

/// The type of one component of a complex type; a real type gives itself.
/// Example: `component_type(DType::complex64) == DType::float32`.
constexpr DType component_type(DType type) {
  if (type == DType::complex32) return DType::float16;
  if (type == DType::complex64) return DType::float32;
  if (type == DType::complex128) return DType::float64;
  return type;
}

/// The complex type with such components; nothing where there is none.
/// Example: `complex_type(DType::float16) == DType::complex32`.
constexpr std::optional<DType> complex_type(DType component) {
  if (component == DType::float16) return DType::complex32;
  if (component == DType::float32) return DType::complex64;
  if (component == DType::float64) return DType::complex128;
  return std::nullopt;
}

/// Finds a type by PyTorch's name or alias, with or without "torch.": "float32", "float", "torch.long".
/// Nothing where no type has the name.
TENSTRIDE_API std::optional<DType> parse_dtype(std::string_view text);

/// Whether PyTorch lets a result of type `from` be written into a tensor of type `to` (`torch.can_cast`): not
/// where that drops an imaginary part, a fraction, or all but whether it is 0.
/// Example: `can_cast(DType::float32, DType::int64) == false`.
TENSTRIDE_API bool can_cast(DType from, DType to);

/// The type that holds values of both, by PyTorch's table (`torch.promote_types`). Nothing for the pairs
/// PyTorch refuses: float8 with any other, uint16/32/64 with anything but itself and the floating types.
/// Example: `promote_types(DType::uint8, DType::int8) == DType::int16`.
TENSTRIDE_API std::optional<DType> promote_types(DType a, DType b);

}  // namespace tenstride
