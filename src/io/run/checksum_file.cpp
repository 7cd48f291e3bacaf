// SPDX-License-Identifier: Apache-2.0
#include "io/ends/checksum_chunks.hpp"
#include "io/ends/operation.hpp"
#include "io/ends/tile_source.hpp"
#include "io/format/format.hpp"
#include "io/job/job_plan.hpp"
#include "io/run/run_report.hpp"

namespace tenstride::io {

Checksum checksum_file(const std::string& address, std::uint64_t memory, const ProgressCallback& progress) {
  return checksum_file(read_file_info(address, "checksum_file"), memory, progress);
}

Checksum checksum_file(const FileInfo& info, std::uint64_t memory, const ProgressCallback& progress) {
  if (info.storage == ElementStorage::chunked) {
    return checksum_chunks(*open_chunks(info, "checksum_file"));
  }
  if (info.storage != ElementStorage::flat) return checksum(load_tensor_file(info));
  BlockLimits limits;
  limits.memory = static_cast<Index>(memory);
  const TilePlan plan =
      plan_blocks(tenstride::detail::reading_problem(info.layout, static_cast<Index>(item_size(info.dtype)),
                                                     static_cast<Index>(info.data_begin)),
                  limits);
  // A plan with little memory has no whole pages.
  const DiskAccess access = plan.page == 1 ? DiskAccess::buffered : DiskAccess::automatic;
  const DiskFile file = DiskFile::open(info.path, access, "checksum_file");
  const TilePass& pass = plan.passes[0];
  Progress now;
  now.bytes = static_cast<std::uint64_t>(plan.bytes_read());
  now.tiles = static_cast<std::uint64_t>(pass.tiles);
  const Clock::time_point start = Clock::now();
  MovedBytes moved;
  Checksum sum;
  const auto tell = [&] {
    now.bytes_done = moved.read;
    now.seconds = seconds_since(start);
    if (progress) progress(now);
  };
  const TileNotes notes{std::vector<bool>(static_cast<std::size_t>(pass.tiles)), tell};
  TileSource source(file, {plan}, info.dtype, notes, moved);
  if (info.is_byte_swapped) source.swap_bytes();
  source.add_checksums_to(sum);
  std::vector<std::byte> unused;
  for (Index number = 0; number < pass.tiles; ++number) {
    source.read({}, unused);
    source.release();
    ++now.tiles_done;
    tell();
  }
  return sum;
}

}  // namespace tenstride::io
