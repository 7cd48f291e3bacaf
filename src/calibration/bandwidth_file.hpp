// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenstride/calibration/bandwidth.hpp"

namespace tenstride::detail {

/// The content of the file: version, processor and threads, then the figures, then "end".
std::string bandwidth_to_file(const Bandwidth& bandwidth);
/// Parses the content of the file. Nothing for a text that is incomplete, or that is of another machine,
/// version or number of threads.
std::optional<Bandwidth> bandwidth_from_file(std::string_view text);

}  // namespace tenstride::detail
