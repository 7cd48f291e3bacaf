// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tenstride/io/permute_file.hpp"
#include "tenstride/io/rescaling.hpp"
#include "tenstride/io/result_facts.hpp"

/// What the bills of all conversions have as JSON.
namespace tenstride::cli {

using Json = nlohmann::ordered_json;

/// On one line; bytes that are no UTF-8 as U+FFFD.
std::string to_line(const Json& json);

/// A tensor that is read, and one that is written.
Json input_json(const std::string& path, const io::FileInfo& info);
Json output_json(const std::string& path, DType dtype, const Dims& shape, const io::ElementOptions& elements,
                 const std::optional<io::Rescaling>& rescaling);

/// What was left out of an output: [{"fact": "sform", "reason": "axis x is flipped"}].
Json dropped_json(const std::vector<io::DroppedFact>& dropped);

}  // namespace tenstride::cli
