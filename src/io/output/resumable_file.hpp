// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/output/resumable_output.hpp"

namespace tenstride::io {

/// A file that is written in parts. Beside the destination stands, while it is written and `blocks_nbytes` >
/// 0, temporary space too, `.NAME.tenstride-blocks`. NAME is that of the file which a symbolic link leads to.
/// The result has the rights and (where allowed) the owner of the file that it replaces.
///
/// Example: of 3 parts the first run finishes part 1 and is killed; the next one sees `finished() ==
/// {false, true, false}`, writes parts 0 and 2 to `part_path()` and commits.
class ResumableFile final : public ResumableOutput {
 public:
  /// Checks that the destination may be replaced, as AtomicFile does. A new file takes the room of both files
  /// first (posix_fallocate, quota included); a full disk is refused with what is needed and what is free,
  /// and nothing is left. Throws FileError.
  /// `blocks_nbytes`: of the temporary file. `later_nbytes`: there must be room for so many when that is
  /// gone.
  ResumableFile(const OutputRequest& request, const Binding& binding, std::uint64_t nbytes,
                std::uint64_t blocks_nbytes = 0, std::uint64_t later_nbytes = 0);
  /// The limits that an interrupted run had, where there was one. Throws FileError.
  static std::optional<std::string> earlier_limits(const std::string& path, std::string_view operation);

  [[nodiscard]] const std::string& blocks_path() const noexcept;
  /// Flushes the finished parts, then frees the temporary space. Pre: no unfinished part needs it.
  void drop_blocks();

 private:
  class FileState;
  [[nodiscard]] FileState& file_state() const noexcept;
};

}  // namespace tenstride::io
