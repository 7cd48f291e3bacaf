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

/// What a half-done file belongs to. All must be the same for it to be gone on with.
struct Binding {
  std::string source;  ///< path, for messages
  std::uint64_t source_nbytes = 0;
  std::int64_t source_mtime_ns = 0;
  std::uint64_t header_hash = 0;  ///< of the bytes before the elements
  std::uint64_t plan_hash = 0;    ///< of the plan, its chain, types and numbers
  std::string limits{};           ///< what the plan was made with, to make it again
};
/// Of a source: size, time, hash of its first `header_nbytes` bytes. Throws FileError.
Binding bind_source(const std::string& source, std::uint64_t header_nbytes, std::uint64_t plan_hash,
                    std::string_view operation);

/// A file that is written in parts, in any order, and appears under its name whole or not at all; the parts
/// that are done survive the process. Beside the destination stand, while it is written,
/// `.NAME.tenstride-part` (the file), `.NAME.tenstride-blocks` (temporary space, where `blocks_nbytes` > 0)
/// and `.NAME.tenstride-journal`. One process at a time: the journal is locked (flock), a second process is
/// refused.
class ResumableFile {
 public:
  /// The limits that an interrupted run had, where there was one. Throws FileError.
  static std::optional<std::string> earlier_limits(const std::string& path, std::string_view operation);
  /// Takes the room of both files first (posix_fallocate, quota included) and refuses with what is free and
  /// what is needed; checks that the destination may be replaced, as AtomicFile does. Throws FileError.
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
  /// Whether earlier work is gone on with.
  [[nodiscard]] bool is_resumed() const noexcept;

  /// The part's bytes have been written (not necessarily to the disk: after a crash of the machine, only what
  /// `flushed` covered counts, which the journal tells by the boot). Throws FileError.
  void finish(std::size_t part, const Checksum& checksum);
  /// Everything that `finish` told has been flushed to the disk.
  void flushed();
  /// Frees the temporary space; nothing reads it any more.
  void drop_blocks();
  /// Flushes, gives mode and owner of a replaced file, renames, flushes the folder, removes the journal.
  void commit();
  /// Removes everything that was made: for errors that going on cannot mend.
  void discard() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenstride::io
