// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/permuted_attributes.hpp"

#include <algorithm>

#include "io/format/python_json.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::ordered_json;

/// Whether the first axes, up to three of space, are the first axes of the source in some order.
bool keeps_space(const SourceAxes& axes, std::size_t source_rank) {
  const std::size_t space = std::min<std::size_t>(3, source_rank);
  if (axes.size() < space) return false;
  std::vector<std::size_t> found;
  for (std::size_t d = 0; d < space; ++d) {
    if (!axes[d] || *axes[d] >= space) return false;
    found.push_back(*axes[d]);
  }
  std::sort(found.begin(), found.end());
  return std::adjacent_find(found.begin(), found.end()) == found.end();
}

}  // namespace

std::string permute_nifti_attributes(const std::string& attributes, const SourceAxes& axes) {
  Json json = parse_attributes(attributes);
  if (!json.is_object()) return {};
  const Json pixdim = json.value("pixdim", Json::array());
  const std::size_t source_rank = pixdim.size();
  bool is_same = axes.size() == source_rank;
  for (std::size_t d = 0; d < axes.size() && is_same; ++d) is_same = axes[d] == d;
  if (is_same) return attributes;
  Json sizes = Json::array();
  for (const std::optional<std::size_t>& axis : axes) {
    sizes.push_back(axis && *axis < source_rank ? pixdim[*axis] : Json(1.0));
  }
  json["pixdim"] = sizes;
  // A rotation by quaternions is one of unpermuted axes; the affine transform says the same.
  for (const char* key : {"qform_code", "quatern_b", "quatern_c", "quatern_d", "qoffset_x", "qoffset_y",
                          "qoffset_z", "qfac", "dim_info", "slice_start", "slice_end", "slice_code"}) {
    json.erase(key);
  }
  const bool has_space = keeps_space(axes, source_rank);
  for (const char* key : {"srow_x", "srow_y", "srow_z"}) {
    const Json row = json.value(key, Json());
    if (!has_space || row.size() != 4) {
      json.erase(key);
      json.erase("sform_code");
      continue;
    }
    for (std::size_t d = 0; d < std::min<std::size_t>(3, source_rank); ++d) json[key][d] = row[*axes[d]];
  }
  return python_json_text(json);
}

}  // namespace tenstride::io
