// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/superblock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "files/system_reason.hpp"
#include "io/hdf5/refuse.hpp"
#include "io/input.hpp"

namespace tenstride::io {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n"sv;
/// The length of version 1 with offsets of 8 bytes, the longest that is read: 28 and four addresses.
constexpr std::size_t superblock_nbytes = 28 + 4 * 8;

std::string_view chars_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Where the fields of a superblock stand in it.
struct SuperblockFields {
  std::size_t offset_size_at = 0;
  std::size_t length_size_at = 0;
  /// The base address; behind it come another address and that of the file's end.
  std::size_t addresses_at = 0;
};

SuperblockFields superblock_fields(unsigned version) {
  if (version == 0) return {13, 14, 24};
  if (version == 1) return {13, 14, 28};
  return {9, 10, 12};
}

std::uint64_t value_of_bytes(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

/// A file of the user's may hold anything before the signature; it is looked for at each place that it may
/// have.
std::optional<std::uint64_t> find_signature_in_file(const Hdf5Input& input) {
  std::array<std::byte, hdf5_signature.size()> bytes{};
  for (std::uint64_t at = 0; at < input.nbytes; at = at == 0 ? 512 : at * 2) {
    if (!try_read(input, at, bytes)) return std::nullopt;
    if (chars_of(bytes) == hdf5_signature) return at;
    if (at > input.nbytes / 2) return std::nullopt;
  }
  return std::nullopt;
}

void check_superblock(const Hdf5Input& input, std::uint64_t begin, std::string_view operation) {
  const auto refuse = [&](const auto&... pieces) { refuse_hdf5(operation, input.path, pieces...); };
  std::array<std::byte, superblock_nbytes> block{};
  const std::uint64_t held = std::min<std::uint64_t>(block.size(), input.nbytes - begin);
  const bool is_read = try_read(input, begin, std::span(block).first(held));
  const auto version = std::to_integer<unsigned>(block[8]);
  if (!is_read || held < 9) refuse("must have a superblock, it ends after ", input.nbytes, " bytes");
  if (version > 3) refuse("has a superblock of version ", version, ", which must be 0 to 3", hdf5_rewriting);
  const SuperblockFields fields = superblock_fields(version);
  const auto offset_size = std::to_integer<std::size_t>(block[fields.offset_size_at]);
  const auto length_size = std::to_integer<std::size_t>(block[fields.length_size_at]);
  for (const std::size_t size : {offset_size, length_size}) {
    if (size != 4 && size != 8) refuse("has addresses or lengths of ", size, " bytes, which must be 4 or 8");
  }
  const std::size_t end_at = fields.addresses_at + 2 * offset_size;
  if (held < end_at + offset_size) refuse("must have a superblock, it ends after ", input.nbytes, " bytes");
  const std::uint64_t end = value_of_bytes(std::span(block).subspan(end_at, offset_size));
  if (end > input.nbytes) {
    refuse("must have ", end, " bytes, it has ", input.nbytes,
           " (it is cut off, or its writer has not closed it)");
  }
}

}  // namespace

std::optional<std::uint64_t> find_hdf5_signature(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + hdf5_signature.size() <= bytes.size(); at = at == 0 ? 512 : at * 2) {
    if (chars_of(bytes).substr(at, hdf5_signature.size()) == hdf5_signature) return at;
  }
  return std::nullopt;
}

bool try_read(const Hdf5Input& input, std::uint64_t begin, std::span<std::byte> bytes) noexcept {
  if (begin > input.nbytes || bytes.size() > input.nbytes - begin) return false;
  while (!bytes.empty()) {
    const ssize_t got = pread(input.file.get(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    begin += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

Hdf5Input open_hdf5(const std::string& path, std::string_view operation) {
  Hdf5Input input;
  input.path = path;
  input.nbytes = input_size(path, operation);
  input.file = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input.file.is_open()) {
    refuse_hdf5(operation, path, "must be a file that can be opened", system_reason(errno));
  }
  const std::optional<std::uint64_t> begin = find_signature_in_file(input);
  if (!begin) refuse_hdf5(operation, path, "must be an HDF5 file, it has no signature of HDF5");
  check_superblock(input, *begin, operation);
  return input;
}

}  // namespace tenstride::io
