// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_DEFLATE
#include <libdeflate.h>
#endif

#include <algorithm>

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

std::string_view name_of_deflate(const ZarrCodec& codec) {
  return codec.kind == ZarrCodecKind::gzip ? "gzip" : "zlib";
}

}  // namespace

#ifdef TENSTRIDE_HAS_DEFLATE

std::size_t max_deflate_nbytes(std::size_t nbytes) {
  return libdeflate_gzip_compress_bound(nullptr, nbytes);
}

std::size_t decode_deflate(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                           CodecScratch& scratch, std::string_view path) {
  if (!scratch.deflate_decoder) {
    scratch.deflate_decoder.reset(libdeflate_alloc_decompressor(), [](void* decoder) {
      libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(decoder));
    });
  }
  auto* const decoder = static_cast<libdeflate_decompressor*>(scratch.deflate_decoder.get());
  const bool is_gzip = codec.kind == ZarrCodecKind::gzip;
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  std::size_t count = 0;
  do {
    std::size_t read = 0;
    std::size_t written = 0;
    const auto decode = is_gzip ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
    const libdeflate_result result =
        decode(decoder, in.data(), in.size(), out.data() + count, out.size() - count, &read, &written);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      refuse_zarr(path, "has ", name_of_deflate(codec), " data of more than ", out.size(),
                  " bytes, which must be at most that");
    }
    if (result != LIBDEFLATE_SUCCESS || read == 0) {
      refuse_zarr(path, "has ", in.size(), " bytes that must be ", name_of_deflate(codec),
                  " data with their checksum; they are damaged or cut off");
    }
    in = in.subspan(read);
    count += written;
  } while (is_gzip && !in.empty() && !std::all_of(in.begin(), in.end(), is_zero));
  if (!in.empty() && !is_gzip)
    refuse_zarr(path, "has ", in.size(), " bytes behind its zlib data and must have none");
  return count;
}

std::size_t encode_deflate(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                           CodecScratch& scratch, std::string_view path) {
  constexpr int default_level = 6;
  const int level = codec.level < 0 ? default_level : codec.level;
  if (!scratch.deflate_encoder || scratch.deflate_level != level) {
    scratch.deflate_encoder.reset(libdeflate_alloc_compressor(level), [](void* encoder) {
      libdeflate_free_compressor(static_cast<libdeflate_compressor*>(encoder));
    });
    scratch.deflate_level = level;
  }
  auto* const encoder = static_cast<libdeflate_compressor*>(scratch.deflate_encoder.get());
  const auto encode = codec.kind == ZarrCodecKind::gzip ? libdeflate_gzip_compress : libdeflate_zlib_compress;
  const std::size_t count =
      encoder == nullptr ? 0 : encode(encoder, in.data(), in.size(), out.data(), out.size());
  if (count == 0) refuse_zarr(path, "must be encoded by ", name_of_deflate(codec), ", which fails");
  return count;
}

#else

namespace {
[[noreturn]] void refuse_without_deflate(const ZarrCodec& codec, std::string_view path) {
  refuse_zarr(path, "needs the codec ", name_of_deflate(codec), ", which this build of tenstride lacks");
}
}  // namespace

std::size_t max_deflate_nbytes(std::size_t nbytes) {
  return nbytes;
}
std::size_t decode_deflate(const ZarrCodec& codec, std::span<const std::byte>, std::span<std::byte>,
                           CodecScratch&, std::string_view path) {
  refuse_without_deflate(codec, path);
}
std::size_t encode_deflate(const ZarrCodec& codec, std::span<const std::byte>, std::span<std::byte>,
                           CodecScratch&, std::string_view path) {
  refuse_without_deflate(codec, path);
}

#endif

}  // namespace tenstride::io
