// SPDX-License-Identifier: Apache-2.0
// By minizip, zlib's own reader of zip archives.
#include "io/npz/archive.hpp"

#include <memory>
#include <set>

#include "base/message.hpp"
#include "io/stream/inflate_stream.hpp"

#ifdef TENSTRIDE_HAS_MINIZIP
#include <unzip.h>
#endif

namespace tenstride::io {
namespace {

template <typename... Pieces>
[[noreturn]] void refuse_archive(std::string_view operation, const std::string& path,
                                 const Pieces&... pieces) {
  throw FileError(tenstride::detail::message(operation, ": \"", path, "\" ", pieces...), path);
}

}  // namespace

#ifdef TENSTRIDE_HAS_MINIZIP

namespace {

struct UnzipCloser {
  void operator()(void* archive) const { unzClose(archive); }
};
using OpenArchive = std::unique_ptr<void, UnzipCloser>;

/// The member that the archive stands at.
ZipMember current_member(const OpenArchive& archive, const std::string& path, std::uint64_t file_nbytes,
                         std::string_view operation) {
  constexpr std::size_t max_name = 65535;  // its length has 16 bits
  std::string name(max_name + 1, '\0');
  unz_file_info64 facts{};
  if (unzGetCurrentFileInfo64(archive.get(), &facts, name.data(), name.size(), nullptr, 0, nullptr, 0) !=
      UNZ_OK) {
    refuse_archive(operation, path, "must have a zip directory that can be read");
  }
  name.resize(std::min<std::size_t>(facts.size_filename, max_name));
  const auto refuse = [&](const auto&... pieces) {
    refuse_archive(operation, path, "has the member \"", name.substr(0, 80), "\" ", pieces...);
  };
  if ((facts.flag & 1U) != 0) refuse("that is encrypted; it must not be");
  constexpr uLong stored = 0, deflated = 8;
  if (facts.compression_method != stored && facts.compression_method != deflated) {
    refuse("compressed by method ", facts.compression_method, ", which must be 0 (stored) or 8 (deflate)");
  }
  int method = 0, level = 0;
  if (unzOpenCurrentFile2(archive.get(), &method, &level, 1) != UNZ_OK) {
    refuse("whose header must be as the directory says");
  }
  ZipMember member{name,
                   unzGetCurrentFileZStreamPos64(archive.get()),
                   facts.compressed_size,
                   facts.uncompressed_size,
                   static_cast<std::uint32_t>(facts.crc),
                   facts.compression_method == deflated};
  unzCloseCurrentFile(archive.get());
  if (member.data_begin > file_nbytes || member.stored_nbytes > file_nbytes - member.data_begin) {
    refuse("of ", member.stored_nbytes, " bytes from byte ", member.data_begin,
           " on, which must lie in the file of ", file_nbytes);
  }
  if (!member.is_deflated && member.nbytes != member.stored_nbytes) {
    refuse("of ", member.nbytes, " bytes that has ", member.stored_nbytes, " stored; they must be equal");
  }
  // Both sides fit: the stored bytes lie in the file.
  if (member.is_deflated && member.nbytes / max_inflation > member.stored_nbytes) {
    refuse("that is said to unpack from ", member.stored_nbytes, " bytes to ", member.nbytes,
           ", which must be at most ", max_inflation, " times as many");
  }
  return member;
}

}  // namespace

std::vector<ZipMember> read_zip_members(const std::string& path, std::uint64_t file_nbytes,
                                        std::string_view operation) {
  const OpenArchive archive(unzOpen64(path.c_str()));
  if (!archive) refuse_archive(operation, path, "is a zip archive that must end with its directory");
  std::vector<ZipMember> members;
  std::set<std::string> names;
  int status = unzGoToFirstFile(archive.get());
  for (; status == UNZ_OK; status = unzGoToNextFile(archive.get())) {
    members.push_back(current_member(archive, path, file_nbytes, operation));
    if (!names.insert(members.back().name).second) {
      refuse_archive(operation, path, "has the member \"", members.back().name.substr(0, 80),
                     "\" twice, which must stand once");
    }
  }
  if (status != UNZ_END_OF_LIST_OF_FILE) {
    refuse_archive(operation, path, "has a zip directory that is damaged behind member ", members.size());
  }
  return members;
}

#else

std::vector<ZipMember> read_zip_members(const std::string& path, std::uint64_t /*file_nbytes*/,
                                        std::string_view operation) {
  refuse_archive(operation, path, "must not be a zip archive: this build was made without minizip");
}

#endif

}  // namespace tenstride::io
