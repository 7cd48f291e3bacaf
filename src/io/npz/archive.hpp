// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenstride::io {

/// A file in a zip archive and where its bytes are.
struct ZipMember {
  std::string name;
  /// Where the member's bytes begin in the archive: as many follow as are stored.
  std::uint64_t data_begin = 0;
  std::uint64_t stored_nbytes = 0;
  /// What it unpacks to.
  std::uint64_t nbytes = 0;
  std::uint32_t crc = 0;
  bool is_deflated = false;
  /// Why it cannot be read, as the end of "must …"; empty where it can. Then the rest may be missing.
  std::string obstacle{};
};

/// What a name that stands several times means: who adds a member again replaces it.
enum class RepeatedNames : unsigned char { refused, last_counts };

/// The directory of an archive, all of which is given (zip64 included), every member within it. Members that
/// are encrypted, compressed otherwise than by deflate, said to unpack to more than deflate can hold, or
/// damaged have an obstacle. Throws FileError for a damaged directory and a name that stands twice; where the
/// last counts, the members are in the order of the directory.
std::vector<ZipMember> read_zip_members(std::span<const std::byte> archive, const std::string& path,
                                        std::string_view operation,
                                        RepeatedNames repeated = RepeatedNames::refused);

}  // namespace tenstride::io
