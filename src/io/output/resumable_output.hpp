// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/output/part_sum.hpp"
#include "tenstride/files/atomic_file.hpp"
#include "tenstride/io/file_task.hpp"
#include "tenstride/io/resume.hpp"

namespace tenstride::io {

/// Finished parts are flushed to the disk so often: after a restart of the machine the others are lost.
inline constexpr double seconds_between_flushes = 5;

/// What an unfinished output belongs to. It is resumed only where all but `source` is the same.
struct Binding {
  std::string source;  ///< path, for messages
  std::uint64_t source_nbytes = 0;
  std::int64_t source_mtime_ns = 0;
  std::uint64_t header_hash = 0;   ///< of the bytes before the elements
  std::uint64_t plan_hash = 0;     ///< of the plan, its chain, types and numbers
  std::string limits{};            ///< what the plan was made with, to make it again
  std::optional<FileTask> task{};  ///< which of several processes this is
  std::uint64_t result_hash = 0;   ///< of what a task helps to make, whatever the plan is
};
/// Binds a run to a source: size, time of the last change, hash of its first `header_nbytes` bytes. Throws
/// FileError where it cannot be read, is no regular file or is shorter.
Binding bind_source(const std::string& source, std::uint64_t header_nbytes, std::uint64_t plan_hash,
                    std::string_view operation);

/// An output in so many parts, and whether it may be begun.
struct OutputRequest {
  std::string path;
  std::size_t parts = 0;
  Overwrite overwrite = Overwrite::refuse;
  Resume resume = Resume::no;
  /// The word with which messages begin.
  std::string_view operation;
};

/// 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);

/// A file or a folder that is written in parts, in any order, and appears under its name whole or not at all;
/// the parts that are done survive the process. Beside the destination stand, while it is written,
/// `.NAME.tenstride-part` (the file or folder) and `.NAME.tenstride-journal`. One process at a time: the
/// journal is locked (flock), a second process is refused. Signals remove nothing (`remove_unfinished_files`
/// is about AtomicFiles alone). Not for several threads at once.
///
/// What an earlier run left for another source, plan or size is refused unless `resume` is `no`, and stays.
///
/// Several tasks may write one output together, at once or one after the other (`Binding::task`). The journal
/// is then locked only while a task begins and ends; each keeps a journal of its own, locked while it runs.
/// The parts that are left when the first task begins are divided into shares, which the common journal
/// keeps, so that tasks that begin later have the same shares. A task joins what others have begun, whatever
/// `resume` says; only another number of tasks must be allowed by it, and divides what is left anew.
class ResumableOutput {
 public:
  /// Keeps what is done (see `discard`), closes.
  virtual ~ResumableOutput();
  ResumableOutput(const ResumableOutput&) = delete;
  ResumableOutput& operator=(const ResumableOutput&) = delete;

  /// Removes the journals of tasks of which one was killed when it had put the result in place. Nothing where
  /// a process writes the output, or where it was begun anew.
  static void remove_left_journals(const std::string& path, Overwrite overwrite, std::string_view operation);

  [[nodiscard]] const std::string& part_path() const noexcept;
  /// The parts that an earlier run finished; empty bits for a new output.
  [[nodiscard]] const std::vector<bool>& finished() const noexcept;
  /// The parts that are finished or belong to other tasks.
  [[nodiscard]] std::vector<bool> left_out() const;
  /// The sum of the checksums of the finished parts.
  [[nodiscard]] Checksum checksum() const noexcept;
  /// The missing elements of the finished parts.
  [[nodiscard]] std::uint64_t missing() const noexcept;
  /// Whether an earlier run is resumed, even where it finished no part.
  [[nodiscard]] bool is_resumed() const noexcept;
  /// Whether the earlier run had come to its end but for the journal, which is gone now, or another task has
  /// put the result in place: nothing is left to be done.
  [[nodiscard]] bool is_complete() const noexcept;

  /// The part's bytes have been written (not necessarily to the disk: after a crash of the machine, only what
  /// `flushed` covered counts, which the journal tells by the boot). Throws FileError, also where the part is
  /// finished already.
  void finish(std::size_t part, const PartSum& sum);
  /// Waits until what was written is on the disk; by any thread. Throws FileError.
  void flush_parts() const;
  /// Says that the bytes of all finished parts are on the disk: flush them before. Flushes the journal.
  void flushed();
  /// How many tasks have parts of their shares unfinished. Where it is 0 the lock is kept, and this task is
  /// the one that commits, unless `is_complete` now: another one has. 0 for what is not written by tasks.
  /// Calls `while_waiting` while another one puts the result in place, which takes long where that is read
  /// back. Throws FileError, and what that throws.
  std::uint64_t count_unfinished_tasks(const std::function<void()>& while_waiting);
  /// Flushes it, gives it its name, removes the journal. Throws FileError where a part is not finished, and
  /// with Overwrite::refuse where something has come to have the name; the run can then be resumed.
  void commit();
  /// Removes everything that was made: for errors that no further run can mend.
  void discard() noexcept;

 protected:
  class State;
  explicit ResumableOutput(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tenstride::io
