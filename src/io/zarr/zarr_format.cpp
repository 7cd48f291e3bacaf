// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>

#include "base/message.hpp"
#include "io/format/attribute_limits.hpp"
#include "io/format/file_groups.hpp"
#include "io/format/known_formats.hpp"
#include "io/format/scaling.hpp"
#include "io/zarr/copy_arrays.hpp"
#include "io/zarr/groups.hpp"
#include "io/zarr/outline.hpp"
#include "io/zarr/permute_zarr.hpp"
#include "io/zarr/save_zarr.hpp"
#include "io/zarr/zarr_source.hpp"

namespace tenstride::io {
namespace {

/// A folder, or a zip archive of one; not one whose first member is a .npy file.
bool is_zarr(const FileStart& start) {
  if (start.is_folder) return is_zarr_folder(start.path);
  const std::string_view chars(reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size());
  constexpr std::size_t local_header = 30, name_length = 26;
  if (chars.size() < local_header || !chars.starts_with("PK\x03\x04")) return false;
  const auto nbytes = std::to_integer<std::size_t>(start.bytes[name_length]) +
                      256 * std::to_integer<std::size_t>(start.bytes[name_length + 1]);
  return !chars.substr(local_header, nbytes).ends_with(".npy") && is_zarr_archive(start.path);
}

FileInfo zarr_info(const ZarrStore& store, const std::string& name) {
  const ZarrArray array = read_zarr_metadata(store, name);
  FileInfo info;
  info.format = tenstride::detail::message("Zarr ", array.format);
  info.dtype = array.dtype;
  info.layout = row_major(array.shape);
  info.storage = ElementStorage::chunked;
  info.is_byte_swapped = array.byte_order == ByteOrder::swapped;
  info.chunk = array.chunk;
  if (array.shards) info.shard = array.shards->shape;
  info.codec = zarr_codec_text(array);
  for (const std::optional<std::string>& axis : array.dimension_names) {
    info.axis_names.push_back(axis.value_or(""));
  }
  if (array.attributes != "{}") info.attributes = array.attributes;
  info.further.unread_attributes = take_too_many_attributes(info.attributes);
  take_scaling_of_attributes(info);
  return info;
}

FileInfo unreadable_info(ZarrOutline outline, const FileError& error) {
  FileInfo info;
  info.format = outline.format == 0 ? "Zarr" : tenstride::detail::message("Zarr ", outline.format);
  info.layout = row_major(outline.shape);
  info.storage = ElementStorage::chunked;
  info.axis_names = std::move(outline.axis_names);
  info.obstacle = outline.unknown_type.empty()
                      ? tenstride::detail::message("be an array that can be read (", error.what(), ")")
                      : tenstride::detail::message("have elements of a type that tenstride has, not ",
                                                   outline.unknown_type);
  return info;
}

/// An array of a group that cannot be read blocks no other. One that is no member of a group is listed if it
/// is the type of its elements that is unknown.
FileInfo listed_info(const ZarrStore& store, const std::string& name) {
  try {
    return zarr_info(store, name);
  } catch (const FileError& error) {
    ZarrOutline outline = read_zarr_outline(store, name);
    if (name.empty() && outline.unknown_type.empty()) throw;
    return unreadable_info(std::move(outline), error);
  }
}

std::vector<FileInfo> list_zarr(const std::string& path, std::string_view /*operation*/) {
  const ZarrStore store(path);
  std::vector<FileInfo> tensors;
  FileGroups groups;
  std::set<std::string> seen;
  const auto see_group = [&](const std::string& name) {
    if (!seen.insert(name).second) return;
    std::string attributes = zarr_group_attributes(store, name);
    if (attributes.empty()) return;
    const std::string unread = take_too_many_attributes(attributes);
    groups.emplace(name, std::make_shared<const FileGroup>(FileGroup{name, attributes, "", unread}));
  };
  for (const std::string& name : zarr_arrays(store)) {
    const bool is_array_itself = name.empty();
    FileInfo info = listed_info(store, name);
    info.path = store.is_archive() ? path : store.path_of(name);
    info.name = name;
    if (!is_array_itself) {
      for (const std::string& group : group_names_around(name)) see_group(group);
      info.further.groups = groups_around(name, groups);
    }
    tensors.push_back(std::move(info));
  }
  return tensors;
}

std::unique_ptr<ChunkSource> zarr_chunks(const FileInfo& info, std::string_view /*operation*/) {
  auto store = std::make_shared<const ZarrStore>(info.path);
  const std::string name = store->is_archive() ? info.name : "";
  return std::make_unique<ZarrSource>(std::move(store), name);
}

}  // namespace

const FileFormat zarr_format{.kind = FileKind::zarr,
                             .name = "zarr",
                             .description = "a Zarr folder",
                             .suffixes = {".zarr"},
                             .names = TensorNames::optional,
                             .facts = TensorFacts::both,
                             .has_groups = true,
                             .is_kind_of = is_zarr,
                             .list = list_zarr,
                             .chunks = zarr_chunks,
                             .header_file = zarr_metadata_file,
                             .plan_chunks = plan_zarr,
                             .create_chunks = create_zarr,
                             .chunks_in_folder = zarr_in_folder,
                             .permute_chunks = permute_zarr,
                             .obstacle_to_copy = obstacle_to_copy_of_array};

}  // namespace tenstride::io
