// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace tenstride::bench {

/// What figures depend on: processor, caches, memory, kernel, huge pages, compiler and flags.
nlohmann::ordered_json machine();

}  // namespace tenstride::bench
