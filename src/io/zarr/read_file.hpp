// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "files/descriptor.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// A regular file that is open to be read, or a member of a zip archive.
struct InputFile {
  Descriptor file{};
  std::uint64_t nbytes = 0;
  /// The byte of the file where a member begins.
  std::uint64_t begin = 0;
  /// The CRC-32 of a member.
  std::optional<std::uint32_t> crc{};
  /// A deflated member, of which `file` is not open, and its archive.
  std::optional<CompressedStream> deflated{};
  std::string archive{};
};
/// Opens a file by its name within a folder (AT_FDCWD: the process's). Nothing where there is none. `path` is
/// for errors. Throws FileError.
std::optional<InputFile> open_input(int folder, const std::string& name, const std::string& path);

/// Reads bytes from a place of the file on; of all bytes of a member the CRC is checked. Throws FileError
/// where the file ends before.
void read_exactly(const InputFile& input, std::span<std::byte> bytes, std::uint64_t begin,
                  const std::string& path);

/// All of a file. Throws FileError where it is longer than `max_nbytes`.
std::string read_text_of(const InputFile& input, std::size_t max_nbytes, const std::string& path);
/// The same of a path. Nothing where there is none. Throws FileError where it is longer than `max_nbytes`.
std::optional<std::string> read_text_file(const std::string& path, std::size_t max_nbytes);

}  // namespace tenstride::io
