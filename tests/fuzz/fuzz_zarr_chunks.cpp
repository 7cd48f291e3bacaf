// SPDX-License-Identifier: Apache-2.0
// Zarr folders of either version, groups among them: metadata, chunks and shards. Read, and saved again.
#include <algorithm>

#include "fuzz/files.hpp"

namespace tenstride::fuzz {
namespace {

/// Names that stay within the folder and that every file system takes.
bool is_usable(const std::string& name) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '/' || c == '_';
  };
  return !name.empty() && name.size() < 64 && std::all_of(name.begin(), name.end(), is_plain) &&
         !name.starts_with('/') && ("/" + name + "/").find("/../") == std::string::npos;
}

void check(const std::string& input) {
  const std::filesystem::path folder = scratch().path("x.zarr");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  static constexpr std::size_t max_files = 32;
  std::vector<InputPart> parts = split_input(input);
  parts.resize(std::min(parts.size(), max_files));
  for (const InputPart& part : parts) {
    std::error_code ignored;  // a name may stand twice, as a folder and as a file
    const std::filesystem::path path = folder / part.name;
    if (!is_usable(part.name) || std::filesystem::exists(path, ignored)) continue;
    std::filesystem::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::binary) << part.bytes;
  }
  check_saved(".zarr", load_all(folder.string()));
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::text_of(data, size));
  return 0;
}
