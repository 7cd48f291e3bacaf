// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_DEFLATE
#include <libdeflate.h>
#endif

#include <algorithm>

#include "io/stream/fletcher32.hpp"
#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

std::uint32_t checksum_of(ZarrCodecKind kind, std::span<const std::byte> bytes,
                          [[maybe_unused]] std::string_view path) {
  if (kind == ZarrCodecKind::crc32c) return crc32c(bytes);
  if (kind == ZarrCodecKind::fletcher32) return fletcher32(bytes);
#ifdef TENSTRIDE_HAS_DEFLATE
  // Of no bytes both may be given none, which asks for the first value.
  if (kind == ZarrCodecKind::crc32)
    return bytes.empty() ? 0 : libdeflate_crc32(0, bytes.data(), bytes.size());
  return bytes.empty() ? 1 : libdeflate_adler32(1, bytes.data(), bytes.size());
#else
  refuse_zarr(path, "needs the codec ", zarr_codec_name(kind), ", which this build of tenstride lacks");
#endif
}

}  // namespace

bool is_zarr_checksum(ZarrCodecKind kind) {
  return kind == ZarrCodecKind::crc32c || kind == ZarrCodecKind::crc32 || kind == ZarrCodecKind::adler32 ||
         kind == ZarrCodecKind::fletcher32;
}

std::array<std::byte, checksum_nbytes> checksum_bytes(ZarrCodecKind kind, std::span<const std::byte> bytes,
                                                      std::string_view path) {
  const std::uint32_t sum = checksum_of(kind, bytes, path);
  std::array<std::byte, checksum_nbytes> result;
  for (std::size_t i = 0; i < checksum_nbytes; ++i) {
    result[i] = static_cast<std::byte>((sum >> (8 * i)) & 0xffU);
  }
  return result;
}

std::span<const std::byte> without_checksum(const ZarrCodec& codec, std::span<const std::byte> in,
                                            std::string_view path) {
  const std::string_view name = zarr_codec_name(codec.kind);
  if (in.size() < checksum_nbytes) {
    refuse_zarr(path, "has ", in.size(), " bytes and must have at least the 4 of its ", name);
  }
  const bool is_first = codec.checksum_place == ZarrChecksumPlace::start;
  const std::span<const std::byte> bytes =
      is_first ? in.subspan(checksum_nbytes) : in.first(in.size() - checksum_nbytes);
  const auto sum = checksum_bytes(codec.kind, bytes, path);
  if (!std::equal(sum.begin(), sum.end(), (is_first ? in : in.last(checksum_nbytes)).begin())) {
    refuse_zarr(path, "has bytes whose ", name, " must be the one ", is_first ? "before" : "behind",
                " them, and is not: they are damaged");
  }
  return bytes;
}

}  // namespace tenstride::io
