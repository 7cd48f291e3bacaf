// SPDX-License-Identifier: Apache-2.0
// The index of a checkpoint in several files: parsed, written, and parsed again.
#include <map>

#include "fuzz/support.hpp"
#include "io/safetensors/index.hpp"

namespace tenstride::fuzz {
namespace {

using Files = std::map<std::string, std::string>;

Files files_of(const io::SafetensorsIndex& index) {
  Files files;
  for (const auto& entry : index.entries) files[entry.name] = entry.file;
  return files;
}

void check(const std::string& text) {
  const auto index = accepted([&] { return io::parse_safetensors_index(text, "x"); });
  if (!index) return;
  require(files_of(*index).size() == index->entries.size(), "a name stands once in an index");
  const std::string written = io::safetensors_index_text(*index, text.size());
  require(files_of(*index) == files_of(io::parse_safetensors_index(written, "x")),
          "an index is read as it was written");
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::text_of(data, size));
  return 0;
}
