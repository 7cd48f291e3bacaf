// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>

#include "io/zarr/codec_json.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::json;

constexpr ByteOrder order_of_little =
    std::endian::native == std::endian::little ? ByteOrder::native : ByteOrder::swapped;
constexpr ByteOrder order_of_big =
    std::endian::native == std::endian::little ? ByteOrder::swapped : ByteOrder::native;
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
  codec.field.refuse("one of the codecs gzip, zstd, blosc, crc32c here");
}

void parse_shards(const NamedCodec& codec, ZarrArray& array);

/// `allows_shards`: within a shard there are no others.
void parse_pipeline(const JsonField& field, ZarrArray& array, bool allows_shards) {
  const auto item = static_cast<Index>(item_size(array.dtype));
  bool has_bytes = false;
  for (const NamedCodec& codec : named_codecs(field)) {
    if (!has_bytes && codec.name == "transpose") {
      array.order = transposed_order(array.order, codec);
    } else if (!has_bytes && codec.name == "bytes") {
      array.byte_order = endian_of(codec, item > 1);
      has_bytes = true;
    } else if (!has_bytes && codec.name == "sharding_indexed" && allows_shards) {
      parse_shards(codec, array);
      has_bytes = true;
    } else if (!has_bytes) {
      codec.field.refuse("one of the codecs transpose, bytes", allows_shards ? ", sharding_indexed" : "",
                         " here");
    } else if (array.shards && allows_shards) {
      codec.field.refuse("left out: nothing may encode whole shards");
    } else {
      array.codecs.push_back(bytes_codec(codec, item));
    }
  }
  if (!has_bytes) field.refuse("a list with the codec bytes", allows_shards ? " or sharding_indexed" : "");
}

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
  array.shards = std::move(shards);
  if (!array.has_readable_indexes()) {
    chunk.refuse("sizes of which a shard, ", array.shards->shape, ", has at most ", max_shard_chunks,
                 " chunks");
  }
  parse_pipeline(given.at("codecs"), array, false);
}

Json bytes_json(ByteOrder order, bool has_endian) {
  if (!has_endian) return {{"name", "bytes"}};
  return {{"name", "bytes"}, {"configuration", {{"endian", order == order_of_little ? "little" : "big"}}}};
}

Json codec_json_v3(const ZarrCodec& codec, std::string_view folder) {
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
    case ZarrCodecKind::zlib:
    case ZarrCodecKind::shuffle:
      break;
  }
  refuse_zarr(folder, "must have codecs that version 3 of Zarr has, not ",
              codec.kind == ZarrCodecKind::zlib ? "zlib" : "shuffle", "; write version 2");
}

void add_transpose(Json& codecs, const Dims& order) {
  if (order == first_axes(order.size())) return;
  codecs.push_back({{"name", "transpose"},
                    {"configuration", {{"order", std::vector<Index>(order.begin(), order.end())}}}});
}

}  // namespace

void parse_zarr_codecs_v3(const JsonField& field, ZarrArray& array) {
  array.order = first_axes(array.shape.size());
  parse_pipeline(field, array, true);
}

nlohmann::json zarr_codecs_json_v3(const ZarrArray& array, std::string_view folder) {
  Json codecs = Json::array();
  // Within shards that are transposed themselves, an axis is named by its position among theirs.
  Dims order = array.order;
  Dims chunk = array.chunk;
  if (array.shards) {
    for (std::size_t d = 0; d < order.size(); ++d) {
      const auto axis = static_cast<std::size_t>(array.shards->order[d]);
      chunk[d] = array.chunk[axis];
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (array.order[i] == array.shards->order[d]) order[i] = static_cast<Index>(d);
      }
    }
  }
  add_transpose(codecs, order);
  codecs.push_back(bytes_json(array.byte_order, item_size(array.dtype) > 1));
  for (const ZarrCodec& codec : array.codecs) codecs.push_back(codec_json_v3(codec, folder));
  if (!array.shards) return codecs;
  Json index = Json::array({bytes_json(array.shards->index_byte_order, true)});
  if (array.shards->has_index_checksum) index.push_back({{"name", "crc32c"}});
  Json outer = Json::array();
  add_transpose(outer, array.shards->order);
  outer.push_back(
      {{"name", "sharding_indexed"},
       {"configuration",
        {{"chunk_shape", std::vector<Index>(chunk.begin(), chunk.end())},
         {"codecs", std::move(codecs)},
         {"index_codecs", std::move(index)},
         {"index_location", array.shards->index_location == ZarrIndexLocation::end ? "end" : "start"}}}});
  return outer;
}

}  // namespace tenstride::io
