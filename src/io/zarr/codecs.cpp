// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/codecs.hpp"

#include <algorithm>
#include <cstring>

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

constexpr std::size_t crc_nbytes = 4;

std::size_t max_step_nbytes(const ZarrCodec& codec, std::size_t nbytes) {
  switch (codec.kind) {
    case ZarrCodecKind::gzip:
    case ZarrCodecKind::zlib:
      return max_deflate_nbytes(nbytes);
    case ZarrCodecKind::zstd:
      return max_zstd_nbytes(nbytes);
    case ZarrCodecKind::blosc:
      return max_blosc_nbytes(nbytes);
    case ZarrCodecKind::crc32c:
      return nbytes + crc_nbytes;
    case ZarrCodecKind::shuffle:
      return nbytes;
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

std::array<std::byte, crc_nbytes> crc_bytes(std::span<const std::byte> bytes) {
  const std::uint32_t crc = crc32c(bytes);
  std::array<std::byte, crc_nbytes> result;
  for (std::size_t i = 0; i < crc_nbytes; ++i) result[i] = static_cast<std::byte>((crc >> (8 * i)) & 0xffU);
  return result;
}

std::span<const std::byte> without_crc(std::span<const std::byte> in, std::string_view path) {
  if (in.size() < crc_nbytes) {
    refuse_zarr(path, "has ", in.size(), " bytes and must have at least the 4 of its crc32c");
  }
  const std::span<const std::byte> bytes = in.first(in.size() - crc_nbytes);
  const auto crc = crc_bytes(bytes);
  if (std::memcmp(crc.data(), in.data() + bytes.size(), crc_nbytes) != 0) {
    refuse_zarr(path, "has bytes whose crc32c must be the one behind them, and is not: they are damaged");
  }
  return bytes;
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
    case ZarrCodecKind::crc32c:
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
      const auto crc = crc_bytes(in);
      std::memcpy(out.data() + in.size(), crc.data(), crc.size());
      return in.size() + crc.size();
    }
    case ZarrCodecKind::shuffle:
      shuffle_elements(in, out, static_cast<std::size_t>(codec.item), false);
      return in.size();
  }
  return 0;
}

/// The two buffers of results, alternating; buffers[0] holds what a caller began with.
std::span<std::byte> next_buffer(CodecScratch& scratch, std::size_t& results, std::size_t nbytes) {
  return scratch.buffers[1 + results++ % 2].take(nbytes);
}

}  // namespace

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
    if (codec.kind == ZarrCodecKind::crc32c) {
      bytes = without_crc(bytes, path);
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
