// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_enumeration.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/format/json_element.hpp"
#include "io/format/python_json.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"

namespace tenstride::io {
namespace {
using names_json = nlohmann::ordered_json;
}  // namespace

std::string hdf5_enumeration_text(hid_t type, const Hdf5Datatype& known) {
  names_json names = names_json::object();
  const std::size_t item = item_size(known.dtype);
  const Hdf5Id memory = make_hdf5_datatype(known.dtype);
  const Hdf5Id stored(H5Tget_super(type), H5Tclose);
  const int count = H5Tget_nmembers(type);
  for (int i = 0; i < count; ++i) {
    const auto number = static_cast<unsigned>(i);
    std::vector<std::byte> value(std::max(H5Tget_size(type), item));
    const bool is_read = H5Tget_member_value(type, number, value.data()) >= 0 &&
                         H5Tconvert(stored.get(), memory.get(), 1, value.data(), nullptr, H5P_DEFAULT) >= 0;
    if (!is_read) continue;
    names[valid_utf8(hdf5_member_name(type, number))] =
        json_of_element(std::span(value).first(item), known.dtype);
  }
  return python_json_text(names);
}

std::string with_enumeration(const std::string& attributes, const std::string& names) {
  if (names.empty()) return attributes;
  names_json values = attributes.empty() ? names_json::object() : parse_attributes(attributes);
  if (!values.contains(hdf5_enumeration_attribute)) {
    values[hdf5_enumeration_attribute] = parse_attributes(names);
  }
  return python_json_text(values);
}

Hdf5Id make_hdf5_enumeration(const std::string& attributes, DType dtype) {
  const names_json values = parse_attributes(attributes);
  const bool has_names = values.is_object() && values.contains(hdf5_enumeration_attribute) &&
                         values[hdf5_enumeration_attribute].is_object() &&
                         !values[hdf5_enumeration_attribute].empty();
  if (!has_names || !is_integer(dtype)) return {};
  const Hdf5Id number = make_hdf5_datatype(dtype);
  Hdf5Id type(H5Tenum_create(number.get()), H5Tclose);
  for (const auto& [name, value] : values[hdf5_enumeration_attribute].items()) {
    const auto element = value.is_number_integer() ? element_of_json(value, dtype) : std::nullopt;
    if (!element || H5Tenum_insert(type.get(), name.c_str(), element->data()) < 0) return {};
  }
  return type;
}

}  // namespace tenstride::io
#endif
