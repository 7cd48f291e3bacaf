// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenstride::io {

/// How `permute_file` calls itself in errors.
inline constexpr std::string_view this_operation = "permute_file";

}  // namespace tenstride::io
