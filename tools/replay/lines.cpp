// SPDX-License-Identifier: Apache-2.0
#include "replay/lines.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace replay {

struct Lines::File {
  gzFile handle = nullptr;
  ~File() {
    if (handle != nullptr) gzclose(handle);
  }
};

Lines::Lines(const std::string& path) : file_(std::make_unique<File>()), path_(path) {
  if (std::filesystem::is_directory(path)) throw UnreadableFile(path + ": is a directory");
  file_->handle = gzopen(path.c_str(), "rb");
  if (file_->handle == nullptr) throw UnreadableFile(path + ": " + std::strerror(errno));
  gzbuffer(file_->handle, 1U << 18U);
}

Lines::~Lines() = default;

bool Lines::next(std::string& line) {
  line.clear();
  char piece[4096];
  while (gzgets(file_->handle, piece, sizeof piece) != nullptr) {
    line += piece;
    if (line.back() != '\n') continue;
    line.pop_back();
    ++number_;
    return true;
  }
  int status = Z_OK;
  const char* text = gzerror(file_->handle, &status);
  if (status != Z_OK && status != Z_STREAM_END) throw UnreadableFile(path_ + ": " + text);
  if (line.empty()) return false;
  ++number_;
  return true;
}

}  // namespace replay
