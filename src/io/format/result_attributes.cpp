// SPDX-License-Identifier: Apache-2.0
#include "io/format/result_attributes.hpp"

#include "io/format/moved_positions.hpp"
#include "io/format/python_json.hpp"

namespace tenstride::io {
namespace {

/// The first axis whose indices go the other way; empty where there is none.
std::string flipped_axis(const ResultOrigin& result) {
  for (const std::optional<SourceAxis>& axis : result.axes) {
    if (axis && axis->step < 0 && axis->extent > 1)
      return axis_text(result.source, axis->axis) + " is flipped";
  }
  return {};
}

/// Why the elements are not all those of the source; empty where they are, in any order.
std::string lack_of_elements(const ResultOrigin& result) {
  if (std::string change = change_of_elements(result); !change.empty()) return change;
  if (count_elements(result.shape) == count_elements(result.source.layout.shape)) return {};
  return change_of_axes(result);
}

}  // namespace

ResultAttributes::ResultAttributes(const std::string& text) : given_(text) {
  if (text.empty()) return;
  Json parsed = parse_attributes(text);
  if (parsed.is_object()) json = std::move(parsed);
}

void ResultAttributes::drop(const std::string& key, const std::string& reason) {
  json.erase(key);
  tell(key, reason);
}

std::string ResultAttributes::text() const {
  if (given_.empty()) return json.empty() ? std::string() : python_json_text(json);
  const Json before = parse_attributes(given_);
  // Texts, since NaN is not equal to itself.
  const std::string now = python_json_text(json);
  if (!before.is_object() || python_json_text(before) == now) return given_;
  return json.empty() ? std::string() : now;
}

void keep_true_attributes(ResultAttributes& attributes, const ResultOrigin& result) {
  move_positions(attributes, result);
  const auto drop_where = [&](const std::string& reason, const auto& speaks) {
    if (reason.empty()) return;
    std::vector<std::string> keys;
    for (const auto& [key, value] : attributes.json.items()) {
      if (speaks(key, value)) keys.push_back(key);
    }
    for (const std::string& key : keys) attributes.drop(key, reason);
  };
  drop_where(flipped_axis(result),
             [](const std::string& key, const auto& /*value*/) { return key == "stored_direction"; });
  drop_where(lack_of_elements(result),
             [](const std::string& key, const auto& /*value*/) { return key == "actual_range"; });
}

}  // namespace tenstride::io
