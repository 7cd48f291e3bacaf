// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"

namespace tenstride::io {

/// Writes bytes of a file through the page cache, those and no others: for pages that other processes may
/// have bytes of. Reading such a page, changing it and writing it whole would undo what they wrote meanwhile.
class EdgeFile {
 public:
  /// Opens a file that exists. Throws FileError.
  EdgeFile(const std::string& path, std::string_view operation);
  /// Throws FileError.
  void write(std::uint64_t begin, std::span<const std::byte> bytes) const;
  /// Pages of the page cache.
  [[nodiscard]] std::uint64_t page() const noexcept { return page_; }

 private:
  [[noreturn]] void refuse(int error) const;

  std::string path_;
  std::string operation_;
  Descriptor file_;
  std::uint64_t page_;
};

}  // namespace tenstride::io
