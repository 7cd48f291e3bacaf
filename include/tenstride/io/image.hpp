// SPDX-License-Identifier: Apache-2.0
// Pictures as tensors of shape (h,w,c). A build without image libraries has these functions too: they throw.
#pragma once

#include <string>

#include "tenstride/export.hpp"
#include "tenstride/index.hpp"
#include "tenstride/io/atomic_file.hpp"
#include "tenstride/tensor.hpp"

namespace tenstride::io {

enum class ImageFormat : unsigned char { png, jpeg };

/// What the header of a picture says about the tensor `read_image` gives.
struct ImageInfo {
  ImageFormat format = ImageFormat::png;
  Index height = 0;
  Index width = 0;
  /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
  Index channels = 0;
  /// Bits of one channel in the file, before it is made 8.
  int bits = 8;
};

/// No picture may have more pixels: what a few bytes announce must not take all memory.
inline constexpr Index max_image_pixels = Index{1} << 28;

/// The elements of a JPEG or PNG file: shape (h,w,c), uint8, row-major. The format is told by the content,
/// not the name. Palettes become RGB, a transparent colour becomes an alpha channel, gray of 1, 2 and 4 bits
/// is scaled to 0..255, 16 bits are rounded to 8. Colour profiles, gamma and the orientation noted by a
/// camera are not applied. Throws FileError for a file that is damaged or ends early, for CMYK, and for more
/// than `max_image_pixels`.
TENSTRIDE_API Tensor read_image(const std::string& path, Caller caller = Caller::current());

/// Reads the header alone. Throws FileError.
TENSTRIDE_API ImageInfo read_image_info(const std::string& path);

/// Writes a PNG of 8 bits per channel, from uint8, or from bool (0 and 255), of shape (h,w) or (h,w,c) with c
/// of 1 to 4; any layout. The file appears whole or not at all. Throws TypeError, ShapeError, FileError;
/// RuntimeError for a meta tensor.
TENSTRIDE_API void write_png(const std::string& path, const Tensor& image,
                             Overwrite overwrite = Overwrite::refuse, Caller caller = Caller::current());

}  // namespace tenstride::io
