// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace replay {

/// A file that cannot be read, or whose content is no recording.
class UnreadableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The lines of a text file, plain or compressed with gzip. Throws UnreadableFile.
class Lines {
 public:
  explicit Lines(const std::string& path);
  ~Lines();
  /// The next line without its end; false after the last one.
  bool next(std::string& line);
  /// The number of the line read last, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  struct File;
  std::unique_ptr<File> file_;
  std::string path_;
  std::size_t number_ = 0;
};

}  // namespace replay
