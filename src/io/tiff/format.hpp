// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/tiff/directory.hpp"
#include "io/tiff/predictor.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::io {

enum class TiffPieces : unsigned char { strips, tiles };
/// Whether the samples of a pixel stand side by side, or each sample has a picture of its own.
enum class TiffPlanes : unsigned char { together, separate };

/// What all pages of a stack have in common.
struct TiffFormat {
  Index height = 0;
  Index width = 0;
  Index samples = 1;
  /// bool for elements of 1 bit; of packed integers the next larger type.
  DType dtype = DType::uint8;
  /// Bits of an element in the file.
  Index bits = 8;
  TiffPlanes planes = TiffPlanes::together;
  TiffPieces pieces = TiffPieces::strips;
  /// The size of a strip or a tile. A strip is not higher than the page, a tile may be.
  Index piece_height = 0;
  Index piece_width = 0;
  /// More than one of volumes, which are in tiles: then a page has slices, and a tile of so many of them.
  Index depth = 1;
  Index piece_depth = 1;
  std::uint64_t photometric = 1;
  /// The pixels that share a colour, across and down: more than one of YCbCr that is stored as such.
  Index shared_across = 1;
  Index shared_down = 1;

  /// What was done to elements that are not compressed; of the others the codec tells.
  TiffPredictor predictor = TiffPredictor::none;
  friend bool operator==(const TiffFormat&, const TiffFormat&) = default;

  /// Samples of a pixel that stand in one piece.
  [[nodiscard]] Index samples_together() const { return planes == TiffPlanes::together ? samples : 1; }
  /// Pieces of one plane, in a row and in a column.
  [[nodiscard]] Index pieces_across() const { return ceil_divide(width, piece_width); }
  [[nodiscard]] Index pieces_down() const { return ceil_divide(height, piece_height); }
  [[nodiscard]] Index pieces_deep() const { return ceil_divide(depth, piece_depth); }
  [[nodiscard]] Index planes_count() const { return planes == TiffPlanes::together ? 1 : samples; }
  /// Pieces of a whole page. No overflow: at most the number of elements, which was checked.
  [[nodiscard]] Index piece_count() const {
    return pieces_across() * pieces_down() * pieces_deep() * planes_count();
  }
  [[nodiscard]] bool shares_colours() const { return shared_across > 1 || shared_down > 1; }
  /// Whether the decoded bytes are the elements, but for their order.
  [[nodiscard]] bool is_plain() const {
    return bits == static_cast<Index>(8 * item_size(dtype)) && !shares_colours();
  }
  /// The decoded bytes of rows as wide as that.
  [[nodiscard]] Index stored_nbytes(Index rows, Index row_pixels) const {
    if (shares_colours()) {
      const Index unit = shared_across * shared_down + 2;
      return ceil_divide(row_pixels, shared_across) * ceil_divide(rows, shared_down) * unit;
    }
    return rows * ceil_divide(row_pixels * samples_together() * bits, 8);
  }
};

namespace tiff_photometric {
inline constexpr std::uint64_t white_is_zero = 0;
inline constexpr std::uint64_t black_is_zero = 1;
inline constexpr std::uint64_t rgb = 2;
inline constexpr std::uint64_t palette = 3;
inline constexpr std::uint64_t ycbcr = 6;
inline constexpr std::uint64_t log_l = 32844;
inline constexpr std::uint64_t log_luv = 32845;
}  // namespace tiff_photometric

namespace tiff_compression {
inline constexpr std::uint64_t none = 1;
inline constexpr std::uint64_t old_jpeg = 6;
inline constexpr std::uint64_t jpeg = 7;
}  // namespace tiff_compression

/// Reads what a page says of itself; `number` is for errors, which are FileErrors: for a page that cannot be,
/// and for one whose elements have no type here.
TiffFormat read_tiff_format(TiffReader& reader, const TiffDirectory& page, std::uint64_t number);

/// "white is 0", "black is 0", "RGB", "palette" …, or the number.
std::string tiff_photometric_text(std::uint64_t photometric);
/// "none", "deflate", "JPEG" …, or the number.
std::string tiff_compression_text(std::uint64_t compression);

/// Whether the page is a smaller copy of another, or a mask: its NewSubfileType or SubfileType says so.
bool is_secondary_page(TiffReader& reader, const TiffDirectory& page);

}  // namespace tenstride::io
