// SPDX-License-Identifier: Apache-2.0
#include "io/format/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "io/format/python_json.hpp"

namespace tenstride::io {
namespace {

using ScalingJson = nlohmann::ordered_json;

/// A netCDF attribute of one number may be a list of one.
double number_or(const ScalingJson& json, const char* name, double otherwise) {
  const auto found = json.find(name);
  if (found == json.end()) return otherwise;
  const std::optional<std::vector<Scalar>> numbers = numbers_of(*found);
  if (!numbers || numbers->size() != 1) return otherwise;
  const auto number = numbers->front().to<double>();
  return std::isfinite(number) ? number : otherwise;
}

std::optional<Scalar> number_of(const ScalingJson& value) {
  if (value.is_number_unsigned()) return Scalar(value.get<std::uint64_t>());
  if (value.is_number_integer()) return Scalar(value.get<std::int64_t>());
  if (value.is_number()) return Scalar(value.get<double>());
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") return Scalar(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return Scalar(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return Scalar(-std::numeric_limits<double>::infinity());
  return std::nullopt;
}

template <class T>
Scalar scalar_of(T element) {
  if constexpr (is_small_float<T>) {
    return Scalar(static_cast<double>(static_cast<float>(element)));
  } else if constexpr (is_complex_element<T>) {
    return Scalar(convert_element<std::complex<double>>(element));
  } else {
    return Scalar(element);
  }
}

/// Whether a number is one of T's: 300 is none of uint8, 0.5 none of int16.
template <class T>
bool is_one_of(const Scalar& number) {
  if (number.is_floating_point()) {
    const auto given = number.to<double>();
    // The upper end of 64-bit types is no double.
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    return given == std::trunc(given) && given >= static_cast<double>(std::numeric_limits<T>::min()) &&
           given < end;
  }
  return number == Scalar(number.to<T>());
}

DType with_other_sign(DType type) {
  switch (type) {
    case DType::int8:
      return DType::uint8;
    case DType::int16:
      return DType::uint16;
    case DType::int32:
      return DType::uint32;
    case DType::int64:
      return DType::uint64;
    case DType::uint8:
      return DType::int8;
    case DType::uint16:
      return DType::int16;
    case DType::uint32:
      return DType::int32;
    case DType::uint64:
      return DType::int64;
    default:
      return type;
  }
}

}  // namespace

bool has_type_of_elements(std::string_view name) {
  constexpr std::array<std::string_view, 7> names{"_FillValue",  "missing_value", "valid_min", "valid_max",
                                                  "valid_range", "flag_values",   "flag_masks"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

void take_scaling_of_attributes(FileInfo& info) {
  const ScalingJson json = parse_attributes(info.attributes);
  if (!json.is_object()) return;
  info.scale = number_or(json, "scale_factor", 1);
  info.shift = number_or(json, "add_offset", 0);
}

DType stored_type(const FileInfo& info, const ScalingJson& attributes) {
  if (!attributes.is_object()) return info.dtype;
  const auto found = attributes.find("_Unsigned");
  if (found == attributes.end() || !found->is_string()) return info.dtype;
  const bool is_signed = kind(info.dtype) == DTypeKind::signed_integer;
  const auto& said = found->get_ref<const std::string&>();
  // netCDF4 knows the first two, xarray "true" and "false".
  const bool is_other = is_signed ? said == "true" || said == "True" : said == "false";
  return is_other ? with_other_sign(info.dtype) : info.dtype;
}

std::optional<std::vector<Scalar>> numbers_of(const ScalingJson& attribute) {
  std::vector<Scalar> numbers;
  if (!attribute.is_array()) {
    const std::optional<Scalar> number = number_of(attribute);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    return numbers;
  }
  for (const ScalingJson& value : attribute) {
    const std::optional<Scalar> number = number_of(value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<Scalar> as_element(const Scalar& number, DType type) {
  return visit(type, [&]<class T>(std::type_identity<T>) -> std::optional<Scalar> {
    if constexpr (std::is_same_v<T, bool>) {
      return std::nullopt;
    } else if constexpr (std::is_integral_v<T>) {
      if (!is_one_of<T>(number)) return std::nullopt;
      return Scalar(number.to<T>());
    } else {
      return scalar_of(number.to<T>());
    }
  });
}

std::optional<Scalar> as_reinterpreted(const Scalar& number, DType file_type, DType type) {
  if (const std::optional<Scalar> own = as_element(number, type)) return own;
  if (type == file_type) return std::nullopt;
  const std::optional<Scalar> stored = as_element(number, file_type);
  if (!stored) return std::nullopt;
  return visit(type, [&]<class T>(std::type_identity<T>) { return scalar_of(stored->to<T>()); });
}

std::optional<Scalar> netcdf_fill(DType type) {
  constexpr double of_floats = 9.9692099683868690e+36;  // a float32, too
  switch (type) {
    case DType::int8:
      return Scalar(-127);
    case DType::uint8:
      return Scalar(255);
    case DType::int16:
      return Scalar(-32767);
    case DType::uint16:
      return Scalar(65535);
    case DType::int32:
      return Scalar(-2147483647);
    case DType::uint32:
      return Scalar(4294967295U);
    case DType::int64:
      return Scalar(-9223372036854775806);
    case DType::uint64:
      return Scalar(18446744073709551614U);
    case DType::float32:
    case DType::float64:
      return Scalar(of_floats);
    default:
      return std::nullopt;
  }
}

}  // namespace tenstride::io
