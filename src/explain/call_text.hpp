// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tenstride/expression/expression.hpp"

namespace tenstride::detail {

/// A call as it stands in the expression, on one line.
std::string call_text(std::string_view expression, TextRange range);

}  // namespace tenstride::detail
