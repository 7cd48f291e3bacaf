// SPDX-License-Identifier: Apache-2.0
// Archives of .npy files, as numpy.savez writes them.
#include <algorithm>

#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/input.hpp"
#include "io/npy/npy_info.hpp"
#include "io/npz/archive.hpp"
#include "io/npz/write_archive.hpp"
#include "io/stream/inflate_stream.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr std::string_view member_suffix = ".npy";

/// A zip archive with members; an empty one has no more than its end.
bool is_npz(const FileStart& start) {
  const std::string_view chars(reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size());
  using namespace std::string_view_literals;
  return chars.starts_with("PK\x03\x04"sv) || chars.starts_with("PK\x05\x06"sv);
}

/// The .npy header at the beginning of a member.
NpyHeader header_of(const Storage& file, const ZipMember& member, const std::string& path,
                    std::string_view operation) {
  const std::string name = path + "::" + member.name;
  if (!member.is_deflated) {
    const auto bytes = bytes_of(file).subspan(member.data_begin, member.stored_nbytes);
    return parse_any_npy_header(bytes, bytes.size(), name);
  }
  InflateStream stream(path, {member.data_begin, member.stored_nbytes}, "deflate", operation);
  std::vector<std::byte> start(std::min<std::uint64_t>(member.nbytes, 12 + max_npy_header));
  start.resize(stream.read(start));
  return parse_any_npy_header(start, member.nbytes, name);
}

/// What the header of a member says. One that cannot be read blocks no other: it has an obstacle.
FileInfo info_of(const Storage& file, const ZipMember& member, const std::string& path,
                 std::string_view operation) {
  FileInfo info;
  info.obstacle = member.obstacle;
  if (!info.obstacle.empty()) return info;
  try {
    return npy_info(header_of(file, member, path, operation));
  } catch (const FileError& error) {
    info.obstacle = message("be a .npy file that can be read (", error.what(), ")");
  }
  return info;
}

std::vector<FileInfo> list_npz(const std::string& path, std::string_view operation) {
  const Storage file = map_input(path, operation);
  std::vector<FileInfo> tensors;
  for (const ZipMember& member : read_zip_members(bytes_of(file), path, operation)) {
    if (!member.name.ends_with(member_suffix)) continue;
    FileInfo info = info_of(file, member, path, operation);
    info.format = member.is_deflated ? "npz, deflated" : "npz, stored";
    info.path = path;
    info.name = member.name.substr(0, member.name.size() - member_suffix.size());
    info.stream = {member.data_begin, member.stored_nbytes, member.nbytes, member.crc};
    if (member.is_deflated) {
      info.storage = ElementStorage::stream;
      info.codec = "deflate";
    } else {
      info.data_begin += member.data_begin;
    }
    tensors.push_back(std::move(info));
  }
  if (tensors.empty()) {
    throw FileError(message(operation, ": \"", path, "\" is a zip archive and must have .npy files in it"),
                    path);
  }
  return tensors;
}

/// Where the bytes of a member are is not known of one that is encrypted, compressed otherwise or damaged.
std::string obstacle_to_copy(const FileInfo& info, const ChunkOptions& /*options*/) {
  return info.stream.begin == 0 ? info.obstacle : "";
}

}  // namespace

const FileFormat npz_format{.kind = FileKind::npz,
                            .name = "npz",
                            .description = "an .npz file",
                            .suffixes = {".npz"},
                            .orders = Orders::both,
                            .names = TensorNames::required,
                            .has_times = true,
                            .usual_name = "arr_0",
                            .compresses = true,
                            .is_kind_of = is_npz,
                            .list = list_npz,
                            .save = save_npz,
                            .obstacle_to_copy = obstacle_to_copy};

}  // namespace tenstride::io
