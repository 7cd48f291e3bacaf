// SPDX-License-Identifier: Apache-2.0
// Attributes of a tensor on the way to a result: what is not true of it is left out and told.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/format/result_origin.hpp"
#include "tenstride/io/result_facts.hpp"

namespace tenstride::io {

class ResultAttributes {
 public:
  using Json = nlohmann::ordered_json;

  explicit ResultAttributes(const std::string& text);

  /// An object; empty where the text was none.
  Json json = Json::object();

  [[nodiscard]] bool has(const char* key) const { return json.find(key) != json.end(); }
  /// Says that the fact is not kept.
  void tell(const std::string& fact, const std::string& reason) { dropped_.push_back({{}, fact, reason}); }
  /// Removes an attribute and says so.
  void drop(const std::string& key, const std::string& reason);
  [[nodiscard]] const std::vector<DroppedFact>& dropped() const noexcept { return dropped_; }
  /// The text that was given where nothing has changed; empty where nothing is left.
  [[nodiscard]] std::string text() const;

 private:
  std::string given_;
  std::vector<DroppedFact> dropped_;
};

/// The attributes of any kind of file that speak of positions are moved along, or dropped where they cannot
/// be
/// (`move_positions`); dropped are those that sum up elements which are not all there. Example:
/// "actual_range".
void keep_true_attributes(ResultAttributes& attributes, const ResultOrigin& result);

}  // namespace tenstride::io
