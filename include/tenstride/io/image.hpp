// SPDX-License-Identifier: Apache-2.0
// Pictures as tensors of shape (h,w,c). A build without image libraries has these functions too: they throw.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"
#include "tenstride/files/atomic_file.hpp"
#include "tenstride/io/orientation.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

enum class ImageFormat : unsigned char { png, jpeg, jpeg2000, gif };

/// What the header of a picture says about the tensor `read_image` gives.
struct ImageInfo {
  ImageFormat format = ImageFormat::png;
  Index height = 0;
  Index width = 0;
  /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha, or CMYK.
  Index channels = 0;
  /// Bits of one channel in the file. Fewer than 8 are read as 8.
  int bits = 8;
  /// uint16 for 16 bits, otherwise uint8; of JPEG 2000 also signed, and of 32 bits.
  DType dtype = DType::uint8;
  /// `upright` where the file has no EXIF orientation, or none that can be read.
  Orientation orientation = Orientation::upright;
  /// Whether the channels are cyan, magenta, yellow and black.
  bool is_cmyk = false;
  /// Whether 255 means no ink, as Adobe's programs write CMYK; elements are given as they are stored.
  bool is_inverted = false;
};

/// No picture may have more pixels: what a few bytes announce must not take all memory.
inline constexpr Index max_image_pixels = Index{1} << 28;

/// The elements of a picture in a JPEG, PNG, GIF or JPEG 2000 file, the first where it has several: shape
/// (h,w,c), row-major, of the dtype that `ImageInfo` tells. The format is told by the content, not the name.
/// Palettes become RGB, a transparent colour becomes an alpha channel, gray of 1, 2 and 4 bits of PNG is
/// scaled to 0..255, elements of other sizes are given as they are. CMYK and YCCK become CMYK. Colour
/// profiles, gamma and the orientation are not applied (`upright` applies it).
/// Throws FileError for a file that is damaged or ends early, and for more than `max_image_pixels`.
TENSTRIDE_API Tensor read_image(const std::string& path, Caller caller = Caller::current());

/// Reads the header alone. Throws FileError.
TENSTRIDE_API ImageInfo read_image_info(const std::string& path);

/// Writes a PNG of 8 bits per channel from uint8, or from bool (0 and 255), and of 16 from uint16, of shape
/// (h,w) or (h,w,c) with c of 1 to 4; any layout. The file appears whole or not at all. Throws TypeError,
/// ShapeError, FileError; RuntimeError for a meta tensor.
TENSTRIDE_API void write_png(const std::string& path, const Tensor& image,
                             Overwrite overwrite = Overwrite::refuse, Caller caller = Caller::current());

/// Takes the bytes of a file from its first to its last, a part at a time; what it throws ends the writing.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// The bytes that `write_png` writes, for what is no file: a pipe or a buffer. Throws as it does. Example:
/// `encode_png(image, [&](auto part) { bytes.insert(bytes.end(), part.begin(), part.end()); })`.
TENSTRIDE_API void encode_png(const Tensor& image, const ByteSink& sink, Caller caller = Caller::current());

}  // namespace tenstride::io
