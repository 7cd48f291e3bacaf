// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "io/zarr/metadata.hpp"

namespace tenstride::io {

/// Memory that grows and is not initialised.
class ByteBuffer {
 public:
  /// The first `nbytes` bytes; what was in them may be lost.
  std::span<std::byte> take(std::size_t nbytes) {
    if (nbytes > nbytes_) {
      bytes_.reset();  // before the larger one is there
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(nbytes);
      nbytes_ = nbytes;
    }
    return {bytes_.get(), nbytes};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t nbytes_ = 0;
};

/// What one thread needs to encode and decode, kept from chunk to chunk.
struct CodecScratch {
  /// The bytes of a file, then each other step's result.
  std::array<ByteBuffer, 3> buffers;
  /// Elements in the other byte order, or cut out of a shard.
  ByteBuffer elements;
  /// The decoder of each library, made when first used.
  std::shared_ptr<void> zstd_decoder;
  std::shared_ptr<void> zstd_encoder;
  std::shared_ptr<void> deflate_decoder;
  std::shared_ptr<void> deflate_encoder;
  int deflate_level = -1;
};

/// "gzip", "delta", …: numcodecs' ids, which are those of both versions.
std::string_view zarr_codec_name(ZarrCodecKind kind);

/// Whether a codec is one of numcodecs' filters, whose bytes are elements on both sides.
bool is_zarr_filter(ZarrCodecKind kind);
/// Whether a codec adds a checksum to bytes that stay as they are.
bool is_zarr_checksum(ZarrCodecKind kind);

/// How many bytes `nbytes` bytes may have after the codecs, as these libraries write them. Pre: nbytes is the
/// size of a chunk.
std::size_t max_encoded_nbytes(std::span<const ZarrCodec> codecs, std::size_t nbytes);

/// How many bytes a file or an entry of a shard may have for a chunk of `nbytes` bytes; more is refused
/// before it is read. Twice the above and 64 KiB, as others' compressors waste more than ours.
std::size_t max_stored_nbytes(std::span<const ZarrCodec> codecs, std::size_t nbytes);

/// Decodes a chunk into `elements`, which it must fill exactly. No step allocates more than the chunk's size
/// allows, whatever the headers within `stored` say. `path` is for errors. `stored` may be of buffers[0].
/// Throws FileError.
void decode_chunk(std::span<const ZarrCodec> codecs, std::span<const std::byte> stored,
                  std::span<std::byte> elements, CodecScratch& scratch, std::string_view path);

/// Encodes a chunk. The result is valid until the scratch is used again; without codecs it is `elements`.
/// `elements` may be of buffers[0]. Throws FileError.
std::span<const std::byte> encode_chunk(std::span<const ZarrCodec> codecs,
                                        std::span<const std::byte> elements, CodecScratch& scratch,
                                        std::string_view path);

/// The checksum CRC-32C of RFC 3720. Example: that of "123456789" is 0xe3069283.
std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace tenstride::io
