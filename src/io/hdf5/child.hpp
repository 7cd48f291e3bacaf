// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tenstride::io {

/// Where work in a child process leaves its result.
class ChildOutput {
 public:
  explicit ChildOutput(int pipe) : pipe_(pipe) {}
  /// Appends to the result. From each call on, the child has `max_child_wait` until the next.
  void write(std::string_view bytes);

 private:
  friend std::string run_in_child(const std::string&, std::string_view, unsigned,
                                  const std::function<void(ChildOutput&)>&);
  enum class Frame : char { result = 'r', error = 'e', end = '.' };
  void send(Frame frame, std::string_view bytes) const;

  int pipe_;
};

/// Seconds of processor time that work on the metadata of a file of so many bytes may take: the larger the
/// file, the more metadata it can have. Example: 3 for one of 1 MiB. Listing 100,000 datasets takes less
/// than 20.
constexpr unsigned child_seconds(std::uint64_t file_nbytes) {
  constexpr std::uint64_t longest = 60;
  const std::uint64_t seconds = 2 + (file_nbytes >> 20);
  return static_cast<unsigned>(seconds < longest ? seconds : longest);
}
/// Seconds between two parts of the result.
inline constexpr unsigned max_child_wait = 120;
/// Bytes of memory beyond those that the process had before.
inline constexpr std::uint64_t max_child_memory = std::uint64_t{1} << 30;
/// Bytes of the result.
inline constexpr std::uint64_t max_child_result = std::uint64_t{1} << 30;

/// Starts a child process that is confined, does the work, and ends with the status that the work gives, or 1
/// where it throws. Takes the lock. The child must take it neither itself nor return from here. -1 where the
/// system has no room for a process; errno says why.
///
/// Why a fork of this process, and not another program: a library cannot count on a program of its own being
/// installed. Why that is safe in a process with threads: libhdf5 is at rest, as its lock is held; glibc
/// makes malloc usable in the child; the work does nothing but call libhdf5, allocate, and write to the
/// parent. Should some other lock have been taken by another thread all the same, the child ends after
/// `max_child_wait`.
pid_t fork_child(unsigned seconds, const std::function<int()>& work);
/// Called in a child: lets it run for so many more seconds, or for longer where it could already, and wait
/// for `max_child_wait`.
void extend_child(unsigned seconds) noexcept;
/// Called in a child: lets it wait for the parent as long as that lives.
void wait_in_child() noexcept;
/// How the child ended, in words; waits for that. Example: "it crashed (signal 11)".
std::string end_of_child(pid_t child);

/// Runs work with libhdf5 on a file that may have been made to do damage in a child process, and gives what
/// it wrote. A crash, an endless loop (more than `seconds` of processor time) or too much memory there is a
/// FileError here; a FileError there is thrown here, too.
std::string run_in_child(const std::string& path, std::string_view operation, unsigned seconds,
                         const std::function<void(ChildOutput&)>& work);

}  // namespace tenstride::io
