// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tenstride/io/result_facts.hpp"

namespace tenstride::cli {

/// What was left out of an output, as bills have it: [{"fact": "sform", "reason": "axis x is flipped"}].
inline nlohmann::ordered_json dropped_json(const std::vector<io::DroppedFact>& dropped) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const io::DroppedFact& one : dropped) list.push_back({{"fact", one.fact}, {"reason", one.reason}});
  return list;
}

}  // namespace tenstride::cli
