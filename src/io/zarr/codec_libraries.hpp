// SPDX-License-Identifier: Apache-2.0
// One codec each. A decoder writes at most `out` and gives how many bytes it wrote; an encoder's `out` has
// the size that its `max_…` names. All throw FileError; `path` is for errors.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "io/zarr/codecs.hpp"

namespace tenstride::io {

std::size_t max_zstd_nbytes(std::size_t nbytes);
std::size_t decode_zstd(std::span<const std::byte> in, std::span<std::byte> out, CodecScratch& scratch,
                        std::string_view path);
std::size_t encode_zstd(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                        CodecScratch& scratch, std::string_view path);

/// The most bytes that gzip makes of so many, and zlib, which is shorter.
std::size_t max_deflate_nbytes(std::size_t nbytes);
/// Several members of gzip, one after another, are one text, as are zeros behind them.
std::size_t decode_deflate(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                           CodecScratch& scratch, std::string_view path);
std::size_t encode_deflate(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                           CodecScratch& scratch, std::string_view path);

std::size_t max_blosc_nbytes(std::size_t nbytes);
std::size_t decode_blosc(std::span<const std::byte> in, std::span<std::byte> out, std::string_view path);
std::size_t encode_blosc(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                         std::string_view path);

std::size_t max_lz4_nbytes(std::size_t nbytes);
std::size_t decode_lz4(std::span<const std::byte> in, std::span<std::byte> out, std::string_view path);

std::size_t max_bz2_nbytes(std::size_t nbytes);
/// Several streams, one after another, are one text.
std::size_t decode_bz2(std::span<const std::byte> in, std::span<std::byte> out, std::string_view path);

std::size_t max_lzma_nbytes(std::size_t nbytes);
/// Of the format xz, several streams as of bz2.
std::size_t decode_lzma(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                        std::string_view path);

/// How many bytes a filter makes of so many; at most 2^62. Pre: the codec is a filter.
std::size_t filtered_nbytes(const ZarrCodec& codec, std::size_t nbytes);
std::size_t decode_filter(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                          std::string_view path);

inline constexpr std::size_t checksum_nbytes = 4;
/// The checksum of bytes as it is stored. Pre: the codec is a checksum.
std::array<std::byte, checksum_nbytes> checksum_bytes(ZarrCodecKind kind, std::span<const std::byte> bytes,
                                                      std::string_view path);
/// The bytes without their checksum, which is checked.
std::span<const std::byte> without_checksum(const ZarrCodec& codec, std::span<const std::byte> in,
                                            std::string_view path);

}  // namespace tenstride::io
