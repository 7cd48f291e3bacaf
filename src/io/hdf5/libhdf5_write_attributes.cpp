// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/message.hpp"
#include "io/format/json_element.hpp"
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

/// Numbers, with some of those texts among them.
bool are_numbers(const std::vector<attribute_json>& values) {
  const auto is_number = [](const attribute_json& value) { return value.is_number(); };
  return std::any_of(values.begin(), values.end(), is_number) &&
         std::all_of(values.begin(), values.end(), [](const auto& value) { return number_or_word(value); });
}

bool write_doubles(hid_t object, const char* name, const std::vector<attribute_json>& values, hid_t space) {
  std::vector<double> numbers;
  for (const attribute_json& value : values) numbers.push_back(number_or_word(value).value_or(0));
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
  return write_texts(object, name, {strict_json(python_json_text(value))}, scalar.get());
}

/// Attributes that are of the type of the elements, by the conventions of netCDF and CF.
bool is_of_elements(std::string_view name) {
  constexpr std::array<std::string_view, 7> names{"_FillValue",  "missing_value", "valid_min", "valid_max",
                                                  "valid_range", "flag_values",   "flag_masks"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Values as elements of the dataset, one after the other; nothing where one is none.
std::optional<std::vector<std::byte>> elements_of(const attribute_json& value, DType dtype) {
  if (!value.is_array()) return element_of_json(value, dtype);
  std::vector<std::byte> elements;
  for (const attribute_json& one : value) {
    const std::optional<std::vector<std::byte>> element = element_of_json(one, dtype);
    if (!element) return std::nullopt;
    elements.insert(elements.end(), element->begin(), element->end());
  }
  return elements;
}

bool write_elements(hid_t object, const char* name, std::span<const std::byte> elements, DType dtype) {
  const hsize_t count = elements.size() / item_size(dtype);
  const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Id type = make_hdf5_datatype(dtype);
  const Hdf5Id attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), type.get(), elements.data()) >= 0;
}

bool write_attribute(hid_t dataset, const NewTensor& tensor, const std::string& name,
                     const attribute_json& value) {
  // Only scale and shift of the tensor itself are true of its elements.
  if (name == "scale_factor" && (tensor.scale != 1 || tensor.shift != 0)) return true;
  if (name == "add_offset" && (tensor.scale != 1 || tensor.shift != 0)) return true;
  if (!is_of_elements(name)) return write_value(dataset, name.c_str(), value);
  // netCDF has no fill value of complex types: xarray opens no compound, and takes a list for several of
  // them.
  if (is_complex(tensor.dtype)) return true;
  const std::optional<std::vector<std::byte>> elements = elements_of(value, tensor.dtype);
  const bool is_one = elements && elements->size() == item_size(tensor.dtype);
  // netCDF-4 takes a fill value of no other type; one that no element can have marks nothing.
  if (name == "_FillValue" && !is_one) return true;
  return elements && !elements->empty() ? write_elements(dataset, name.c_str(), *elements, tensor.dtype)
                                        : write_value(dataset, name.c_str(), value);
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
