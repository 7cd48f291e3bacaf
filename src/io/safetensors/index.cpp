// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors/index.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/message.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

SafetensorsIndex parse_safetensors_index(std::string_view text, std::string_view name) {
  using Json = nlohmann::ordered_json;
  const auto refuse = [&](const auto&... pieces) {
    throw FileError(tenstride::detail::message("safetensors: \"", name, "\" ", pieces...), std::string(name));
  };
  // An index is flat: what is nested deeper would only take memory.
  std::set<std::string> keys, names;
  std::optional<std::string> twice;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) {
      if (!keys.insert(parsed.get<std::string>()).second) twice = parsed.get<std::string>();
      names.clear();  // those of another object
    } else if (event == Json::parse_event_t::key && depth == 2) {
      if (!names.insert(parsed.get<std::string>()).second) twice = parsed.get<std::string>();
    }
    return depth <= 2;
  };
  Json json;
  try {
    json = Json::parse(text, check);
  } catch (const Json::parse_error& error) {
    refuse("must be JSON, which it is not at byte ", error.byte);
  } catch (const Json::exception&) {
    refuse("must be JSON whose numbers a double can hold");
  }
  // The parser takes a zero byte for the end of the text.
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) refuse("must be JSON, which it is not at byte ", zero + 1);
  if (!json.is_object()) refuse("must be a JSON object");
  if (!json.contains("weight_map") || !json["weight_map"].is_object()) {
    refuse("must have an object \"weight_map\" that names the file of each tensor");
  }
  if (twice) refuse("has the name \"", twice->substr(0, 80), "\" twice, which must stand once");
  SafetensorsIndex index;
  for (const auto& [tensor, file] : json["weight_map"].items()) {
    if (!file.is_string()) {
      refuse("has ", file.is_null() ? "" : "a ", file.type_name(), " for \"", tensor,
             "\", which must be the name of a file");
    }
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
