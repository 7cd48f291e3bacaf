// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tenstride/io/file.hpp"
#include "tenstride/memory/storage.hpp"

namespace tenstride::io {

/// The size of a regular file that may be read. Throws FileError that begins with the operation.
std::size_t input_size(const std::string& path, std::string_view operation);

/// All of a regular file as a map. Throws FileError.
Storage map_input(const std::string& path, std::string_view operation, MapMode mode = MapMode::read_only);

/// The bytes of a storage.
inline std::span<const std::byte> bytes_of(const Storage& storage) {
  return {storage.data(), storage.nbytes()};
}

/// The first bytes in words, for "…, it begins with …": "the bytes 50 4b 03 04 (a zip archive, as .npz is)".
std::string describe_start(std::span<const std::byte> start);

/// The kind by the first bytes.
FileKind kind_of(std::span<const std::byte> start);

}  // namespace tenstride::io
