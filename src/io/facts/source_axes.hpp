// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "io/format/result_origin.hpp"

namespace tenstride::io {

/// What becomes of each axis of a tensor in a file. Throws ParseError, and what the chain throws. Example: of
/// axes time, lat and `x[2:].mT` axis 0 is lat, and axis 1 is time from its index 2 on.
ResultOrigin origin_of_result(const FileInfo& source, std::string_view chain);

}  // namespace tenstride::io
