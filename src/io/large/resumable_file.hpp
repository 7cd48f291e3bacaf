// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/checksum.hpp"
#include "tenstride/io/atomic_file.hpp"
#include "tenstride/io/resume.hpp"

namespace tenstride::io {

/// What an unfinished file belongs to. It is resumed only where all but `source` is the same.
struct Binding {
  std::string source;  ///< path, for messages
  std::uint64_t source_nbytes = 0;
  std::int64_t source_mtime_ns = 0;
  std::uint64_t header_hash = 0;  ///< of the bytes before the elements
  std::uint64_t plan_hash = 0;    ///< of the plan, its chain, types and numbers
  std::string limits{};           ///< what the plan was made with, to make it again
};
/// Of a source: size, time of the last change, hash of its first `header_nbytes` bytes. Throws FileError
/// where it cannot be read, is no regular file or is shorter.
Binding bind_source(const std::string& source, std::uint64_t header_nbytes, std::uint64_t plan_hash,
                    std::string_view operation);

/// A file that is written in parts, in any order, and appears under its name whole or not at all; the parts
/// that are done survive the process. Beside the destination stand, while it is written,
/// `.NAME.tenstride-part` (the file), `.NAME.tenstride-blocks` (temporary space, where `blocks_nbytes` > 0)
/// and `.NAME.tenstride-journal`; NAME is that of the file which a symbolic link leads to. One process at a
/// time: the journal is locked (flock), a second process is refused. Signals remove nothing
/// (`remove_unfinished_files` is about AtomicFiles alone). Not for several threads at once.
///
/// Example: of 3 parts the first run finishes part 1 and is killed; the next one sees `finished() ==
/// {false, true, false}`, writes parts 0 and 2 to `part_path()` and commits.
class ResumableFile {
 public:
  /// The limits that an interrupted run had, where there was one. Throws FileError.
  static std::optional<std::string> earlier_limits(const std::string& path, std::string_view operation);
  /// Checks that the destination may be replaced, as AtomicFile does. A new file takes the room of both files
  /// first (posix_fallocate, quota included); a full disk is refused with what is needed and what is free,
  /// and nothing is left. What an earlier run left for another source, plan or size is refused unless
  /// `resume` is `no`, and stays. Throws FileError, whose messages begin with `operation`.
  ResumableFile(const std::string& path, std::uint64_t nbytes, std::uint64_t blocks_nbytes, std::size_t parts,
                const Binding& binding, Overwrite overwrite, Resume resume, std::string_view operation);
  /// Keeps what is done (see `discard`), closes.
  ~ResumableFile();
  ResumableFile(const ResumableFile&) = delete;
  ResumableFile& operator=(const ResumableFile&) = delete;

  [[nodiscard]] const std::string& part_path() const noexcept;
  [[nodiscard]] const std::string& blocks_path() const noexcept;
  /// The parts that an earlier run finished; empty bits for a new file.
  [[nodiscard]] const std::vector<bool>& finished() const noexcept;
  /// The sum of the checksums of the finished parts.
  [[nodiscard]] Checksum checksum() const noexcept;
  /// Whether an earlier run is resumed, even where it finished no part.
  [[nodiscard]] bool is_resumed() const noexcept;
  /// Whether the earlier run had come to its end but for the journal, which is gone now: nothing is left to
  /// be done.
  [[nodiscard]] bool is_complete() const noexcept;

  /// The part's bytes have been written (not necessarily to the disk: after a crash of the machine, only what
  /// `flushed` covered counts, which the journal tells by the boot). Throws FileError, also where the part is
  /// finished already.
  void finish(std::size_t part, const Checksum& checksum);
  /// Says that the bytes of all finished parts are on the disk: flush the file before. Flushes the journal.
  void flushed();
  /// Flushes the finished parts, then frees the temporary space. Pre: no unfinished part needs it.
  void drop_blocks();
  /// Gives the file the rights and (where allowed) the owner of the one it replaces, flushes it, renames it,
  /// flushes the folder, removes the journal. Throws FileError where a part is not finished, and with
  /// Overwrite::refuse where a file has come to have the name; the run can then be resumed.
  void commit();
  /// Removes everything that was made: for errors that no further run can mend.
  void discard() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenstride::io
