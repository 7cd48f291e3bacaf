// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/array_options.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/zarr/attributes.hpp"
#include "io/zarr/json_field.hpp"
#include "io/zarr/shard_index.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename... Pieces>
[[noreturn]] void refuse_codec(std::string_view text, const Pieces&... rule) {
  throw ValueError(message("zarr: the codec \"", text, "\" must be ", rule...));
}

int level_in(std::string_view text, std::string_view digits, int min, int max) {
  int level = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), level);
  if (error != std::errc() || end != digits.data() + digits.size() || level < min || level > max) {
    refuse_codec(text, "of a level from ", min, " to ", max);
  }
  return level;
}

ZarrCodec blosc_in(std::string_view text, const std::vector<std::string_view>& parts) {
  ZarrCodec codec{.kind = ZarrCodecKind::blosc, .level = 5, .shuffle = ZarrShuffle::bytes};
  constexpr std::array<std::string_view, 6> names{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
  constexpr std::array<std::string_view, 3> shuffles{"noshuffle", "shuffle", "bitshuffle"};
  if (parts.size() > 4) refuse_codec(text, "blosc[:name[:level[:shuffle]]]");
  if (parts.size() > 1) {
    if (std::find(names.begin(), names.end(), parts[1]) == names.end()) {
      refuse_codec(text, "of one of blosclz, lz4, lz4hc, snappy, zlib, zstd");
    }
    codec.blosc_name = parts[1];
  }
  if (parts.size() > 2) codec.level = level_in(text, parts[2], 0, 9);
  if (parts.size() > 3) {
    const auto shuffle = std::find(shuffles.begin(), shuffles.end(), parts[3]);
    if (shuffle == shuffles.end()) refuse_codec(text, "of one of noshuffle, shuffle, bitshuffle");
    codec.shuffle = static_cast<ZarrShuffle>(shuffle - shuffles.begin());
  }
  return codec;
}

std::optional<ZarrCodec> codec_in(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts[0] == "blosc") return blosc_in(text, parts);
  if (parts.size() == 1 && parts[0] == "none") return std::nullopt;
  if (parts.size() == 1 && parts[0] == "crc32c") return ZarrCodec{.kind = ZarrCodecKind::crc32c};
  struct Levels {
    std::string_view name;
    ZarrCodecKind kind;
    int usual, min, max;
  };
  constexpr std::array<Levels, 3> levels{{{"gzip", ZarrCodecKind::gzip, 5, 0, 9},
                                          {"zlib", ZarrCodecKind::zlib, 1, 0, 9},
                                          {"zstd", ZarrCodecKind::zstd, 0, -131072, 22}}};
  for (const Levels& known : levels) {
    if (parts[0] != known.name || parts.size() > 2) continue;
    const int level = parts.size() == 1 ? known.usual : level_in(text, parts[1], known.min, known.max);
    return ZarrCodec{.kind = known.kind, .level = level};
  }
  refuse_codec(text,
               "none, gzip[:level], zlib[:level], zstd[:level], blosc[:name[:level[:shuffle]]] or crc32c");
}

template <typename... Pieces>
void require(const Dims& given, bool is_met, std::string_view what, const Pieces&... rule) {
  if (!is_met) throw ValueError(message("zarr: ", what, " ", given, " must ", rule...));
}

bool has_multiples(const Dims& shard, const Dims& chunk) {
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    if (shard[d] < 1 || shard[d] % chunk[d] != 0) return false;
  }
  return true;
}

void set_grid(ZarrArray& array, const ZarrOptions& options) {
  const std::size_t rank = array.shape.size();
  array.chunk = options.chunk;
  if (options.chunk.empty()) {
    array.chunk = array.shape;
    for (Index& size : array.chunk) size = std::max<Index>(size, 1);
  }
  require(array.chunk, array.chunk.size() == rank, "the chunk shape", "have ", rank,
          " sizes, as the shape has");
  require(array.chunk,
          std::all_of(array.chunk.begin(), array.chunk.end(), [](Index size) { return size > 0; }),
          "the chunk shape", "have sizes of at least 1");
  array.order = options.order.empty() ? first_axes(rank) : options.order;
  Dims sorted = array.order;
  std::sort(sorted.begin(), sorted.end());
  require(array.order, sorted == first_axes(rank), "the order", "list each axis of ", rank, " once");
  if (options.shard.empty()) return;
  require(options.shard, options.shard.size() == rank && has_multiples(options.shard, array.chunk),
          "the shard shape", "have multiples of the sizes of a chunk, ", array.chunk);
  array.shards = ZarrShards{};
  array.shards->shape = options.shard;
  array.shards->order = first_axes(rank);
  require(options.shard, has_readable_index(array, 0), "the shard shape", "have at most ", max_shard_chunks,
          " chunks of ", array.chunk);
  if constexpr (std::endian::native == std::endian::big) array.shards->index_byte_order = ByteOrder::swapped;
}

}  // namespace

std::vector<ZarrCodec> parse_zarr_codecs(std::string_view text) {
  std::vector<ZarrCodec> codecs;
  for (const std::string_view part : split(text, '+')) {
    if (const auto codec = codec_in(part)) codecs.push_back(*codec);
  }
  return codecs;
}

ZarrArray make_zarr_array(const Dims& shape, DType dtype, const ZarrOptions& options) {
  ZarrArray array;
  array.format = options.format;
  array.shape = shape;
  array.dtype = dtype;
  require(Dims{options.format}, options.format == 2 || options.format == 3, "the version", "be 2 or 3");
  set_grid(array, options);
  const auto item = static_cast<Index>(item_size(dtype));
  for (const Dims& dims : {shape, array.unit()}) {
    static_cast<void>(checked_multiply(count_elements(dims, "zarr"), item, "zarr"));
  }
  if (options.format == 2) {
    array.key_style = ZarrKeyStyle::indices;
    array.separator = '.';
  }
  array.codecs = options.codecs;
  for (ZarrCodec& codec : array.codecs) {
    if (codec.kind == ZarrCodecKind::blosc) codec.item = item;
  }
  nlohmann::json attributes = parse_zarr_json(options.attributes, "attributes");
  if (!attributes.is_object()) JsonField(attributes, "attributes").refuse("an object");
  const std::vector<std::byte> missing = take_missing_element(attributes, dtype);
  array.attributes = python_json_text(attributes);
  array.fill_value = options.fill_value.empty() ? missing : options.fill_value;
  if (array.fill_value.empty() && find_numpy_time(array.attributes, dtype))
    array.fill_value = no_time_element();
  if (array.fill_value.empty() && options.format == 3) array.fill_value.resize(item_size(dtype));
  if (!array.fill_value.empty() && array.fill_value.size() != item_size(dtype)) {
    throw ValueError(message("zarr: the fill value of ", array.fill_value.size(), " bytes must be of ", item,
                             " (", name(dtype), ")"));
  }
  array.dimension_names.assign(options.dimension_names.begin(), options.dimension_names.end());
  if (!array.dimension_names.empty() && array.dimension_names.size() != shape.size()) {
    throw ValueError(message("zarr: the ", array.dimension_names.size(), " dimension names must be ",
                             shape.size(), ", one for each axis (shape ", shape, ")"));
  }
  static_cast<void>(zarr_metadata_texts(array));  // refuses what the version does not have
  return array;
}

}  // namespace tenstride::io
