// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/permute_metadata.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/message.hpp"
#include "files/system_reason.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/refuse.hpp"
#include "io/zarr/unit_file.hpp"

namespace tenstride::io {
namespace {

Dims inverse_order(const Dims& order) {
  Dims result = order;
  for (std::size_t d = 0; d < order.size(); ++d) {
    result[static_cast<std::size_t>(order[d])] = static_cast<Index>(d);
  }
  return result;
}

/// Each axis by its new number.
Dims renumbered(const Dims& axes, const Dims& inverse) {
  Dims result = axes;
  for (Index& axis : result) axis = inverse[static_cast<std::size_t>(axis)];
  return result;
}

/// The order by a simpler name, where axes of size 1 let one choose: row-major or column-major.
Dims simplest_order(const Dims& order, const Dims& chunk) {
  Dims long_axes;
  for (const Index axis : order) {
    if (chunk[static_cast<std::size_t>(axis)] > 1) long_axes.push_back(axis);
  }
  Dims result = first_axes(order.size());
  if (std::is_sorted(long_axes.begin(), long_axes.end())) return result;
  std::reverse(result.begin(), result.end());
  return std::is_sorted(long_axes.rbegin(), long_axes.rend()) ? result : order;
}

Descriptor open_permuted_folder(const std::string& folder) {
  Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) refuse_zarr(folder, "must be a folder that can be opened", system_reason(errno));
  return descriptor;
}

}  // namespace

ZarrArray permuted_zarr(const ZarrArray& array, const Dims& order, std::string_view folder) {
  const std::size_t rank = array.shape.size();
  Dims sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != first_axes(rank)) {
    throw ValueError(tenstride::detail::message("zarr: the order ", order, " must list each axis of ", rank,
                                                " once (shape ", array.shape, ")"));
  }
  if (!array.inner_shards.empty()) {
    refuse_zarr(folder,
                "has shards within shards and must have one level of them, or none, for axes that are "
                "permuted by metadata alone; write new chunks");
  }
  ZarrArray result = array;
  result.shape = permuted_index(array.shape, order);
  result.chunk = permuted_index(array.chunk, order);
  const Dims inverse = inverse_order(order);
  result.order = simplest_order(renumbered(array.order, inverse), result.chunk);
  if (array.shards) {
    result.shards->shape = permuted_index(array.shards->shape, order);
    result.shards->order = first_axes(rank);
  }
  for (std::size_t d = 0; d < array.dimension_names.size(); ++d) {
    result.dimension_names[d] = array.dimension_names[static_cast<std::size_t>(order[d])];
  }
  Dims reversed = first_axes(rank);
  std::reverse(reversed.begin(), reversed.end());
  if (array.format == 2 && result.order != first_axes(rank) && result.order != reversed) {
    refuse_zarr(folder, "has chunks that in the order ", order, " have their axes as ", result.order,
                ", which must be row-major or column-major in version 2 of Zarr; describe it by version 3");
  }
  return result;
}

Dims permuted_index(const Dims& index, const Dims& order) {
  Dims result = index;
  for (std::size_t d = 0; d < order.size(); ++d) result[d] = index[static_cast<std::size_t>(order[d])];
  return result;
}

ZarrMove permuted_key(const ZarrArray& array, const ZarrArray& permuted, const Dims& index,
                      const Dims& order) {
  return {zarr_key(array, index), zarr_key(permuted, permuted_index(index, order))};
}

std::vector<ShardEntry> permuted_entries(const std::vector<ShardEntry>& entries, const ZarrArray& array,
                                         const ZarrArray& permuted, const Dims& order) {
  const Dims counts = chunks_of_shard(array);
  std::vector<ShardEntry> result(entries.size());
  for (std::size_t n = 0; n < entries.size(); ++n) {
    const Dims within = unravel(static_cast<Index>(n), counts);
    result[shard_position(permuted, permuted_index(within, order))] = entries[shard_position(array, within)];
  }
  return result;
}

bool keeps_shard_index(const ZarrArray& array, const ZarrArray& permuted, const Dims& order) {
  const Dims counts = chunks_of_shard(array);
  Dims before, after;
  for (std::size_t d = 0; d < counts.size(); ++d) {
    const Index axis = array.shards->order[d];
    const Index new_axis = order[static_cast<std::size_t>(permuted.shards->order[d])];
    if (counts[static_cast<std::size_t>(axis)] > 1) before.push_back(axis);
    if (counts[static_cast<std::size_t>(new_axis)] > 1) after.push_back(new_axis);
  }
  return before == after;
}

std::uint64_t copy_permuted_shard(const std::string& src_folder, const ZarrArray& array, const Dims& index,
                                  const std::string& dst_folder, const ZarrArray& permuted,
                                  const Dims& order) {
  const ZarrMove keys = permuted_key(array, permuted, index, order);
  const std::string src_path = zarr_file(src_folder, keys.old_key);
  const std::optional<InputFile> src = open_input(AT_FDCWD, src_path, src_path);
  if (!src) return 0;
  const std::vector<ShardEntry> entries = read_shard_index(*src, array, src_path);
  const Descriptor folder = open_permuted_folder(dst_folder);
  UnitFile dst(folder.get(), keys.new_key, zarr_file(dst_folder, keys.new_key));
  const std::uint64_t copied = dst.copy(*src, src_path);
  const std::vector<std::byte> bytes =
      shard_index_bytes(permuted_entries(entries, array, permuted, order), permuted);
  const bool is_at_end = permuted.shards->index_location == ZarrIndexLocation::end;
  dst.write_at(bytes, is_at_end ? src->nbytes - bytes.size() : 0);
  dst.commit();
  return std::max<std::uint64_t>(copied, bytes.size());
}

}  // namespace tenstride::io
