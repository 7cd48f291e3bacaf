// SPDX-License-Identifier: Apache-2.0
#include "base/cache_file.hpp"

namespace tenstride::detail {

void write_cache(const std::string& /*path*/, std::string_view /*text*/) {}

}  // namespace tenstride::detail
