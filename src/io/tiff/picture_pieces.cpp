// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/picture_pieces.hpp"

#include "base/message.hpp"
#include "io/image/codec.hpp"

namespace tenstride::io {
namespace {

/// As tifffile writes them; those of JPEG 2000 also as Hamamatsu's and Aperio's scanners.
constexpr std::uint64_t png_in_tiff = 34933;
constexpr std::uint64_t jpeg2000_in_tiff = 34712, lossy_jpeg2000 = 33004, aperio_jpeg2000 = 33005;

}  // namespace

bool is_tiff_picture(std::uint64_t compression) {
  return compression == png_in_tiff || compression == jpeg2000_in_tiff || compression == lossy_jpeg2000 ||
         compression == aperio_jpeg2000;
}

std::string decode_tiff_picture(std::uint64_t compression, std::span<const std::byte> picture,
                                const TiffFormat& format, std::span<std::byte> elements) {
  const auto decoder = compression == png_in_tiff ? make_png_decoder() : make_jpeg2000_decoder();
  std::string wrong = decoder->begin(picture);
  if (!wrong.empty()) return wrong;
  const ImageInfo info = decoder->info();
  const Index nbytes = info.height * info.width * info.channels * static_cast<Index>(item_size(info.dtype));
  const bool is_alike = info.width == format.piece_width && info.channels == format.samples_together() &&
                        info.dtype == format.dtype && nbytes == static_cast<Index>(elements.size());
  if (!is_alike) {
    return tenstride::detail::message("has ", info.height, " x ", info.width, " pixels of ", info.channels,
                                      " samples of ", name(info.dtype), ", which must be ", elements.size(),
                                      " bytes of ", format.samples_together(), " samples of ",
                                      name(format.dtype), " in rows of ", format.piece_width);
  }
  return decoder->decode(elements.data());
}

}  // namespace tenstride::io
