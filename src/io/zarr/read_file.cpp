// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "files/system_reason.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {

std::optional<InputFile> open_input(int folder, const std::string& name, const std::string& path) {
  // Not to wait for the other end of a pipe.
  InputFile input{Descriptor(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))};
  if (!input.file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  struct stat facts {};
  if (!input.file.is_open() || fstat(input.file.get(), &facts) != 0) {
    refuse_zarr(path, "must be a file that can be opened", system_reason(errno));
  }
  if (!S_ISREG(facts.st_mode)) refuse_zarr(path, "must be a regular file");
  input.nbytes = static_cast<std::uint64_t>(facts.st_size);
  return input;
}

void read_exactly(const InputFile& input, std::span<std::byte> bytes, std::uint64_t begin,
                  const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = pread(input.file.get(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_zarr(path, "must be readable from byte ", begin, " on", system_reason(errno));
    if (count == 0) {
      refuse_zarr(path, "ends at byte ", begin, " and must have ", bytes.size(), " more (it became shorter)");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    begin += static_cast<std::uint64_t>(count);
  }
}

std::optional<std::string> read_text_file(const std::string& path, std::size_t max_nbytes) {
  const std::optional<InputFile> input = open_input(AT_FDCWD, path, path);
  if (!input) return std::nullopt;
  if (input->nbytes > max_nbytes) {
    refuse_zarr(path, "has ", input->nbytes, " bytes and must have at most ", max_nbytes);
  }
  std::string text(input->nbytes, '\0');
  read_exactly(*input, std::as_writable_bytes(std::span(text)), 0, path);
  return text;
}

}  // namespace tenstride::io
