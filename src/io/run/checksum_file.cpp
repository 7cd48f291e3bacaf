// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "io/ends/checksum_chunks.hpp"
#include "io/ends/operation.hpp"
#include "io/job/job_plan.hpp"
#include "io/job/run_report.hpp"
#include "io/run/tile_groups.hpp"

namespace tenstride::io {

Checksum checksum_file(const std::string& address, std::uint64_t memory, const ProgressCallback& progress) {
  return checksum_file(read_file_info(address, "checksum_file"), memory, progress);
}

Checksum checksum_file(const FileInfo& info, std::uint64_t memory, const ProgressCallback& progress) {
  if (info.storage == ElementStorage::chunked) {
    return checksum_chunks(*format_of(info.kind).chunks(info, "checksum_file"));
  }
  if (info.storage != ElementStorage::flat) return checksum(load_tensor_file(info));
  BlockLimits limits;
  limits.memory = static_cast<Index>(memory);
  const BlockPlan plan =
      plan_blocks(tenstride::detail::reading_problem(info.layout, static_cast<Index>(item_size(info.dtype)),
                                                     static_cast<Index>(info.data_begin)),
                  limits);
  std::atomic<std::uint64_t> bytes_read{0};
  const DiskFile file = DiskFile::open(info.path, access_of(plan, DiskAccess::automatic), "checksum_file");
  Progress now;
  now.bytes = static_cast<std::uint64_t>(plan.bytes_read());
  now.tiles = static_cast<std::uint64_t>(plan.passes[0].tiles);
  const Clock::time_point start = Clock::now();
  const auto tiles = static_cast<std::size_t>(plan.passes[0].tiles);
  TileReader reader(file, plan, 0, 0, std::vector<bool>(tiles), bytes_read);
  Checksum sum;
  for (std::size_t left = tiles; left > 0; --left) {
    const LoadedTile* tile = nullptr;
    while (tile == nullptr) tile = reader.wait(50);
    if (info.is_byte_swapped) swap_bytes_of(*tile, info.dtype);
    sum += checksum(tile_tensor(*tile, plan.problem.src.strides, info.dtype),
                    positions_of(plan.problem, tile->box));
    reader.release();
    now.bytes_done = bytes_read;
    ++now.tiles_done;
    now.seconds = seconds_since(start);
    if (progress) progress(now);
  }
  return sum;
}

}  // namespace tenstride::io
