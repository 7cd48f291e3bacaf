// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "io/zarr/json_field.hpp"
#include "io/zarr/metadata.hpp"

namespace tenstride::io {

/// The name of the compressor within blosc. Throws FileError for one that blosc does not have.
std::string parse_blosc_name(const JsonField& field);

/// A codec that only numcodecs has; nothing where the id is that of no such. `before`: the elements that it
/// encodes. Throws FileError.
std::optional<ZarrCodec> parse_numcodecs(const JsonField& field, ZarrElement before);
/// The codec as version 3 names it: "numcodecs.delta". Pre: numcodecs' fields are known.
nlohmann::json numcodecs_json_v3(const ZarrCodec& codec);

/// A compressor or filter of version 2. `before`: the elements that it encodes. Throws FileError.
ZarrCodec parse_zarr_codec_v2(const JsonField& field, ZarrElement before);
/// The reverse. Throws FileError, which names `folder`, for a codec that version 2 does not have.
nlohmann::json zarr_codec_json_v2(const ZarrCodec& codec, std::string_view folder);

/// Reads the codecs of version 3: transpose, then bytes and what encodes bytes, or sharding_indexed. The
/// chunk grid's shape, which `array.chunk` has before, is that of shards then. Sets `shards`, `inner_shards`,
/// `chunk`, `order`, `byte_order` and `codecs`. Throws FileError.
void parse_zarr_codecs_v3(const JsonField& field, ZarrArray& array);
/// The reverse.
nlohmann::json zarr_codecs_json_v3(const ZarrArray& array, std::string_view folder);

}  // namespace tenstride::io
