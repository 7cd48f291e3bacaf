// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/format/json_element.hpp"
#include "io/format/python_json.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/attributes.hpp"
#include "io/zarr/codec_json.hpp"
#include "io/zarr/codecs.hpp"
#include "io/zarr/element_json.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::json;

constexpr std::string_view dimension_names_key = "_ARRAY_DIMENSIONS";

Dims reversed_axes(std::size_t rank) {
  Dims axes = first_axes(rank);
  std::reverse(axes.begin(), axes.end());
  return axes;
}

/// More bytes than a chunk may have behind its filters.
constexpr std::size_t max_filtered_nbytes = std::size_t{1} << 61;

/// Whether a codec stands among the filters, and not as the compressor.
bool is_filter_of_v2(const ZarrCodec& codec) {
  return codec.kind == ZarrCodecKind::shuffle || is_zarr_filter(codec.kind) || is_zarr_checksum(codec.kind);
}

/// The filters, which come first, and the compressor, which may also be the last of the filters.
std::vector<ZarrCodec> codecs_of_v2(const JsonField& root, ZarrElement element, std::size_t chunk_nbytes) {
  std::vector<ZarrCodec> codecs;
  const JsonField compressor = root.at("compressor");
  const auto filters = root.find("filters");
  if (filters && !filters->is_null()) {
    const std::vector<JsonField> items = filters->items();
    for (const JsonField& filter : items) {
      codecs.push_back(parse_zarr_codec_v2(filter, element));
      const ZarrCodec& codec = codecs.back();
      if (!is_filter_of_v2(codec)) {
        if (compressor.is_null() && codecs.size() == items.size()) break;
        filter.refuse("a filter; a compressor may stand last among them where \"compressor\" is null");
      }
      const std::size_t item =
          is_zarr_filter(codec.kind) ? item_size(codec.decoded.dtype) : static_cast<std::size_t>(codec.item);
      if (chunk_nbytes % item != 0) {
        filter.refuse("a filter of elements whose size divides the ", chunk_nbytes, " bytes of a chunk");
      }
      if (is_zarr_filter(codec.kind)) element = codec.encoded;
      chunk_nbytes = max_encoded_nbytes(std::span(&codec, 1), chunk_nbytes);
      if (chunk_nbytes > max_filtered_nbytes) filter.refuse("a filter that makes fewer bytes of a chunk");
    }
  }
  if (!compressor.is_null()) codecs.push_back(parse_zarr_codec_v2(compressor, element));
  return codecs;
}

/// Takes the names of the axes out of the attributes, where there is one name for each. Then the fill value
/// is
/// `_FillValue`, whatever stands among the attributes: so xarray reads it.
void parse_attributes_of_v2(std::string_view zattrs, const std::string& file, ZarrArray& array) {
  Json json = parse_zarr_json(zattrs, file);
  if (!json.is_object()) JsonField(json, file).refuse("an object");
  json = parse_zarr_attributes(std::move(json), array.dtype);
  const auto names = json.find(dimension_names_key);
  if (names != json.end() && names->is_array() && names->size() == array.shape.size() &&
      std::all_of(names->begin(), names->end(), [](const Json& name) { return name.is_string(); })) {
    array.dimension_names = parse_dimension_names(JsonField(*names, file), array.shape.size());
    json.erase(names);
    if (!array.fill_value.empty()) json["_FillValue"] = json_of_element(array.fill_value, array.dtype);
  }
  array.attributes = python_json_text(json);
}

}  // namespace

ZarrArray parse_zarr_v2(std::string_view zarray, std::string_view zattrs, std::string_view folder) {
  const std::string file = zarr_file(folder, ".zarray");
  const Json json = parse_zarr_json(zarray, file);
  const JsonField root(json, file);
  ZarrArray array;
  array.format = 2;
  array.key_style = ZarrKeyStyle::indices;
  const JsonField format = root.at("zarr_format");
  if (!format.value().is_number_integer() || format.value() != 2) format.refuse("2");
  const JsonField shape = root.at("shape");
  array.shape = shape.dims(0);
  const JsonField type = root.at("dtype");
  const ZarrElement element = parse_zarr_dtype(type);
  const std::optional<NumpyTime> time = find_zarr_time(type);
  array.dtype = element.dtype;
  array.byte_order = element.byte_order;
  const JsonField chunk = root.at("chunks");
  array.chunk = chunk.dims(0);
  for (std::size_t d = 0; d < array.chunk.size(); ++d) {
    // Older writers gave an empty axis chunks of 0.
    const bool is_empty_axis = d < array.shape.size() && array.shape[d] == 0;
    if (array.chunk[d] == 0 && !is_empty_axis) chunk.refuse("a list of integers of at least 1");
    array.chunk[d] = std::max<Index>(array.chunk[d], 1);
  }
  check_zarr_sizes(shape, chunk, array);
  const JsonField order = root.at("order");
  if (!order.is("C") && !order.is("F")) order.refuse("\"C\" or \"F\"");
  array.order = order.is("C") ? first_axes(array.shape.size()) : reversed_axes(array.shape.size());
  array.fill_value = parse_zarr_fill(root.at("fill_value"), element, 2, time);
  array.codecs = codecs_of_v2(root, element, array.chunk_nbytes());
  array.separator = '.';
  if (const auto separator = root.find("dimension_separator")) {
    if (!separator->is(".") && !separator->is("/")) separator->refuse("\".\" or \"/\"");
    array.separator = separator->text()[0];
  }
  if (!zattrs.empty()) parse_attributes_of_v2(zattrs, zarr_file(folder, ".zattrs"), array);
  add_time_attribute(array, time);
  return array;
}

std::string zarray_text(const ZarrArray& array) {
  const std::string_view file = ".zarray";
  const std::size_t rank = array.shape.size();
  const bool is_row_major = array.order == first_axes(rank);
  if (array.shards) refuse_zarr(file, "must have no shards in version 2 of Zarr; write version 3");
  if (array.key_style != ZarrKeyStyle::indices) {
    refuse_zarr(file, "must have keys without the prefix \"c\" in version 2 of Zarr");
  }
  if (!is_row_major && array.order != reversed_axes(rank)) {
    refuse_zarr(file, "has chunks with axes in the order ", array.order,
                ", which must be row-major or "
                "column-major in version 2 of Zarr; write version 3");
  }
  Json filters = Json::array();
  Json compressor;
  for (const ZarrCodec& codec : array.codecs) {
    if (!compressor.is_null()) refuse_zarr(file, "must have one compressor at most in version 2 of Zarr");
    const Json text = zarr_codec_json_v2(codec, file);
    if (is_filter_of_v2(codec)) {
      filters.push_back(text);
    } else {
      compressor = text;
    }
  }
  std::string type = zarr_dtype_text({array.dtype, array.byte_order}, file);
  if (const auto time = find_numpy_time(array.attributes, array.dtype)) {
    type.replace(1, std::string::npos, numpy_time_code(*time));
  }
  const Json json{{"zarr_format", 2},
                  {"shape", dims_json(array.shape)},
                  {"chunks", dims_json(array.chunk)},
                  {"dtype", type},
                  {"fill_value", zarr_fill_json(array.fill_value, array.dtype, 2)},
                  {"order", is_row_major ? "C" : "F"},
                  {"filters", filters.empty() ? Json() : filters},
                  {"dimension_separator", std::string(1, array.separator)},
                  {"compressor", compressor}};
  return python_json_text(json, 2) + "\n";
}

std::string zattrs_text(const ZarrArray& array) {
  Json json = zarr_attributes_json(array);
  // The names say that the fill value marks missing elements.
  const bool is_plain_fill = array.shape.empty() && !array.fill_value.empty() && !has_missing_fill(array);
  if (has_axis_names(array) && !is_plain_fill) {
    json[std::string(dimension_names_key)] = dimension_names_json(array);
  }
  return python_json_text(json, 2) + "\n";
}

}  // namespace tenstride::io
