// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/io/rescaling.hpp"

/// What the bill says of --rescale.
namespace tenstride::cli {

/// "3 of 12 elements are missing in x (-999), NaN in the result\n"; empty where none may be missing.
std::string missing_line(const io::Rescaling& rescaling, Index missing, Index elements);

/// The same before elements are read: "elements of x that are missing (-999) become NaN\n".
std::string missing_line(const io::Rescaling& rescaling);

}  // namespace tenstride::cli
