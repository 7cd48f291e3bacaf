// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "tenstride/memory/storage.hpp"

namespace tenstride {

Storage Storage::map_file(const std::string& path, MapMode /*mode*/, std::uint64_t /*offset*/,
                          std::uint64_t /*nbytes*/) {
  throw FileError(detail::message("map_file: \"", path, "\" cannot be mapped: this system maps no files"),
                  path);
}

}  // namespace tenstride
