// SPDX-License-Identifier: Apache-2.0
// The codecs that only numcodecs has: https://numcodecs.readthedocs.io
#include <cmath>
#include <limits>

#include "io/format/python_json.hpp"
#include "io/npy/descr.hpp"
#include "io/zarr/codec_json.hpp"
#include "io/zarr/codecs.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::json;

/// "<f4", "float32": as numpy.dtype takes it. Missing or null: `otherwise`.
ZarrElement element_in(const JsonField& codec, std::string_view member, ZarrElement otherwise) {
  const std::optional<JsonField> field = codec.find(member);
  if (!field || field->is_null()) return otherwise;
  const std::string& text = field->text();
  NpyElement element = parse_npy_descr(text);
  for (const DType type :
       {DType::bool_, DType::uint8, DType::int8, DType::uint16, DType::int16, DType::uint32, DType::int32,
        DType::uint64, DType::int64, DType::float16, DType::float32, DType::float64}) {
    if (name(type) == text) element = {type, ByteOrder::native, {}, {}};
  }
  if (!element.obstacle.empty() || !element.numpy_dtype.empty() || is_complex(element.dtype)) {
    field->refuse("a type of real numbers as \"<f4\" or \"|u1\"");
  }
  return {element.dtype, element.byte_order};
}

double number_in(const JsonField& codec, std::string_view member) {
  const JsonField field = codec.at(member);
  if (!field.value().is_number() || !std::isfinite(field.value().get<double>())) field.refuse("a number");
  return field.value().get<double>();
}

/// Numbers that only encoding asks for.
void skip_integer(const JsonField& codec, std::string_view member) {
  const std::optional<JsonField> field = codec.find(member);
  if (!field || field->is_null()) return;
  static_cast<void>(field->integer(std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()));
}

void require_floating(const JsonField& codec, std::string_view member, ZarrElement element) {
  if (!is_floating_point(element.dtype)) codec.at(member).refuse("a type of floating numbers");
}

ZarrCodec filter_in(const JsonField& field, const std::string& id, ZarrElement before) {
  ZarrCodec codec;
  if (id == "packbits") {
    field.allow_only({"id"});
    codec.kind = ZarrCodecKind::packbits;
    codec.decoded = {DType::bool_, ByteOrder::native};
    codec.encoded = {DType::uint8, ByteOrder::native};
    return codec;
  }
  if (id == "astype") {
    field.allow_only({"id", "encode_dtype", "decode_dtype"});
    codec.kind = ZarrCodecKind::astype;
    codec.decoded = element_in(field, "decode_dtype", before);
    static_cast<void>(field.at("encode_dtype"));
    codec.encoded = element_in(field, "encode_dtype", before);
    return codec;
  }
  if (id == "bitround") {
    field.allow_only({"id", "keepbits"});
    skip_integer(field, "keepbits");
    codec.kind = ZarrCodecKind::astype;
    codec.decoded = codec.encoded = before;
    return codec;
  }
  codec.decoded = element_in(field, "dtype", before);
  codec.encoded = element_in(field, "astype", codec.decoded);
  if (id == "quantize") {
    field.allow_only({"id", "digits", "dtype", "astype"});
    skip_integer(field, "digits");
    if (field.find("dtype")) require_floating(field, "dtype", codec.decoded);
    if (field.find("astype")) require_floating(field, "astype", codec.encoded);
    codec.kind = ZarrCodecKind::astype;
  } else if (id == "delta") {
    field.allow_only({"id", "dtype", "astype"});
    if (codec.decoded.dtype == DType::bool_) field.refuse("a filter of numbers, not of bool");
    codec.kind = ZarrCodecKind::delta;
  } else {
    field.allow_only({"id", "offset", "scale", "dtype", "astype"});
    codec.kind = ZarrCodecKind::fixedscaleoffset;
    codec.offset = number_in(field, "offset");
    codec.scale = number_in(field, "scale");
    if (codec.scale == 0) field.at("scale").refuse("a number that is not 0");
  }
  return codec;
}

ZarrCodec checksum_in(const JsonField& field, ZarrCodecKind kind) {
  ZarrCodec codec{.kind = kind};
  if (kind == ZarrCodecKind::fletcher32) {
    field.allow_only({"id"});
    return codec;
  }
  field.allow_only({"id", "location"});
  if (kind != ZarrCodecKind::crc32c) codec.checksum_place = ZarrChecksumPlace::start;
  if (const auto place = field.find("location")) {
    if (!place->is("start") && !place->is("end")) place->refuse("\"start\" or \"end\"");
    codec.checksum_place = place->is("start") ? ZarrChecksumPlace::start : ZarrChecksumPlace::end;
  }
  return codec;
}

ZarrCodec compressor_in(const JsonField& field, ZarrCodecKind kind) {
  ZarrCodec codec{.kind = kind};
  if (kind == ZarrCodecKind::lz4) {
    field.allow_only({"id", "acceleration"});
    skip_integer(field, "acceleration");
  } else if (kind == ZarrCodecKind::bz2) {
    field.allow_only({"id", "level"});
    if (const auto level = field.find("level")) codec.level = static_cast<int>(level->integer(1, 9));
  } else {
    field.allow_only({"id", "format", "check", "preset", "filters"});
    for (const char* const member : {"check", "preset"}) skip_integer(field, member);
    if (const auto format = field.find("format")) {
      const Index number = format->integer(0, 3);
      if (number != 1 && number != 2) format->refuse("1 or 2, lzma data in the format xz or alone");
      codec.lzma_format = static_cast<ZarrLzmaFormat>(number);
    }
  }
  return codec;
}

}  // namespace

std::optional<ZarrCodec> parse_numcodecs(const JsonField& field, ZarrElement before) {
  using Kind = ZarrCodecKind;
  const std::string& id = field.at("id").text();
  std::optional<ZarrCodec> codec;
  for (const Kind kind : {Kind::lz4, Kind::bz2, Kind::lzma}) {
    if (id == zarr_codec_name(kind)) codec = compressor_in(field, kind);
  }
  for (const Kind kind : {Kind::crc32c, Kind::crc32, Kind::adler32, Kind::fletcher32}) {
    if (id == zarr_codec_name(kind)) codec = checksum_in(field, kind);
  }
  for (const std::string_view filter :
       {"delta", "fixedscaleoffset", "astype", "packbits", "quantize", "bitround"}) {
    if (id == filter) codec = filter_in(field, id, before);
  }
  if (codec) codec->numcodecs = python_json_text(field.value());
  return codec;
}

Json numcodecs_json_v3(const ZarrCodec& codec) {
  Json configuration = parse_zarr_json(codec.numcodecs, "numcodecs");
  const std::string id = configuration.at("id").get<std::string>();
  configuration.erase("id");
  return {{"name", "numcodecs." + id}, {"configuration", std::move(configuration)}};
}

}  // namespace tenstride::io
