// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tenstride::testing {

/// An empty folder that goes away, with all in it, when the scope ends.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "tenstride-test-XXXXXX").string();
    folder_ = mkdtemp(name.data()) == nullptr ? std::filesystem::path() : std::filesystem::path(name);
  }
  ~Scratch() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Writes a file and gives its path.
  std::string file(const std::string& name, const std::string& bytes) const {
    std::filesystem::remove(path(name));  // some file systems flush what is cut to nothing and written again
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  /// The names of all files, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::map<std::string, int> sorted;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      sorted[entry.path().filename().string()];
    std::vector<std::string> result;
    for (const auto& [name, unused] : sorted) result.push_back(name);
    return result;
  }

 private:
  std::filesystem::path folder_;
};

/// All bytes of a file; "" where there is none.
inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// A text of words, by line: the first word of each, and the others.
inline std::map<std::string, std::vector<std::string>> recorded_lines(const std::string& path) {
  std::map<std::string, std::vector<std::string>> result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    result[first] = {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
  }
  return result;
}

/// A sequence of numbers that is the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  /// 0..sides-1.
  std::size_t roll(std::size_t sides) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33) % sides;
  }

 private:
  std::uint64_t state_;
};

}  // namespace tenstride::testing
