// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/orientation.hpp"

#include "base/message.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/views_axes.hpp"
#include "tenstride/layout/views_slices.hpp"

namespace tenstride::io {

std::string_view description(Orientation orientation) {
  switch (orientation) {
    case Orientation::mirrored:
      return "mirrored left to right";
    case Orientation::rotated_180:
      return "rotated by 180 degrees";
    case Orientation::mirrored_vertically:
      return "mirrored top to bottom";
    case Orientation::transposed:
      return "transposed";
    case Orientation::rotated_counterclockwise:
      return "rotated by 90 degrees counterclockwise";
    case Orientation::transposed_other_diagonal:
      return "transposed along the other diagonal";
    case Orientation::rotated_clockwise:
      return "rotated by 90 degrees clockwise";
    case Orientation::upright:
      break;
  }
  return "upright";
}

Layout upright(const Layout& picture, Orientation orientation) {
  if (picture.rank() < 2) {
    throw ShapeError(
        tenstride::detail::message("upright: shape ", picture.shape, " must be (h,w) or (h,w,c)"),
        picture.shape, picture.shape);
  }
  // From 5 on the axes are exchanged; the flips are those of the result.
  const Layout axes = orientation < Orientation::transposed ? picture : transpose(picture, 0, 1);
  switch (orientation) {
    case Orientation::mirrored:
    case Orientation::rotated_counterclockwise:
      return flip_view(axes, {1});
    case Orientation::rotated_180:
    case Orientation::transposed_other_diagonal:
      return flip_view(axes, {0, 1});
    case Orientation::mirrored_vertically:
    case Orientation::rotated_clockwise:
      return flip_view(axes, {0});
    case Orientation::upright:
    case Orientation::transposed:
      break;
  }
  return axes;
}

Tensor upright(const Tensor& picture, Orientation orientation) {
  return Tensor(picture.storage(), upright(picture.layout(), orientation), picture.dtype());
}

}  // namespace tenstride::io
