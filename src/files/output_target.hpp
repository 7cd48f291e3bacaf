// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/message.hpp"
#include "files/system_reason.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::io {

/// Access rights and owner of a file that is replaced.
struct ReplacedFile {
  static constexpr uid_t nobody = static_cast<uid_t>(-1);
  /// Where nothing is replaced: what a new file usually has, less what the process masks.
  mode_t mode = 0666;
  /// `nobody` where nothing is replaced.
  uid_t user = nobody;
  gid_t group = static_cast<gid_t>(-1);

  /// Gives both to an open file. Where the owner may not be given the rights alone are, and where these may
  /// not, the file has fewer.
  void give_to(int file) const;
};

/// The name that a file is to have in the end, in a folder that is held open: it stays true when the process
/// changes its folder.
class OutputTarget {
 public:
  /// A symbolic link is followed where the file it names may be replaced. Throws FileError.
  OutputTarget(const std::string& path, Overwrite overwrite, std::string_view operation);
  ~OutputTarget();
  OutputTarget(const OutputTarget&) = delete;
  OutputTarget& operator=(const OutputTarget&) = delete;

  /// The path as given.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& operation() const noexcept { return operation_; }
  /// The descriptor of the folder.
  [[nodiscard]] int folder() const noexcept { return folder_; }
  /// The name within the folder.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The path of another name in the folder.
  [[nodiscard]] std::string beside(const std::string& name) const;

  /// What is there already. Throws FileError where it must not be replaced, or is no regular file.
  [[nodiscard]] ReplacedFile check_old_file() const;
  /// Renames `from`, a name in the folder, and flushes the folder. Throws FileError.
  void take(const char* from) const;
  /// The names in the folder outlive a power cut; a folder that cannot be flushed is no error.
  void flush_folder() const noexcept;

  /// FileError: `operation: "path" pieces…`.
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(tenstride::detail::message(operation_, ": \"", path_, "\" ", pieces...), path_);
  }

 private:
  void rename(const char* from) const;

  std::string path_;
  std::string operation_;
  Overwrite overwrite_;
  std::string parent_;
  std::string name_;
  int folder_ = -1;
};

/// Makes an open file `nbytes` long with room on the disk for all of them, or only as long where the file
/// system keeps no room. Returns 0 or the `errno`.
int take_room(int file, std::uint64_t nbytes) noexcept;

}  // namespace tenstride::io
