// SPDX-License-Identifier: Apache-2.0
// What stands before everything else in an HDF5 file. Read without libhdf5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"

namespace tenstride::io {

/// An HDF5 file that is open to be read.
struct Hdf5Input {
  Descriptor file;
  std::string path;
  std::uint64_t nbytes = 0;
};

/// The signature of HDF5 where the bytes have it: at 0 or at 512·2^k. Example: 512 where a block of the
/// user's precedes the file's own bytes.
std::optional<std::uint64_t> find_hdf5_signature(std::span<const std::byte> bytes);

/// Opens a file and checks its superblock, so that libhdf5 is given no file that is cut off, and none of a
/// version that it does not know. Throws FileError that begins with the operation.
Hdf5Input open_hdf5(const std::string& path, std::string_view operation);

/// Fills `bytes` from `begin` on. False where the file has fewer, or cannot be read.
bool try_read(const Hdf5Input& input, std::uint64_t begin, std::span<std::byte> bytes) noexcept;

}  // namespace tenstride::io
