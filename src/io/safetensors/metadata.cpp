// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors/metadata.hpp"

#include <set>

#include "io/format/python_json.hpp"

namespace tenstride::io {

std::vector<std::pair<std::string, std::string>> common_metadata(const std::vector<NewTensor>& tensors) {
  std::vector<std::pair<std::string, std::string>> metadata;
  std::set<std::string> names, seen;
  for (const NewTensor& tensor : tensors) {
    // Those of one file have the same.
    if (tensor.attributes.empty() || !seen.insert(tensor.attributes).second) continue;
    const nlohmann::ordered_json json = parse_attributes(tensor.attributes);
    if (!json.is_object()) continue;
    for (const auto& [key, value] : json.items()) {
      if (!names.insert(key).second) continue;
      metadata.emplace_back(key, value.is_string() ? value.get<std::string>() : python_json_text(value));
    }
  }
  return metadata;
}

}  // namespace tenstride::io
