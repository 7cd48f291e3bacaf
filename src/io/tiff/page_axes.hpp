// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/tiff/format.hpp"
#include "tenstride/base/dims.hpp"
#include "tenstride/base/export.hpp"

namespace tenstride::io {

/// What the pages of a stack are: axes from the slowest to the fastest. No axes for a single page.
struct TiffPageAxes {
  Dims sizes;
  /// "t", "z", "c"; "" for one without a name.
  std::vector<std::string> names;
  /// Pages that the text speaks of; fewer than 1 where it says nothing.
  Index count = 0;
  /// The names of the axes within a page, "" for one without a name; empty where the text says nothing of
  /// them: then they are y and x.
  std::vector<std::string> page_names{};
};

/// Reads the axes from the description of the first page: ImageJ's words, or the JSON of tifffile. Axes of
/// size 1 are left out of the first. Nothing where the text is neither or disagrees with `format`. Example:
/// `ImageJ=1.53\nimages=6\nchannels=2\nslices=3` gives (3,2) named z, c.
TENSTRIDE_API TiffPageAxes read_page_axes(std::string_view description, const TiffFormat& format);

namespace detail {
TiffPageAxes read_imagej_axes(std::string_view description);
TiffPageAxes read_shaped_axes(std::string_view description, const TiffFormat& format);
}  // namespace detail

}  // namespace tenstride::io
