// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/message.hpp"
#include "io/format/attribute_limits.hpp"
#include "io/format/known_formats.hpp"
#include "io/input.hpp"
#include "io/safetensors/header.hpp"
#include "io/safetensors/index.hpp"
#include "io/safetensors/metadata.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr std::string_view index_suffix = ".index.json";

bool is_index(const FileStart& start) {
  return start.path.ends_with(index_suffix) && !start.bytes.empty() && start.bytes[0] == std::byte{'{'};
}

/// A header's length, then its `{`.
bool is_safetensors(const FileStart& start) {
  if (is_index(start)) return true;
  if (start.bytes.size() < 10 || start.bytes[8] != std::byte{'{'}) return false;
  return start.bytes[6] == std::byte{0} && start.bytes[7] == std::byte{0};
}

/// The metadata of a file, or why they are not read.
struct MetadataTexts {
  std::string attributes;
  std::string unread;
};

MetadataTexts metadata_texts(const SafetensorsHeader& header) {
  // Each tensor has a copy of them.
  constexpr std::size_t max_copied = std::size_t{1} << 28;
  const std::size_t tensors = header.entries.size();
  if (header.metadata.empty()) return {};
  if (header.metadata.size() > max_attributes) return {"", too_many_attributes()};
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [key, text] : header.metadata) json[key] = text;
  std::string attributes = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (attributes.size() * tensors <= max_copied) return {std::move(attributes), ""};
  return {"", no_attributes_read(message("their ", attributes.size(), " bytes, which each of ", tensors,
                                         " tensors has, are more than ", max_copied >> 20, " MiB"))};
}

std::vector<FileInfo> list_one(const std::string& path, std::string_view operation) {
  const Storage file = map_input(path, operation);
  const SafetensorsHeader header = parse_safetensors_header(bytes_of(file), file.nbytes(), path);
  const MetadataTexts metadata = metadata_texts(header);
  std::vector<FileInfo> tensors;
  tensors.reserve(header.entries.size());
  for (const SafetensorsEntry& entry : header.entries) {
    FileInfo info;
    info.format = "safetensors";
    info.path = path;
    info.name = entry.name;
    info.layout = row_major(entry.shape);
    info.data_begin = header.data_begin + entry.begin;
    info.attributes = metadata.attributes;
    info.further.unread_attributes = metadata.unread;
    info.is_byte_swapped = std::endian::native != std::endian::little;
    if (entry.dtype) {
      info.dtype = *entry.dtype;
    } else {
      info.obstacle = "have elements of a type that tenstride has, not " + entry.type;
    }
    tensors.push_back(std::move(info));
  }
  return tensors;
}

/// The tensors of one file of a checkpoint, or why it cannot be read, as the end of "must …".
struct CheckpointFile {
  std::map<std::string, FileInfo> tensors;
  std::string obstacle;
};

/// A file that is missing or damaged blocks no other.
CheckpointFile read_checkpoint_file(const std::string& path, std::string_view operation) {
  CheckpointFile result;
  try {
    for (FileInfo& info : list_one(path, operation)) result.tensors.emplace(info.name, std::move(info));
  } catch (const FileError& error) {
    result.obstacle = message("be in a file that can be read (", error.what(), ")");
  }
  return result;
}

/// The tensors of all files of a checkpoint, those that the index names.
std::vector<FileInfo> list_checkpoint(const std::string& path, std::string_view operation) {
  const Storage file = map_input(path, operation);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.nbytes());
  if (text.size() > max_safetensors_header) {
    throw FileError(message(operation, ": \"", path, "\" is an index of ", text.size(),
                            " bytes, which must be at most ", max_safetensors_header),
                    path);
  }
  const SafetensorsIndex index = parse_safetensors_index(text, path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::map<std::string, CheckpointFile> files;
  std::vector<FileInfo> tensors;
  for (const SafetensorsIndex::Entry& entry : index.entries) {
    const auto [found, is_new] = files.try_emplace(entry.file);
    CheckpointFile& one = found->second;
    if (is_new) one = read_checkpoint_file((folder / entry.file).string(), operation);
    const auto tensor = one.tensors.find(entry.name);
    if (tensor != one.tensors.end()) {
      tensors.push_back(tensor->second);
      continue;
    }
    FileInfo missing;
    missing.format = "safetensors";
    missing.path = path;
    missing.name = entry.name;
    missing.obstacle =
        one.obstacle.empty() ? message("be in \"", entry.file, "\", as the index says") : one.obstacle;
    tensors.push_back(std::move(missing));
  }
  return tensors;
}

std::vector<FileInfo> list_safetensors(const std::string& path, std::string_view operation) {
  return path.ends_with(index_suffix) ? list_checkpoint(path, operation) : list_one(path, operation);
}

FlatFile plan_file(const std::vector<NewTensor>& tensors, std::string_view operation) {
  return plan_safetensors(tensors, common_metadata(tensors), operation);
}

}  // namespace

const FileFormat safetensors_format{.kind = FileKind::safetensors,
                                    .name = "safetensors",
                                    .description = "a safetensors file",
                                    .suffixes = {".safetensors"},
                                    .names = TensorNames::required,
                                    .facts = TensorFacts::attributes,
                                    .usual_name = "tensor",
                                    .is_kind_of = is_safetensors,
                                    .list = list_safetensors,
                                    .plan_flat = plan_file};

}  // namespace tenstride::io
