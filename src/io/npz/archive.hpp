// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenstride::io {

/// A file in a zip archive and where its bytes are.
struct ZipMember {
  std::string name;
  /// Of the archive's bytes: from `data_begin` on, as many as are stored.
  std::uint64_t data_begin = 0;
  std::uint64_t stored_nbytes = 0;
  /// What it unpacks to.
  std::uint64_t nbytes = 0;
  std::uint32_t crc = 0;
  bool is_deflated = false;
};

/// The directory of an archive of `file_nbytes` bytes (zip64 included), every member within them. Members
/// that are encrypted, compressed otherwise than by deflate, or said to unpack to more than deflate can hold
/// are refused, and so is a name that stands twice. Throws FileError.
std::vector<ZipMember> read_zip_members(const std::string& path, std::uint64_t file_nbytes,
                                        std::string_view operation);

}  // namespace tenstride::io
