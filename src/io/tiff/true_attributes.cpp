// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/true_attributes.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenstride::io {
namespace {

/// Whether a description says what the axes are.
bool describes_axes(const nlohmann::ordered_json& description) {
  if (!description.is_string()) return false;
  const auto& text = description.get_ref<const std::string&>();
  return text.starts_with("ImageJ=") || text.starts_with("{") || text.find("<OME") != std::string::npos ||
         text.find(":OME") != std::string::npos;
}

/// The axis of the source of that name: "y", "x".
std::size_t axis_named(const FileInfo& source, std::string_view name) {
  const auto found = std::find(source.axis_names.begin(), source.axis_names.end(), name);
  return static_cast<std::size_t>(found - source.axis_names.begin());
}

}  // namespace

void keep_true_tiff(ResultAttributes& attributes, const ResultOrigin& result) {
  if (!attributes.has("photometric")) return;
  const std::string change = change_of_axes(result);
  if (change.empty()) return;
  if (attributes.has("description") && describes_axes(attributes.json["description"]))
    attributes.drop("description", change);
  for (const char* const name : {"y", "x"}) {
    const std::size_t axis = axis_named(result.source, name);
    const std::optional<std::size_t> place = result.place_of(axis);
    const bool is_as_far = place && std::abs(result.axes[*place]->step) == 1;
    const std::string reason = place ? change_of_axis(result, axis) : change;
    if (attributes.has("resolution") && !is_as_far) {
      attributes.drop("resolution", reason);
      attributes.json.erase("resolution_unit");
    }
    const bool is_whole = place && result.axes[*place]->is_whole() && *place >= axis;
    if (attributes.has("orientation") && !is_whole) attributes.drop("orientation", reason);
  }
}

}  // namespace tenstride::io
