// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/save_zarr.hpp"

#include <array>
#include <filesystem>
#include <functional>

#include "base/message.hpp"
#include "files/atomic_folder.hpp"
#include "io/plan/default_chunk.hpp"
#include "io/zarr/array_options.hpp"
#include "io/zarr/codecs.hpp"
#include "io/zarr/copy_arrays.hpp"
#include "io/zarr/new_groups.hpp"
#include "io/zarr/zarr_sink.hpp"
#include "io/zarr/zarr_source.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The arrays of a folder that somebody else gives its name.
class ZarrArraysFile final : public ChunkFile {
 public:
  ZarrArraysFile(const std::string& folder, const std::vector<NewTensor>& tensors,
                 const ChunkOptions& options, ChunkFolder state, std::string_view operation) {
    std::vector<ZarrArray> arrays;
    for (const NewTensor& tensor : tensors) {
      arrays.push_back(new_zarr_array(tensor, options, operation));
    }
    std::vector<std::string> names;
    for (const NewTensor& tensor : tensors) names.push_back(tensor.name);
    paths_ = make_zarr_groups(folder, names, arrays[0].format, groups_of(tensors), operation);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      sinks_.push_back(std::make_unique<ZarrSink>(paths_[i], arrays[i], ZarrFillChunks::written, state));
    }
    copy_as_stored_ = [folder, stored = options.as_stored, format = arrays[0].format,
                       name = std::string(operation)] { copy_zarr_arrays(folder, stored, format, name); };
  }

  [[nodiscard]] ChunkSink& sink(std::size_t number) override { return *sinks_.at(number); }
  [[nodiscard]] std::unique_ptr<ChunkSource> read_back(std::size_t number) const override {
    return std::make_unique<ZarrSource>(paths_.at(number));
  }
  void commit() override {
    copy_as_stored_();
    sinks_.clear();
  }

 private:
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<ZarrSink>> sinks_;
  std::function<void()> copy_as_stored_;
};

class ZarrFolderFile final : public ChunkFile {
 public:
  ZarrFolderFile(const std::string& path, const std::vector<NewTensor>& tensors, const ChunkOptions& options,
                 Overwrite overwrite, std::string_view operation)
      : folder_(path, overwrite, is_zarr_folder, operation),
        arrays_(folder_.part_path(), tensors, options, ChunkFolder::create, operation) {}

  [[nodiscard]] ChunkSink& sink(std::size_t number) override { return arrays_.sink(number); }
  [[nodiscard]] std::unique_ptr<ChunkSource> read_back(std::size_t number) const override {
    return arrays_.read_back(number);
  }
  void commit() override {
    arrays_.commit();
    folder_.commit();
  }

 private:
  AtomicFolder folder_;
  ZarrArraysFile arrays_;
};

}  // namespace

bool is_zarr_folder(const std::string& path) {
  std::error_code ignored;
  const auto has = [&](const char* name) {
    return std::filesystem::is_regular_file(std::filesystem::path(path) / name, ignored);
  };
  return has("zarr.json") || has(".zarray") || has(".zgroup");
}

std::string zarr_codec_text(const ZarrArray& array) {
  constexpr std::array<std::string_view, 3> shuffles{"noshuffle", "shuffle", "bitshuffle"};
  std::string text;
  for (const ZarrCodec& codec : array.codecs) {
    if (!text.empty()) text += '+';
    text += zarr_codec_name(codec.kind);
    switch (codec.kind) {
      case ZarrCodecKind::gzip:
      case ZarrCodecKind::zlib:
      case ZarrCodecKind::zstd:
        text += message(':', codec.level);
        break;
      case ZarrCodecKind::blosc:
        text += message(':', codec.blosc_name, ':', codec.level, ':',
                        shuffles[static_cast<std::size_t>(codec.shuffle)]);
        break;
      default:
        break;
    }
  }
  return text;
}

ZarrArray new_zarr_array(const NewTensor& tensor, const ChunkOptions& options, std::string_view operation) {
  ZarrOptions zarr;
  zarr.format = options.zarr_format == 2 ? 2 : 3;
  const auto item = static_cast<Index>(item_size(tensor.dtype));
  if (!tensor.has_usual_chunks) zarr.shard = options.shard;
  if (!tensor.has_usual_chunks) zarr.chunk = options.chunk;
  if (zarr.chunk.empty()) zarr.chunk = default_chunk(tensor.shape, item, zarr.shard);
  zarr.codecs = parse_zarr_codecs(options.codec.empty() ? "zstd" : options.codec);
  zarr.dimension_names = tensor.axis_names;
  if (!tensor.attributes.empty()) zarr.attributes = tensor.attributes;
  try {
    return make_zarr_array(tensor.shape, tensor.dtype, zarr);
  } catch (const FileError& error) {
    throw ValueError(message(operation, ": ", error.what()));
  }
}

ChunkGrid plan_zarr(const NewTensor& tensor, const ChunkOptions& options, std::string_view operation) {
  const ZarrArray array = new_zarr_array(tensor, options, operation);
  return {array.shape, array.unit()};
}

std::unique_ptr<ChunkFile> create_zarr(const std::string& path, const std::vector<NewTensor>& tensors,
                                       const ChunkOptions& options, Overwrite overwrite,
                                       std::string_view operation) {
  return std::make_unique<ZarrFolderFile>(path, tensors, options, overwrite, operation);
}

std::unique_ptr<ChunkFile> zarr_in_folder(const std::string& folder, const std::vector<NewTensor>& tensors,
                                          const ChunkOptions& options, ChunkFolder state,
                                          std::string_view operation) {
  return std::make_unique<ZarrArraysFile>(folder, tensors, options, state, operation);
}

std::string zarr_metadata_file(const std::string& folder) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(folder, unknown)) return folder;
  const std::string newer = (std::filesystem::path(folder) / "zarr.json").string();
  std::error_code ignored;
  if (std::filesystem::is_regular_file(newer, ignored)) return newer;
  return (std::filesystem::path(folder) / ".zarray").string();
}

}  // namespace tenstride::io
