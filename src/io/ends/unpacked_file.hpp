// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// Throws FileError where elements can be read neither where they lie, nor in chunks, nor from an unpacked
/// stream.
void require_part_readable(const FileInfo& info);

/// Bytes of a stream up to its last element. Pre: info.storage is `stream`.
std::uint64_t unpacked_nbytes(const FileInfo& info);

/// Unpacks a stream, and checks all of it. `take` gets the elements in pieces of 1 MiB (the last may be
/// shorter), each with its offset from the first element. Throws FileError. Pre: info.storage is `stream`.
void unpack_elements(const FileInfo& info, std::string_view operation,
                     const std::function<void(std::span<const std::byte> piece, std::uint64_t offset)>& take);

/// A compressed stream unpacked into a file that has no name and is gone when it is closed. Elements of it
/// are read from there, at `info.data_begin`.
class UnpackedFile {
 public:
  /// Unpacks it into the folder that `beside` lies in, and checks all of it. Throws FileError.
  UnpackedFile(const FileInfo& info, const std::string& beside, std::string_view operation);
  /// Under which the file can be opened as long as this is there.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  Descriptor file_;
  std::string path_;
};

}  // namespace tenstride::io
