// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/message.hpp"
#include "files/descriptor.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

/// A regular file that is open to be read, by any number of threads.
class TiffFile {
 public:
  /// Throws FileError that begins with the operation.
  TiffFile(const std::string& path, std::string_view operation);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// When it was opened.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Fills `bytes` from `begin` on. Throws FileError where the file has fewer.
  void read(std::uint64_t begin, std::span<std::byte> bytes) const;
  /// Reads bytes as far as the file goes; returns how many it has.
  std::size_t try_read(std::uint64_t begin, std::span<std::byte> bytes) const noexcept;

  /// FileError: `operation: "path" pieces…`.
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(tenstride::detail::message(start_of_refusals(), pieces...), path_);
  }
  /// What `refuse` was given.
  [[nodiscard]] std::string reason_of(const FileError& error) const;

 private:
  [[nodiscard]] std::string start_of_refusals() const {
    return tenstride::detail::message(operation_, ": \"", path_, "\" ");
  }

  std::string path_;
  std::string operation_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
};

/// Numbers anywhere in a file, in its byte order. Holds 4 KiB of it, so that neighbours cost no second read.
class TiffNumbers {
 public:
  explicit TiffNumbers(const TiffFile& file) : file_(&file) {}

  [[nodiscard]] const TiffFile& file() const noexcept { return *file_; }
  void set_big_endian(bool is_big_endian) noexcept { is_big_endian_ = is_big_endian; }
  [[nodiscard]] bool is_big_endian() const noexcept { return is_big_endian_; }
  /// An unsigned number of 1 to 8 bytes. Throws FileError outside of the file.
  std::uint64_t number(std::uint64_t begin, std::uint64_t width);

 private:
  std::uint64_t byte(std::uint64_t at);

  static constexpr std::size_t window_nbytes = 4096;
  const TiffFile* file_;
  bool is_big_endian_ = false;
  std::uint64_t window_begin_ = 0;
  std::size_t window_held_ = 0;
  std::array<std::byte, window_nbytes> window_{};
};

}  // namespace tenstride::io
