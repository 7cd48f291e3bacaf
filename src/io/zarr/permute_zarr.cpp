// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/permute_zarr.hpp"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>

#include "base/message.hpp"
#include "files/atomic_folder.hpp"
#include "files/system_reason.hpp"
#include "io/zarr/array_json.hpp"
#include "io/zarr/copy_arrays.hpp"
#include "io/zarr/new_groups.hpp"
#include "io/zarr/permute_metadata.hpp"
#include "io/zarr/refuse.hpp"
#include "io/zarr/save_zarr.hpp"
#include "io/zarr/unit_file.hpp"
#include "io/zarr/zarr_source.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;
using tenstride::detail::message;

/// How the files of chunks come to their new places.
enum class UnitPlacing : unsigned char { copied, linked };

/// An array before and after.
struct PermutedArray {
  std::string name;
  std::string src_folder;
  ZarrArray array;
  ZarrArray permuted;
  Dims order;
  /// Units along each axis of `array`.
  Dims counts;
  /// Whether the file of a unit stays as it is.
  bool keeps_files = true;
};

fs::path real_path(const std::string& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? fs::path(path).lexically_normal() : found;
}

/// Whether a folder is `inner` or above it.
bool is_or_has(const fs::path& folder, const fs::path& inner) {
  return std::mismatch(folder.begin(), folder.end(), inner.begin(), inner.end()).first == folder.end();
}

/// The text of a file of metadata in a group; null where it has none.
nlohmann::json group_json(const fs::path& group, const char* name) {
  const std::string file = (group / name).string();
  const std::optional<std::string> text = read_text_file(file, max_zarr_metadata);
  return text ? parse_zarr_json(*text, file) : nlohmann::json();
}

/// What a group says about the arrays in it and would become wrong, as the end of a sentence; empty where it
/// says nothing: a copy of their metadata, or what their axes are (OME-Zarr).
std::string_view description_of_arrays(const fs::path& group) {
  std::error_code ignored;
  const nlohmann::json json = group_json(group, "zarr.json");
  const bool has_copy =
      json.is_object() && json.contains("consolidated_metadata") && !json["consolidated_metadata"].is_null();
  if (has_copy || fs::is_regular_file(group / ".zmetadata", ignored))
    return "keeps a copy of its metadata (consolidated)";
  const nlohmann::json attributes =
      json.is_object() ? json.value("attributes", nlohmann::json()) : group_json(group, ".zattrs");
  const bool has_axes =
      attributes.is_object() && (attributes.contains("multiscales") || attributes.contains("ome"));
  return has_axes ? "says what its axes are (multiscales)" : std::string_view();
}

UnitPlacing placing_of(const std::string& path, const std::vector<PermutedTensor>& tensors,
                       std::string_view operation) {
  const fs::path destination = real_path(path);
  const bool is_read = std::any_of(tensors.begin(), tensors.end(), [&](const PermutedTensor& tensor) {
    return is_or_has(destination, real_path(tensor.source.path));
  });
  if (!is_read) return UnitPlacing::copied;
  if (tensors.size() > 1 || !tensors[0].name.empty() || destination != real_path(tensors[0].source.path)) {
    throw ValueError(message(operation, ": \"", path,
                             "\" is read and must be the folder of a single array to be permuted in place "
                             "(write a group to a new folder)"));
  }
  for (fs::path group = destination.parent_path();
       group.has_relative_path() && is_zarr_folder(group.string()); group = group.parent_path()) {
    const std::string_view description = description_of_arrays(group);
    if (description.empty()) continue;
    throw ValueError(message(operation, ": \"", path, "\" must not be permuted in place: the group \"",
                             group.string(), "\" ", description,
                             ", which would become wrong; write to a new folder"));
  }
  return UnitPlacing::linked;
}

PermutedArray permuted_array(const PermutedTensor& tensor, const ChunkOptions& options,
                             std::string_view operation) {
  if (fs::is_regular_file(tensor.source.path)) {
    throw ValueError(
        message(operation, ": \"", tensor.source.path,
                "\" is a zip archive and must be a folder where only metadata change (unpack it)"));
  }
  ZarrArray array = read_zarr_metadata(tensor.source.path);
  if (options.zarr_format == 2 && array.format == 3) {
    throw ValueError(message(operation, ": version 2 of Zarr cannot be that of the result, \"",
                             tensor.source.path,
                             "\" is of version 3 and must stay so where only metadata "
                             "change (leave the version out)"));
  }
  if (options.zarr_format == 3) array.format = 3;
  ZarrArray permuted = permuted_zarr(array, tensor.order, tensor.source.path);
  if (tensor.attributes) permuted.attributes = tensor.attributes->empty() ? "{}" : *tensor.attributes;
  static_cast<void>(zarr_metadata_texts(permuted));  // refuses what the version has no words for
  const Dims counts = ChunkGrid{array.shape, array.unit()}.counts();
  const bool keeps_files = !array.shards || keeps_shard_index(array, permuted, tensor.order);
  return {tensor.name, tensor.source.path, std::move(array), std::move(permuted), tensor.order,
          counts,      keeps_files};
}

class PermutedZarr final : public PermutedFile {
 public:
  PermutedZarr(const std::string& path, const std::vector<PermutedTensor>& tensors,
               const ChunkOptions& options, Overwrite overwrite, std::string_view operation)
      : path_(path),
        overwrite_(overwrite),
        operation_(operation),
        placing_(placing_of(path, tensors, operation)),
        as_stored_(options.as_stored) {
    for (const PermutedTensor& tensor : tensors) {
      arrays_.push_back(permuted_array(tensor, options, operation));
      for (const auto& group : tensor.groups) groups_.emplace(group->name, group);
      if (arrays_.back().permuted.format == arrays_[0].permuted.format) continue;
      throw ValueError(message(operation, ": \"", tensor.source.path, "\" is of version ",
                               arrays_.back().permuted.format, " of Zarr and must be of version ",
                               arrays_[0].permuted.format, " as the arrays before it"));
    }
  }

  [[nodiscard]] Index units(std::size_t number) const override {
    return count_elements(arrays_.at(number).counts);
  }

  [[nodiscard]] std::uint64_t max_copied_nbytes() const override {
    std::uint64_t sum = 0;
    for (const PermutedArray& array : arrays_) {
      const bool is_linked = placing_ == UnitPlacing::linked && array.keeps_files;
      if (!is_linked) sum += ZarrSource(array.src_folder).stored_nbytes();
    }
    return sum;
  }

  void begin() override {
    folder_.emplace(path_, overwrite_, is_zarr_folder, operation_);
    std::vector<std::string> names;
    for (const PermutedArray& array : arrays_) names.push_back(array.name);
    paths_ = make_zarr_groups(folder_->part_path(), names, arrays_[0].permuted.format, groups_, operation_);
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      fs::create_directories(paths_[i]);
      for (const ZarrText& text : zarr_metadata_texts(arrays_[i].permuted)) {
        AtomicFile file(zarr_file(paths_[i], text.name), Overwrite::refuse, operation_);
        file.write(std::as_bytes(std::span(text.text)));
        file.commit();
      }
    }
  }

  std::uint64_t move(std::size_t number, Index first, Index last) override {
    const PermutedArray& array = arrays_.at(number);
    const std::string& path = paths_.at(number);
    const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open()) refuse_zarr(path, "must be a folder that can be opened", system_reason(errno));
    std::atomic<std::uint64_t> copied{0};
    parallel_for(first, last, 16, [&](Index begin, Index end) {
      for (Index unit = begin; unit < end; ++unit) {
        copied += move_unit(array, unravel(unit, array.counts), folder.get(), path);
      }
    });
    return copied;
  }

  [[nodiscard]] std::unique_ptr<ChunkSource> read_back(std::size_t number) const override {
    return std::make_unique<ZarrSource>(paths_.at(number));
  }

  void commit() override {
    copy_zarr_arrays(folder_->part_path(), as_stored_, arrays_[0].permuted.format, operation_);
    folder_->commit();
  }

 private:
  [[nodiscard]] std::uint64_t move_unit(const PermutedArray& array, const Dims& index, int folder,
                                        const std::string& path) const {
    if (!array.keeps_files) {
      return copy_permuted_shard(array.src_folder, array.array, index, path, array.permuted, array.order);
    }
    const ZarrMove keys = permuted_key(array.array, array.permuted, index, array.order);
    const std::string src_path = zarr_file(array.src_folder, keys.old_key);
    const std::string dst_path = zarr_file(path, keys.new_key);
    const std::optional<InputFile> src = open_input(AT_FDCWD, src_path, src_path);
    if (!src) return 0;
    if (placing_ == UnitPlacing::linked && link_unit(src_path, folder, keys.new_key, dst_path)) return 0;
    UnitFile file(folder, keys.new_key, dst_path);
    const std::uint64_t copied = file.copy(*src, src_path);
    file.commit();
    return copied;
  }

  std::string path_;
  Overwrite overwrite_;
  std::string operation_;
  UnitPlacing placing_;
  std::vector<FileInfo> as_stored_;
  std::vector<PermutedArray> arrays_;
  FileGroups groups_;
  std::optional<AtomicFolder> folder_;
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<PermutedFile> permute_zarr(const std::string& path,
                                           const std::vector<PermutedTensor>& tensors,
                                           const ChunkOptions& options, Overwrite overwrite,
                                           std::string_view operation) {
  return std::make_unique<PermutedZarr>(path, tensors, options, overwrite, operation);
}

}  // namespace tenstride::io
