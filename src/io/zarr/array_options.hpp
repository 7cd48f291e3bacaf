// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/zarr/metadata.hpp"

namespace tenstride::io {

/// How a new array is kept.
struct ZarrOptions {
  /// 2 or 3.
  int format = 3;
  /// The shape of a chunk; empty: one chunk holds all.
  Dims chunk{};
  /// The shape of a shard, a multiple of the chunk's; empty: no shards.
  Dims shard{};
  /// The codecs as parse_zarr_codecs gives them. The element's size is set by make_zarr_array.
  std::vector<ZarrCodec> codecs{};
  /// One element; empty: the `_FillValue` of the attributes, otherwise none (version 2) or zero (version 3).
  std::vector<std::byte> fill_value{};
  /// One for each axis, or none.
  std::vector<std::string> dimension_names{};
  /// A JSON object.
  std::string attributes = "{}";
  /// The axes in the order in which a chunk holds them, slowest first; empty: row-major.
  Dims order{};
};

/// The codecs of a text: "none", "gzip:6", "zlib", "zstd:3", "blosc" (which is blosc:lz4:5:shuffle),
/// "blosc:zstd:9:bitshuffle", and "+crc32c" behind any. Levels are gzip's 5, zlib's 1 and zstd's 0 where none
/// is named. Throws ValueError. Example: "zstd:3+crc32c" gives two codecs.
std::vector<ZarrCodec> parse_zarr_codecs(std::string_view text);

/// The metadata of a new array. Throws ValueError for options that do not fit its shape or each other,
/// FileError for those that the version of the format does not have.
ZarrArray make_zarr_array(const Dims& shape, DType dtype, const ZarrOptions& options);

}  // namespace tenstride::io
