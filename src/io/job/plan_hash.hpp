// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// What makes two runs write the same parts.
std::uint64_t plan_hash(const FileJob& job);

/// The hash of what a job makes, whatever the tiles and the limits: its sources by their names, operations,
/// types and numbers.
std::uint64_t result_hash(const FileJob& job);

}  // namespace tenstride::io
