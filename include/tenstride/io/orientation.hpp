// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tenstride/base/export.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// How the pixels of a file lie, by the numbers of the EXIF tag 0x0112: `rotated_counterclockwise` must be
/// rotated clockwise to be seen as it was taken.
enum class Orientation : unsigned char {
  upright = 1,
  mirrored,
  rotated_180,
  mirrored_vertically,
  transposed,
  rotated_counterclockwise,
  transposed_other_diagonal,
  rotated_clockwise
};

/// The words behind "the picture is stored". Example: "rotated by 90 degrees counterclockwise" for 6.
TENSTRIDE_API std::string_view description(Orientation orientation);

/// A stored picture (h,w) or (h,w,c) as it was taken: a view with exchanged axes and negative strides, which
/// moves nothing. Example: (2,3,1):(3,1,1)+0 with orientation 6 is (3,2,1):(1,-3,1)+3. Throws ShapeError for
/// fewer than two axes.
TENSTRIDE_API Layout upright(const Layout& picture, Orientation orientation);
TENSTRIDE_API Tensor upright(const Tensor& picture, Orientation orientation);

}  // namespace tenstride::io
