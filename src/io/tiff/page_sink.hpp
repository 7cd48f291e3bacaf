// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/tiff/attribute_tags.hpp"
#include "io/tiff/tiff_sink.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::io {

/// What all pages of a file that is written have in common.
struct TiffPages {
  Index count = 1;
  /// The axes before the page's own.
  Dims axes;
  Index height = 0;
  Index width = 0;
  Index samples = 1;
  DType dtype = DType::uint8;
  /// The description of the first page; "" for none.
  std::string description;
  /// Further tags.
  std::vector<TiffValue> values{};
  /// Rows of a strip.
  Index strip_height = 0;
  /// Whether offsets have 8 bytes.
  bool is_big = false;

  [[nodiscard]] Index row_elements() const { return width * samples; }
  /// The length of a row as TIFF has it: 8 elements of bool are one byte.
  [[nodiscard]] Index stored_row_nbytes() const {
    return dtype == DType::bool_ ? ceil_divide(row_elements(), 8)
                                 : row_elements() * static_cast<Index>(item_size(dtype));
  }
  [[nodiscard]] Index strips() const { return ceil_divide(height, strip_height); }
  [[nodiscard]] bool is_rgb() const {
    return (samples == 3 || samples == 4) && (dtype == DType::uint8 || dtype == DType::uint16);
  }
  [[nodiscard]] std::uint16_t bits() const {
    return dtype == DType::bool_ ? std::uint16_t{1} : static_cast<std::uint16_t>(8 * item_size(dtype));
  }
  /// The value of the tag SampleFormat.
  [[nodiscard]] std::uint16_t sample_format() const;
  /// Samples beyond those of the colours, and what they are: 2 for the opacity of RGB.
  [[nodiscard]] std::uint16_t extra_samples() const {
    return static_cast<std::uint16_t>(samples - (is_rgb() ? 3 : 1));
  }
  [[nodiscard]] std::uint16_t extra_sample() const { return is_rgb() ? std::uint16_t{2} : std::uint16_t{0}; }
};

inline constexpr std::string_view tiff_software = "tenstride";

/// A file that grows by pages; it has its name only after `commit`.
class TiffPageSink {
 public:
  virtual ~TiffPageSink() = default;
  /// Row-major elements of a page. Throws FileError.
  virtual void write(std::span<const std::byte> elements) = 0;
  virtual void commit() = 0;
};

/// Uncompressed strips, one behind the other from byte 64 on, and all directories behind them.
std::unique_ptr<TiffPageSink> make_flat_pages(const TiffPages& pages, const std::string& path,
                                              const TiffOptions& options);
/// Compressed strips, or tiles. Throws FileError in a build without libtiff.
std::unique_ptr<TiffPageSink> make_libtiff_pages(const TiffPages& pages, const std::string& path,
                                                 const TiffOptions& options);

/// Packs elements of bool into bits; the row begins with a whole byte.
void pack_tiff_bits(std::span<const std::byte> row, std::byte* bits);

/// What the first page says of the axes: OME-XML, tifffile's JSON, or "" where pages alone say it.
std::string tiff_axes_text(const TiffPages& pages, const Dims& shape, const TiffOptions& options);

}  // namespace tenstride::io
