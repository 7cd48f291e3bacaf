// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors/checkpoint.hpp"

#include <cstdio>

#include "io/safetensors/index.hpp"

namespace tenstride::io {

std::string checkpoint_file(const std::string& path, std::size_t number, std::size_t count) {
  constexpr std::string_view suffix = ".safetensors";
  const bool has_suffix = path.ends_with(suffix);
  const std::string stem = has_suffix ? path.substr(0, path.size() - suffix.size()) : path;
  std::string numbers(64, '\0');
  const int length = std::snprintf(numbers.data(), numbers.size(), "-%05zu-of-%05zu", number + 1, count);
  numbers.resize(static_cast<std::size_t>(length));
  return stem + numbers + std::string(suffix);
}

void write_checkpoint_index(const std::string& path, const std::vector<CheckpointEntry>& entries,
                            Overwrite overwrite) {
  SafetensorsIndex index;
  std::uint64_t nbytes = 0;
  for (const CheckpointEntry& entry : entries) {
    index.entries.push_back({entry.name, entry.file});
    nbytes += entry.nbytes;
  }
  const std::string text = safetensors_index_text(index, nbytes);
  AtomicFile file(path + ".index.json", overwrite, "save");
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace tenstride::io
