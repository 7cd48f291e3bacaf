// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/export.hpp"

namespace tenstride {

/// The nearest of the names, where one is near enough to be meant; else nothing.
TENSTRIDE_API std::optional<std::string> nearest_name(std::string_view given,
                                                      const std::vector<std::string>& names);

}  // namespace tenstride
