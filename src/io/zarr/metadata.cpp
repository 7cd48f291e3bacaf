// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/metadata.hpp"

#include "io/zarr/array_json.hpp"
#include "io/zarr/store.hpp"

namespace tenstride::io {

std::string zarr_file(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && path.back() != '/') path += '/';
  return path.append(name);
}

void check_zarr_sizes(const JsonField& shape, const JsonField& chunk, const ZarrArray& array) {
  if (array.unit().size() != array.shape.size()) {
    chunk.refuse("a list of ", array.shape.size(), " integers, one for each axis of the shape");
  }
  const auto item = static_cast<Index>(item_size(array.dtype));
  for (const auto& [field, dims] : {std::pair(&shape, &array.shape), std::pair(&chunk, &array.unit())}) {
    try {
      static_cast<void>(checked_multiply(count_elements(*dims), item, "zarr"));
    } catch (const OverflowError&) {
      field->refuse("a shape whose bytes fit a signed 64-bit integer (", name(array.dtype), ")");
    }
  }
}

std::vector<std::optional<std::string>> parse_dimension_names(const JsonField& field, std::size_t rank) {
  const std::vector<JsonField> items = field.items();
  if (items.size() != rank) field.refuse("a list of ", rank, " names, one for each axis");
  std::vector<std::optional<std::string>> names;
  for (const JsonField& item : items) {
    names.push_back(item.is_null() ? std::nullopt : std::optional(item.text()));
  }
  return names;
}

nlohmann::json dimension_names_json(const ZarrArray& array) {
  nlohmann::json names = nlohmann::json::array();
  for (const auto& name : array.dimension_names)
    names.push_back(name ? nlohmann::json(*name) : nlohmann::json());
  return names;
}

nlohmann::json dims_json(const Dims& dims) {
  return std::vector<Index>(dims.begin(), dims.end());
}

ZarrArray read_zarr_metadata(const ZarrStore& store, const std::string& name) {
  const std::string folder = store.path_of(name);
  const auto read = [&](std::string_view file) { return store.read_text(zarr_file(name, file)); };
  if (const auto text = read("zarr.json")) return parse_zarr_v3(*text, folder);
  if (const auto text = read(".zarray")) return parse_zarr_v2(*text, read(".zattrs").value_or(""), folder);
  refuse_zarr(folder, "must be the folder of a Zarr array, which has the file zarr.json or .zarray",
              read(".zgroup") ? " (it is a group)" : "");
}

ZarrArray read_zarr_metadata(const std::string& folder) {
  return read_zarr_metadata(ZarrStore(folder), "");
}

std::vector<ZarrText> zarr_metadata_texts(const ZarrArray& array) {
  if (array.format == 3) return {{"zarr.json", zarr_v3_text(array)}};
  // The attributes first: with .zarray the folder becomes an array.
  return {{".zattrs", zattrs_text(array)}, {".zarray", zarray_text(array)}};
}

Layout zarr_chunk_layout(const ZarrArray& array) {
  Layout layout = row_major(array.chunk);
  Index step = 1;
  for (std::size_t d = array.order.size(); d-- > 0;) {
    const auto axis = static_cast<std::size_t>(array.order[d]);
    layout.strides[axis] = step;
    step *= array.chunk[axis];
  }
  return layout;
}

std::string zarr_key(const ZarrArray& array, const Dims& index) {
  std::string key = array.key_style == ZarrKeyStyle::prefixed ? "c" : index.empty() ? "0" : "";
  for (const Index i : index) {
    if (!key.empty()) key += array.separator;
    key += std::to_string(i);
  }
  return key;
}

Dims first_axes(std::size_t rank) {
  Dims axes = Dims::of_size(rank);
  for (std::size_t d = 0; d < rank; ++d) axes[d] = static_cast<Index>(d);
  return axes;
}

}  // namespace tenstride::io
