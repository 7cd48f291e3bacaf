// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf/attributes.hpp"

#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "copy/swap_bytes.hpp"
#include "io/format/attribute_limits.hpp"
#include "io/format/json_element.hpp"
#include "io/format/python_json.hpp"
#include "io/format/scaling.hpp"
#include "io/netcdf/types.hpp"

namespace tenstride::io {
namespace {

using netcdf_json = nlohmann::ordered_json;

netcdf_json text_value(const NetcdfAttribute& attribute) {
  std::string_view chars(reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size());
  return valid_utf8(chars.substr(0, chars.find('\0')));
}

/// A single number stands by itself.
netcdf_json number_value(const NetcdfAttribute& attribute, DType dtype) {
  const std::size_t item = item_size(dtype);
  std::vector<std::byte> native(attribute.values.size());
  swap_bytes(native.data(), attribute.values.data(), native.size(), is_netcdf_swapped ? item : 1);
  netcdf_json list = netcdf_json::array();
  for (std::size_t i = 0; i < attribute.count; ++i)
    list.push_back(json_of_element(std::span(native).subspan(i * item, item), dtype));
  return list.size() == 1 ? list.front() : list;
}

/// As libhdf5 tells of the same attribute in a netCDF-4 file.
netcdf_json type_json(const NetcdfAttribute& attribute, const std::optional<DType>& elements) {
  netcdf_json json = netcdf_json::object();
  const std::optional<DType> dtype = netcdf_dtype(attribute.type);
  if (!dtype) {
    json["text"] = std::max<std::uint64_t>(attribute.count, 1);
    const auto is_ascii = [](std::byte byte) { return (byte & std::byte{128}) == std::byte{0}; };
    if (std::all_of(attribute.values.begin(), attribute.values.end(), is_ascii)) json["ascii"] = true;
    json["shape"] = attribute.count == 0 ? netcdf_json() : netcdf_json::array();
    return json;
  }
  const bool is_of_elements = elements == dtype && has_type_of_elements(attribute.name);
  json["dtype"] = is_of_elements ? std::string_view("elements") : name(*dtype);
  json["shape"] = attribute.count == 0 ? netcdf_json() : netcdf_json::array({attribute.count});
  return json;
}

/// The values of an attribute that is to be written, with their type.
struct NetcdfValues {
  std::uint32_t type = netcdf_char;
  std::uint64_t count = 0;
  std::string bytes;
};

NetcdfValues text_values(const std::string& text) {
  return {netcdf_char, text.size(), text};
}

/// Nothing where one of the values is none of the type.
std::optional<NetcdfValues> number_values(const netcdf_json& list, DType dtype) {
  NetcdfValues values{netcdf_type(dtype).value_or(0), list.size(), {}};
  const std::size_t item = item_size(dtype);
  for (const netcdf_json& one : list) {
    const auto element =
        element_of_json(one.is_boolean() ? netcdf_json(one.get<bool>() ? 1 : 0) : one, dtype);
    if (!element) return std::nullopt;
    std::vector<std::byte> stored(item);
    swap_bytes(stored.data(), element->data(), item, is_netcdf_swapped ? item : 1);
    values.bytes.append(reinterpret_cast<const char*>(stored.data()), item);
  }
  return values;
}

/// The type that is said of an attribute; nothing for texts.
std::optional<DType> said_type(const netcdf_json& said, const std::optional<DType>& elements) {
  if (!said.is_object() || !said.contains("dtype") || !said["dtype"].is_string()) return std::nullopt;
  const auto text = said["dtype"].get<std::string>();
  return text.starts_with("elements") ? elements : parse_dtype(text);
}

std::vector<DType> number_types(std::string_view key, const netcdf_json& list, const netcdf_json& said,
                                const std::optional<DType>& elements) {
  std::vector<DType> types;
  if (const std::optional<DType> known = said_type(said, elements)) types.push_back(*known);
  if (elements && has_type_of_elements(key)) types.push_back(*elements);
  const auto has_fraction = [](const netcdf_json& one) { return !one.is_number_integer(); };
  const auto is_truth = [](const netcdf_json& one) { return one.is_boolean(); };
  if (std::all_of(list.begin(), list.end(), is_truth)) {
    types.push_back(DType::int8);
  } else if (std::none_of(list.begin(), list.end(), has_fraction)) {
    for (const DType type : {DType::int32, DType::int64, DType::uint64}) types.push_back(type);
  }
  types.push_back(DType::float64);
  return types;
}

bool is_held(const netcdf_json& list, DType type) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;  // larger integers are no double
  return type != DType::float64 || std::all_of(list.begin(), list.end(), [](const netcdf_json& one) {
           if (one.is_number_unsigned()) return one.get<std::uint64_t>() <= static_cast<std::uint64_t>(exact);
           return !one.is_number_integer() || one.get<std::int64_t>() >= -exact;
         });
}

/// Nothing for what is left out.
std::optional<NetcdfValues> values_to_write(const std::string& key, const netcdf_json& value,
                                            const netcdf_json& said, const std::optional<DType>& elements,
                                            int version) {
  if (value.is_string() &&
      !(elements && has_type_of_elements(key) && number_of_word(value.get<std::string>())))
    return text_values(value.get<std::string>());
  const netcdf_json list = value.is_array() ? value : netcdf_json::array({value});
  if (value.is_null() || list.empty()) return std::nullopt;
  // netCDF takes a fill value of no other type than that of the elements.
  const bool is_fill = elements && key == "_FillValue";
  if (is_fill && list.size() != 1) return std::nullopt;
  const bool has_numbers = std::all_of(list.begin(), list.end(), [](const netcdf_json& one) {
    return one.is_boolean() || number_or_word(one);
  });
  if (has_numbers) {
    for (const DType type : is_fill ? std::vector{*elements} : number_types(key, list, said, elements)) {
      const std::optional<std::uint32_t> number = netcdf_type(type);
      if (!number || *number > last_netcdf_type(version) || !is_held(list, type)) continue;
      if (std::optional<NetcdfValues> values = number_values(list, type)) return values;
    }
  }
  if (is_fill) return std::nullopt;
  return text_values(strict_json(python_json_text(value)));
}

}  // namespace

NetcdfAttributeTexts read_netcdf_attributes(const std::vector<NetcdfAttribute>& attributes,
                                            std::optional<DType> elements) {
  netcdf_json values = netcdf_json::object(), types = values, unread = values;
  if (attributes.size() > max_attributes) return {"", "", too_many_attributes()};
  for (const NetcdfAttribute& attribute : attributes) {
    const std::optional<DType> dtype = netcdf_dtype(attribute.type);
    const bool is_long =
        attribute.values.size() > max_attribute_nbytes || (dtype && attribute.count > max_attribute_elements);
    if (is_long) {
      unread[attribute.name] = attribute_too_long();
      continue;
    }
    values[attribute.name] = dtype ? number_value(attribute, *dtype) : text_value(attribute);
    types[attribute.name] = type_json(attribute, elements);
  }
  const auto text = [](const netcdf_json& json) { return json.empty() ? "" : python_json_text(json); };
  return {text(values), text(types), text(unread)};
}

void put_netcdf_attributes(NetcdfOutput& output, const netcdf_json& attributes, const std::string& types,
                           std::optional<DType> elements) {
  const netcdf_json said = types.empty() ? netcdf_json::object() : parse_attributes(types);
  std::vector<std::pair<std::string, NetcdfValues>> written;
  if (attributes.is_object()) {
    for (const auto& [key, value] : attributes.items()) {
      if (key.empty() || key.find('\0') != std::string::npos || key.find('/') != std::string::npos) continue;
      const netcdf_json type = said.is_object() && said.contains(key) ? said[key] : netcdf_json();
      std::optional<NetcdfValues> values = values_to_write(key, value, type, elements, output.version());
      if (values) written.emplace_back(key, *std::move(values));
    }
  }
  output.put_list(netcdf_list::attributes, written.size());
  for (const auto& [key, values] : written) {
    output.put_name(key);
    output.put(values.type, 4);
    output.put_count(values.count);
    output.put_padded(values.bytes);
  }
}

}  // namespace tenstride::io
