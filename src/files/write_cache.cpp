// SPDX-License-Identifier: Apache-2.0
#include "files/write_cache.hpp"

#include <filesystem>
#include <span>

#include "tenstride/base/error.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::detail {

void write_cache(const std::string& path, std::string_view text, std::string_view operation) {
  if (path.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  try {
    io::AtomicFile file(path, io::Overwrite::replace, operation);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
  } catch (const FileError&) {
    return;
  }
}

}  // namespace tenstride::detail
