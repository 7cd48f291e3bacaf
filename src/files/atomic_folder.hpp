// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tenstride/files/atomic_file.hpp"

namespace tenstride::io {

/// What becomes of a folder that is not whole: it is removed, or kept for a run that goes on with it.
enum class PartFolder : unsigned char { removed, kept };

/// A folder that appears under its name whole or not at all: it is filled as `.NAME.tenstride-part` beside
/// it, and `commit` flushes that and renames it. Without `commit`, and after any error, it is removed, and a
/// folder of the name stays as it was.
class AtomicFolder {
 public:
  /// Decides whether a folder that has the name may be replaced.
  using MayReplace = std::function<bool(const std::string& path)>;

  /// Removes what an earlier run left, unless that is kept. Throws FileError, which begins with `operation`,
  /// where the name is taken and `overwrite` is `refuse`, and where it is taken by anything but an empty
  /// folder or one that may be replaced.
  AtomicFolder(const std::string& path, Overwrite overwrite, const MayReplace& may_replace,
               std::string_view operation, PartFolder part = PartFolder::removed);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where it is to be in the end.
  [[nodiscard]] const std::string& named_path() const noexcept { return named_path_; }
  /// Where it is filled; not made yet.
  [[nodiscard]] const std::string& part_path() const noexcept { return part_path_; }
  /// Removes what is at `part_path`. Throws FileError.
  void remove_part() const;
  /// Waits until all that was written to it outlives a power cut. Throws FileError.
  void flush() const;
  /// Flushes the folder and exchanges it with the one that has the name, which is then at `part_path`; false
  /// where there is none. Both folders are whole all the time. Throws FileError.
  bool take_name() const;
  /// Removes the folder that had the name. Throws FileError.
  void remove_old() const;
  /// Takes the name and removes the folder that had it. Pre: the folder was made. Throws FileError.
  void commit();

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const;
  /// Exchanges two names for file systems that cannot: between the renames both folders are whole.
  void exchange_by_renames() const;

  std::string path_;
  std::string operation_;
  Overwrite overwrite_;
  PartFolder part_;
  std::string named_path_;
  std::string part_path_;
};

/// A path of a folder without the slash at its end.
std::string without_last_slash(const std::string& path);

}  // namespace tenstride::io
