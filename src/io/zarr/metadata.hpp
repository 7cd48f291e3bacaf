// SPDX-License-Identifier: Apache-2.0
// What the metadata of a Zarr array say, versions 2 and 3 of the format:
// https://zarr-specs.readthedocs.io
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/ends/chunk_store.hpp"
#include "tenstride/base/dims.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {

struct ZarrElement {
  DType dtype = DType::float32;
  ByteOrder byte_order = ByteOrder::native;

  friend bool operator==(const ZarrElement&, const ZarrElement&) = default;
};

class ZarrStore;

enum class ZarrCodecKind : unsigned char {
  gzip,
  zlib,
  zstd,
  blosc,
  lz4,
  bz2,
  lzma,
  // Four bytes that tell whether the others are damaged.
  crc32c,
  crc32,
  adler32,
  fletcher32,
  shuffle,
  // What makes elements of elements: numcodecs' filters.
  delta,
  fixedscaleoffset,
  astype,
  packbits
};
/// Blosc's numbers. A ZarrCodecKind::shuffle is always of bytes.
enum class ZarrShuffle : unsigned char { none, bytes, bits };
enum class ZarrChecksumPlace : unsigned char { end, start };
/// Formats of lzma data, by the numbers that numcodecs has.
enum class ZarrLzmaFormat : unsigned char { xz = 1, alone = 2 };

/// A codec that makes bytes of bytes. Those that only numcodecs has are decoded, not encoded.
struct ZarrCodec {
  ZarrCodecKind kind = ZarrCodecKind::zstd;
  /// The level of gzip, zlib, zstd, blosc and bz2.
  int level = 0;
  /// Whether zstd adds its own checksum to each frame.
  bool has_checksum = false;
  /// The compressor within blosc: blosclz, lz4, lz4hc, snappy, zlib or zstd.
  std::string blosc_name = "lz4";
  ZarrShuffle shuffle = ZarrShuffle::none;
  /// Bytes of an element, of blosc and shuffle.
  Index item = 1;
  /// The block of blosc, 0 where it chooses by itself.
  Index block_nbytes = 0;
  ZarrChecksumPlace checksum_place = ZarrChecksumPlace::end;
  ZarrLzmaFormat lzma_format = ZarrLzmaFormat::xz;
  /// Elements before and behind a filter.
  ZarrElement decoded{};
  ZarrElement encoded{};
  /// A fixedscaleoffset stores (element - offset) * scale.
  double offset = 0;
  double scale = 1;
  /// The fields that numcodecs has, with its id, as a JSON object; empty of a codec that the version of the
  /// format has by itself.
  std::string numcodecs{};

  friend bool operator==(const ZarrCodec&, const ZarrCodec&) = default;
};

enum class ZarrIndexLocation : unsigned char { start, end };

/// No shard may have more chunks than this: its index, 16 bytes for each, is read as a whole.
inline constexpr Index max_shard_chunks = Index{1} << 24;

/// Files that hold several chunks and an index of them.
struct ZarrShards {
  /// The shape of a shard, in elements; a multiple of the chunk's.
  Dims shape;
  ZarrIndexLocation index_location = ZarrIndexLocation::end;
  ByteOrder index_byte_order = ByteOrder::native;
  /// Whether the index ends with its crc32c.
  bool has_index_checksum = true;
  /// The axes of the array in the order in which the index counts chunks, slowest first. (0,1,…) unless a
  /// transpose codec stands before the shards.
  Dims order;

  friend bool operator==(const ZarrShards&, const ZarrShards&) = default;
};

/// How the key of a chunk begins: "0.1", or "c/0/1".
enum class ZarrKeyStyle : unsigned char { indices, prefixed };

/// An array as zarr.json, or .zarray and .zattrs, describe it.
struct ZarrArray {
  /// 2 or 3.
  int format = 3;
  Dims shape;
  Dims chunk;
  std::optional<ZarrShards> shards;
  /// The shards that lie in those, and so on, as chunks do in the last.
  std::vector<ZarrShards> inner_shards;
  DType dtype = DType::float32;
  /// The byte order of the elements in the chunks.
  ByteOrder byte_order = ByteOrder::native;
  /// One element in this machine's byte order. Empty: none is named (null in version 2), zeros are read.
  std::vector<std::byte> fill_value;
  /// The axes of the array in the order in which a chunk holds them, slowest first. (1,0): column-major.
  Dims order;
  /// The codecs in the order in which they encode.
  std::vector<ZarrCodec> codecs;
  ZarrKeyStyle key_style = ZarrKeyStyle::prefixed;
  char separator = '/';
  /// One for each axis, or none at all.
  std::vector<std::optional<std::string>> dimension_names;
  /// A JSON object as `FileInfo` has it, without `_ARRAY_DIMENSIONS` where that became `dimension_names`.
  std::string attributes = "{}";

  friend bool operator==(const ZarrArray&, const ZarrArray&) = default;

  [[nodiscard]] std::size_t chunk_nbytes() const {
    return static_cast<std::size_t>(count_elements(chunk)) * item_size(dtype);
  }
  /// What one file holds: a shard, or a chunk.
  [[nodiscard]] const Dims& unit() const { return shards ? shards->shape : chunk; }
};

/// No file of metadata may be longer than this many bytes.
inline constexpr std::size_t max_zarr_metadata = std::size_t{1} << 24;

/// The array that the text of `folder`/zarr.json describes. Throws FileError, and nothing else.
ZarrArray parse_zarr_v3(std::string_view text, std::string_view folder);
/// The array that the texts of `folder`/.zarray and `folder`/.zattrs describe; an empty second text stands
/// for a missing file. Throws FileError, and nothing else.
ZarrArray parse_zarr_v2(std::string_view zarray, std::string_view zattrs, std::string_view folder);
/// The array in a folder of a store, of whichever version. Throws FileError.
ZarrArray read_zarr_metadata(const ZarrStore& store, const std::string& name);
/// The array in a folder.
ZarrArray read_zarr_metadata(const std::string& folder);

/// A file of metadata.
struct ZarrText {
  /// The name within the folder: "zarr.json", ".zarray" or ".zattrs".
  std::string name;
  std::string text;
};
/// The files that describe an array of version `array.format`, as zarr-python writes them.
std::vector<ZarrText> zarr_metadata_texts(const ZarrArray& array);

/// Where the elements of a decoded chunk stand, in elements. Example: of a chunk (2,3) with the order (1,0)
/// (2,3):(1,2)+0.
Layout zarr_chunk_layout(const ZarrArray& array);

/// The key of a chunk's file, or a shard's. Example: "c/1/0" for (1,0).
std::string zarr_key(const ZarrArray& array, const Dims& index);

/// (0,1,…): the order of axes that changes nothing.
Dims first_axes(std::size_t rank);

}  // namespace tenstride::io
