// SPDX-License-Identifier: Apache-2.0
#include "files/nameless_file.hpp"

#include <fcntl.h>

#include <cstdlib>
#include <filesystem>

namespace tenstride::io {

Descriptor open_nameless_file(const std::string& beside) {
  std::filesystem::path path = std::filesystem::path(beside).lexically_normal();
  // A folder may be named with a slash behind it.
  if (!path.has_filename()) path = path.parent_path();
  const std::string parent = path.parent_path().empty() ? "." : path.parent_path().string();
  Descriptor file(open(parent.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  // A file system that has no files without names.
  std::string name = parent + "/.tenstride-XXXXXX";
  Descriptor named(mkostemp(name.data(), O_CLOEXEC));
  if (named.is_open()) unlink(name.c_str());
  return named;
}

}  // namespace tenstride::io
