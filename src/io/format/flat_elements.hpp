// SPDX-License-Identifier: Apache-2.0
// The elements of files of any kind, in memory.
#pragma once

#include <string_view>

#include "io/ends/chunk_store.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// Whether the elements can be used where they lie: flat, in this machine's order of bytes, at a multiple of
/// the size of a number.
bool is_mappable(const FileInfo& info);

/// The elements where they lie. Throws FileError where they are not mappable.
Tensor map_flat(const FileInfo& info, MapMode mode, std::string_view operation);
/// The elements in memory of their own. Pre: they are flat. Throws FileError where the file is too short, and
/// where their CRC-32 differs from the stored one.
Tensor load_flat(const FileInfo& info, std::string_view operation);
/// The elements of a compressed stream. Throws FileError where it is damaged.
Tensor load_stream(const FileInfo& info, std::string_view operation);
/// The elements of all chunks, row-major.
Tensor load_chunks(const ChunkSource& source);

}  // namespace tenstride::io
