// SPDX-License-Identifier: Apache-2.0
#include "io/format/moved_positions.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string_view>

#include "io/format/plane.hpp"
#include "tenstride/base/scalar.hpp"

namespace tenstride::io {
namespace {

using Json = ResultAttributes::Json;
using Numbers = std::vector<double>;

/// The value for the result; nothing where it cannot be said.
using Moved = std::optional<Json>;

std::optional<Numbers> list_of_numbers(const Json& json, std::size_t count) {
  if (!json.is_array() || json.size() != count) return std::nullopt;
  Numbers numbers;
  for (const Json& number : json) {
    if (!number.is_number()) return std::nullopt;
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

/// One value for each axis of the result, made of that for the axis of the source that it is.
Moved moved_list(const Json& list, const ResultOrigin& result,
                 const std::function<Moved(const Json&, const SourceAxis&)>& move) {
  Json values = Json::array();
  for (const std::optional<SourceAxis>& axis : result.axes) {
    if (!axis) return std::nullopt;
    Moved value = move(list[axis->axis], *axis);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

Moved moved_labels(const Json& list, const ResultOrigin& result) {
  return moved_list(list, result, [](const Json& label, const SourceAxis&) -> Moved { return label; });
}

/// Distances of neighbours along each axis.
Moved moved_sizes(const Json& list, const ResultOrigin& result) {
  return moved_list(list, result, [](const Json& size, const SourceAxis& axis) -> Moved {
    if (std::abs(axis.step) == 1) return size;
    return size.is_number() ? Moved(size.get<double>() * static_cast<double>(std::abs(axis.step))) : Moved();
  });
}

/// Places of the first elements along each axis, in units that are not known.
Moved moved_origins(const Json& list, const ResultOrigin& result) {
  return moved_list(list, result, [](const Json& origin, const SourceAxis& axis) {
    return axis.first == 0 && axis.step > 0 ? Moved(origin) : Moved();
  });
}

/// OME-Zarr's scales and translations, in order (https://ngff.openmicroscopy.org/0.5/#trafo-md).
Moved moved_transformations(const Json& list, const ResultOrigin& result) {
  const std::size_t rank = result.source.layout.rank();
  Numbers scale(rank, 1), translation(rank, 0);
  bool has_translation = false;
  for (const Json& step : list) {
    const std::string type = step.is_object() ? step.value("type", Json()).dump() : "";
    if (type == "\"identity\"") continue;
    const bool is_scale = type == "\"scale\"", is_translation = type == "\"translation\"";
    if (!is_scale && !is_translation) return std::nullopt;
    const std::optional<Numbers> numbers =
        list_of_numbers(step.value(is_scale ? "scale" : "translation", Json()), rank);
    if (!numbers) return std::nullopt;
    has_translation = has_translation || is_translation;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      if (is_scale) scale[axis] *= (*numbers)[axis];
      translation[axis] =
          is_scale ? translation[axis] * (*numbers)[axis] : translation[axis] + (*numbers)[axis];
    }
  }
  Numbers new_scale, new_translation;
  for (const std::optional<SourceAxis>& axis : result.axes) {
    if (!axis) return std::nullopt;
    new_scale.push_back(scale[axis->axis] * static_cast<double>(axis->step));
    new_translation.push_back(translation[axis->axis] + scale[axis->axis] * static_cast<double>(axis->first));
    has_translation = has_translation || axis->first != 0;
  }
  Json steps = Json::array({{{"type", "scale"}, {"scale", new_scale}}});
  if (has_translation) steps.push_back({{"type", "translation"}, {"translation", new_translation}});
  return steps;
}

/// The axes of the source in the order of the result; nothing where an axis of that is none of them.
std::optional<std::vector<std::size_t>> order_of(const ResultOrigin& result) {
  std::vector<std::size_t> order;
  for (const std::optional<SourceAxis>& axis : result.axes) {
    if (!axis) return std::nullopt;
    order.push_back(axis->axis);
  }
  return order;
}

Moved in_order(const Json& list, const std::vector<std::size_t>& order) {
  Json values = Json::array();
  for (const std::size_t axis : order) {
    if (!list.is_array() || axis >= list.size()) return std::nullopt;
    values.push_back(list[axis]);
  }
  return values;
}

/// What is done to all resolutions of an image alike, in units: scales and translations.
bool reorder_transformations(Json& steps, const std::vector<std::size_t>& order) {
  for (Json& step : steps) {
    for (const char* const key : {"scale", "translation"}) {
      if (!step.is_object() || !step.contains(key)) continue;
      Moved values = in_order(step[key], order);
      if (!values) return false;
      step[key] = *std::move(values);
    }
  }
  return true;
}

/// One image of several resolutions; false where it cannot be told.
bool move_image(Json& image, const std::function<const ResultOrigin*(const std::string& path)>& origin_of) {
  if (!image.is_object() || !image.contains("datasets") || !image.contains("axes")) return false;
  std::optional<std::vector<std::size_t>> order;
  for (Json& array : image["datasets"]) {
    const bool has_path = array.is_object() && array.contains("path") && array["path"].is_string();
    const ResultOrigin* const origin = has_path ? origin_of(array["path"].get<std::string>()) : nullptr;
    if (origin == nullptr || !origin->obstacle.empty()) return false;
    const std::optional<std::vector<std::size_t>> own = order_of(*origin);
    if (!own || (order && *order != *own)) return false;
    order = own;
    if (change_of_axes(*origin).empty()) continue;
    Moved steps = moved_transformations(array.value("coordinateTransformations", Json::array()), *origin);
    if (!steps) return false;
    array["coordinateTransformations"] = *std::move(steps);
  }
  if (!order) return false;
  Moved axes = in_order(image["axes"], *order);
  if (!axes) return false;
  image["axes"] = *std::move(axes);
  const auto common = image.find("coordinateTransformations");
  return common == image.end() || reorder_transformations(*common, *order);
}

/// The plane of the result, where the last two axes are those of the source, in any order.
std::optional<Plane> moved(const Plane& plane, const ResultOrigin& result) {
  const std::size_t rank = result.source.layout.rank();
  if (rank < 2 || result.axes.empty()) return std::nullopt;
  const std::optional<PlaneAxes> axes = plane_axes(result, rank - 2, result.axes.size() - 1);
  return axes ? std::optional(moved_plane(plane, *axes, PixelPoint::corner)) : std::nullopt;
}

/// GDAL's "x dx rx y ry dy" as a text of numbers (https://gdal.org/tutorials/geotransforms_tut.html).
Moved moved_geo_transform(const Json& value, const ResultOrigin& result) {
  if (!value.is_string()) return std::nullopt;
  std::istringstream words(value.get<std::string>());
  Numbers given;
  for (std::string word; words >> word;) {
    char* end = nullptr;
    given.push_back(std::strtod(word.c_str(), &end));
    if (*end != '\0') return std::nullopt;
  }
  if (given.size() != 6) return std::nullopt;
  const auto plane = moved({{given[0], given[3]}, {given[1], given[4]}, {given[2], given[5]}}, result);
  if (!plane) return std::nullopt;
  std::string text;
  for (const double number : {plane->origin[0], plane->column[0], plane->row[0], plane->origin[1],
                              plane->column[1], plane->row[1]}) {
    // Whole numbers as GDAL writes them.
    std::string digits = Scalar(number).to_string();
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    text += (text.empty() ? "" : " ") + digits;
  }
  return text;
}

/// Rasterio's affine transform by rows: dx, rx, x, ry, dy, y, and perhaps 0, 0, 1.
Moved moved_affine(const Json& value, const ResultOrigin& result) {
  const std::size_t count = value.is_array() && value.size() == 9 ? 9 : 6;
  const std::optional<Numbers> given = list_of_numbers(value, count);
  if (!given) return std::nullopt;
  const Numbers& a = *given;
  const auto plane = moved({{a[2], a[5]}, {a[0], a[3]}, {a[1], a[4]}}, result);
  if (!plane) return std::nullopt;
  Json rows = value;
  const std::array<double, 6> numbers{plane->column[0], plane->row[0], plane->origin[0],
                                      plane->column[1], plane->row[1], plane->origin[1]};
  for (std::size_t i = 0; i < numbers.size(); ++i) rows[i] = numbers[i];
  return rows;
}

Moved unknown(const Json& /*value*/, const ResultOrigin& /*result*/) {
  return std::nullopt;
}

struct Key {
  std::string_view name;
  Moved (*move)(const Json&, const ResultOrigin&);
  /// Whether other values than a list with one for each axis speak of something else, and stay.
  bool is_list = false;
};

/// The keys of OME-Zarr, GDAL, rioxarray, N5, vigra, and several writers of HDF5.
constexpr std::array<Key, 21> keys{{
    {"multiscales", unknown},
    {"ome", unknown},
    {"omero", unknown},
    {"axistags", unknown},
    {"ModelTransformation", unknown},
    {"direction", unknown, true},
    {"coordinateTransformations", moved_transformations},
    {"GeoTransform", moved_geo_transform},
    {"transform", moved_affine},
    {"axes", moved_labels},
    {"axis_names", moved_labels},
    {"units", moved_labels, true},
    {"pixelResolution", moved_sizes},
    {"resolution", moved_sizes, true},
    {"spacing", moved_sizes, true},
    {"res", moved_sizes, true},
    {"voxel_size", moved_sizes, true},
    {"pixel_size", moved_sizes, true},
    {"element_size_um", moved_sizes, true},
    {"offset", moved_origins, true},
    {"origin", moved_origins, true},
}};

}  // namespace

std::optional<Json> moved_multiscales(
    const Json& images, const std::function<const ResultOrigin*(const std::string& path)>& origin_of) {
  if (!images.is_array()) return std::nullopt;
  Json moved_images = images;
  for (Json& image : moved_images) {
    if (!move_image(image, origin_of)) return std::nullopt;
  }
  return moved_images;
}

void move_positions(ResultAttributes& attributes, const ResultOrigin& result) {
  const std::string change = change_of_axes(result);
  if (change.empty()) return;
  const std::size_t rank = result.source.layout.rank();
  for (const Key& key : keys) {
    const std::string name(key.name);
    if (!attributes.has(name.c_str())) continue;
    Json& value = attributes.json[name];
    const bool is_list = value.is_array() && value.size() == rank;
    if (key.is_list && !is_list) continue;
    // These of a TIFF file have rules of their own.
    const bool is_of_tiff = name == "resolution" || name == "ModelTransformation";
    if (is_of_tiff && attributes.has("photometric")) continue;
    const bool needs_list = key.move == moved_labels || key.move == moved_sizes;
    Moved moved_value = needs_list && !is_list ? std::nullopt : key.move(value, result);
    if (moved_value) {
      value = std::move(*moved_value);
    } else {
      attributes.drop(name, change);
    }
  }
}

}  // namespace tenstride::io
