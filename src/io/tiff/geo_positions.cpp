// SPDX-License-Identifier: Apache-2.0
// https://docs.ogc.org/is/19-008r4/19-008r4.html#_requirements_class_model_transformation
#include "io/tiff/geo_positions.hpp"

#include <array>
#include <cstdint>

namespace tenstride::io {
namespace {

using GeoJson = ResultAttributes::Json;

template <std::size_t Count>
std::optional<std::array<double, Count>> geo_numbers(const GeoJson& attributes, const char* name) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !found->is_array() || found->size() != Count) return std::nullopt;
  std::array<double, Count> numbers{};
  for (std::size_t i = 0; i < Count; ++i) {
    if (!(*found)[i].is_number()) return std::nullopt;
    numbers[i] = (*found)[i].template get<double>();
  }
  return numbers;
}

/// Where a pixel's point is, by GTRasterTypeGeoKey: four numbers, then entries (key, 0, 1, value).
PixelPoint pixel_point(const GeoJson& attributes) {
  constexpr int raster_type_key = 1025;
  constexpr int is_point = 2;
  const auto keys = attributes.find("GeoKeyDirectory");
  if (keys == attributes.end() || !keys->is_array()) return PixelPoint::corner;
  for (std::size_t i = 4; i + 4 <= keys->size(); i += 4) {
    if ((*keys)[i] == raster_type_key && (*keys)[i + 1] == 0 && (*keys)[i + 3] == is_point)
      return PixelPoint::middle;
  }
  return PixelPoint::corner;
}

/// The rows of a matrix from (column, row, 0, 1); `depth` is its third column.
GeoJson matrix(const Plane& plane, const std::array<double, 4>& depth) {
  GeoJson numbers = GeoJson::array();
  for (std::size_t d = 0; d < 3; ++d) {
    for (const double number : {plane.column[d], plane.row[d], depth[d], plane.origin[d]})
      numbers.push_back(number);
  }
  for (const double number : {0.0, 0.0, 0.0, 1.0}) numbers.push_back(number);
  return numbers;
}

}  // namespace

void move_geo_positions(ResultAttributes& attributes, const std::optional<PlaneAxes>& axes,
                        const std::string& reason) {
  if (axes && axes->is_whole()) return;
  GeoJson& json = attributes.json;
  const auto drop = [&](const char* name) {
    if (attributes.has(name)) attributes.drop(name, reason);
  };
  const PixelPoint point = pixel_point(json);
  const auto m = geo_numbers<16>(json, "ModelTransformation");
  if (axes && m) {
    const auto& a = *m;
    const Plane plane{{a[3], a[7], a[11]}, {a[0], a[4], a[8]}, {a[1], a[5], a[9]}};
    json["ModelTransformation"] = matrix(moved_plane(plane, *axes, point), {a[2], a[6], a[10], a[14]});
  } else {
    drop("ModelTransformation");
  }
  const auto scale = geo_numbers<3>(json, "ModelPixelScale");
  const auto tie = geo_numbers<6>(json, "ModelTiepoint");
  if (!axes || !scale || !tie) {
    drop("ModelPixelScale");
    drop("ModelTiepoint");
    return;
  }
  const auto& [i, j, k, x, y, z] = *tie;
  const auto& [across, down, deep] = *scale;
  Plane plane{{x - i * across, y + j * down, 0}, {across, 0, 0}, {0, -down, 0}};
  plane = moved_plane(plane, *axes, point);
  const bool is_scaled = !axes->is_transposed && axes->rows.step > 0 && axes->columns.step > 0;
  if (is_scaled) {
    json["ModelPixelScale"] = {plane.column[0], -plane.row[1], deep};
    json["ModelTiepoint"] = {0, 0, k, plane.origin[0], plane.origin[1], z};
    return;
  }
  plane.origin[2] = z - k * deep;
  json.erase("ModelPixelScale");
  json.erase("ModelTiepoint");
  json["ModelTransformation"] = matrix(plane, {0, 0, deep, 0});
}

}  // namespace tenstride::io
