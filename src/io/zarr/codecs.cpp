// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/codecs.hpp"

#include <algorithm>
#include <cstring>

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

std::size_t max_step_nbytes(const ZarrCodec& codec, std::size_t nbytes) {
  switch (codec.kind) {
    case ZarrCodecKind::gzip:
    case ZarrCodecKind::zlib:
      return max_deflate_nbytes(nbytes);
    case ZarrCodecKind::zstd:
      return max_zstd_nbytes(nbytes);
    case ZarrCodecKind::blosc:
      return max_blosc_nbytes(nbytes);
    case ZarrCodecKind::lz4:
      return max_lz4_nbytes(nbytes);
    case ZarrCodecKind::bz2:
      return max_bz2_nbytes(nbytes);
    case ZarrCodecKind::lzma:
      return max_lzma_nbytes(nbytes);
    case ZarrCodecKind::crc32c:
    case ZarrCodecKind::crc32:
    case ZarrCodecKind::adler32:
    case ZarrCodecKind::fletcher32:
      return nbytes + checksum_nbytes;
    case ZarrCodecKind::shuffle:
      return nbytes;
    case ZarrCodecKind::delta:
    case ZarrCodecKind::fixedscaleoffset:
    case ZarrCodecKind::astype:
    case ZarrCodecKind::packbits:
      return filtered_nbytes(codec, nbytes);
  }
  return nbytes;
}

/// Byte b of element i is at i * item + b, or, shuffled, at b * count + i. What is beyond the last whole
/// element stays.
void shuffle_elements(std::span<const std::byte> in, std::span<std::byte> out, std::size_t item,
                      bool is_decoding) {
  const std::size_t count = in.size() / item;
  for (std::size_t b = 0; b < item; ++b) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t plain = i * item + b, shuffled = b * count + i;
      out[is_decoding ? plain : shuffled] = in[is_decoding ? shuffled : plain];
    }
  }
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(count * item), in.end(),
            out.begin() + static_cast<std::ptrdiff_t>(count * item));
}

std::size_t decode_step(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                        CodecScratch& scratch, std::string_view path) {
  switch (codec.kind) {
    case ZarrCodecKind::gzip:
    case ZarrCodecKind::zlib:
      return decode_deflate(codec, in, out, scratch, path);
    case ZarrCodecKind::zstd:
      return decode_zstd(in, out, scratch, path);
    case ZarrCodecKind::blosc:
      return decode_blosc(in, out, path);
    case ZarrCodecKind::lz4:
      return decode_lz4(in, out, path);
    case ZarrCodecKind::bz2:
      return decode_bz2(in, out, path);
    case ZarrCodecKind::lzma:
      return decode_lzma(codec, in, out, path);
    case ZarrCodecKind::delta:
    case ZarrCodecKind::fixedscaleoffset:
    case ZarrCodecKind::astype:
    case ZarrCodecKind::packbits:
      return decode_filter(codec, in, out, path);
    case ZarrCodecKind::crc32c:
    case ZarrCodecKind::crc32:
    case ZarrCodecKind::adler32:
    case ZarrCodecKind::fletcher32:
    case ZarrCodecKind::shuffle:
      break;
  }
  if (in.size() > out.size()) {
    refuse_zarr(path, "has ", in.size(), " shuffled bytes, which must be at most ", out.size());
  }
  shuffle_elements(in, out, static_cast<std::size_t>(codec.item), true);
  return in.size();
}

std::size_t encode_step(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                        CodecScratch& scratch, std::string_view path) {
  switch (codec.kind) {
    case ZarrCodecKind::gzip:
    case ZarrCodecKind::zlib:
      return encode_deflate(codec, in, out, scratch, path);
    case ZarrCodecKind::zstd:
      return encode_zstd(codec, in, out, scratch, path);
    case ZarrCodecKind::blosc:
      return encode_blosc(codec, in, out, path);
    case ZarrCodecKind::crc32c: {
      std::memcpy(out.data(), in.data(), in.size());
      const auto crc = checksum_bytes(codec.kind, in, path);
      std::memcpy(out.data() + in.size(), crc.data(), crc.size());
      return in.size() + crc.size();
    }
    case ZarrCodecKind::shuffle:
      shuffle_elements(in, out, static_cast<std::size_t>(codec.item), false);
      return in.size();
    default:
      refuse_zarr(path, "must have codecs that are written, not ", zarr_codec_name(codec.kind),
                  ", which is read alone");
  }
}

/// The two buffers of results, alternating; buffers[0] holds what a caller began with.
std::span<std::byte> next_buffer(CodecScratch& scratch, std::size_t& results, std::size_t nbytes) {
  return scratch.buffers[1 + results++ % 2].take(nbytes);
}

}  // namespace

std::string_view zarr_codec_name(ZarrCodecKind kind) {
  constexpr std::array<std::string_view, 16> names{
      "gzip",   "zlib",    "zstd",    "blosc",      "lz4",     "bz2",   "lzma",
      "crc32c", "crc32",   "adler32", "fletcher32", "shuffle", "delta", "fixedscaleoffset",
      "astype", "packbits"};
  return names[static_cast<std::size_t>(kind)];
}

std::size_t max_encoded_nbytes(std::span<const ZarrCodec> codecs, std::size_t nbytes) {
  for (const ZarrCodec& codec : codecs) nbytes = max_step_nbytes(codec, nbytes);
  return nbytes;
}

std::size_t max_stored_nbytes(std::span<const ZarrCodec> codecs, std::size_t nbytes) {
  constexpr std::size_t slack = std::size_t{1} << 16;
  constexpr std::size_t max_counted = std::size_t{1} << 62;  // twice as much can be counted, too
  return 2 * std::min(max_encoded_nbytes(codecs, std::min(nbytes, max_counted)), max_counted) + slack;
}

void decode_chunk(std::span<const ZarrCodec> codecs, std::span<const std::byte> stored,
                  std::span<std::byte> elements, CodecScratch& scratch, std::string_view path) {
  std::span<const std::byte> bytes = stored;
  std::size_t results = 0;
  for (std::size_t step = codecs.size(); step-- > 0;) {
    const ZarrCodec& codec = codecs[step];
    if (is_zarr_checksum(codec.kind)) {
      bytes = without_checksum(codec, bytes, path);
      continue;
    }
    // What is before it encodes nothing but the chunk: then the result is the chunk.
    const bool is_last = step == 0;
    const std::size_t max_nbytes =
        is_last ? elements.size() : max_stored_nbytes(codecs.first(step), elements.size());
    const std::span<std::byte> out = is_last ? elements : next_buffer(scratch, results, max_nbytes);
    bytes = out.first(decode_step(codec, bytes, out, scratch, path));
  }
  if (bytes.size() != elements.size()) {
    refuse_zarr(path, "holds a chunk of ", bytes.size(), " bytes and must hold one of ", elements.size());
  }
  if (bytes.data() != elements.data() && !bytes.empty()) {
    std::memcpy(elements.data(), bytes.data(), bytes.size());
  }
}

std::span<const std::byte> encode_chunk(std::span<const ZarrCodec> codecs,
                                        std::span<const std::byte> elements, CodecScratch& scratch,
                                        std::string_view path) {
  std::span<const std::byte> bytes = elements;
  std::size_t results = 0;
  for (std::size_t step = 0; step < codecs.size(); ++step) {
    const std::span<std::byte> out =
        next_buffer(scratch, results, max_step_nbytes(codecs[step], bytes.size()));
    bytes = out.first(encode_step(codecs[step], bytes, out, scratch, path));
  }
  return bytes;
}

}  // namespace tenstride::io
