// SPDX-License-Identifier: Apache-2.0
// The directory of a zip archive: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3). Not by
// minizip: its version 1.1 does not read sizes of 64 bits.
#include "io/npz/archive.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/stream/inflate_stream.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view local_signature = "PK\x03\x04"sv;
constexpr std::string_view entry_signature = "PK\x01\x02"sv;
constexpr std::string_view end_signature = "PK\x05\x06"sv;
constexpr std::string_view locator64_signature = "PK\x06\x07"sv;
constexpr std::string_view end64_signature = "PK\x06\x06"sv;
constexpr std::uint64_t local_nbytes = 30, entry_nbytes = 46, end_nbytes = 22, locator64_nbytes = 20,
                        end64_nbytes = 56;
/// Stands where the number is in a field of 64 bits.
constexpr std::uint64_t in_64_bits = 0xffffffff;

struct Archive {
  std::span<const std::byte> bytes;
  const std::string& path;
  std::string_view operation;

  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(tenstride::detail::message(operation, ": \"", path, "\" ", pieces...), path);
  }
  /// Whether so many bytes lie in the file.
  [[nodiscard]] bool has(std::uint64_t begin, std::uint64_t nbytes) const {
    return begin <= bytes.size() && nbytes <= bytes.size() - begin;
  }
  [[nodiscard]] std::string_view text(std::uint64_t begin, std::uint64_t nbytes) const {
    return {reinterpret_cast<const char*>(bytes.data()) + begin, static_cast<std::size_t>(nbytes)};
  }
  [[nodiscard]] bool has_signature(std::uint64_t begin, std::string_view signature) const {
    return has(begin, signature.size()) && text(begin, signature.size()) == signature;
  }
  /// A number of `nbytes` bytes, the lowest first. Pre: they lie in the file.
  [[nodiscard]] std::uint64_t number(std::uint64_t begin, std::size_t nbytes) const {
    std::uint64_t result = 0;
    for (std::size_t i = nbytes; i-- > 0;) {
      result = result << 8 | std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(begin) + i]);
    }
    return result;
  }
};

/// Where the directory lies.
struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t count = 0;
};

/// The record that ends the archive; only a comment of the length it says stands behind it.
std::optional<std::uint64_t> find_end(const Archive& archive) {
  constexpr std::uint64_t max_comment = 65535;
  const std::uint64_t size = archive.bytes.size();
  for (std::uint64_t comment = 0; comment <= max_comment && comment + end_nbytes <= size; ++comment) {
    const std::uint64_t at = size - end_nbytes - comment;
    if (archive.has_signature(at, end_signature) && archive.number(at + 20, 2) == comment) return at;
  }
  return std::nullopt;
}

Directory find_directory(const Archive& archive) {
  const std::optional<std::uint64_t> end = find_end(archive);
  if (!end) {
    archive.refuse(
        "must be a zip archive that ends with the record of its directory (50 4b 05 06); it is cut off, or "
        "something stands behind it");
  }
  Directory directory{archive.number(*end + 16, 4), archive.number(*end + 12, 4),
                      archive.number(*end + 10, 2)};
  std::uint64_t limit = *end;
  if (*end >= locator64_nbytes && archive.has_signature(*end - locator64_nbytes, locator64_signature)) {
    const std::uint64_t end64 = archive.number(*end - locator64_nbytes + 8, 8);
    if (!archive.has(end64, end64_nbytes) || !archive.has_signature(end64, end64_signature)) {
      archive.refuse("must have the record of its zip directory (50 4b 06 06) at byte ", end64,
                     ", as its locator says");
    }
    directory = {archive.number(end64 + 48, 8), archive.number(end64 + 40, 8), archive.number(end64 + 32, 8)};
    limit = end64;
  }
  if (directory.begin > limit || directory.nbytes > limit - directory.begin) {
    archive.refuse("has a zip directory of ", directory.nbytes, " bytes from byte ", directory.begin,
                   " on, which must lie before its end at ", limit);
  }
  return directory;
}

/// An entry of the directory; sizes and the place of the local header, where the fields of 32 bits are full,
/// are those of the extra field 1.
struct Entry {
  std::uint64_t flags = 0;
  std::uint64_t method = 0;
  std::uint64_t local_begin = 0;
  ZipMember member;
};

/// The numbers of 64 bits in an extra field, in the order in which they are missing.
void read_extra(const Archive& archive, std::uint64_t begin, std::uint64_t nbytes, Entry& entry) {
  const std::uint64_t end = begin + nbytes;
  for (std::uint64_t at = begin; at + 4 <= end;) {
    const std::uint64_t kind = archive.number(at, 2), length = archive.number(at + 2, 2);
    at += 4;
    if (length > end - at) return;
    if (kind == 1) {
      std::uint64_t from = at;
      for (std::uint64_t* const number :
           {&entry.member.nbytes, &entry.member.stored_nbytes, &entry.local_begin}) {
        if (*number != in_64_bits || from + 8 > at + length) continue;
        *number = archive.number(from, 8);
        from += 8;
      }
    }
    at += length;
  }
}

/// Why a member cannot be read; nothing outside of `checked_member`.
struct MemberObstacle {
  std::string text;
};
template <typename... Pieces>
[[noreturn]] void refuse_member(const Pieces&... pieces) {
  throw MemberObstacle{tenstride::detail::message(pieces...)};
}

/// Where the bytes of a member begin: behind its local header, whose method and name must be the directory's.
std::uint64_t behind_local_header(const Archive& archive, const Entry& entry) {
  const std::uint64_t at = entry.local_begin;
  const auto refuse = [&](const auto&... pieces) {
    refuse_member("have its own header in the archive, at byte ", at, ", which must ", pieces...);
  };
  if (!archive.has(at, local_nbytes) || !archive.has_signature(at, local_signature)) {
    refuse("begin there with 50 4b 03 04 and have ", local_nbytes, " bytes");
  }
  const std::uint64_t name_nbytes = archive.number(at + 26, 2), extra_nbytes = archive.number(at + 28, 2);
  if (!archive.has(at + local_nbytes, name_nbytes + extra_nbytes)) {
    refuse("lie in the file of ", archive.bytes.size(), " bytes; its name has ", name_nbytes,
           " and its extra field ", extra_nbytes);
  }
  const std::uint64_t method = archive.number(at + 8, 2);
  if (method != entry.method) {
    refuse("have the method ", entry.method, " as the directory says, it has ", method);
  }
  const std::string name = valid_utf8(archive.text(at + local_nbytes, name_nbytes));
  if (name != entry.member.name) refuse("have that name, it has \"", name.substr(0, 80), '"');
  return at + local_nbytes + name_nbytes + extra_nbytes;
}

/// Where the bytes of a member are. Throws MemberObstacle.
void find_content(const Archive& archive, Entry& entry) {
  ZipMember& member = entry.member;
  if ((entry.flags & 1U) != 0) refuse_member("be stored without encryption");
  constexpr std::uint64_t stored = 0, deflated = 8;
  if (entry.method != stored && entry.method != deflated) {
    refuse_member("be compressed by method 0 (stored) or 8 (deflate), not by ", entry.method);
  }
  member.is_deflated = entry.method == deflated;
  const std::uint64_t begin = behind_local_header(archive, entry);
  if (!archive.has(begin, member.stored_nbytes)) {
    refuse_member("have its ", member.stored_nbytes, " bytes, from byte ", begin, " on, in the file of ",
                  archive.bytes.size());
  }
  member.data_begin = begin;
  if (!member.is_deflated && member.nbytes != member.stored_nbytes) {
    refuse_member("have as many bytes stored as it has, ", member.nbytes, ", not ", member.stored_nbytes);
  }
  // Both sides fit: the stored bytes lie in the file.
  if (member.is_deflated && member.nbytes / max_inflation > member.stored_nbytes) {
    refuse_member("unpack from ", member.stored_nbytes, " bytes to at most ", max_inflation,
                  " times as many, not to ", member.nbytes);
  }
}

ZipMember checked_member(const Archive& archive, Entry entry) {
  try {
    find_content(archive, entry);
  } catch (MemberObstacle& obstacle) {
    entry.member.obstacle = std::move(obstacle.text);
  }
  return std::move(entry.member);
}

}  // namespace

std::vector<ZipMember> read_zip_members(std::span<const std::byte> bytes, const std::string& path,
                                        std::string_view operation, RepeatedNames repeated) {
  const Archive archive{bytes, path, operation};
  const Directory directory = find_directory(archive);
  const std::uint64_t end = directory.begin + directory.nbytes;
  std::vector<ZipMember> members;
  std::set<std::string> names;
  std::uint64_t at = directory.begin;
  for (std::uint64_t number = 0; number < directory.count; ++number) {
    const bool is_whole = end - at >= entry_nbytes && archive.has_signature(at, entry_signature);
    const std::uint64_t name_nbytes = is_whole ? archive.number(at + 28, 2) : 0;
    const std::uint64_t extra_nbytes = is_whole ? archive.number(at + 30, 2) : 0;
    const std::uint64_t comment_nbytes = is_whole ? archive.number(at + 32, 2) : 0;
    if (!is_whole || name_nbytes + extra_nbytes + comment_nbytes > end - at - entry_nbytes) {
      archive.refuse("has a zip directory from byte ", directory.begin, " to ", end, ", which must hold ",
                     directory.count, directory.count == 1 ? " member" : " members", "; that at byte ", at,
                     " is damaged or missing");
    }
    Entry entry{archive.number(at + 8, 2), archive.number(at + 10, 2), archive.number(at + 42, 4), {}};
    entry.member.crc = static_cast<std::uint32_t>(archive.number(at + 16, 4));
    entry.member.stored_nbytes = archive.number(at + 20, 4);
    entry.member.nbytes = archive.number(at + 24, 4);
    entry.member.name = valid_utf8(archive.text(at + entry_nbytes, name_nbytes));
    read_extra(archive, at + entry_nbytes + name_nbytes, extra_nbytes, entry);
    members.push_back(checked_member(archive, std::move(entry)));
    if (repeated == RepeatedNames::refused && !names.insert(members.back().name).second) {
      archive.refuse("has the member \"", members.back().name.substr(0, 80),
                     "\" twice, which must stand once");
    }
    at += entry_nbytes + name_nbytes + extra_nbytes + comment_nbytes;
  }
  if (at != end) {
    archive.refuse("has a zip directory from byte ", directory.begin, " to ", end, ", which must hold ",
                   directory.count, directory.count == 1 ? " member" : " members",
                   " and ends behind them at byte ", at);
  }
  return members;
}

}  // namespace tenstride::io
