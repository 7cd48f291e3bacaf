// SPDX-License-Identifier: Apache-2.0
#include "rescaling_text.hpp"

namespace tenstride::cli {
namespace {

std::string fill_text(const io::Rescaling& rescaling) {
  return rescaling.fill.is_floating_point() ? "NaN" : rescaling.fill.to_string();
}

}  // namespace

std::string missing_line(const io::Rescaling& rescaling, Index missing, Index elements) {
  if (!rescaling.has_missing()) return {};
  return std::to_string(missing) + " of " + std::to_string(elements) + " elements are missing in x (" +
         io::missing_text(rescaling) + "), " + fill_text(rescaling) + " in the result\n";
}

std::string missing_line(const io::Rescaling& rescaling) {
  if (!rescaling.has_missing()) return {};
  return "elements of x that are missing (" + io::missing_text(rescaling) + ") become " +
         fill_text(rescaling) + '\n';
}

nlohmann::ordered_json rescaling_json(const io::Rescaling& rescaling) {
  using Json = nlohmann::ordered_json;
  Json fill = nullptr;
  if (rescaling.has_missing()) {
    fill = rescaling.fill.is_floating_point() ? Json("NaN")
           : rescaling.fill == Scalar(rescaling.fill.to<std::int64_t>())
               ? Json(rescaling.fill.to<std::int64_t>())
               : Json(rescaling.fill.to<std::uint64_t>());
  }
  Json scale = Json::array(), shift = Json::array();
  if (rescaling.is_scaled()) {
    scale.push_back(rescaling.scale);
    shift.push_back(rescaling.shift);
  }
  return {{"scale", scale}, {"shift", shift}, {"stored_as", name(rescaling.stored)}, {"fill_value", fill}};
}

}  // namespace tenstride::cli
