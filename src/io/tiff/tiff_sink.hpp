// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::io {

enum class TiffCompression : unsigned char { none, deflate, lzw, zstd };

struct TiffOptions {
  TiffCompression compression = TiffCompression::none;
  /// Height and width of tiles, multiples of 16. Empty for strips.
  Dims tile = {};
  /// One for each axis, or none. Where those of the pages are of "t", "z" and "c", and those of a page are
  /// "y", "x" and perhaps "c" or "s", OME-XML says so in the file.
  std::vector<std::string> axis_names = {};
  /// The description, in place of the one that keeps the shape or the names.
  std::string description = {};
  /// A JSON object or empty: what `TiffStack::attributes` has of resolution, orientation, GeoTIFF and GDAL is
  /// written.
  std::string attributes = {};
  Overwrite overwrite = Overwrite::refuse;
  /// Begins the errors.
  std::string operation = "save_tiff";
};

class TiffPageSink;

/// Writes a tensor as a TIFF file page by page. A page is the last two axes, or the last three where the last
/// one is of samples: by its name "c" or "s" behind "x" or "y", or without names where it has the size 3 or 4
/// and the elements are uint8 or uint16. Larger files than 4 GB - 1 MB are BigTIFF. The file has its name
/// only after `close`; without it nothing is left. Uncompressed strips need no libtiff, and the file is flat:
/// it can be mapped. Not for several threads at once.
///
/// Example: writes (10,64,32) in 10 pages of 4096 bytes:
/// ```
/// TiffWriter writer("x.tif", {10, 64, 32}, DType::uint16);
/// for (Index page = 0; page < writer.page_count(); ++page) writer.write_page(page, bytes_of_page(page));
/// writer.close();
/// ```
class TENSTRIDE_API TiffWriter {
 public:
  /// Throws TypeError for element types that TIFF lacks, ShapeError and ValueError for what no file can be,
  /// FileError where the file cannot be had.
  TiffWriter(const std::string& path, const Dims& shape, DType dtype, const TiffOptions& options = {});
  ~TiffWriter();

  [[nodiscard]] Index page_count() const noexcept;
  /// (y,x), or (y,x,c).
  [[nodiscard]] const Dims& page_shape() const noexcept;
  [[nodiscard]] std::size_t page_nbytes() const noexcept;
  /// Writes a page from row-major elements. Pre: `elements` has page_nbytes(). Throws ValueError where `page`
  /// is not the next one, FileError.
  void write_page(Index page, std::span<const std::byte> elements);
  /// Flushes the file and gives it its name. Throws ValueError where pages are missing, FileError.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenstride::io
