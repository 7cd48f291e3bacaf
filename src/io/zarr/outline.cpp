// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/outline.hpp"

#include <algorithm>

#include "io/format/python_json.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/element_json.hpp"

namespace tenstride::io {
namespace {

/// A file of metadata; null where there is none that is an object.
nlohmann::json object_in(const ZarrStore& store, const std::string& folder, std::string_view name) {
  const std::string file = zarr_file(folder, name);
  try {
    const std::optional<std::string> text = store.read_text(file);
    nlohmann::json json = text ? parse_zarr_json(*text, file) : nlohmann::json();
    return json.is_object() ? json : nlohmann::json();
  } catch (const FileError&) {
    return {};
  }
}

/// What `read` makes of a member; a default where it is missing or refused.
template <class Read>
auto understood(const nlohmann::json& object, const char* name, const Read& read) {
  using Value = decltype(read(JsonField(object, "")));
  const auto found = object.find(name);
  if (found == object.end()) return Value();
  try {
    return read(JsonField(*found, name));
  } catch (const Error&) {
    return Value();
  }
}

Dims shape_of(const JsonField& field) {
  const Dims shape = field.dims(0);
  static_cast<void>(row_major(shape));  // refuses more elements than can be counted
  return shape;
}

std::vector<std::string> texts_of(const JsonField& field) {
  std::vector<std::string> texts;
  for (const JsonField& item : field.items()) texts.push_back(item.is_null() ? "" : item.text());
  return texts;
}

bool is_type_of_ours(const nlohmann::json& type, int format) {
  const JsonField field(type, "");
  try {
    format == 3 ? static_cast<void>(parse_zarr_data_type(field)) : static_cast<void>(parse_zarr_dtype(field));
    return true;
  } catch (const FileError&) {
    return false;
  }
}

/// A type that others have, as they write it; empty where the type is one of ours, or of nobody.
std::string unknown_type_of(const nlohmann::json& type, int format) {
  if (is_type_of_ours(type, format)) return {};
  if (format == 2) {
    if (type.is_array()) return python_json_text(type);
    const std::string text = type.is_string() ? type.get<std::string>() : "";
    const bool is_numpy = text.size() > 1 &&
                          std::string_view("<>|").find(text[0]) != std::string_view::npos &&
                          std::string_view("OSUVfc").find(text[1]) != std::string_view::npos;
    return is_numpy ? text : "";
  }
  const nlohmann::json name = type.is_object() ? type.value("name", nlohmann::json()) : type;
  if (!name.is_string() || is_type_of_ours(name, format)) return {};
  const std::string text = name.get<std::string>();
  const bool is_time = text == "numpy.datetime64" || text == "numpy.timedelta64";
  return is_time ? "" : text;
}

}  // namespace

ZarrOutline read_zarr_outline(const ZarrStore& store, const std::string& folder) {
  ZarrOutline outline;
  nlohmann::json array = object_in(store, folder, "zarr.json");
  if (!array.is_null()) {
    outline.format = 3;
  } else if (array = object_in(store, folder, ".zarray"); !array.is_null()) {
    outline.format = 2;
  } else {
    return outline;
  }
  const bool is_v3 = outline.format == 3;
  outline.shape = understood(array, "shape", shape_of);
  outline.axis_names = is_v3 ? understood(array, "dimension_names", texts_of)
                             : understood(object_in(store, folder, ".zattrs"), "_ARRAY_DIMENSIONS", texts_of);
  if (outline.axis_names.size() != outline.shape.size()) outline.axis_names.clear();
  const auto type = array.find(is_v3 ? "data_type" : "dtype");
  if (type != array.end()) outline.unknown_type = unknown_type_of(*type, outline.format);
  return outline;
}

}  // namespace tenstride::io
