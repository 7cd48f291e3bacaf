// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/dtype.hpp"

#include <utility>

namespace tenstride {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 13> aliases{{
    {"float", DType::float32},
    {"double", DType::float64},
    {"half", DType::float16},
    {"long", DType::int64},
    {"int", DType::int32},
    {"short", DType::int16},
    {"char", DType::int8},
    {"byte", DType::uint8},
    {"chalf", DType::complex32},
    {"cfloat", DType::complex64},
    {"cdouble", DType::complex128},
    {"complex", DType::complex64},
    {"bool_", DType::bool_},
}};

/// Bits of the significand with its hidden one.
constexpr int precision(DType type) {
  switch (type) {
    case DType::float64:
      return 53;
    case DType::float32:
      return 24;
    case DType::float16:
      return 11;
    case DType::bfloat16:
      return 8;
    default:
      return 0;
  }
}

constexpr bool is_float8(DType type) {
  return type == DType::float8_e4m3fn || type == DType::float8_e5m2;
}

/// The unsigned types PyTorch stores but hardly computes with.
constexpr bool is_wide_unsigned(DType type) {
  return kind(type) == DTypeKind::unsigned_integer && type != DType::uint8;
}

DType promote_integers(DType a, DType b) {
  const bool both_signed = kind(a) == DTypeKind::signed_integer && kind(b) == DTypeKind::signed_integer;
  if (both_signed) return item_size(a) >= item_size(b) ? a : b;
  const DType with_sign = kind(a) == DTypeKind::signed_integer ? a : b;
  return with_sign == DType::int8 ? DType::int16 : with_sign;  // the other is uint8
}

DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  if (item_size(a) == item_size(b)) return DType::float32;  // float16 with bfloat16
  return precision(a) > precision(b) ? a : b;
}

}  // namespace

std::optional<DType> parse_dtype(std::string_view text) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<DType>(i);
    if (name(type) == text) return type;
  }
  for (const auto& [alias, type] : aliases) {
    if (alias == text) return type;
  }
  return std::nullopt;
}

bool can_cast(DType from, DType to) {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating_point(from) && kind(to) < DTypeKind::floating) return false;
  return from == DType::bool_ || to != DType::bool_;
}

std::optional<DType> promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_float8(a) || is_float8(b)) return std::nullopt;
  if (kind(a) > kind(b)) std::swap(a, b);
  if (is_wide_unsigned(a) || is_wide_unsigned(b)) {
    if (is_floating_point(b)) return b;
    return std::nullopt;
  }
  if (is_complex(b)) {
    if (!is_complex(a) && !is_floating_point(a)) return b;
    return complex_type(promote_floats(component_type(a), component_type(b)));
  }
  if (kind(a) == DTypeKind::boolean) return b;
  if (is_floating_point(b)) return is_floating_point(a) ? promote_floats(a, b) : b;
  return promote_integers(a, b);
}

}  // namespace tenstride
