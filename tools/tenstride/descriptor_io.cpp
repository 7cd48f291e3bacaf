// SPDX-License-Identifier: Apache-2.0
#include "descriptor_io.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tenstride::cli {
namespace {

/// Whether a call that failed is to be made again: after a signal, and when a pipe that does not block is
/// ready.
bool is_worth_repeating(int file, short event) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  pollfd wanted{file, event, 0};
  return poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

ssize_t read_some(int file, std::span<std::byte> bytes) {
  for (;;) {
    const ssize_t count = read(file, bytes.data(), bytes.size());
    if (count >= 0 || !is_worth_repeating(file, POLLIN)) return count;
  }
}

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && !is_worth_repeating(file, POLLOUT)) return false;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::string reason(int error) {
  return " (" + std::generic_category().message(error) + ")";
}

void hold_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // The lowest number that is free is this one.
    static_cast<void>(open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace tenstride::cli
