// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/cache_file.hpp"

namespace tenstride::detail {

void write_cache(const std::string& path, std::string_view text) {
  if (path.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  std::string written = path + ".XXXXXX";
  const int descriptor = mkstemp(written.data());
  if (descriptor < 0) return;
  const bool is_whole = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(descriptor) != 0 || !is_whole || std::rename(written.c_str(), path.c_str()) != 0)
    std::remove(written.c_str());
}

}  // namespace tenstride::detail
