// SPDX-License-Identifier: Apache-2.0
#include "io/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/message.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

struct KnownStart {
  std::string_view bytes;
  std::string_view what;
  FileKind kind = FileKind::unknown;
};

using namespace std::string_view_literals;
constexpr std::array<KnownStart, 17> known_starts{{
    {"\x93NUMPY"sv, "a .npy file", FileKind::npy},
    {"\x89PNG\r\n\x1a\n"sv, "a PNG image", FileKind::png},
    {"\xff\xd8\xff"sv, "a JPEG image", FileKind::jpeg},
    {"PK\x03\x04"sv, "a zip archive, as .npz is"},
    {"\x1f\x8b"sv, "a gzip file"},
    {"\0\0\0\x0cjP  \r\n\x87\n"sv, "a JPEG 2000 image", FileKind::jpeg2000},
    {"\xff\x4f\xff\x51"sv, "a JPEG 2000 image", FileKind::jpeg2000},
    {"GIF87a"sv, "a GIF image", FileKind::gif},
    {"GIF89a"sv, "a GIF image", FileKind::gif},
    {"BM"sv, "a BMP image"},
    {"II*\0"sv, "a TIFF image"},
    {"MM\0*"sv, "a TIFF image"},
    {"RIFF"sv, "a RIFF file, as WebP is"},
    {"\x89HDF"sv, "an HDF5 file"},
    {"%PDF"sv, "a PDF document"},
    {"\x80\x02"sv, "a Python pickle"},
    {"\x80\x04"sv, "a Python pickle"},
}};

const KnownStart* find_start(std::span<const std::byte> start) {
  const std::string_view chars(reinterpret_cast<const char*>(start.data()), start.size());
  for (const KnownStart& known : known_starts) {
    if (chars.starts_with(known.bytes)) return &known;
  }
  return nullptr;
}

[[noreturn]] void throw_unreadable(const std::string& path, std::string_view operation) {
  const std::string reason = std::generic_category().message(errno);
  throw FileError(message(operation, ": \"", path, "\" must be a file that can be opened (", reason, ")"),
                  path);
}

}  // namespace

std::size_t input_size(const std::string& path, std::string_view operation) {
  // Not to wait for the other end of a pipe.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw_unreadable(path, operation);
  struct stat facts {};
  const int failed = fstat(file, &facts);
  close(file);
  if (failed != 0) throw_unreadable(path, operation);
  if (!S_ISREG(facts.st_mode)) {
    throw FileError(message(operation, ": \"", path, "\" must be a regular file"), path);
  }
  return static_cast<std::size_t>(facts.st_size);
}

Storage map_input(const std::string& path, std::string_view operation, MapMode mode) {
  return Storage::map_file(path, mode, 0, input_size(path, operation));
}

std::string describe_start(std::span<const std::byte> start) {
  if (start.empty()) return "nothing, it is empty";
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "the bytes";
  for (const std::byte byte : start.first(std::min<std::size_t>(start.size(), 6))) {
    text += ' ';
    text += digits[std::to_integer<std::size_t>(byte >> 4)];
    text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  const KnownStart* const known = find_start(start);
  return known == nullptr ? text : message(text, " (", known->what, ")");
}

FileKind kind_of(std::span<const std::byte> start) {
  const KnownStart* const known = find_start(start);
  return known == nullptr ? FileKind::unknown : known->kind;
}

}  // namespace tenstride::io
