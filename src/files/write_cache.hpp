// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tenstride::detail {

/// Replaces a file of the user's cache (cache_file.hpp), folders included. A cache that cannot be written is
/// no error.
void write_cache(const std::string& path, std::string_view text, std::string_view operation);

}  // namespace tenstride::detail
