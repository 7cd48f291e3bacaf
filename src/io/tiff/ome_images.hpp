// SPDX-License-Identifier: Apache-2.0
// OME-XML: https://docs.openmicroscopy.org/ome-model/latest/ome-tiff/specification.html
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "io/tiff/page_axes.hpp"

namespace tenstride::io {

/// A plane of an image: a page of a file.
struct OmePlane {
  /// The name of another file in the folder, as it stands in the description; empty: of the file itself.
  std::string_view file;
  std::uint64_t page = 0;
};
/// What a plane is; null where there is no such page.
using FormatOfPlane = std::function<const TiffFormat*(const OmePlane& plane)>;

struct OmeImage {
  /// Axes of size 1 are left out.
  TiffPageAxes axes;
  /// The last axis is the fastest.
  std::vector<OmePlane> planes;
};

/// Whether a description is OME-XML.
bool is_ome_text(std::string_view description);

/// The images whose planes are all there, by `format_of`. Those of other sizes than their pages are left out,
/// and those that lack a plane. A file is the one itself by its UUID or where its name is `file`. Example:
/// SizeZ="3" and SizeC="2" in the order XYZCT are (2,3) named c, z, of 6 pages.
TENSTRIDE_API std::vector<OmeImage> read_ome_images(std::string_view description, std::string_view file,
                                                    const FormatOfPlane& format_of);

}  // namespace tenstride::io
