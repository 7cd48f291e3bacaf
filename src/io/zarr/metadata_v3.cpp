// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "io/format/python_json.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/attributes.hpp"
#include "io/zarr/codec_json.hpp"
#include "io/zarr/element_json.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::json;

/// A member that is an object with a name and a configuration, or a name alone.
std::string name_of_extension(const JsonField& field) {
  if (field.value().is_string()) return field.text();
  field.allow_only({"name", "configuration"});
  return field.at("name").text();
}

/// What one does not know may be ignored only where it says so itself.
void check_members(const JsonField& root) {
  constexpr std::array<std::string_view, 12> known{"zarr_format",     "node_type",
                                                   "shape",           "data_type",
                                                   "chunk_grid",      "chunk_key_encoding",
                                                   "fill_value",      "codecs",
                                                   "attributes",      "storage_transformers",
                                                   "dimension_names", "consolidated_metadata"};
  for (const auto& [name, member] : root.value().items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto must = member.is_object() ? member.find("must_understand") : member.end();
    if (member.is_object() && must != member.end() && *must == false) continue;
    root.at(name).refuse("left out: it is no field of Zarr 3.0, and does not say \"must_understand\": false");
  }
}

void parse_keys(const JsonField& field, ZarrArray& array) {
  const std::string name = name_of_extension(field);
  if (name != "default" && name != "v2") field.refuse("\"default\" or \"v2\"");
  array.key_style = name == "default" ? ZarrKeyStyle::prefixed : ZarrKeyStyle::indices;
  array.separator = name == "default" ? '/' : '.';
  const auto configuration = field.value().is_object() ? field.find("configuration") : std::nullopt;
  if (!configuration) return;
  configuration->allow_only({"separator"});
  if (const auto separator = configuration->find("separator")) {
    if (separator->value() != "/" && separator->value() != ".") separator->refuse("\"/\" or \".\"");
    array.separator = separator->text()[0];
  }
}

/// Where the shape of the grid's chunks stands.
JsonField grid_of(const JsonField& field) {
  if (!field.value().is_object() || name_of_extension(field) != "regular") {
    field.refuse("a grid of the name \"regular\" with a chunk_shape");
  }
  const JsonField configuration = field.at("configuration");
  configuration.allow_only({"chunk_shape"});
  return configuration.at("chunk_shape");
}

}  // namespace

ZarrArray parse_zarr_v3(std::string_view text, std::string_view folder) {
  const std::string file = zarr_file(folder, "zarr.json");
  const Json json = parse_zarr_json(text, file);
  const JsonField root(json, file);
  ZarrArray array;
  const JsonField format = root.at("zarr_format");
  if (!format.value().is_number_integer() || format.value() != 3) format.refuse("3");
  if (root.at("node_type").value() != "array") root.at("node_type").refuse("\"array\"");
  check_members(root);
  if (const auto transformers = root.find("storage_transformers")) {
    if (!transformers->items().empty()) transformers->refuse("an empty list");
  }
  const JsonField shape = root.at("shape");
  array.shape = shape.dims(0);
  const JsonField type = root.at("data_type");
  array.dtype = parse_zarr_data_type(type);
  const std::optional<NumpyTime> time = find_zarr_time(type);
  const JsonField chunk = grid_of(root.at("chunk_grid"));
  array.chunk = chunk.dims(1);
  check_zarr_sizes(shape, chunk, array);
  parse_keys(root.at("chunk_key_encoding"), array);
  array.fill_value = parse_zarr_fill(root.at("fill_value"), {array.dtype, ByteOrder::native}, 3, time);
  parse_zarr_codecs_v3(root.at("codecs"), array);
  const auto names = root.find("dimension_names");
  if (names && !names->is_null()) array.dimension_names = parse_dimension_names(*names, array.shape.size());
  if (const auto attributes = root.find("attributes")) {
    if (!attributes->value().is_object()) attributes->refuse("an object");
    array.attributes = python_json_text(parse_zarr_attributes(attributes->value(), array.dtype));
  }
  add_time_attribute(array, time);
  return array;
}

std::string zarr_v3_text(const ZarrArray& array) {
  const std::string_view folder = "zarr.json";
  Json json{{"zarr_format", 3},
            {"node_type", "array"},
            {"shape", dims_json(array.shape)},
            {"data_type", zarr_data_type_text(array.dtype, folder)},
            {"fill_value", zarr_fill_json(array.fill_value, array.dtype, 3)},
            {"codecs", zarr_codecs_json_v3(array, folder)},
            {"attributes", zarr_attributes_json(array)},
            {"storage_transformers", Json::array()}};
  if (const auto time = find_numpy_time(array.attributes, array.dtype))
    json["data_type"] = zarr_time_json(*time);
  json["chunk_grid"] = {{"name", "regular"}, {"configuration", {{"chunk_shape", dims_json(array.unit())}}}};
  json["chunk_key_encoding"] = {{"name", array.key_style == ZarrKeyStyle::prefixed ? "default" : "v2"},
                                {"configuration", {{"separator", std::string(1, array.separator)}}}};
  if (!array.dimension_names.empty()) json["dimension_names"] = dimension_names_json(array);
  return python_json_text(json, 2) + "\n";
}

}  // namespace tenstride::io
