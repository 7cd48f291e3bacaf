// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace tenstride::bench {

/// What a figure means nothing without: processor, caches, memory, kernel, huge pages, compiler and flags.
nlohmann::ordered_json machine();

}  // namespace tenstride::bench
