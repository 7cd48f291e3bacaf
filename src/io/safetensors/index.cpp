// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors/index.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "base/message.hpp"
#include "tenstride/error.hpp"

namespace tenstride::io {

SafetensorsIndex parse_safetensors_index(std::string_view text, std::string_view name) {
  using Json = nlohmann::ordered_json;
  const auto refuse = [&](const auto&... pieces) {
    throw FileError(tenstride::detail::message("safetensors: \"", name, "\" ", pieces...), std::string(name));
  };
  // An index is flat: what is nested deeper would only take memory.
  std::set<std::string> keys, names;
  bool has_twice = false;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) {
      has_twice |= !keys.insert(parsed.get<std::string>()).second;
      names.clear();  // those of another object
    } else if (event == Json::parse_event_t::key && depth == 2) {
      has_twice |= !names.insert(parsed.get<std::string>()).second;
    }
    return depth <= 2;
  };
  const Json json = Json::parse(text, check, false);
  // The parser takes a zero byte for the end of the text.
  const bool is_whole = text.find('\0') == std::string_view::npos;
  if (!is_whole || json.is_discarded() || !json.is_object()) refuse("must be a JSON object");
  if (!json.contains("weight_map") || !json["weight_map"].is_object()) {
    refuse("must have an object \"weight_map\" that names the file of each tensor");
  }
  if (has_twice) refuse("has a name twice, which must stand once");
  SafetensorsIndex index;
  for (const auto& [tensor, file] : json["weight_map"].items()) {
    if (!file.is_string()) refuse("must name a file for \"", tensor, "\"");
    std::string found = file.get<std::string>();
    if (found.empty() || found.find('/') != std::string::npos || found == "." || found == "..") {
      refuse("has the file \"", found.substr(0, 80), "\" for \"", tensor,
             "\", which must lie beside the index");
    }
    index.entries.push_back({tensor, std::move(found)});
  }
  if (json.contains("metadata")) index.metadata = json["metadata"].dump();
  return index;
}

std::string safetensors_index_text(const SafetensorsIndex& index, std::uint64_t total_nbytes) {
  nlohmann::json weights = nlohmann::json::object();
  for (const SafetensorsIndex::Entry& entry : index.entries) weights[entry.name] = entry.file;
  nlohmann::ordered_json json{{"metadata", {{"total_size", total_nbytes}}}, {"weight_map", weights}};
  return json.dump(2) + '\n';
}

}  // namespace tenstride::io
