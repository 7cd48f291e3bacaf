// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_attribute_type.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "io/format/json_element.hpp"
#include "io/format/python_json.hpp"
#include "io/format/scaling.hpp"
#include "io/hdf5/libhdf5_datatype.hpp"

namespace tenstride::io {
namespace {

using type_json = nlohmann::ordered_json;

/// What an array of JSON values has in common.
enum class ValueKind : unsigned char {
  small_integer,
  integer,
  unsigned_integer,
  number,
  boolean,
  text,
  other
};

ValueKind kind_of_value(const type_json& value) {
  if (value.is_boolean()) return ValueKind::boolean;
  if (value.is_string()) return ValueKind::text;
  if (value.is_number_float()) return ValueKind::number;
  if (!value.is_number_integer()) return ValueKind::other;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return ValueKind::unsigned_integer;
  }
  const auto number = value.get<std::int64_t>();
  return number >= INT32_MIN && number <= INT32_MAX ? ValueKind::small_integer : ValueKind::integer;
}

/// Numbers, with some of those texts among them.
bool are_numbers(const type_json& values) {
  const auto is_number = [](const type_json& value) { return value.is_number(); };
  return std::any_of(values.begin(), values.end(), is_number) &&
         std::all_of(values.begin(), values.end(), [](const auto& value) { return number_or_word(value); });
}

/// Pre: an array that is not empty.
ValueKind common_kind(const type_json& values) {
  ValueKind common = kind_of_value(values.front());
  for (const type_json& value : values) {
    const ValueKind kind = kind_of_value(value);
    if (kind != common && std::max(kind, common) > ValueKind::number) {
      return are_numbers(values) ? ValueKind::number : ValueKind::other;
    }
    common = std::max(kind, common);
  }
  return common;
}

/// Whether each value is an element of the type, or a list of one.
bool are_elements(const type_json& values, DType dtype) {
  return std::all_of(values.begin(), values.end(),
                     [dtype](const type_json& value) { return element_of_json(value, dtype); });
}

}  // namespace

std::optional<Hdf5AttributeType> usual_hdf5_type(std::string_view name, const type_json& value,
                                                 std::optional<DType> elements) {
  const type_json values = value.is_array() ? value : type_json::array({value});
  if (value.is_null() || values.empty()) return std::nullopt;
  Hdf5AttributeType type;
  if (elements && has_type_of_elements(name) && are_elements(values, *elements)) {
    type.dtype = *elements;
    type.is_of_elements = true;
    type.shape = {values.size()};
    return type;
  }
  if (value.is_array()) type.shape = {values.size()};
  constexpr std::array dtypes{DType::int32, DType::int64, DType::uint64, DType::float64, DType::int8};
  const ValueKind kind = common_kind(values);
  if (kind == ValueKind::other) return std::nullopt;
  type.is_text = kind == ValueKind::text;
  if (!type.is_text) type.dtype = dtypes[static_cast<std::size_t>(kind)];
  return type;
}

Hdf5Id make_hdf5_attribute_type(const Hdf5AttributeType& type) {
  if (!type.is_text) {
    Hdf5Id made = make_hdf5_datatype(type.dtype);
    constexpr bool is_little = std::endian::native == std::endian::little;
    if (type.is_byte_swapped) H5Tset_order(made.get(), is_little ? H5T_ORDER_BE : H5T_ORDER_LE);
    return made;
  }
  Hdf5Id made(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(made.get(), type.text_nbytes == 0 ? H5T_VARIABLE : type.text_nbytes);
  H5Tset_cset(made.get(), type.is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
  H5Tset_strpad(made.get(), static_cast<H5T_str_t>(type.padding));
  return made;
}

Hdf5Id make_hdf5_attribute_space(const Hdf5AttributeType& type) {
  if (type.is_null) return {H5Screate(H5S_NULL), H5Sclose};
  if (type.shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  return {H5Screate_simple(static_cast<int>(type.shape.size()), type.shape.data(), nullptr), H5Sclose};
}

type_json to_json(const Hdf5AttributeType& type) {
  type_json json = type_json::object();
  if (type.is_text) {
    json["text"] = type.text_nbytes;
    if (type.is_ascii) json["ascii"] = true;
    if (type.padding != H5T_STR_NULLTERM) json["padding"] = type.padding;
  } else {
    json["dtype"] = type.is_of_elements ? std::string_view("elements") : name(type.dtype);
    if (type.is_byte_swapped) json["swapped"] = true;
  }
  json["shape"] = type.is_null ? type_json() : type_json(type.shape);
  return json;
}

std::optional<Hdf5AttributeType> parse_hdf5_attribute_type(const type_json& json,
                                                           std::optional<DType> elements) try {
  Hdf5AttributeType type;
  type.is_text = json.contains("text");
  if (type.is_text) {
    type.text_nbytes = json.at("text").get<std::size_t>();
    type.is_ascii = json.value("ascii", false);
    type.padding = json.value("padding", static_cast<int>(H5T_STR_NULLTERM));
  } else {
    const auto text = json.at("dtype").get<std::string>();
    type.is_of_elements = text == "elements";
    const std::optional<DType> dtype = type.is_of_elements ? elements : parse_dtype(text);
    if (!dtype) return std::nullopt;
    type.dtype = *dtype;
    type.is_byte_swapped = json.value("swapped", false);
  }
  type.is_null = json.at("shape").is_null();
  if (!type.is_null) type.shape = json.at("shape").get<std::vector<hsize_t>>();
  if (type.shape.size() > H5S_MAX_RANK) return std::nullopt;
  return type;
} catch (const type_json::exception&) {
  return std::nullopt;
}

}  // namespace tenstride::io
#endif
