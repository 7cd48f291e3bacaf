// SPDX-License-Identifier: Apache-2.0
#include "input_path.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "cli.hpp"
#include "convert_large.hpp"
#include "descriptor_io.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/memory_limit.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::cli {
namespace {

/// A name and the path that stands for it. What it leads to stays open as long as the program runs.
struct Resolved {
  std::string given;
  std::string path;
  bool is_read_as_file = false;
};
std::deque<Resolved> resolved_inputs;  // references to them stay true
std::string spool_limit;

constexpr const char* standard_input_words = "standard input";

std::string words_for(const std::string& given) {
  return is_standard_input(given) ? standard_input_words : '"' + given + '"';
}

std::string path_of_descriptor(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

/// What a pipe is read into.
class Spool {
 public:
  Spool() {
    const char* const named = std::getenv("TMPDIR");
    folder_ = named != nullptr && *named != '\0' ? named : "/tmp";
    file_ = open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file_ >= 0) return;
    folder_ = "memory";
    file_ = memfd_create("tenstride", MFD_CLOEXEC);
  }

  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

  [[nodiscard]] std::uint64_t limit() const {
    if (!spool_limit.empty()) return parse_limit("--max-spool", spool_limit);
    constexpr long in_memory = 0x01021994;  // TMPFS_MAGIC
    struct statfs kind {};
    struct statvfs room {};
    std::uint64_t most = UINT64_MAX;
    if (folder_ == "memory" || (fstatfs(file_, &kind) == 0 && kind.f_type == in_memory))
      most = io::free_memory() / 2;
    if (folder_ == "memory" || fstatvfs(file_, &room) != 0) return most;
    return std::min<std::uint64_t>(most, room.f_bavail * room.f_frsize / 2);
  }

 private:
  std::string folder_;
  int file_ = -1;
};

/// Reads the pipe to its end; a file of no known kind only until that is seen.
std::string spool(int source, const std::string& given, const std::string& command, InputContent content) {
  const auto refuse = [&](const std::string& text) {
    throw WorkError(command + ": " + words_for(given) + ' ' + text);
  };
  const Spool target;
  if (target.file() < 0) refuse("needs a temporary file to be read into" + reason(errno));
  const std::string path = path_of_descriptor(target.file());
  const std::uint64_t limit = target.limit();
  constexpr std::size_t signature = 1024;  // all kinds of files are told by fewer bytes
  std::uint64_t held = 0;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (;;) {
    const ssize_t count = read_some(source, buffer);
    if (count < 0) refuse("must be open for reading" + reason(errno));
    if (count == 0) break;
    if (static_cast<std::uint64_t>(count) > limit - held) {
      refuse("must have at most " + bytes_to_text(static_cast<Index>(limit)) +
             ", the limit of what is kept in " + target.folder() +
             "; --max-spool raises it, and a file that is named has none");
    }
    if (!write_all(target.file(), std::span(buffer).first(static_cast<std::size_t>(count))))
      refuse("must have room in " + target.folder() + reason(errno) + "; TMPDIR names another folder");
    const bool is_first = held < signature;
    held += static_cast<std::uint64_t>(count);
    if (content == InputContent::known_kind && is_first && held >= signature &&
        io::sniff(path) == io::FileKind::unknown)
      break;
  }
  return path;
}

/// A regular file that is read from its first byte on needs no copy.
bool is_whole_file(int file) {
  struct stat facts {};
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || lseek(file, 0, SEEK_CUR) != 0) return false;
  return access(path_of_descriptor(file).c_str(), R_OK) == 0;
}

std::string path_of_standard_input(const std::string& given, const std::string& command,
                                   InputContent content) {
  return is_whole_file(STDIN_FILENO) ? path_of_descriptor(STDIN_FILENO)
                                     : spool(STDIN_FILENO, given, command, content);
}

std::string path_of_pipe(const std::string& given, const std::string& command, InputContent content) {
  const int pipe = open(given.c_str(), O_RDONLY | O_CLOEXEC);
  if (pipe < 0)
    throw WorkError(command + ": \"" + given + "\" must be a pipe that can be opened" + reason(errno));
  const std::string path = spool(pipe, given, command, content);
  close(pipe);
  return path;
}

Resolved* find_input(const std::string& given) {
  const auto found = std::find_if(resolved_inputs.begin(), resolved_inputs.end(), [&](const Resolved& input) {
    return input.given == given || (is_standard_input(input.given) && is_standard_input(given));
  });
  return found == resolved_inputs.end() ? nullptr : &*found;
}

Resolved& resolve(const std::string& given, const std::string& command,
                  InputContent content = InputContent::known_kind) {
  if (Resolved* known = find_input(given)) return *known;
  const std::string path = is_standard_input(given) ? path_of_standard_input(given, command, content)
                                                    : path_of_pipe(given, command, content);
  return resolved_inputs.emplace_back(Resolved{given, path});
}

}  // namespace

bool is_standard_input(const std::string& given) {
  return given == "-" || given == "/dev/stdin";
}

bool is_read_once(const std::string& given) {
  struct stat facts {};
  return is_standard_input(given) || (stat(given.c_str(), &facts) == 0 && S_ISFIFO(facts.st_mode));
}

std::string seekable_path(const std::string& given, const std::string& command, InputContent content) {
  if (!is_read_once(given)) return given;
  if (is_standard_input(given) && isatty(STDIN_FILENO) == 1) {
    throw UsageError(command + ": standard input must be a pipe or a file, not a terminal (tenstride " +
                     command + " - < x.npy)");
  }
  Resolved& input = resolve(given, command, content);
  input.is_read_as_file = true;
  struct stat facts {};
  if (stat(input.path.c_str(), &facts) == 0 && facts.st_size == 0) {
    throw WorkError(command + ": " + words_for(given) + " must have a file of a known kind, it is empty");
  }
  return input.path;
}

bool has_file_on_standard_input(const std::string& command) {
  if (isatty(STDIN_FILENO) == 1) return false;
  return io::sniff(resolve("-", command).path) != io::FileKind::unknown;
}

std::string read_standard_input(const std::string& command) {
  const Resolved* const begun = find_input("-");
  if (begun != nullptr && begun->is_read_as_file)
    throw UsageError(command + ": standard input must be the expression or a file, not both");
  std::string text;
  if (begun != nullptr && begun->path != path_of_descriptor(STDIN_FILENO)) {
    std::ifstream spooled(begun->path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(spooled), {});
  }
  std::vector<std::byte> buffer(std::size_t{1} << 16);
  for (;;) {
    const ssize_t count = read_some(STDIN_FILENO, buffer);
    if (count < 0)
      throw WorkError(command + ": " + standard_input_words + " must be open for reading" + reason(errno));
    if (count == 0) return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(count));
  }
}

void limit_spool(const std::string& bytes) {
  if (!bytes.empty()) parse_limit("--max-spool", bytes);
  spool_limit = bytes;
}

std::string with_given_names(std::string message) {
  for (const Resolved& input : resolved_inputs) {
    const std::string path = '"' + input.path + '"';
    const std::string words = words_for(input.given);
    for (std::size_t at = 0; (at = message.find(path, at)) != std::string::npos; at += words.size())
      message.replace(at, path.size(), words);
  }
  return message;
}

}  // namespace tenstride::cli
