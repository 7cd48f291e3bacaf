// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/dataset.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/message.hpp"
#include "io/hdf5/refuse.hpp"

namespace tenstride::io {
namespace {

using json = nlohmann::json;

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += digits[value >> 4];
    text += digits[value & 15];
  }
  return text;
}

std::string bytes_of_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

json list_of(const Dims& dims) {
  return std::vector<Index>(dims.begin(), dims.end());
}

Dims dims_of(const json& list) {
  return Dims(list.get<std::vector<Index>>());
}

[[noreturn]] void refuse_line(const std::string& path) {
  refuse_hdf5("hdf5", path,
              "must be an HDF5 file that libhdf5 can read; what it said of a dataset is damaged");
}

json filters_json(const std::vector<Hdf5Filter>& filters) {
  json list = json::array();
  for (const Hdf5Filter& filter : filters) list.push_back({filter.number, filter.name, filter.parameters});
  return list;
}

}  // namespace

std::string hdf5_codec_text(const Hdf5Dataset& dataset) {
  std::string text;
  for (std::size_t i = dataset.filters.size(); i-- > 0;) {
    const Hdf5Filter& filter = dataset.filters[i];
    text += text.empty() ? "" : ", ";
    text += filter.name;
    if (filter.number == hdf5_filter::deflate && !filter.parameters.empty()) {
      text += tenstride::detail::message("(", filter.parameters[0], ")");
    }
  }
  return text;
}

std::string to_json_line(const Hdf5Dataset& dataset) {
  json object;
  object["name"] = dataset.name;
  object["compound"] = dataset.compound;
  object["file"] = dataset.file;
  object["dtype"] = name(dataset.dtype);
  object["swapped"] = dataset.byte_order == ByteOrder::swapped;
  object["obstacle"] = dataset.obstacle;
  object["shape"] = list_of(dataset.shape);
  object["array"] = dataset.array_rank;
  object["strides"] = list_of(dataset.strides);
  object["storage"] = static_cast<unsigned>(dataset.storage);
  object["begin"] = dataset.begin;
  object["chunk"] = list_of(dataset.chunk);
  object["chunked"] = dataset.is_chunked;
  object["filters"] = filters_json(dataset.filters);
  object["fill"] = hex_of(dataset.fill_value);
  object["stored"] = dataset.stored_nbytes;
  object["axes"] = dataset.axis_names;
  object["attributes"] = dataset.attributes;
  object["types"] = dataset.further.attribute_types;
  object["unread"] = dataset.further.unread_attributes;
  object["unlimited"] = list_of(dataset.further.unlimited_axes);
  if (dataset.dimension_number) object["dimension"] = *dataset.dimension_number;
  object["coordinates"] = dataset.coordinate_numbers;
  object["bare"] = dataset.is_bare_dimension;
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string to_json_line(const FileGroup& group) {
  const json list{group.name, group.attributes, group.attribute_types, group.unread_attributes};
  return list.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<FileGroup> parse_group_line(std::string_view line, const std::string& path) try {
  if (!line.starts_with('[')) return std::nullopt;
  const auto list = json::parse(line).get<std::vector<std::string>>();
  return FileGroup{list.at(0), list.at(1), list.at(2), list.at(3)};
} catch (const std::exception&) {
  refuse_line(path);
}

Hdf5Dataset parse_json_line(std::string_view line, const std::string& path) try {
  const json object = json::parse(line);
  Hdf5Dataset dataset;
  const auto dtype = parse_dtype(object.at("dtype").get<std::string>());
  const auto storage = object.at("storage").get<unsigned>();
  if (!dtype || storage > static_cast<unsigned>(Hdf5Storage::library)) throw std::invalid_argument("type");
  dataset.name = object.at("name").get<std::string>();
  dataset.compound = object.at("compound").get<std::string>();
  dataset.file = object.at("file").get<std::string>();
  dataset.dtype = *dtype;
  dataset.byte_order = object.at("swapped").get<bool>() ? ByteOrder::swapped : ByteOrder::native;
  dataset.obstacle = object.at("obstacle").get<std::string>();
  dataset.shape = dims_of(object.at("shape"));
  dataset.array_rank = object.at("array").get<std::size_t>();
  dataset.strides = dims_of(object.at("strides"));
  const std::size_t rank = dataset.shape.size();
  if (dataset.array_rank > rank || (!dataset.strides.empty() && dataset.strides.size() != rank)) {
    throw std::invalid_argument("rank");
  }
  dataset.storage = static_cast<Hdf5Storage>(storage);
  dataset.begin = object.at("begin").get<std::uint64_t>();
  dataset.chunk = dims_of(object.at("chunk"));
  dataset.is_chunked = object.at("chunked").get<bool>();
  for (const json& filter : object.at("filters")) {
    dataset.filters.push_back({filter.at(0).get<int>(), filter.at(1).get<std::string>(),
                               filter.at(2).get<std::vector<unsigned>>()});
  }
  dataset.fill_value = bytes_of_hex(object.at("fill").get<std::string>());
  dataset.stored_nbytes = object.at("stored").get<std::uint64_t>();
  dataset.axis_names = object.at("axes").get<std::vector<std::string>>();
  dataset.attributes = object.at("attributes").get<std::string>();
  dataset.further.attribute_types = object.at("types").get<std::string>();
  dataset.further.unread_attributes = object.at("unread").get<std::string>();
  dataset.further.unlimited_axes = dims_of(object.at("unlimited"));
  for (const Index axis : dataset.further.unlimited_axes) {
    if (axis < 0 || axis >= static_cast<Index>(dataset.shape.size())) throw std::invalid_argument("axis");
  }
  if (object.contains("dimension")) dataset.dimension_number = object.at("dimension").get<std::int64_t>();
  dataset.coordinate_numbers = object.at("coordinates").get<std::vector<std::int64_t>>();
  dataset.is_bare_dimension = object.at("bare").get<bool>();
  return dataset;
} catch (const std::exception&) {
  refuse_line(path);
}

}  // namespace tenstride::io
