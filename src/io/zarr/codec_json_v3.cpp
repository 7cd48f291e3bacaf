// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "io/format/python_json.hpp"
#include "io/zarr/codec_json.hpp"
#include "io/zarr/codecs.hpp"
#include "io/zarr/shard_index.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::json;

constexpr ByteOrder order_of_little =
    std::endian::native == std::endian::little ? ByteOrder::native : ByteOrder::swapped;
constexpr ByteOrder order_of_big =
    std::endian::native == std::endian::little ? ByteOrder::swapped : ByteOrder::native;
constexpr std::string_view numcodecs_prefix = "numcodecs.";
const Json no_members = Json::object();

/// A codec of a list: an object with a name and a configuration, or the name alone.
struct NamedCodec {
  JsonField field;
  std::string name;
  JsonField configuration;

  explicit NamedCodec(const JsonField& codec)
      : field(codec),
        name(codec.value().is_string() ? codec.text() : codec.at("name").text()),
        configuration(codec.find_or("configuration", no_members)) {
    if (!codec.value().is_string()) codec.allow_only({"name", "configuration"});
  }
};

std::vector<NamedCodec> named_codecs(const JsonField& field) {
  std::vector<NamedCodec> result;
  for (const JsonField& codec : field.items()) result.emplace_back(codec);
  return result;
}

/// The order of the axes after one transpose more.
Dims transposed_order(const Dims& order, const NamedCodec& codec) {
  codec.configuration.allow_only({"order"});
  const Dims next = codec.configuration.at("order").axes(order.size());
  Dims result = order;
  for (std::size_t d = 0; d < order.size(); ++d) result[d] = order[static_cast<std::size_t>(next[d])];
  return result;
}

ByteOrder endian_of(const NamedCodec& codec, bool is_needed) {
  codec.configuration.allow_only({"endian"});
  const auto endian = codec.configuration.find("endian");
  if (!endian && !is_needed) return ByteOrder::native;
  const JsonField given = codec.configuration.at("endian");
  if (given.value() == "little") return is_needed ? order_of_little : ByteOrder::native;
  if (given.value() == "big") return is_needed ? order_of_big : ByteOrder::native;
  given.refuse("\"little\" or \"big\"");
}

ZarrCodec blosc_of_v3(const JsonField& given, Index item) {
  given.allow_only({"cname", "clevel", "shuffle", "typesize", "blocksize"});
  ZarrCodec codec{.kind = ZarrCodecKind::blosc};
  codec.blosc_name = parse_blosc_name(given.at("cname"));
  codec.level = static_cast<int>(given.at("clevel").integer(0, 9));
  const JsonField shuffle = given.at("shuffle");
  if (shuffle.value() == "noshuffle") {
    codec.shuffle = ZarrShuffle::none;
  } else if (shuffle.value() == "shuffle") {
    codec.shuffle = ZarrShuffle::bytes;
  } else if (shuffle.value() == "bitshuffle") {
    codec.shuffle = ZarrShuffle::bits;
  } else {
    shuffle.refuse("one of \"noshuffle\", \"shuffle\", \"bitshuffle\"");
  }
  const auto typesize = given.find("typesize");
  codec.item = typesize && !typesize->is_null() ? typesize->integer(1, 255) : item;
  if (const auto block = given.find("blocksize")) codec.block_nbytes = block->integer(0, Index{1} << 31);
  return codec;
}

ZarrCodec bytes_codec(const NamedCodec& codec, Index item) {
  const JsonField& given = codec.configuration;
  if (codec.name == "gzip") {
    given.allow_only({"level"});
    return {.kind = ZarrCodecKind::gzip, .level = static_cast<int>(given.at("level").integer(0, 9))};
  }
  if (codec.name == "zstd") {
    given.allow_only({"level", "checksum"});
    const auto checksum = given.find("checksum");
    return {.kind = ZarrCodecKind::zstd,
            .level = static_cast<int>(given.at("level").integer(-131072, 22)),
            .has_checksum = checksum && checksum->boolean()};
  }
  if (codec.name == "blosc") return blosc_of_v3(given, item);
  if (codec.name == "crc32c") {
    given.allow_only({});
    return {.kind = ZarrCodecKind::crc32c};
  }
  codec.field.refuse("one of the codecs gzip, zstd, blosc, crc32c and numcodecs' here");
}

/// A codec "numcodecs.NAME", by the fields that version 2 has.
ZarrCodec numcodecs_codec(const NamedCodec& codec, ZarrElement before) {
  if (!codec.configuration.value().is_object()) codec.configuration.refuse("an object");
  Json fields = codec.configuration.value();
  fields["id"] = codec.name.substr(numcodecs_prefix.size());
  ZarrCodec result = parse_zarr_codec_v2(codec.configuration.with(fields), before);
  result.numcodecs = python_json_text(fields);
  return result;
}

bool is_of_numcodecs(const NamedCodec& codec) {
  return codec.name.starts_with(numcodecs_prefix);
}

void parse_shards(const NamedCodec& codec, ZarrArray& array);

/// Reads the codecs of chunks or shards. What makes elements of elements comes first.
class CodecPipeline {
 public:
  explicit CodecPipeline(ZarrArray& array) : array_(array), before_{array.dtype, ByteOrder::native} {}

  void parse(const JsonField& field) {
    for (const NamedCodec& codec : named_codecs(field)) {
      if (!has_bytes_ && !is_sharded_) {
        parse_of_elements(codec);
      } else if (is_sharded_) {
        codec.field.refuse("left out: nothing may encode whole shards");
      } else {
        parse_of_bytes(codec);
      }
    }
    if (!has_bytes_ && !is_sharded_) field.refuse("a list with the codec bytes or sharding_indexed");
  }

 private:
  void parse_of_elements(const NamedCodec& codec) {
    const bool has_filters = !array_.codecs.empty();
    if (codec.name == "transpose" && !has_filters) {
      array_.order = transposed_order(array_.order, codec);
    } else if (codec.name == "sharding_indexed" && !has_filters) {
      parse_shards(codec, array_);
      is_sharded_ = true;
    } else if (codec.name == "bytes") {
      parse_bytes(codec);
    } else if (is_of_numcodecs(codec)) {
      add_filter(codec);
    } else {
      codec.field.refuse("one of the codecs ", has_filters ? "" : "transpose, sharding_indexed, ",
                         "bytes and numcodecs' filters here");
    }
  }

  void add_filter(const NamedCodec& codec) {
    const ZarrCodec filter = numcodecs_codec(codec, before_);
    if (!is_zarr_filter(filter.kind)) codec.field.refuse("a filter here, before the codec bytes");
    if (filter.decoded.dtype != before_.dtype) {
      codec.field.refuse("a filter of the elements before it, which are ", name(before_.dtype), ", not ",
                         name(filter.decoded.dtype));
    }
    if (array_.codecs.empty()) array_.byte_order = filter.decoded.byte_order;
    array_.codecs.push_back(filter);
    before_ = filter.encoded;
  }

  void parse_bytes(const NamedCodec& codec) {
    const bool is_needed = item_size(before_.dtype) > 1;
    const ByteOrder order = endian_of(codec, is_needed);
    if (array_.codecs.empty()) {
      array_.byte_order = order;
    } else if (is_needed && order != before_.byte_order) {
      codec.field.refuse("in the byte order of what the filter before it makes");
    }
    has_bytes_ = true;
  }

  void parse_of_bytes(const NamedCodec& codec) {
    if (!is_of_numcodecs(codec)) {
      array_.codecs.push_back(bytes_codec(codec, static_cast<Index>(item_size(before_.dtype))));
      return;
    }
    array_.codecs.push_back(numcodecs_codec(codec, before_));
    if (is_zarr_filter(array_.codecs.back().kind)) {
      codec.field.refuse("a codec of bytes here, behind the codec bytes");
    }
  }

  ZarrArray& array_;
  /// The elements that the next codec encodes.
  ZarrElement before_;
  bool has_bytes_ = false;
  bool is_sharded_ = false;
};

void parse_index_codecs(const JsonField& field, ZarrShards& shards) {
  const std::vector<NamedCodec> codecs = named_codecs(field);
  const bool has_crc = codecs.size() == 2 && codecs[1].name == "crc32c";
  if (codecs.empty() || codecs[0].name != "bytes" || (codecs.size() > 1 && !has_crc)) {
    field.refuse("the codec bytes, or bytes and crc32c, as the length of an index is known then");
  }
  shards.index_byte_order = endian_of(codecs[0], true);
  if (has_crc) codecs[1].configuration.allow_only({});
  shards.has_index_checksum = has_crc;
}

void parse_shards(const NamedCodec& codec, ZarrArray& array) {
  const JsonField& given = codec.configuration;
  given.allow_only({"chunk_shape", "codecs", "index_codecs", "index_location"});
  ZarrShards shards;
  shards.shape = array.chunk;
  shards.order = array.order;
  const JsonField chunk = given.at("chunk_shape");
  const Dims sizes = chunk.dims(1);
  if (sizes.size() != array.chunk.size()) chunk.refuse("a list of ", array.chunk.size(), " integers");
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const auto axis = static_cast<std::size_t>(array.order[d]);
    if (shards.shape[axis] % sizes[d] != 0) {
      chunk.refuse("sizes that divide those of a shard, ", shards.shape);
    }
    array.chunk[axis] = sizes[d];
  }
  if (const auto location = given.find("index_location")) {
    if (location->value() == "start") {
      shards.index_location = ZarrIndexLocation::start;
    } else if (location->value() != "end") {
      location->refuse("\"start\" or \"end\"");
    }
  }
  parse_index_codecs(given.at("index_codecs"), shards);
  if (!array.shards) {
    array.shards = std::move(shards);
  } else {
    array.inner_shards.push_back(std::move(shards));
  }
  const std::size_t level = array.inner_shards.size();
  if (!has_readable_index(array, level)) {
    chunk.refuse("sizes of which a shard, ", shards_at(array, level).shape, ", has at most ",
                 max_shard_chunks, " chunks");
  }
  CodecPipeline(array).parse(given.at("codecs"));
}

Json bytes_json(ByteOrder order, bool has_endian) {
  if (!has_endian) return {{"name", "bytes"}};
  return {{"name", "bytes"}, {"configuration", {{"endian", order == order_of_little ? "little" : "big"}}}};
}

Json codec_json_v3(const ZarrCodec& codec, std::string_view folder) {
  if (!codec.numcodecs.empty()) return numcodecs_json_v3(codec);
  switch (codec.kind) {
    case ZarrCodecKind::gzip:
      return {{"name", "gzip"}, {"configuration", {{"level", codec.level}}}};
    case ZarrCodecKind::zstd:
      return {{"name", "zstd"},
              {"configuration", {{"level", codec.level}, {"checksum", codec.has_checksum}}}};
    case ZarrCodecKind::blosc: {
      constexpr std::array<std::string_view, 3> shuffles{"noshuffle", "shuffle", "bitshuffle"};
      return {{"name", "blosc"},
              {"configuration",
               {{"typesize", codec.item},
                {"cname", codec.blosc_name},
                {"clevel", codec.level},
                {"shuffle", shuffles[static_cast<std::size_t>(codec.shuffle)]},
                {"blocksize", codec.block_nbytes}}}};
    }
    case ZarrCodecKind::crc32c:
      return {{"name", "crc32c"}};
    default:
      break;
  }
  refuse_zarr(folder, "must have codecs that version 3 of Zarr has, not ", zarr_codec_name(codec.kind),
              "; write version 2");
}

/// The axes in an order, by their places in the order around it. Example: (2,0,1) within (0,2,1) is (1,0,2).
Dims order_within(const Dims& order, const Dims& outer) {
  Dims result = order;
  for (std::size_t d = 0; d < order.size(); ++d) {
    result[d] = std::find(outer.begin(), outer.end(), order[d]) - outer.begin();
  }
  return result;
}

void add_transpose(Json& codecs, const Dims& order) {
  if (order == first_axes(order.size())) return;
  codecs.push_back({{"name", "transpose"},
                    {"configuration", {{"order", std::vector<Index>(order.begin(), order.end())}}}});
}

/// The codecs of a chunk, which lies in shards whose axes have the order `outer`.
Json chunk_codecs_json(const ZarrArray& array, const Dims& outer, std::string_view folder) {
  Json codecs = Json::array();
  add_transpose(codecs, order_within(array.order, outer));
  ZarrElement element{array.dtype, array.byte_order};
  bool has_bytes = false;
  for (const ZarrCodec& codec : array.codecs) {
    if (!has_bytes && !is_zarr_filter(codec.kind)) {
      codecs.push_back(bytes_json(element.byte_order, item_size(element.dtype) > 1));
      has_bytes = true;
    }
    if (is_zarr_filter(codec.kind)) element = codec.encoded;
    codecs.push_back(codec_json_v3(codec, folder));
  }
  if (!has_bytes) codecs.push_back(bytes_json(element.byte_order, item_size(element.dtype) > 1));
  return codecs;
}

/// The same of shards, whose parts have the codecs `inner`.
Json shard_codecs_json(const ZarrArray& array, std::size_t level, const Dims& outer, Json inner) {
  const ZarrShards& shards = shards_at(array, level);
  Json index = Json::array({bytes_json(shards.index_byte_order, true)});
  if (shards.has_index_checksum) index.push_back({{"name", "crc32c"}});
  std::vector<Index> part;
  for (const Index axis : shards.order)
    part.push_back(part_of_shard(array, level)[static_cast<std::size_t>(axis)]);
  Json codecs = Json::array();
  add_transpose(codecs, order_within(shards.order, outer));
  codecs.push_back(
      {{"name", "sharding_indexed"},
       {"configuration",
        {{"chunk_shape", part},
         {"codecs", std::move(inner)},
         {"index_codecs", std::move(index)},
         {"index_location", shards.index_location == ZarrIndexLocation::end ? "end" : "start"}}}});
  return codecs;
}

}  // namespace

void parse_zarr_codecs_v3(const JsonField& field, ZarrArray& array) {
  array.order = first_axes(array.shape.size());
  CodecPipeline(array).parse(field);
}

nlohmann::json zarr_codecs_json_v3(const ZarrArray& array, std::string_view folder) {
  const Dims axes = first_axes(array.shape.size());
  const std::size_t levels = array.shards ? 1 + array.inner_shards.size() : 0;
  const auto order_around = [&](std::size_t level) {
    return level == 0 ? axes : shards_at(array, level - 1).order;
  };
  Json codecs = chunk_codecs_json(array, order_around(levels), folder);
  for (std::size_t level = levels; level-- > 0;) {
    codecs = shard_codecs_json(array, level, order_around(level), std::move(codecs));
  }
  return codecs;
}

}  // namespace tenstride::io
