// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/open_for_notation.hpp"

#include "base/message.hpp"
#include "io/format/format.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr std::uint64_t max_loaded = std::uint64_t{1} << 30;

std::string standing_of(const FileInfo& info) {
  if (info.is_mapped) return "mapped";
  std::string text;
  if (info.storage == ElementStorage::chunked) {
    text = "in chunks of " + to_string(info.chunk);
    if (!info.shard.empty()) text += " in shards of " + to_string(info.shard);
  } else if (info.storage == ElementStorage::encoded) {
    text = message("a picture, ", info.format);
  } else {
    text = info.storage == ElementStorage::stream ? "in a compressed stream" : "uncompressed, not mapped";
  }
  if (!info.codec.empty()) text += ", " + info.codec;
  return info.is_byte_swapped ? text + ", bytes swapped" : text;
}

}  // namespace

Tensor on_meta(const FileInfo& info) {
  const std::optional<Reach> touched = reach(info.layout);
  const std::size_t length = touched ? static_cast<std::size_t>(touched->highest + 1) : 0;
  return Tensor(Storage::meta(length * item_size(info.dtype)), info.layout, info.dtype);
}

OpenedFile open_for_notation(const std::string& address, FileContent content) {
  const FileInfo info = read_file_info(address, "open");
  if (!info.obstacle.empty())
    throw FileError(message("open: \"", info.address(), "\" must ", info.obstacle), info.path);
  const auto nbytes = static_cast<std::uint64_t>(numel(info.layout)) * item_size(info.dtype);
  const bool has_elements = content == FileContent::elements && (info.is_mapped || nbytes <= max_loaded);
  return {has_elements ? open_tensor_file(info) : on_meta(info), standing_of(info)};
}

}  // namespace tenstride::io
