// SPDX-License-Identifier: Apache-2.0
#include "io/format/scaling.hpp"

#include <array>
#include <cmath>

#include "io/format/python_json.hpp"

namespace tenstride::io {
namespace {

using ScalingJson = nlohmann::ordered_json;

constexpr std::array<const char*, 9> attributes_of_stored_elements{
    "scl_slope",     "scl_inter",   "scale_factor", "add_offset", "_FillValue",
    "missing_value", "valid_range", "valid_min",    "valid_max"};

double number_or(const ScalingJson& json, const char* name, double otherwise) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() && std::isfinite(found->get<double>())
             ? found->get<double>()
             : otherwise;
}

}  // namespace

void take_scaling_of_attributes(FileInfo& info) {
  const ScalingJson json = parse_attributes(info.attributes);
  if (!json.is_object()) return;
  info.scale = number_or(json, "scale_factor", 1);
  info.shift = number_or(json, "add_offset", 0);
}

FileInfo with_scaling_applied(FileInfo info) {
  info.scale = 1;
  info.shift = 0;
  ScalingJson json = parse_attributes(info.attributes);
  if (!json.is_object()) return info;
  std::size_t erased = 0;
  for (const char* const name : attributes_of_stored_elements) erased += json.erase(name);
  if (erased == 0) return info;
  info.attributes = json.empty() ? std::string() : python_json_text(json);
  return info;
}

}  // namespace tenstride::io
