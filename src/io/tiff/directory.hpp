// SPDX-License-Identifier: Apache-2.0
// The directories of a TIFF or BigTIFF file: https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/tiff/tiff_file.hpp"

namespace tenstride::io {

namespace tiff_tag {
inline constexpr std::uint16_t new_subfile_type = 254;
inline constexpr std::uint16_t subfile_type = 255;
inline constexpr std::uint16_t image_width = 256;
inline constexpr std::uint16_t image_length = 257;
inline constexpr std::uint16_t bits_per_sample = 258;
inline constexpr std::uint16_t compression = 259;
inline constexpr std::uint16_t photometric = 262;
inline constexpr std::uint16_t fill_order = 266;
inline constexpr std::uint16_t predictor = 317;
inline constexpr std::uint16_t image_description = 270;
inline constexpr std::uint16_t strip_offsets = 273;
inline constexpr std::uint16_t orientation = 274;
inline constexpr std::uint16_t samples_per_pixel = 277;
inline constexpr std::uint16_t rows_per_strip = 278;
inline constexpr std::uint16_t strip_byte_counts = 279;
inline constexpr std::uint16_t x_resolution = 282;
inline constexpr std::uint16_t y_resolution = 283;
inline constexpr std::uint16_t planar_configuration = 284;
inline constexpr std::uint16_t resolution_unit = 296;
inline constexpr std::uint16_t software = 305;
inline constexpr std::uint16_t tile_width = 322;
inline constexpr std::uint16_t tile_length = 323;
inline constexpr std::uint16_t tile_offsets = 324;
inline constexpr std::uint16_t tile_byte_counts = 325;
inline constexpr std::uint16_t sub_ifds = 330;
inline constexpr std::uint16_t extra_samples = 338;
inline constexpr std::uint16_t sample_format = 339;
inline constexpr std::uint16_t ycbcr_subsampling = 530;
inline constexpr std::uint16_t image_depth = 32997;
inline constexpr std::uint16_t tile_depth = 32998;
}  // namespace tiff_tag

/// What the values of `resolution_unit` are called.
inline constexpr std::array<std::string_view, 4> tiff_resolution_units{"", "none", "inch", "centimeter"};

/// The values of a tag: where they stand in the file.
struct TiffTag {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;
  std::uint64_t count = 0;
  std::uint64_t begin = 0;
};

/// What one directory says: one page.
struct TiffDirectory {
  std::uint64_t begin = 0;
  /// Where the next one begins; 0 behind the last.
  std::uint64_t next = 0;
  std::vector<TiffTag> tags;

  [[nodiscard]] const TiffTag* find(std::uint16_t tag) const;
};

/// Reads directories one by one. Nothing is read that does not lie in the file. Not for several threads.
class TiffReader {
 public:
  /// Reads the first 8 or 16 bytes. Throws FileError.
  explicit TiffReader(const TiffFile& file);

  [[nodiscard]] const TiffFile& file() const noexcept { return numbers_.file(); }
  [[nodiscard]] bool is_big_endian() const noexcept { return numbers_.is_big_endian(); }
  [[nodiscard]] bool is_big_tiff() const noexcept { return is_big_tiff_; }
  [[nodiscard]] std::uint64_t first_directory() const noexcept { return first_directory_; }
  /// Throws FileError.
  void read_directory(std::uint64_t begin, TiffDirectory& directory);

  /// Number `i` of a tag of integers. Throws FileError for another type, or fewer values.
  std::uint64_t integer(const TiffTag& tag, std::uint64_t i = 0);
  /// The first number of a tag, or `otherwise` where the page does not have the tag.
  std::uint64_t integer(const TiffDirectory& page, std::uint16_t tag, std::uint64_t otherwise);
  /// A text up to its first zero byte; nothing where there is none, or one longer than `max_tiff_text`.
  std::optional<std::string> text(const TiffDirectory& page, std::uint16_t tag);
  /// Whether there is a text that begins so.
  bool text_begins(const TiffDirectory& page, std::uint16_t tag, std::string_view start);
  /// The quotient of two numbers; nothing where there is none.
  std::optional<double> rational(const TiffDirectory& page, std::uint16_t tag);
  /// All values of a tag of integers without a sign or of floating-point numbers; nothing where it is of
  /// another type, or has more than lie in the file. Pre: that many numbers fit into memory.
  std::optional<std::vector<double>> numbers(const TiffTag& tag);

 private:
  TiffNumbers numbers_;
  /// Whether so many bytes more may be read; what says the same bytes of many pages is not read for each.
  bool may_read(std::uint64_t nbytes);

  bool is_big_tiff_ = false;
  std::uint64_t first_directory_ = 0;
  std::uint64_t tags_ = 0;
  std::uint64_t value_nbytes_ = 0;
};

/// No text that is longer is read: 16 MiB describe a million planes in OME-XML.
inline constexpr std::uint64_t max_tiff_text = std::uint64_t{1} << 24;
/// Nor more bytes of texts and lists of one file.
inline constexpr std::uint64_t max_tiff_values = std::uint64_t{1} << 27;
/// Nor more tags of all directories of a file, which may lie one over the other: a minute.
inline constexpr std::uint64_t max_tiff_tags = std::uint64_t{1} << 28;

}  // namespace tenstride::io
