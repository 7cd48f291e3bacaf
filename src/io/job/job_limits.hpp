// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "io/plan/tile_plan.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// How much of the memory that a task may use a plan uses: for as many tiles as the tasks need, or all of it,
/// where chunks and units do not fit into less.
enum class TaskMemory : unsigned char { for_enough_tiles, all };

/// What a job may use: that of an earlier run which is resumed or of other tasks, otherwise by the options
/// and by what was measured. `nbytes`: of all results. Throws MemoryLimitError where an earlier run had more
/// memory, FileError.
BlockLimits limits_of(const FileOptions& options, const std::string& destination, std::uint64_t nbytes,
                      TaskMemory use, bool& is_measured);

/// The limits as a journal keeps them, without loss.
std::string to_text(const BlockLimits& limits);

}  // namespace tenstride::io
