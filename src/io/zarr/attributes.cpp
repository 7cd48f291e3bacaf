// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/attributes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>

#include "io/format/json_element.hpp"
#include "io/format/python_json.hpp"
#include "io/zarr/base64.hpp"
#include "io/zarr/json_field.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::io {
namespace {

using AttributeJson = nlohmann::json;

constexpr const char* fill_attribute = "_FillValue";
constexpr const char* missing_attribute = "missing_value";

/// Attributes that are numbers by the conventions of netCDF and CF, so that a text among them is a word for
/// one.
constexpr std::array<const char*, 8> number_attributes{fill_attribute, missing_attribute, "valid_min",
                                                       "valid_max",    "valid_range",     "actual_range",
                                                       "scale_factor", "add_offset"};

std::optional<double> word_number(const AttributeJson& value) {
  return value.is_string() ? number_of_word(value.get_ref<const std::string&>()) : std::nullopt;
}

bool is_number_or_word(const AttributeJson& value) {
  return value.is_number() || word_number(value);
}

/// NaN or an infinity.
bool is_not_json(const AttributeJson& value) {
  return value.is_number_float() && !std::isfinite(value.get<double>());
}

bool is_nan(const AttributeJson& value) {
  return value.is_number_float() && std::isnan(value.get<double>());
}

/// Words become numbers in lists of nothing else.
void decode_lists(AttributeJson& value) {
  const bool is_list = value.is_array() && std::all_of(value.begin(), value.end(), is_number_or_word);
  if (!value.is_structured()) return;
  for (AttributeJson& member : value) {
    if (is_list && member.is_string()) member = *word_number(member);
    decode_lists(member);
  }
}

/// Numbers that JSON does not have become words.
void encode_numbers(AttributeJson& value) {
  if (is_not_json(value)) {
    value = word_of_number(value.get<double>());
  } else if (value.is_structured()) {
    for (AttributeJson& member : value) encode_numbers(member);
  }
}

/// The double of xarray's text: base64 of its 8 bytes, little-endian.
std::optional<double> number_of_base64(const AttributeJson& value) {
  if (!value.is_string()) return std::nullopt;
  std::optional<std::vector<std::byte>> bytes = from_base64(value.get_ref<const std::string&>());
  if (!bytes || bytes->size() != sizeof(double)) return std::nullopt;
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes->begin(), bytes->end());
  double number = 0;
  std::memcpy(&number, bytes->data(), sizeof number);
  return number;
}

std::string base64_of_number(double number) {
  std::array<std::byte, sizeof number> bytes{};
  std::memcpy(bytes.data(), &number, sizeof number);
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
  return to_base64(bytes);
}

AttributeJson decoded_base64(AttributeJson value) {
  if (value.is_array()) {
    for (AttributeJson& part : value) part = decoded_base64(part);
  }
  const std::optional<double> number = number_of_base64(value);
  return number ? AttributeJson(*number) : value;
}

/// The element as version 3 has it in attributes: what xarray's FillValueCoder makes of it.
AttributeJson encoded_fill(std::span<const std::byte> element, DType dtype) {
  return visit(dtype, [&]<class T>(std::type_identity<T>) -> AttributeJson {
    T value{};
    std::memcpy(&value, element.data(), sizeof value);
    const auto text = [](auto number) { return base64_of_number(convert_element<double>(number)); };
    if constexpr (is_complex_element<T>) {
      return AttributeJson::array({text(value.real()), text(value.imag())});
    } else if constexpr (std::is_integral_v<T>) {
      return value;
    } else {
      return text(value);
    }
  });
}

/// Leaves out of missing_value what readers see without it, and would take for a text: NaN, and an infinity
/// that is `_FillValue`.
void drop_said_missing(AttributeJson& attributes, DType dtype) {
  const auto missing = attributes.find(missing_attribute);
  if (missing == attributes.end() || is_complex(dtype)) return;
  const auto fill = attributes.find(fill_attribute);
  const bool has_fill = fill != attributes.end() && fill->is_number();
  const auto is_said = [&](const AttributeJson& value) {
    return is_nan(value) || (has_fill && is_not_json(value) && fill->get<double>() == value.get<double>());
  };
  if (missing->is_array()) std::erase_if(missing->get_ref<AttributeJson::array_t&>(), is_said);
  if (missing->is_array() && missing->size() == 1) *missing = AttributeJson(missing->front());
  if (is_said(*missing) || (missing->is_array() && missing->empty())) attributes.erase(missing);
}

}  // namespace

AttributeJson parse_zarr_attributes(AttributeJson attributes, DType dtype) {
  decode_lists(attributes);
  for (const char* const name : number_attributes) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) continue;
    if (const std::optional<double> number = word_number(*found)) *found = *number;
  }
  const auto fill = attributes.find(fill_attribute);
  if (fill == attributes.end()) return attributes;
  const bool is_base64 = is_floating_point(dtype) || is_complex(dtype);
  const auto element = element_of_json(is_base64 ? decoded_base64(*fill) : *fill, dtype);
  if (element) *fill = json_of_element(*element, dtype);
  return attributes;
}

AttributeJson zarr_attributes_json(const ZarrArray& array) {
  AttributeJson attributes = parse_zarr_json(array.attributes, "attributes");
  if (find_numpy_time(array.attributes, array.dtype)) attributes.erase(numpy_dtype_key);
  drop_said_missing(attributes, array.dtype);
  const auto fill = attributes.find(fill_attribute);
  if (fill != attributes.end()) {
    const auto element = element_of_json(*fill, array.dtype);
    // A text would be no number to xarray.
    const bool is_nan_of_version_2 = array.format == 2 && has_axis_names(array) && is_nan(*fill);
    if (!element || is_nan_of_version_2 || has_missing_fill(array)) {
      attributes.erase(fill);
    } else {
      *fill = array.format == 3 ? encoded_fill(*element, array.dtype)
                                : AttributeJson(json_of_element(*element, array.dtype));
    }
  }
  encode_numbers(attributes);
  return attributes;
}

void add_time_attribute(ZarrArray& array, const std::optional<NumpyTime>& time) {
  if (!time) return;
  AttributeJson attributes = parse_zarr_json(array.attributes, "attributes");
  attributes[numpy_dtype_key] = numpy_dtype_text(*time);
  array.attributes = python_json_text(attributes);
}

AttributeJson parse_zarr_group_attributes(AttributeJson attributes) {
  decode_lists(attributes);
  return attributes;
}

AttributeJson zarr_group_attributes_json(const std::string& text) {
  AttributeJson attributes = parse_zarr_json(text, "attributes");
  encode_numbers(attributes);
  return attributes;
}

bool has_axis_names(const ZarrArray& array) {
  return array.dimension_names.size() == array.shape.size() &&
         std::all_of(array.dimension_names.begin(), array.dimension_names.end(),
                     [](const auto& name) { return name.has_value(); });
}

bool has_missing_fill(const ZarrArray& array) {
  if (array.format != 2 || array.fill_value.empty() || !has_axis_names(array)) return false;
  if (!array.shape.empty()) return true;
  const AttributeJson attributes = parse_zarr_json(array.attributes, "attributes");
  const auto fill = attributes.find(fill_attribute);
  return fill != attributes.end() && element_of_json(*fill, array.dtype) == array.fill_value;
}

std::vector<std::byte> take_missing_element(AttributeJson& attributes, DType dtype) {
  const auto missing = attributes.find(missing_attribute);
  const bool is_alone = missing != attributes.end() && !attributes.contains(fill_attribute);
  if (is_alone && is_not_json(*missing)) attributes[fill_attribute] = AttributeJson(*missing);
  const auto fill = attributes.find(fill_attribute);
  if (fill == attributes.end()) return {};
  std::optional<std::vector<std::byte>> element = element_of_json(*fill, dtype);
  if (!element) {
    attributes.erase(fill);
    return {};
  }
  *fill = json_of_element(*element, dtype);
  return *std::move(element);
}

}  // namespace tenstride::io
