// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/tiff_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "files/system_reason.hpp"
#include "io/input.hpp"

namespace tenstride::io {

TiffFile::TiffFile(const std::string& path, std::string_view operation)
    : path_(path), operation_(operation), size_(input_size(path, operation)) {
  descriptor_ = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor_.is_open()) refuse("must be a file that can be opened", system_reason(errno));
}

std::size_t TiffFile::try_read(std::uint64_t begin, std::span<std::byte> bytes) const noexcept {
  std::size_t held = 0;
  while (held < bytes.size()) {
    const ssize_t got =
        pread(descriptor_.get(), bytes.data() + held, bytes.size() - held, static_cast<off_t>(begin + held));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    held += static_cast<std::size_t>(got);
  }
  return held;
}

void TiffFile::read(std::uint64_t begin, std::span<std::byte> bytes) const {
  const bool is_inside = begin <= size_ && bytes.size() <= size_ - begin;
  if (is_inside && try_read(begin, bytes) == bytes.size()) return;
  refuse("ends after ", size_, " bytes and must have ", bytes.size(), " bytes from byte ", begin, " on");
}

std::string TiffFile::reason_of(const FileError& error) const {
  const std::string text = error.what();
  const std::string start = start_of_refusals();
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

std::uint64_t TiffNumbers::number(std::uint64_t begin, std::uint64_t width) {
  if (begin > file_->size() || width > file_->size() - begin) {
    file_->refuse("ends after ", file_->size(), " bytes and must have a number of ", width, " bytes at byte ",
                  begin);
  }
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < width; ++i) {
    value = value << 8 | byte(begin + (is_big_endian_ ? i : width - 1 - i));
  }
  return value;
}

std::uint64_t TiffNumbers::byte(std::uint64_t at) {
  if (at < window_begin_ || at - window_begin_ >= window_held_) {
    window_begin_ = at / window_nbytes * window_nbytes;
    window_held_ = file_->try_read(window_begin_, window_);
    if (at - window_begin_ >= window_held_) {
      window_held_ = 0;
      file_->refuse("must have the byte ", at, ", which could not be read");
    }
  }
  return std::to_integer<std::uint64_t>(window_[at - window_begin_]);
}

}  // namespace tenstride::io
