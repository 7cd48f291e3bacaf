// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tenstride/io/atomic_file.hpp"

namespace tenstride::io {

/// A folder that appears under its name whole or not at all: it is filled as `.NAME.tenstride-part` beside
/// it, and `commit` flushes that and renames it. Without `commit`, and after any error, it is removed, and a
/// folder of the name stays as it was.
class AtomicFolder {
 public:
  /// Decides whether a folder that has the name may be replaced.
  using MayReplace = bool (*)(const std::string& path);

  /// Removes what an earlier run left. Throws FileError, which begins with `operation`, where the name is
  /// taken and `overwrite` is `refuse`, and where it is taken by anything but an empty folder or one that may
  /// be replaced.
  AtomicFolder(const std::string& path, Overwrite overwrite, MayReplace may_replace,
               std::string_view operation);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where it is filled; not made yet.
  [[nodiscard]] const std::string& part_path() const noexcept { return part_path_; }
  /// Pre: the folder was made. Throws FileError.
  void commit();

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const;
  /// Both folders are whole until the new one has the name; then the old one is removed.
  void replace(const std::string& named);

  std::string path_;
  std::string operation_;
  Overwrite overwrite_;
  std::string part_path_;
  bool is_committed_ = false;
};

}  // namespace tenstride::io
