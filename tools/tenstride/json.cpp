// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

namespace tenstride::cli {
namespace {

/// Scale and shift as lists, "stored_as" and "fill_value" (a number, "NaN", or null where none may be
/// missing).
Json rescaling_json(const io::Rescaling& rescaling) {
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

}  // namespace

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json input_json(const std::string& path, const io::FileInfo& info) {
  return {{"path", path},
          {"format", info.format},
          {"dtype", name(info.dtype)},
          {"shape", info.layout.shape.to_vector()},
          {"strides", info.layout.strides.to_vector()}};
}

Json output_json(const std::string& path, DType dtype, const Dims& shape, const io::ElementOptions& elements,
                 const std::optional<io::Rescaling>& rescaling) {
  Json json{{"path", path},
            {"dtype", name(dtype)},
            {"shape", shape.to_vector()},
            {"order", elements.order == io::ElementOrder::row_major ? "C" : "F"},
            {"nbytes", static_cast<std::uint64_t>(count_elements(shape)) * item_size(dtype)},
            {"scale", elements.scale},
            {"shift", elements.shift},
            {"axis", elements.axis}};
  if (rescaling) json.update(rescaling_json(*rescaling));
  return json;
}

Json dropped_json(const std::vector<io::DroppedFact>& dropped) {
  Json list = Json::array();
  for (const io::DroppedFact& one : dropped) list.push_back({{"fact", one.fact}, {"reason", one.reason}});
  return list;
}

}  // namespace tenstride::cli
