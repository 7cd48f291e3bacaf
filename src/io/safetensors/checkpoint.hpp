// SPDX-License-Identifier: Apache-2.0
// Checkpoints of several safetensors files with an index, as Hugging Face writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::io {

/// A tensor and which file of a checkpoint has it.
struct CheckpointEntry {
  std::string name;
  /// The path within the folder of the index.
  std::string file;
  std::uint64_t nbytes = 0;
};

/// The path of one of `count` files, numbered from 0. Example: `checkpoint_file("m.safetensors", 0, 3)` is
/// "m-00001-of-00003.safetensors".
TENSTRIDE_API std::string checkpoint_file(const std::string& path, std::size_t number, std::size_t count);

/// Writes "m.safetensors.index.json" beside the files of "m.safetensors". Throws FileError.
TENSTRIDE_API void write_checkpoint_index(const std::string& path,
                                          const std::vector<CheckpointEntry>& entries,
                                          Overwrite overwrite = Overwrite::refuse);

}  // namespace tenstride::io
