// SPDX-License-Identifier: Apache-2.0
// Files of one shape as one tensor with a new first axis, each file a chunk of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/ends/chunk_store.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// The tensor that the files of a pattern make, in the order of `files_of_pattern`; `pattern` is that of an
/// address, its names mean one tensor of each file. Only headers are read. Attributes are those that all
/// files have alike. Throws FileError where a file has another shape, type or scale than the first. Example:
/// of 240 files (512,512) a tensor (240,512,512) in chunks of (1,512,512).
FileInfo stack_info(const TensorAddress& pattern, std::string_view operation);

/// Reads the files of a stack. Pre: `info.files` is not empty.
std::unique_ptr<ChunkSource> stack_chunks(const FileInfo& info, std::string_view operation);

}  // namespace tenstride::io
