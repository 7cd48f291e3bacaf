// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>
#include <limits>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_datatype.hpp"
#include "io/hdf5/libhdf5_write.hpp"

namespace tenstride::io {
namespace {

using attribute_json = nlohmann::ordered_json;

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

ValueKind kind_of_value(const attribute_json& value) {
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

ValueKind common_kind(const std::vector<attribute_json>& values) {
  ValueKind common = kind_of_value(values.front());
  for (const attribute_json& value : values) {
    const ValueKind kind = kind_of_value(value);
    if (kind != common && std::max(kind, common) > ValueKind::number) return ValueKind::other;
    common = std::max(kind, common);
  }
  return common;
}

/// A number, or "NaN", "Infinity" and "-Infinity", as strict JSON has them.
std::optional<double> number_of_text(const attribute_json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// Numbers, with some of those texts among them.
bool are_numbers(const std::vector<attribute_json>& values) {
  const auto is_number = [](const attribute_json& value) { return value.is_number(); };
  return std::any_of(values.begin(), values.end(), is_number) &&
         std::all_of(values.begin(), values.end(), [](const auto& value) { return number_of_text(value); });
}

bool write_doubles(hid_t object, const char* name, const std::vector<attribute_json>& values, hid_t space) {
  std::vector<double> numbers;
  for (const attribute_json& value : values) numbers.push_back(number_of_text(value).value_or(0));
  const Hdf5Id attribute(H5Acreate2(object, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, numbers.data()) >= 0;
}

template <class T>
bool write_numbers(hid_t object, const char* name, const std::vector<attribute_json>& values, hid_t type,
                   hid_t space) {
  std::vector<T> numbers;
  for (const attribute_json& value : values) numbers.push_back(value.get<T>());
  const Hdf5Id attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), type, numbers.data()) >= 0;
}

Hdf5Id space_of_values(const attribute_json& value, std::size_t count) {
  const hsize_t extent = count;
  if (!value.is_array()) return {H5Screate(H5S_SCALAR), H5Sclose};
  return {H5Screate_simple(1, &extent, nullptr), H5Sclose};
}

bool write_value(hid_t object, const char* name, const attribute_json& value) {
  const std::vector<attribute_json> values =
      value.is_array() ? value.get<std::vector<attribute_json>>() : std::vector<attribute_json>{value};
  if (value.is_null() || values.empty()) return true;
  const Hdf5Id space = space_of_values(value, values.size());
  switch (common_kind(values)) {
    case ValueKind::small_integer:
      return write_numbers<std::int32_t>(object, name, values, H5T_NATIVE_INT32, space.get());
    case ValueKind::integer:
      return write_numbers<std::int64_t>(object, name, values, H5T_NATIVE_INT64, space.get());
    case ValueKind::unsigned_integer:
      return write_numbers<std::uint64_t>(object, name, values, H5T_NATIVE_UINT64, space.get());
    case ValueKind::number:
      return write_doubles(object, name, values, space.get());
    case ValueKind::boolean:
      return write_numbers<signed char>(object, name, values, H5T_NATIVE_INT8, space.get());
    case ValueKind::text: {
      std::vector<std::string> texts;
      for (const attribute_json& text : values) texts.push_back(text.get<std::string>());
      return write_texts(object, name, texts, space.get());
    }
    case ValueKind::other:
      if (are_numbers(values)) return write_doubles(object, name, values, space.get());
  }
  const Hdf5Id scalar(H5Screate(H5S_SCALAR), H5Sclose);
  return write_texts(object, name, {python_json_text(value)}, scalar.get());
}

/// An element of the dataset: netCDF-4 takes no other for the fill value.
bool write_element(hid_t object, const char* name, double value, DType dtype) {
  const hsize_t one = 1;
  const Hdf5Id space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  const Hdf5Id type = make_hdf5_datatype(dtype);
  const Hdf5Id attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &value) >= 0;
}

bool is_written_as_element(std::string_view name, DType dtype) {
  return (name == "_FillValue" || name == "missing_value") && !is_complex(dtype) && dtype != DType::bool_;
}

bool write_attribute(hid_t dataset, const NewTensor& tensor, const std::string& name,
                     const attribute_json& value) {
  // Only scale and shift of the tensor itself are true of its elements.
  if (name == "scale_factor" && (tensor.scale != 1 || tensor.shift != 0)) return true;
  if (name == "add_offset" && (tensor.scale != 1 || tensor.shift != 0)) return true;
  const bool is_large_integer = value.is_number_integer() && kind_of_value(value) > ValueKind::small_integer;
  if (is_written_as_element(name, tensor.dtype) && !is_large_integer) {
    const std::optional<double> number = number_of_text(value);
    if (number) return write_element(dataset, name.c_str(), *number, tensor.dtype);
  }
  return write_value(dataset, name.c_str(), value);
}

}  // namespace

bool write_fixed_text(hid_t object, const char* name, const std::string& text) {
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), type.get(), text.c_str()) >= 0;
}

bool write_texts(hid_t object, const char* name, const std::vector<std::string>& texts, hid_t space) {
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const Hdf5Id attribute(H5Acreate2(object, name, type.get(), space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), type.get(), pointers.data()) >= 0;
}

void write_hdf5_attributes(hid_t dataset, const NewTensor& tensor, std::string_view operation) {
  const attribute_json attributes = parse_attributes(tensor.attributes);
  if (attributes.is_object()) {
    for (const auto& [name, value] : attributes.items()) {
      if (name.empty() || name.find('\0') != std::string::npos || is_hdf5_bookkeeping(name)) continue;
      if (!write_attribute(dataset, tensor, name, value)) refuse_creation(operation, "the attribute", name);
    }
  }
  if (tensor.scale == 1 && tensor.shift == 0) return;
  if (!write_value(dataset, "scale_factor", tensor.scale) ||
      !write_value(dataset, "add_offset", tensor.shift)) {
    refuse_creation(operation, "the attribute", "scale_factor");
  }
}

}  // namespace tenstride::io
#endif
