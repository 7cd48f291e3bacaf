// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/message.hpp"
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

bool is_zarr(const FileStart& start) {
  return start.is_folder && is_zarr_folder(start.path);
}

FileInfo zarr_info(const std::string& folder) {
  const ZarrArray array = read_zarr_metadata(folder);
  FileInfo info;
  info.format = tenstride::detail::message("Zarr ", array.format);
  info.path = folder;
  info.dtype = array.dtype;
  info.layout = row_major(array.shape);
  info.storage = ElementStorage::chunked;
  info.is_byte_swapped = array.byte_order == ByteOrder::swapped;
  info.chunk = array.chunk;
  if (array.shards) info.shard = array.shards->shape;
  info.codec = zarr_codec_text(array);
  for (const std::optional<std::string>& name : array.dimension_names) {
    info.axis_names.push_back(name.value_or(""));
  }
  if (array.attributes != "{}") info.attributes = array.attributes;
  take_scaling_of_attributes(info);
  return info;
}

/// An array of a group that cannot be read blocks no other.
FileInfo unreadable_info(const std::string& folder, const FileError& error) {
  ZarrOutline outline = read_zarr_outline(folder);
  FileInfo info;
  info.format = outline.format == 0 ? "Zarr" : tenstride::detail::message("Zarr ", outline.format);
  info.path = folder;
  info.layout = row_major(outline.shape);
  info.storage = ElementStorage::chunked;
  info.axis_names = std::move(outline.axis_names);
  info.obstacle = outline.unknown_type.empty()
                      ? tenstride::detail::message("be an array that can be read (", error.what(), ")")
                      : tenstride::detail::message("have elements of a type that tenstride has, not ",
                                                   outline.unknown_type);
  return info;
}

FileInfo member_info(const std::string& folder) {
  try {
    return zarr_info(folder);
  } catch (const FileError& error) {
    return unreadable_info(folder, error);
  }
}

std::vector<FileInfo> list_zarr(const std::string& path, std::string_view /*operation*/) {
  std::vector<FileInfo> tensors;
  FileGroups groups;
  std::set<std::string> seen;
  const auto see_group = [&](const std::string& name) {
    if (!seen.insert(name).second) return;
    const std::string folder = name.empty() ? path : (std::filesystem::path(path) / name).string();
    const std::string attributes = zarr_group_attributes(folder);
    if (!attributes.empty())
      groups.emplace(name, std::make_shared<const FileGroup>(FileGroup{name, attributes}));
  };
  for (const std::string& name : zarr_arrays(path)) {
    const bool is_array_itself = name.empty();
    FileInfo info =
        is_array_itself ? zarr_info(path) : member_info((std::filesystem::path(path) / name).string());
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
  return std::make_unique<ZarrSource>(info.path);
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
