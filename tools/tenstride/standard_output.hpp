// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "convert.hpp"

namespace tenstride::cli {

/// Whether that names standard output: "-" or /dev/stdout.
bool is_standard_output(const std::string& given);

/// Throws UsageError where standard output is a terminal.
void check_standard_output();

/// Writes the result of a conversion to standard output, a part at a time, so that no copy of it is held.
/// The checksum is what `info --checksum` says of what was written. Throws WorkError where standard output
/// does not take all of it, as where its reader has ended.
Checksum write_to_standard_output(const Tensor& source, const ConvertPlan& plan, Index& missing);

}  // namespace tenstride::cli
