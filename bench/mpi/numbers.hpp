// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "case.hpp"

namespace tenstride::bench {

/// Writes the elements that a rank holds of a case's source: each has its row-major number in the whole
/// tensor, modulo 16777213 in float32, which has no larger prime exactly.
void write_numbers(const RedistributionCase& what, int rank, std::byte* src);

/// What is wrong with a rank's source, or nothing. Example: "element 3 is 7, must be 8".
std::string wrong_source(const RedistributionCase& what, int rank, const std::byte* src);

/// What is wrong with a rank's destination by the definition of the case, or nothing.
std::string wrong_destination(const RedistributionCase& what, int rank, const std::byte* dst);

/// The first of the elements that nobody has written since their bytes were set to 255, or nothing.
std::string unwritten_element(const RedistributionCase& what, int rank, const std::byte* dst);

}  // namespace tenstride::bench
