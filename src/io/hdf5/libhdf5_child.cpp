// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "files/descriptor.hpp"
#include "files/system_reason.hpp"
#include "io/hdf5/child.hpp"
#include "io/hdf5/libhdf5.hpp"
#include "io/hdf5/refuse.hpp"

namespace tenstride::io {
namespace {

/// Exit status of a child that has not done its work.
constexpr int child_failure = 1;

/// Bytes of the address space in use. 0 where the system does not say.
std::uint64_t address_space_nbytes() noexcept {
  const Descriptor file(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  if (!file.is_open() || read(file.get(), text.data(), text.size() - 1) <= 0) return 0;
  std::uint64_t pages = 0;
  for (const char* digit = text.data(); *digit >= '0' && *digit <= '9'; ++digit) {
    pages = pages * 10 + static_cast<std::uint64_t>(*digit - '0');
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void limit_child(int resource, std::uint64_t most) noexcept {
  struct rlimit limit {};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(most, limit.rlim_max);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

/// Signals end the child as they end a program that does not handle them; nothing is printed, no memory is
/// dumped, no limit is exceeded.
void confine_child(unsigned seconds) noexcept {
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGXCPU, SIGTERM, SIGINT,
                           SIGQUIT, SIGHUP, SIGPIPE}) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    if (nowhere >= 0) dup2(nowhere, number);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);
  limit_child(RLIMIT_CORE, 0);
  limit_child(RLIMIT_CPU, seconds);
  const std::uint64_t used = address_space_nbytes();
  if (used != 0) limit_child(RLIMIT_AS, used + max_child_memory);
  alarm(max_child_wait);
}

bool write_to_pipe(int pipe, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::write(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// All that the child wrote, until it ended or has written too much.
std::string read_from_pipe(int pipe) {
  std::string bytes;
  std::size_t held = 0;
  for (;;) {
    bytes.resize(held + (std::size_t{1} << 16));
    const ssize_t count = read(pipe, bytes.data() + held, bytes.size() - held);
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) held += static_cast<std::size_t>(count);
    if (count <= 0 || held > max_child_result) break;
  }
  bytes.resize(held);
  return bytes;
}

std::optional<int> wait_for_child(pid_t child) noexcept {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child ? std::optional(status) : std::nullopt;
}

/// The parts of what the child wrote.
struct ChildReport {
  std::string result;
  std::optional<std::string> error;
  bool is_whole = false;
};

ChildReport parse_child_report(std::string_view bytes) {
  ChildReport report;
  std::uint32_t nbytes = 0;
  while (bytes.size() >= 1 + sizeof nbytes) {
    const char frame = bytes[0];
    std::memcpy(&nbytes, bytes.data() + 1, sizeof nbytes);
    bytes.remove_prefix(1 + sizeof nbytes);
    if (bytes.size() < nbytes) return report;
    const std::string_view part = bytes.substr(0, nbytes);
    bytes.remove_prefix(nbytes);
    if (frame == 'r') report.result += part;
    if (frame == 'e') report.error = std::string(part);
    if (frame == '.') report.is_whole = true;
  }
  return report;
}

}  // namespace

void ChildOutput::send(Frame frame, std::string_view bytes) const {
  const auto nbytes = static_cast<std::uint32_t>(bytes.size());
  std::string framed(1, static_cast<char>(frame));
  framed.append(reinterpret_cast<const char*>(&nbytes), sizeof nbytes);
  framed += bytes;
  if (!write_to_pipe(pipe_, framed)) _exit(child_failure);  // the parent has enough
}

void ChildOutput::write(std::string_view bytes) {
  alarm(max_child_wait);
  send(Frame::result, bytes);
}

void extend_child(unsigned seconds) noexcept {
  struct rusage used {};
  getrusage(RUSAGE_SELF, &used);
  const auto spent = static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  struct rlimit limit {};
  getrlimit(RLIMIT_CPU, &limit);
  limit_child(RLIMIT_CPU, std::max<std::uint64_t>(limit.rlim_cur, spent + 1 + seconds));
  alarm(max_child_wait);
}

void wait_in_child() noexcept {
  alarm(0);
  // That signal comes when the thread ends that started the child, which others may use still.
  prctl(PR_SET_PDEATHSIG, 0);
}

pid_t fork_child(unsigned seconds, const std::function<int()>& work) {
  const Hdf5Lock lock;
  const pid_t child = fork();
  if (child != 0) return child;
  confine_child(seconds);
  int status = child_failure;
  try {
    status = work();
  } catch (...) {
  }
  // Without destructors and handlers of the program's, which belong to the parent.
  _exit(status);
}

std::string end_of_child(pid_t child) {
  using tenstride::detail::message;
  const std::optional<int> status = wait_for_child(child);
  // Where the program reaps all its children itself, that is not known.
  if (!status) return "it ended before it was done";
  if (!WIFSIGNALED(*status)) return message("it ended with status ", WEXITSTATUS(*status));
  const int number = WTERMSIG(*status);
  if (number == SIGALRM || number == SIGXCPU) return "it took too long";
  return message("it crashed (signal ", number, ")");
}

std::string run_in_child(const std::string& path, std::string_view operation, unsigned seconds,
                         const std::function<void(ChildOutput&)>& work) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    refuse_hdf5(operation, path, "needs a pipe to be read", system_reason(errno));
  }
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t child = fork_child(seconds, [&] {
    ChildOutput output(writing.get());
    try {
      work(output);
      output.send(ChildOutput::Frame::end, {});
    } catch (const FileError& error) {
      output.send(ChildOutput::Frame::error, error.what());
    }
    return 0;
  });
  const int error = errno;
  writing.reset();
  if (child < 0) refuse_hdf5(operation, path, "needs a child process to be read", system_reason(error));
  std::string bytes;
  try {
    bytes = read_from_pipe(reading.get());
  } catch (...) {
    reading.reset();  // so that the child ends
    wait_for_child(child);
    throw;
  }
  reading.reset();
  const std::string end = end_of_child(child);
  ChildReport report = parse_child_report(bytes);
  if (report.error) throw FileError(*report.error, path);
  if (!report.is_whole) refuse_hdf5(operation, path, "must be an HDF5 file that libhdf5 can read; ", end);
  return std::move(report.result);
}

}  // namespace tenstride::io
#endif
