// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "convert.hpp"
#include "tenstride/io/permute_file.hpp"

/// Conversions whose files are larger than the memory that may be used.
namespace tenstride::cli {

/// A job, and the bytes of memory that the program may use for it.
struct LargeJob {
  io::FileJob job;
  std::uint64_t limit = 0;
};

/// The conversion as one that is carried out from file to file; nothing where the files fit into memory and
/// are not for several tasks, and where SPEC needs them there. Throws UsageError for a limit that is too
/// small, and for a SPEC that cannot be carried out under the limit that was asked for.
std::optional<LargeJob> plan_large(const ConvertPlan& plan, const ConvertCommand& command);

/// A number of bytes, as `--max-mem` takes it. Throws UsageError, which names the option.
std::uint64_t parse_limit(const std::string& option, const std::string& text);

/// Bytes that the program uses beside buffers.
std::uint64_t memory_of_program();

/// Bytes of buffers under a limit for the whole program; 0 where nothing is left.
std::uint64_t memory_for_buffers(std::uint64_t limit);

/// Carries it out, or tells what it would do.
int run_large(const io::FileJob& job, const ConvertCommand& command);

}  // namespace tenstride::cli
