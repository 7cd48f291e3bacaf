// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/tiff/format.hpp"
#include "io/tiff/tiff_file.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/io/orientation.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {

/// Pages whose elements lie in the file uncompressed, each page contiguous, at equal distances.
struct TiffFlat {
  /// The byte of the first element.
  std::uint64_t begin = 0;
  /// Bytes from page to page.
  std::uint64_t page_pitch = 0;
  /// The layout of the whole tensor, in elements from `begin` on. Nothing where the distance is no multiple
  /// of an element's size.
  std::optional<Layout> layout;
};

/// One tensor of a TIFF file: pages of one format.
struct TiffStack {
  std::shared_ptr<const TiffFile> file;
  /// Its name in the file, "0" or "0.1" (see `TiffPageRun`); empty where it is the only one.
  std::string name;
  /// Why it cannot be read, and then nothing else is known of it; empty where it can.
  std::string obstacle;
  /// The version is 42 (TIFF) or 43 (BigTIFF).
  int version = 42;
  ByteOrder byte_order = ByteOrder::native;
  TiffFormat format;
  /// Where the directory of each page begins. One, where the description speaks of further pages without a
  /// directory, as ImageJ writes stacks above 4 GB; then `flat` has a value.
  std::vector<std::uint64_t> directories;
  /// Of an image in several files: all of them, the file itself first, and the number of each page's. Empty
  /// where all pages are in the file itself.
  std::vector<std::shared_ptr<const TiffFile>> files;
  std::vector<std::uint32_t> file_of_page;
  /// (pages…, height, width, samples), or (pages…, samples, height, width) for separate planes. One page and
  /// one sample are no axes.
  Dims shape;
  DType dtype = DType::uint8;
  /// One for each axis: "t", "z", "c" where the file says it, "page" otherwise, "y", "x", and "c" for
  /// samples, or "s" where "c" is another. Of the axes within a page what tifffile's text says instead. ""
  /// for an axis without a name.
  std::vector<std::string> axis_names;
  /// How many of the first axes count pages.
  std::size_t page_rank = 0;
  /// How a page must be rotated to be upright, as the tag says.
  Orientation orientation = Orientation::upright;
  /// The compression of the first page; a page may have another.
  std::uint64_t compression = 1;
  std::optional<TiffFlat> flat;
  /// Bytes of all pages' elements as they are stored.
  std::uint64_t stored_nbytes = 0;
  /// The text of a JSON object: "photometric", "compression", and where the file has them "description",
  /// "software", "resolution" (across, down), "resolution_unit", "orientation", and the tags of GeoTIFF and
  /// GDAL by their names ("ModelPixelScale").
  std::string attributes;
  /// The attributes that cannot be read, each with the reason, as the text of a JSON object; "" for none.
  std::string unread_attributes;
  /// What the tensor leaves out or does not apply, for a user to read; "" for nothing.
  std::string note;

  /// Whether the elements can be mapped where they lie, without decoding: `flat->begin`, `byte_order` and
  /// `flat->layout`.
  [[nodiscard]] bool is_flat() const { return flat && flat->layout; }
  [[nodiscard]] const TiffFile& file_of(std::size_t page) const {
    return file_of_page.empty() ? *file : *files[file_of_page[page]];
  }
};

/// Reads the directories of all pages; no elements are read, and nothing is printed. Needs no libtiff. One
/// that cannot be read blocks no other. Throws FileError where none can be.
TENSTRIDE_API std::vector<TiffStack> list_tiff_stacks(const std::string& path,
                                                      std::string_view operation = "tiff");

/// The one of that name, or the first. Throws FileError where it cannot be read. Example: of 10 pages of
/// 64×32 pixels of RGB the shape is (10,64,32,3).
TENSTRIDE_API TiffStack open_tiff_stack(const std::string& path, std::string_view operation = "tiff",
                                        std::string_view name = {});

}  // namespace tenstride::io
