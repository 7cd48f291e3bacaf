// SPDX-License-Identifier: Apache-2.0
#include "io/job/job_limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/format/format.hpp"
#include "io/output/resumable_file.hpp"
#include "io/output/resumable_folder.hpp"
#include "tenstride/calibration/bandwidth.hpp"
#include "tenstride/io/memory_limit.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// What `to_text` wrote.
BlockLimits limits_from_text(const std::string& text, const FileOptions& options,
                             const std::string& destination) {
  std::istringstream words(text);
  std::vector<double> numbers;
  // Streams do not read what std::hexfloat writes.
  for (std::string word; words >> word;) numbers.push_back(std::strtod(word.c_str(), nullptr));
  if (numbers.size() != 8) {
    throw FileError(
        message(this_operation, ": \"", destination, "\" must have a journal of this version to be resumed"),
        destination);
  }
  BlockLimits limits;
  limits.memory = static_cast<Index>(numbers[0]);
  limits.copy_bytes_per_second = numbers[1];
  limits.disk = {numbers[2], numbers[3], numbers[4], numbers[5], static_cast<Index>(numbers[6])};
  limits.max_passes = static_cast<int>(numbers[7]);
  // Of a limit for the whole program one task has more left for buffers than another: by 1.1 MiB measured.
  const std::uint64_t difference = options.task ? std::uint64_t{4} << 20 : 0;
  if (options.memory > 0 && options.memory + difference < static_cast<std::uint64_t>(limits.memory)) {
    throw MemoryLimitError(
        message(this_operation, ": memory of ", options.memory, " bytes must be at least the ", limits.memory,
                " bytes that \"", destination, "\" was begun with (or begin anew, without resuming)"),
        static_cast<std::uint64_t>(limits.memory));
  }
  return limits;
}

/// Every task of a command has the same limits, on whatever machine: nothing that was measured counts.
/// `nbytes`: of all results.
BlockLimits limits_of_tasks(const FileOptions& options, std::uint64_t nbytes, TaskMemory use) {
  // Two tiles are read and two groups written at once, so that a task has about three tiles.
  constexpr std::uint64_t useful = std::uint64_t{8} << 20;
  BlockLimits limits;
  limits.max_passes = 1;
  limits.disk = options.disk.value_or(DiskRates{});
  if (options.access == DiskAccess::buffered) limits.disk.page = 1;
  const std::uint64_t tasks = options.task->count;
  std::uint64_t allowed = options.memory > 0 ? options.memory : free_memory() / 2 / tasks;
  if (use == TaskMemory::for_enough_tiles) allowed = std::min(allowed, std::max(nbytes / tasks, useful));
  limits.memory = static_cast<Index>(allowed);
  return limits;
}

}  // namespace

std::string to_text(const BlockLimits& limits) {
  const DiskRates& disk = limits.disk;
  std::ostringstream text;
  text << std::hexfloat << limits.memory << ' ' << limits.copy_bytes_per_second << ' '
       << disk.read_bytes_per_second << ' ' << disk.write_bytes_per_second << ' ' << disk.seconds_per_request
       << ' ' << disk.contention << ' ' << disk.page << ' ' << limits.max_passes;
  return text.str();
}

BlockLimits limits_of(const FileOptions& options, const std::string& destination, std::uint64_t nbytes,
                      TaskMemory use, bool& is_measured) {
  if (options.resume != Resume::no || options.task) {
    // The parts must be those of the run that is resumed.
    const bool is_folder = writes_chunks(format_of(options.kind), options.chunks);
    const std::optional<std::string> earlier =
        is_folder ? ResumableFolder::earlier_limits(destination, this_operation)
                  : ResumableFile::earlier_limits(destination, this_operation);
    if (earlier) return limits_from_text(*earlier, options, destination);
  }
  if (options.task) return limits_of_tasks(options, nbytes, use);
  BlockLimits limits;
  const std::uint64_t memory = options.memory > 0 ? options.memory : free_memory() / 2;
  limits.memory = static_cast<Index>(std::min<std::uint64_t>(memory, std::uint64_t{1} << 62));
  const KnownDisk known = known_disk(destination);
  limits.disk = options.disk.value_or(known.rates);
  is_measured = options.disk.has_value() || known.is_measured;
  if (options.access == DiskAccess::buffered) limits.disk.page = 1;
  // Measuring would take more memory than the limit may allow.
  if (const std::optional<Bandwidth> bandwidth = known_bandwidth()) {
    limits.copy_bytes_per_second = bandwidth->memory * bandwidth->transposed_share;
  }
  return limits;
}

}  // namespace tenstride::io
