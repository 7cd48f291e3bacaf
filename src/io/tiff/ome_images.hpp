// SPDX-License-Identifier: Apache-2.0
// OME-XML: https://docs.openmicroscopy.org/ome-model/latest/ome-tiff/specification.html
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "io/tiff/page_axes.hpp"

namespace tenstride::io {

/// One image of several planes, each a page.
struct OmeImage {
  /// Axes of size 1 are left out.
  TiffPageAxes axes;
  /// The page of each plane, the last axis the fastest.
  std::vector<std::uint64_t> pages;
};

/// Whether a description is OME-XML.
bool is_ome_text(std::string_view description);

/// The images whose planes are all pages of the file: `format_of` gives the format of a page, null where
/// there is none. Those of other files, of other sizes than their pages, and those that lack a plane are
/// left out. Example: SizeZ="3" and SizeC="2" in the order XYZCT are (2,3) named c, z, of 6 pages.
TENSTRIDE_API std::vector<OmeImage> read_ome_images(
    std::string_view description, const std::function<const TiffFormat*(std::uint64_t page)>& format_of);

}  // namespace tenstride::io
