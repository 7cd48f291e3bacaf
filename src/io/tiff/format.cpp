// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/format.hpp"

#include <array>
#include <optional>
#include <utility>

namespace tenstride::io {
namespace {

using Named = std::pair<std::uint64_t, std::string_view>;

std::string name_or_number(std::span<const Named> names, std::uint64_t number) {
  for (const auto& [known, words] : names) {
    if (known == number) return std::string(words);
  }
  return std::to_string(number);
}

struct TiffElement {
  std::uint64_t bits;
  std::uint64_t format;
  DType dtype;
};
constexpr std::array<TiffElement, 13> tiff_elements{{
    {8, 1, DType::uint8},
    {16, 1, DType::uint16},
    {32, 1, DType::uint32},
    {64, 1, DType::uint64},
    {8, 2, DType::int8},
    {16, 2, DType::int16},
    {32, 2, DType::int32},
    {64, 2, DType::int64},
    {16, 3, DType::float16},
    {32, 3, DType::float32},
    {64, 3, DType::float64},
    {64, 6, DType::complex64},
    {128, 6, DType::complex128},
}};

constexpr std::array<std::string_view, 7> sample_formats{
    "", "unsigned integers", "signed integers", "floats", "undefined", "complex integers", "complex floats"};

class FormatReader {
 public:
  FormatReader(TiffReader& reader, const TiffDirectory& page, std::uint64_t number)
      : reader_(reader), page_(page), number_(number) {}

  [[nodiscard]] TiffFormat format() {
    TiffFormat result;
    result.width = size(tiff_tag::image_width, "width");
    result.height = size(tiff_tag::image_length, "height");
    result.samples = static_cast<Index>(value(tiff_tag::samples_per_pixel, 1));
    if (result.samples < 1 || result.samples > 65535) {
      refuse("has ", result.samples, " samples per pixel, which must be 1 to 65535");
    }
    set_elements(result);
    // Of one sample it says nothing, and may be damaged.
    const std::uint64_t planes = result.samples > 1 ? value(tiff_tag::planar_configuration, 1) : 1;
    if (planes != 1 && planes != 2) refuse("has the planar configuration ", planes, ", which must be 1 or 2");
    if (planes == 2) result.planes = TiffPlanes::separate;
    result.photometric = value(tiff_tag::photometric, 1);
    set_pieces(result);
    set_depth(result);
    require_small_page(result);
    set_colours(result);
    return result;
  }

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    reader_.file().refuse("page ", number_, " ", pieces...);
  }
  std::uint64_t value(std::uint16_t tag, std::uint64_t otherwise) {
    return reader_.integer(page_, tag, otherwise);
  }

  Index size(std::uint16_t tag, std::string_view what, std::uint64_t otherwise = 0) {
    const std::uint64_t given = value(tag, otherwise);
    constexpr std::uint64_t largest = 0xFFFFFFFF;
    if (given < 1 || given > largest) {
      refuse("has the ", what, " ", given, " (tag ", tag, "), which must be 1 to ", largest);
    }
    return static_cast<Index>(given);
  }

  /// The one value of a tag that has one for each sample, or one for all.
  std::uint64_t common_value(std::uint16_t tag, std::uint64_t samples, std::uint64_t otherwise) {
    const TiffTag* const found = page_.find(tag);
    if (found == nullptr) return otherwise;
    const std::uint64_t first = reader_.integer(*found);
    for (std::uint64_t i = 1; i < std::min(samples, found->count); ++i) {
      const std::uint64_t other = reader_.integer(*found, i);
      if (other == first) continue;
      refuse("has samples of different kinds (tag ", tag, ": ", first, " and ", other,
             ") and must have samples of one type");
    }
    return first;
  }

  void set_elements(TiffFormat& result) {
    const auto samples = static_cast<std::uint64_t>(result.samples);
    const std::uint64_t bits = common_value(tiff_tag::bits_per_sample, samples, 1);
    const std::uint64_t format = common_value(tiff_tag::sample_format, samples, 1);
    constexpr std::uint64_t undefined = 4;
    const bool is_unsigned = format == 1 || format == undefined;
    result.bits = static_cast<Index>(std::min<std::uint64_t>(bits, 128));
    for (const TiffElement& known : tiff_elements) {
      if (known.bits == bits && known.format == (is_unsigned ? 1 : format)) {
        result.dtype = known.dtype;
        return;
      }
    }
    if (is_unsigned && bits >= 1 && bits < 32) {
      result.dtype = bits == 1   ? DType::bool_
                     : bits < 8  ? DType::uint8
                     : bits < 16 ? DType::uint16
                                 : DType::uint32;
      return;
    }
    refuse("has elements of ", bits, " bits (",
           format < sample_formats.size() ? sample_formats[format] : "unknown", ", SampleFormat ", format,
           ") and must have unsigned integers of 1 to 32 or 64 bits, signed ones of 8, 16, 32 or 64, floats "
           "of 16, 32 or 64, or complex floats of 64 or 128");
  }

  void set_pieces(TiffFormat& result) {
    const bool is_tiled =
        page_.find(tiff_tag::tile_width) != nullptr || page_.find(tiff_tag::tile_offsets) != nullptr;
    if (is_tiled) {
      result.pieces = TiffPieces::tiles;
      result.piece_width = size(tiff_tag::tile_width, "tile width");
      result.piece_height = size(tiff_tag::tile_length, "tile height");
      return;
    }
    const std::uint64_t rows = value(tiff_tag::rows_per_strip, 0xFFFFFFFF);
    if (rows < 1) refuse("has 0 rows per strip, which must be at least 1");
    result.piece_width = result.width;
    result.piece_height =
        rows < static_cast<std::uint64_t>(result.height) ? static_cast<Index>(rows) : result.height;
  }

  void set_depth(TiffFormat& result) {
    result.depth = size(tiff_tag::image_depth, "depth", 1);
    result.piece_depth = size(tiff_tag::tile_depth, "tile depth", 1);
    if (result.pieces == TiffPieces::strips && result.depth > 1) {
      refuse("has the depth ", result.depth, " (tag 32997) and must be in tiles: strips have 1");
    }
    if (result.pieces == TiffPieces::strips || result.depth == 1) {
      const bool is_deep = result.pieces == TiffPieces::tiles && result.piece_depth > 1;
      if (is_deep) refuse("has tiles of the depth ", result.piece_depth, ", which must be 1 as the page's");
      result.piece_depth = 1;
    }
  }

  /// Refuses pages whose bytes do not fit 63 bits: no product of sizes overflows later.
  void require_small_page(const TiffFormat& result) {
    std::optional<Index> elements = try_multiply(result.width * result.samples, result.height);
    if (elements) elements = try_multiply(*elements, result.depth);
    if (!elements || !try_multiply(*elements, static_cast<Index>(item_size(result.dtype)))) {
      refuse("has ", result.depth > 1 ? std::to_string(result.depth) + " x " : "", result.height, " x ",
             result.width, " pixels of ", result.samples,
             " samples, whose bytes must fit a signed 64-bit integer");
    }
  }

  void set_colours(TiffFormat& result) {
    const std::uint64_t compression = value(tiff_tag::compression, 1);
    if (compression == tiff_compression::none) {
      result.predictor = static_cast<TiffPredictor>(value(tiff_tag::predictor, 1));
    }
    if (compression == tiff_compression::old_jpeg) {
      refuse(
          "is compressed with old-style JPEG (6), whose files cannot be relied on; convert it with another "
          "program");
    }
    if (result.photometric == tiff_photometric::log_l || result.photometric == tiff_photometric::log_luv) {
      refuse("has colours as ", tiff_photometric_text(result.photometric), " and must have plain numbers");
    }
    if (result.photometric == tiff_photometric::ycbcr && compression != tiff_compression::jpeg) {
      set_shared_colours(result);
    }
  }

  void set_shared_colours(TiffFormat& result) {
    // Separate planes and other numbers of samples have a colour for each pixel.
    if (result.planes != TiffPlanes::together || result.samples != 3) return;
    const TiffTag* const found = page_.find(tiff_tag::ycbcr_subsampling);
    const std::uint64_t across = found == nullptr ? 2 : reader_.integer(*found, 0);
    const std::uint64_t down = found == nullptr ? 2 : reader_.integer(*found, 1);
    if (across == 1 && down == 1) return;
    const auto is_known = [](std::uint64_t shared) { return shared == 1 || shared == 2 || shared == 4; };
    if (!is_known(across) || !is_known(down) || result.bits != 8) {
      refuse("has YCbCr pixels of ", result.bits, " bits with one colour for each ", across, " x ", down,
             " of them and must have 8 bits and a colour for 1, 2 or 4 pixels across and down");
    }
    result.shared_across = static_cast<Index>(across);
    result.shared_down = static_cast<Index>(down);
  }

  TiffReader& reader_;
  const TiffDirectory& page_;
  std::uint64_t number_;
};

}  // namespace

TiffFormat read_tiff_format(TiffReader& reader, const TiffDirectory& page, std::uint64_t number) {
  return FormatReader(reader, page, number).format();
}

std::string tiff_photometric_text(std::uint64_t photometric) {
  static constexpr std::array<Named, 11> names{{{0, "white is 0"},
                                                {1, "black is 0"},
                                                {2, "RGB"},
                                                {3, "palette"},
                                                {4, "mask"},
                                                {5, "CMYK"},
                                                {6, "YCbCr"},
                                                {8, "CIELab"},
                                                {32803, "colour filter array"},
                                                {32844, "LogL"},
                                                {32845, "LogLuv"}}};
  return name_or_number(names, photometric);
}

std::string tiff_compression_text(std::uint64_t compression) {
  static constexpr std::array<Named, 20> names{{{1, "none"},
                                                {2, "CCITT RLE"},
                                                {3, "CCITT group 3"},
                                                {4, "CCITT group 4"},
                                                {5, "LZW"},
                                                {6, "old-style JPEG"},
                                                {7, "JPEG"},
                                                {8, "deflate"},
                                                {32773, "PackBits"},
                                                {32946, "deflate"},
                                                {33003, "JPEG 2000 of YCbCr"},
                                                {33004, "JPEG 2000"},
                                                {33005, "JPEG 2000"},
                                                {34712, "JPEG 2000"},
                                                {34887, "LERC"},
                                                {34925, "LZMA"},
                                                {34933, "PNG"},
                                                {50000, "zstd"},
                                                {50001, "WebP"},
                                                {50002, "JPEG XL"}}};
  return name_or_number(names, compression);
}

bool is_secondary_page(TiffReader& reader, const TiffDirectory& page) {
  // Bit 0: reduced resolution; bit 2: a mask.
  const std::uint64_t flags = reader.integer(page, tiff_tag::new_subfile_type, 0);
  return (flags & 5) != 0 || reader.integer(page, tiff_tag::subfile_type, 1) == 2;
}

}  // namespace tenstride::io
