// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/file_pattern.hpp"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/message.hpp"
#include "files/system_reason.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The digits that a text begins with, without leading zeros.
std::string_view leading_number(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  text = text.substr(0, end);
  while (text.size() > 1 && text[0] == '0') text.remove_prefix(1);
  return text;
}

void skip_number(std::string_view& text) {
  while (!text.empty() && is_digit(text[0])) text.remove_prefix(1);
}

/// A folder of a pattern that cannot be read, for the error.
struct UnreadFolder {
  std::string path;
  int error = 0;
};
thread_local UnreadFolder unread_folder;

int note_unread(const char* path, int error) {
  // What is no folder fits no pattern beyond it.
  if (error == ENOTDIR) return 0;
  unread_folder = {path, error};
  return 1;
}

/// What glob(3) finds.
class GlobResult {
 public:
  explicit GlobResult(const std::string& pattern)
      : status_(glob(pattern.c_str(), GLOB_NOSORT, note_unread, &found_)) {}
  ~GlobResult() { globfree(&found_); }
  GlobResult(const GlobResult&) = delete;
  GlobResult& operator=(const GlobResult&) = delete;
  GlobResult(GlobResult&&) = delete;
  GlobResult& operator=(GlobResult&&) = delete;

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::vector<std::string> paths() const {
    return {found_.gl_pathv, found_.gl_pathv + found_.gl_pathc};
  }

 private:
  glob_t found_{};
  int status_;
};

}  // namespace

bool comes_before(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view number_a = leading_number(a), number_b = leading_number(b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      skip_number(a);
      skip_number(b);
    } else if (a[0] != b[0]) {
      return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  // "t1" and "t01" have one order, too.
  return a.empty() && b.empty() ? whole_a < whole_b : a.empty();
}

bool is_file_pattern(const std::string& text) {
  struct stat facts {};
  return text.find_first_of("*?[") != std::string::npos && lstat(text.c_str(), &facts) != 0;
}

std::vector<std::string> files_of_pattern(const std::string& pattern, std::string_view operation) {
  const GlobResult found(pattern);
  if (found.status() == GLOB_ABORTED) {
    throw FileError(
        message(operation, ": \"", unread_folder.path, "\" must be a folder that can be read, for \"",
                pattern, '"', system_reason(unread_folder.error)),
        unread_folder.path);
  }
  if (found.status() == GLOB_NOSPACE) throw std::bad_alloc();
  std::vector<std::string> paths = found.status() == 0 ? found.paths() : std::vector<std::string>();
  if (paths.empty())
    throw FileError(message(operation, ": no file has a name like \"", pattern, '"'), pattern);
  std::sort(paths.begin(), paths.end(), comes_before);
  return paths;
}

std::vector<std::string> files_in_folder(const std::string& folder, std::string_view operation) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with('.')) paths.push_back(entry->path().string());
  }
  if (error) {
    throw FileError(message(operation, ": \"", folder, "\" must be a folder that can be read",
                            system_reason(error.value())),
                    folder);
  }
  std::sort(paths.begin(), paths.end(), comes_before);
  return paths;
}

}  // namespace tenstride::io
