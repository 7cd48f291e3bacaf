// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/safetensors.hpp"

/// Zip archives and gzip files by their definitions, whole or wrong in one place.
namespace tenstride::testing {

/// A deflate stream; `window_bits` as zlib has them: -15 the bare stream, 31 a gzip member.
inline std::string deflated(const std::string& content, int window_bits = -15) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

inline std::string gzipped(const std::string& content) {
  return deflated(content, 31);
}

inline std::uint32_t crc_of(const std::string& content) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
}

/// A file in a zip archive, as its two headers describe it.
struct ZipFile {
  std::string name;
  /// As they stand in the archive.
  std::string bytes;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t stored_nbytes = 0;
  std::uint64_t nbytes = 0;
  /// Sizes in an extra field of 64 bits each.
  bool is_zip64 = false;
  /// Sizes and CRC behind the bytes, as a writer that cannot seek has them.
  bool has_descriptor = false;
};

inline ZipFile stored_file(const std::string& name, const std::string& content) {
  return {.name = name,
          .bytes = content,
          .crc = crc_of(content),
          .stored_nbytes = content.size(),
          .nbytes = content.size()};
}

inline ZipFile deflated_file(const std::string& name, const std::string& content) {
  const std::string bytes = deflated(content);
  return {.name = name,
          .bytes = bytes,
          .method = 8,
          .crc = crc_of(content),
          .stored_nbytes = bytes.size(),
          .nbytes = content.size()};
}

/// From the version needed to the extra field's length: what both headers of a file share.
inline std::string zip_fields(const ZipFile& file, bool is_local, std::size_t extra_nbytes) {
  const bool comes_later = is_local && file.has_descriptor;
  constexpr std::uint64_t in_extra = 0xffffffff;
  const auto size = [&](std::uint64_t nbytes) { return file.is_zip64 ? in_extra : comes_later ? 0 : nbytes; };
  const auto flags = static_cast<std::uint16_t>(file.flags | (file.has_descriptor ? 8U : 0U));
  return lowest_first(file.is_zip64 ? 45 : 20, 2) + lowest_first(flags, 2) + lowest_first(file.method, 2) +
         lowest_first(0x00210000, 4) + lowest_first(comes_later ? 0 : file.crc, 4) +
         lowest_first(size(file.stored_nbytes), 4) + lowest_first(size(file.nbytes), 4) +
         lowest_first(file.name.size(), 2) + lowest_first(extra_nbytes, 2);
}

/// How wide the numbers are in which an archive says where its files and its directory begin: 32 bits, or 64.
enum class ZipPlaces : unsigned char { narrow, wide };

inline std::string zip_archive(const std::vector<ZipFile>& files, ZipPlaces places = ZipPlaces::narrow) {
  const bool is_wide = places == ZipPlaces::wide;
  std::string archive, directory;
  for (const ZipFile& file : files) {
    const auto sizes = [&](bool comes_later) {
      if (!file.is_zip64) return std::string();
      return lowest_first(comes_later ? 0 : file.nbytes, 8) +
             lowest_first(comes_later ? 0 : file.stored_nbytes, 8);
    };
    const auto field = [](const std::string& numbers) {
      return numbers.empty() ? "" : lowest_first(1, 2) + lowest_first(numbers.size(), 2) + numbers;
    };
    const std::string extra = field(sizes(false) + (is_wide ? lowest_first(archive.size(), 8) : ""));
    const std::string local_extra = field(sizes(file.has_descriptor));
    directory += "PK\x01\x02" + lowest_first(20, 2) + zip_fields(file, false, extra.size()) +
                 lowest_first(0, 10) + lowest_first(is_wide ? 0xffffffff : archive.size(), 4) + file.name +
                 extra;
    archive +=
        "PK\x03\x04" + zip_fields(file, true, local_extra.size()) + file.name + local_extra + file.bytes;
    const std::size_t width = file.is_zip64 ? 8 : 4;
    if (file.has_descriptor) {
      archive += "PK\x07\x08" + lowest_first(file.crc, 4) + lowest_first(file.stored_nbytes, width) +
                 lowest_first(file.nbytes, width);
    }
  }
  const std::size_t begin = archive.size(), end = begin + directory.size();
  if (is_wide) {
    directory += "PK\x06\x06" + lowest_first(44, 8) + lowest_first(45, 2) + lowest_first(45, 2) +
                 lowest_first(0, 8) + lowest_first(files.size(), 8) + lowest_first(files.size(), 8) +
                 lowest_first(end - begin, 8) + lowest_first(begin, 8);
    directory += "PK\x06\x07" + lowest_first(0, 4) + lowest_first(end, 8) + lowest_first(1, 4);
  }
  const std::uint64_t count = is_wide ? 0xffff : files.size();
  return archive + directory + "PK\x05\x06" + lowest_first(0, 4) + lowest_first(count, 2) +
         lowest_first(count, 2) + lowest_first(is_wide ? 0xffffffff : end - begin, 4) +
         lowest_first(is_wide ? 0xffffffff : begin, 4) + lowest_first(0, 2);
}

}  // namespace tenstride::testing
