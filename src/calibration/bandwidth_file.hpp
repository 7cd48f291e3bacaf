// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenstride/bandwidth.hpp"

namespace tenstride::detail {

/// What stands in the file: for which processor, threads and version, then the figures, then "end".
std::string bandwidth_to_file(const Bandwidth& bandwidth);
/// Nothing for a text that was not written whole, or not for this machine, version and number of threads.
std::optional<Bandwidth> bandwidth_from_file(std::string_view text);

}  // namespace tenstride::detail
