// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "files/system_reason.hpp"
#include "io/stream/crc32.hpp"
#include "io/stream/inflate_stream.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {

std::optional<InputFile> open_input(int folder, const std::string& name, const std::string& path) {
  // Not to wait for the other end of a pipe.
  InputFile input;
  input.file = Descriptor(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!input.file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  struct stat facts {};
  if (!input.file.is_open() || fstat(input.file.get(), &facts) != 0) {
    refuse_zarr(path, "must be a file that can be opened", system_reason(errno));
  }
  if (!S_ISREG(facts.st_mode)) refuse_zarr(path, "must be a regular file");
  input.nbytes = static_cast<std::uint64_t>(facts.st_size);
  return input;
}

namespace {

void read_deflated(const InputFile& input, std::span<std::byte> bytes, std::uint64_t begin,
                   const std::string& path) {
  InflateStream stream(input.archive, *input.deflated, "deflate", "zarr");
  std::vector<std::byte> skipped(std::min<std::uint64_t>(begin, std::uint64_t{1} << 16));
  bool is_whole = true;
  for (std::uint64_t rest = begin; is_whole && rest > 0;) {
    const std::size_t count = std::min<std::uint64_t>(rest, skipped.size());
    is_whole = stream.read(std::span(skipped).first(count)) == count;
    rest -= count;
  }
  const bool has_all = is_whole && stream.read(bytes) == bytes.size();
  std::byte behind{};
  // The stream checks its length and CRC where it ends.
  const bool ends = begin + bytes.size() < input.nbytes || stream.read(std::span(&behind, 1)) == 0;
  if (!has_all || !ends) refuse_zarr(path, "must have the ", input.nbytes, " bytes that its archive says");
}

}  // namespace

void read_exactly(const InputFile& input, std::span<std::byte> bytes, std::uint64_t begin,
                  const std::string& path) {
  if (input.deflated) return read_deflated(input, bytes, begin, path);
  std::span<std::byte> missing = bytes;
  std::uint64_t place = input.begin + begin;
  while (!missing.empty()) {
    const ssize_t count = pread(input.file.get(), missing.data(), missing.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      refuse_zarr(path, "must be readable from byte ", place - input.begin, " on", system_reason(errno));
    }
    if (count == 0) {
      refuse_zarr(path, "ends at byte ", place - input.begin, " and must have ", missing.size(),
                  " more (it became shorter)");
    }
    missing = missing.subspan(static_cast<std::size_t>(count));
    place += static_cast<std::uint64_t>(count);
  }
  if (!input.crc || bytes.size() != input.nbytes) return;
  const std::optional<std::uint32_t> found = crc32_of(bytes);
  if (found && *found != *input.crc) {
    refuse_zarr(path,
                "has bytes whose CRC-32 must be that of the archive's directory, and is not: they are "
                "damaged");
  }
}

std::string read_text_of(const InputFile& input, std::size_t max_nbytes, const std::string& path) {
  if (input.nbytes > max_nbytes) {
    refuse_zarr(path, "has ", input.nbytes, " bytes and must have at most ", max_nbytes);
  }
  std::string text(input.nbytes, '\0');
  read_exactly(input, std::as_writable_bytes(std::span(text)), 0, path);
  return text;
}

std::optional<std::string> read_text_file(const std::string& path, std::size_t max_nbytes) {
  const std::optional<InputFile> input = open_input(AT_FDCWD, path, path);
  return input ? std::optional(read_text_of(*input, max_nbytes, path)) : std::nullopt;
}

}  // namespace tenstride::io
