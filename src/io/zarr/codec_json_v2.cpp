// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/codec_json.hpp"
#include "io/zarr/codecs.hpp"

namespace tenstride::io {
namespace {

constexpr Index max_blosc_block = Index{1} << 31;
/// What numcodecs takes where a field is not given; those of version 3 may be left out.
const nlohmann::json usual_blosc_name = "lz4";
const nlohmann::json usual_blosc_level = 5;
const nlohmann::json usual_blosc_shuffle = 1;

Index level_of_v2(const JsonField& codec, Index min, Index max) {
  const std::optional<JsonField> level = codec.find("level");
  return level ? level->integer(min, max) : 1;
}

ZarrCodec blosc_of_v2(const JsonField& field, Index item) {
  field.allow_only({"id", "cname", "clevel", "shuffle", "blocksize", "typesize"});
  ZarrCodec codec{.kind = ZarrCodecKind::blosc};
  codec.blosc_name = parse_blosc_name(field.find_or("cname", usual_blosc_name));
  codec.level = static_cast<int>(field.find_or("clevel", usual_blosc_level).integer(0, 9));
  codec.item = item;
  const Index shuffle = field.find_or("shuffle", usual_blosc_shuffle).integer(-1, 2);
  // -1 leaves the choice to numcodecs, which shuffles bits of single bytes.
  codec.shuffle = static_cast<ZarrShuffle>(shuffle < 0 ? (item == 1 ? 2 : 1) : shuffle);
  if (const auto block = field.find("blocksize")) codec.block_nbytes = block->integer(0, max_blosc_block);
  return codec;
}

}  // namespace

std::string parse_blosc_name(const JsonField& field) {
  for (const std::string_view known : {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}) {
    if (field.text() == known) return field.text();
  }
  field.refuse("one of blosclz, lz4, lz4hc, snappy, zlib, zstd");
}

ZarrCodec parse_zarr_codec_v2(const JsonField& field, ZarrElement before) {
  const auto item = static_cast<Index>(item_size(before.dtype));
  const JsonField id = field.at("id");
  const std::string& kind = id.text();
  if (kind == "zlib" || kind == "gzip") {
    field.allow_only({"id", "level"});
    return {.kind = kind == "zlib" ? ZarrCodecKind::zlib : ZarrCodecKind::gzip,
            .level = static_cast<int>(level_of_v2(field, -1, 9))};
  }
  if (kind == "zstd") {
    field.allow_only({"id", "level", "checksum"});
    const auto checksum = field.find("checksum");
    return {.kind = ZarrCodecKind::zstd,
            .level = static_cast<int>(level_of_v2(field, -131072, 22)),
            .has_checksum = checksum && !checksum->is_null() && checksum->boolean()};
  }
  if (kind == "blosc") return blosc_of_v2(field, item);
  if (kind == "shuffle") {
    field.allow_only({"id", "elementsize"});
    const auto elementsize = field.find("elementsize");
    return {.kind = ZarrCodecKind::shuffle,
            .shuffle = ZarrShuffle::bytes,
            .item = elementsize && !elementsize->is_null() ? elementsize->integer(1, 255) : item};
  }
  if (std::optional<ZarrCodec> codec = parse_numcodecs(field, before)) return *std::move(codec);
  id.refuse(
      "one of zlib, gzip, zstd, blosc, lz4, bz2, lzma, shuffle, delta, fixedscaleoffset, quantize, bitround, "
      "astype, packbits, crc32, crc32c, adler32, fletcher32");
}

nlohmann::json zarr_codec_json_v2(const ZarrCodec& codec, std::string_view folder) {
  if (!codec.numcodecs.empty()) return parse_zarr_json(codec.numcodecs, folder);
  switch (codec.kind) {
    case ZarrCodecKind::gzip:
      return {{"id", "gzip"}, {"level", codec.level}};
    case ZarrCodecKind::zlib:
      return {{"id", "zlib"}, {"level", codec.level}};
    case ZarrCodecKind::zstd:
      if (!codec.has_checksum) return {{"id", "zstd"}, {"level", codec.level}};
      return {{"id", "zstd"}, {"level", codec.level}, {"checksum", true}};
    case ZarrCodecKind::blosc:
      return {{"id", "blosc"},
              {"cname", codec.blosc_name},
              {"clevel", codec.level},
              {"shuffle", static_cast<int>(codec.shuffle)},
              {"blocksize", codec.block_nbytes}};
    case ZarrCodecKind::shuffle:
      return {{"id", "shuffle"}, {"elementsize", codec.item}};
    default:
      break;
  }
  refuse_zarr(folder, "must have codecs that version 2 of Zarr has, not ", zarr_codec_name(codec.kind),
              "; write version 3");
}

}  // namespace tenstride::io
