// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenstride::io {

/// Which file of a checkpoint has which tensor: `model.safetensors.index.json`.
struct SafetensorsIndex {
  struct Entry {
    std::string name;
    /// The path within the folder of the index.
    std::string file;
  };
  std::vector<Entry> entries;
  /// "metadata" as JSON; empty where there is none.
  std::string metadata;
};

/// Reads the text of an index. File names must be those of files beside it. Throws FileError that begins with
/// `safetensors: "name"`.
SafetensorsIndex parse_safetensors_index(std::string_view text, std::string_view name);

/// The text of an index as Hugging Face writes it, with the bytes of all elements as "total_size".
std::string safetensors_index_text(const SafetensorsIndex& index, std::uint64_t total_nbytes);

}  // namespace tenstride::io
