// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/true_attributes.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/message.hpp"
#include "io/tiff/attribute_tags.hpp"
#include "io/tiff/geo_positions.hpp"
#include "io/tiff/imagej_text.hpp"
#include "io/tiff/page_axes.hpp"
#include "io/tiff/page_sink.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

bool is_axis_called(const FileInfo& source, const std::optional<SourceAxis>& axis,
                    std::initializer_list<std::string_view> names) {
  return axis && axis->axis < source.axis_names.size() &&
         std::find(names.begin(), names.end(), source.axis_names[axis->axis]) != names.end();
}

/// The axis of the source that is the rows of its pages, before that of columns; nothing where it is not
/// known.
std::optional<std::size_t> rows_of_pages(const FileInfo& source) {
  const std::vector<std::string>& names = source.axis_names;
  const bool has_samples = names.size() > 2 && (names.back() == "c" || names.back() == "s");
  const std::size_t behind = has_samples ? 3 : 2;
  if (names.size() < behind) return std::nullopt;
  const std::size_t rows = names.size() - behind;
  const bool is_known = (names[rows] == "y" && names[rows + 1] == "x") ||
                        (names[rows] == "x" && names[rows + 1] == "y");  // of a transposed file
  return is_known ? std::optional(rows) : std::nullopt;
}

/// What rows and columns of the result's pages are; nothing where they are others than the source's.
std::optional<PlaneAxes> axes_of_pages(const ResultOrigin& result) {
  const std::optional<std::size_t> rows = rows_of_pages(result.source);
  if (!rows || !result.obstacle.empty() || result.axes.size() < 2) return std::nullopt;
  const bool has_samples =
      result.axes.size() > 2 && is_axis_called(result.source, result.axes.back(), {"c", "s"});
  return plane_axes(result, *rows, result.axes.size() - (has_samples ? 2 : 1));
}

/// Why rows and columns are not those of the source as they are; empty where they are.
std::string change_of_pages(const ResultOrigin& result) {
  if (const std::optional<std::size_t> rows = rows_of_pages(result.source); rows && result.obstacle.empty()) {
    for (const std::size_t axis : {*rows, *rows + 1}) {
      if (std::string change = change_of_axis(result, axis); !change.empty()) return change;
    }
  }
  return change_of_axes(result);
}

/// Empty where it is no text.
std::string text_of(const ResultAttributes::Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool starts(const ResultAttributes& attributes, std::string_view start) {
  return attributes.has("description") && text_of(attributes.json["description"]).starts_with(start);
}

bool is_ome(const ResultAttributes& attributes) {
  if (!attributes.has("description")) return false;
  const std::string text = text_of(attributes.json["description"]);
  return text.find("<OME") != std::string::npos || text.find(":OME") != std::string::npos;
}

/// Whether the description, by tifffile or by us, says nothing beside what the axes are.
bool says_axes_alone(const ResultAttributes& attributes) {
  if (!starts(attributes, "{") && !is_ome(attributes)) return false;
  const auto& text = attributes.json["description"].get_ref<const std::string&>();
  if (is_ome(attributes)) return text.find(message("Creator=\"", tiff_software, '"')) != std::string::npos;
  const auto json = ResultAttributes::Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("shape") && json.size() == (json.contains("axes") ? 2U : 1U);
}

void move_resolution(ResultAttributes& attributes, const std::optional<PlaneAxes>& axes,
                     const std::string& reason) {
  if (!attributes.has("resolution")) return;
  auto& both = attributes.json["resolution"];
  const bool is_pair = both.is_array() && both.size() == 2 && both[0].is_number() && both[1].is_number();
  if (!axes || !is_pair) {
    attributes.drop("resolution", reason);
    attributes.json.erase("resolution_unit");
    return;
  }
  if (axes->is_transposed) std::swap(both[0], both[1]);
  for (const auto& [number, axis] : {std::pair(0, axes->columns), std::pair(1, axes->rows)}) {
    if (std::abs(axis.step) == 1) continue;
    auto& pixels = both[static_cast<std::size_t>(number)];
    pixels = pixels.get<double>() / static_cast<double>(std::abs(axis.step));
  }
}

/// GDAL's texts speak of elements and samples.
void keep_true_gdal(ResultAttributes& attributes, const ResultOrigin& result) {
  const std::string of_elements = change_of_elements(result);
  if (attributes.has("GDAL_NODATA") && !of_elements.empty()) attributes.drop("GDAL_NODATA", of_elements);
  const auto metadata = attributes.json.find("GDAL_METADATA");
  if (metadata == attributes.json.end() || !metadata->is_string()) return;
  const auto& text = metadata->get_ref<const std::string&>();
  const bool has_statistics = text.find("STATISTICS_") != std::string::npos;
  const bool has_samples = text.find("sample=") != std::string::npos;
  std::string reason = has_statistics || has_samples ? of_elements : std::string();
  if (reason.empty() && has_statistics) reason = change_of_axes(result);
  for (std::size_t axis = 0; has_samples && reason.empty() && axis < result.source.axis_names.size();
       ++axis) {
    const std::string& name = result.source.axis_names[axis];
    if (name == "c" || name == "s") reason = change_of_axis(result, axis);
  }
  if (!reason.empty()) attributes.drop("GDAL_METADATA", reason);
}

/// How many pages the result has; 0 where its pages are others than the source's.
Index pages_of_result(const ResultOrigin& result) {
  const std::optional<PlaneAxes> axes = axes_of_pages(result);
  if (!axes) return 0;
  Dims sizes = result.shape;
  sizes.resize(std::min(*result.place_of(axes->rows.axis), *result.place_of(axes->columns.axis)));
  return count_elements(sizes);
}

/// Whether the axes of a page and one of pages are known by a file without words for them.
bool has_usual_axes(const ResultOrigin& result) {
  const std::optional<PlaneAxes> pages = axes_of_pages(result);
  if (!pages || pages->is_transposed) return false;
  const std::size_t rows = *result.place_of(pages->rows.axis);
  return rows == 0 || (rows == 1 && is_axis_called(result.source, result.axes[0], {"page"}));
}

/// Why a file that is written has another description; empty where it has that of the attributes.
std::string obstacle_to_description(const ResultAttributes& attributes, const ResultOrigin& result) {
  const std::string text = text_of(attributes.json["description"]);
  if (text.starts_with("ImageJ=")) {
    const bool is_known =
        result.dtype == DType::uint8 || result.dtype == DType::uint16 || result.dtype == DType::float32;
    if (!is_known) return message("elements are ", name(result.dtype), ", which ImageJ lacks");
    const Index count = std::max<Index>(detail::read_imagej_axes(text).count, 1);
    return count == pages_of_result(result) ? "" : "it speaks of other pages than the tensor";
  }
  if (is_ome(attributes)) {
    const bool is_alone =
        text.find("FileName=") == std::string::npos && text.find("<Image ") == text.rfind("<Image ");
    if (!is_alone) return "it speaks of other files or images than the tensor";
    return result.dtype == result.source.dtype ? "" : "the element type is another one";
  }
  if (text.starts_with("{") || has_usual_axes(result)) return {};
  return "what the axes are stands in its place";
}

}  // namespace

void keep_true_tiff(ResultAttributes& attributes, const ResultOrigin& result) {
  if (!attributes.has("photometric")) return;
  keep_true_gdal(attributes, result);
  const std::string change = change_of_axes(result);
  if (change.empty() && change_of_elements(result).empty()) return;
  const std::optional<PlaneAxes> axes = axes_of_pages(result);
  if (starts(attributes, "ImageJ=")) {
    std::optional<std::string> text = moved_imagej_text(attributes, result, axes);
    if (text) {
      attributes.json["description"] = *std::move(text);
    } else if (!change.empty()) {
      attributes.drop("description", change);
    }
  }
  if (change.empty()) return;
  // The names of axes go along without it.
  if (says_axes_alone(attributes)) attributes.json.erase("description");
  if (starts(attributes, "{") || is_ome(attributes)) attributes.drop("description", change);
  const std::string reason = change_of_pages(result);
  move_geo_positions(attributes, axes, reason);
  move_resolution(attributes, axes, reason);
  const bool is_upright = axes && !axes->is_transposed && axes->rows.step > 0 && axes->columns.step > 0;
  if (attributes.has("orientation") && !is_upright) attributes.drop("orientation", reason);
}

void keep_written_tiff(ResultAttributes& attributes, const ResultOrigin& result) {
  attributes.json.erase("compression");
  if (attributes.has("photometric")) {
    const std::string colours = text_of(attributes.json["photometric"]);
    if (colours == "RGB" || colours == "black is 0" || colours == "YCbCr") {
      attributes.json.erase("photometric");
    } else {
      attributes.drop("photometric", "pixels are written as RGB or as numbers of which 0 is black");
    }
  }
  const auto orientation = attributes.json.find("orientation");
  if (orientation != attributes.json.end() && (*orientation < 1 || *orientation > 8))
    attributes.drop("orientation", "it must be 1 to 8");
  if (attributes.has("software") && text_of(attributes.json["software"]) == tiff_software)
    attributes.json.erase("software");
  if (says_axes_alone(attributes)) attributes.json.erase("description");
  if (attributes.has("description")) {
    const std::string obstacle = obstacle_to_description(attributes, result);
    if (!obstacle.empty()) attributes.drop("description", obstacle);
  }
  std::vector<std::string> others;
  for (const auto& [key, value] : attributes.json.items()) {
    if (key != "description" && !has_tiff_tag(key)) others.push_back(key);
  }
  for (const std::string& key : others) attributes.drop(key, "it is not written to a TIFF file");
}

}  // namespace tenstride::io
