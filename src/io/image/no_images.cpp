// SPDX-License-Identifier: Apache-2.0
// The functions of image.hpp in a build without image libraries, where the sources image*.cpp are left out.
#include "base/message.hpp"
#include "io/image/absent_decoder.hpp"

#ifndef TENSTRIDE_WITH_IMAGES

namespace tenstride::io {
namespace {

[[noreturn]] void refuse(std::string_view operation, const std::string& what, const std::string& path) {
  throw FileError(tenstride::detail::message(operation, ": ", what,
                                             " must be of a format this build knows: it was configured with "
                                             "-DTENSTRIDE_WITH_IMAGES=OFF and has no images"),
                  path);
}

[[noreturn]] void refuse(std::string_view operation, const std::string& path) {
  refuse(operation, "\"" + path + "\"", path);
}

}  // namespace

Tensor read_image(const std::string& path, Caller /*caller*/) {
  refuse("read_image", path);
}
ImageInfo read_image_info(const std::string& path) {
  refuse("read_image", path);
}
std::vector<ListedImage> list_images(const std::string& path) {
  refuse("read_image", path);
}
Tensor read_listed_image(const std::string& path, std::size_t /*number*/) {
  refuse("read_image", path);
}
std::unique_ptr<ImageDecoder> make_png_decoder() {
  return absent_decoder("PNG", "libpng");
}
std::unique_ptr<ImageDecoder> make_jpeg2000_decoder() {
  return absent_decoder("JPEG 2000", "OpenJPEG");
}
void write_png(const std::string& path, const Tensor& /*image*/, Overwrite /*overwrite*/, Caller /*caller*/) {
  refuse("write_png", path);
}
void encode_png(const Tensor& /*image*/, const ByteSink& /*sink*/, Caller /*caller*/) {
  refuse("encode_png", "the bytes", "");
}

}  // namespace tenstride::io

#endif
