// SPDX-License-Identifier: Apache-2.0
#include "io/format/attribute_limits.hpp"

#include <algorithm>

#include "io/format/python_json.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {
namespace {

bool has_large_object(const nlohmann::json& value) {
  if (!value.is_structured()) return false;
  return (value.is_object() && value.size() > max_attributes) ||
         std::any_of(value.begin(), value.end(), has_large_object);
}

}  // namespace

std::string take_too_many_attributes(std::string& attributes) {
  constexpr std::size_t min_member = 5;  // "":0,
  if (attributes.size() < min_member * max_attributes) return {};
  if (!has_large_object(nlohmann::json::parse(strict_json(attributes), nullptr, false))) return {};
  attributes.clear();
  return too_many_attributes();
}

}  // namespace tenstride::io
