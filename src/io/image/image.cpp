// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/image.hpp"

#include "base/message.hpp"
#include "io/image/codec.hpp"
#include "io/input.hpp"
#include "ledger/watch.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// A picture whose header is read and found good.
struct OpenImage {
  Storage file;
  std::unique_ptr<ImageDecoder> decoder;
  ImageInfo info;

  OpenImage(const std::string& path, std::string_view operation);
};

OpenImage::OpenImage(const std::string& path, std::string_view operation) : file(map_input(path, operation)) {
  const auto refuse = [&](const auto&... pieces) {
    throw FileError(message(operation, ": \"", path, "\" ", pieces...), path);
  };
  switch (kind_of(bytes_of(file))) {
    case FileKind::png:
      decoder = make_png_decoder();
      break;
    case FileKind::jpeg:
      decoder = make_jpeg_decoder();
      break;
    default:
      refuse("must be a PNG or JPEG image, it begins with ", describe_start(bytes_of(file)));
  }
  const std::string wrong = decoder->begin(bytes_of(file));
  if (!wrong.empty()) refuse(wrong);
  info = decoder->info();
}

}  // namespace

std::string too_many_pixels(Index height, Index width) {
  // Both formats give sizes of at most 31 bits: their product fits 64.
  if (height * width <= max_image_pixels) return {};
  return message("has ", height, " x ", width, " pixels, which must be at most ", max_image_pixels);
}

ImageInfo read_image_info(const std::string& path) {
  return OpenImage(path, "read_image").info;
}

Tensor read_image(const std::string& path, Caller caller) {
  const tenstride::detail::OperationScope scope("read_image", caller);
  const OpenImage image(path, "read_image");
  Tensor pixels =
      empty({image.info.height, image.info.width, image.info.channels}, {.dtype = image.info.dtype});
  const std::string wrong = image.decoder->decode(pixels.mutable_storage_data());
  if (!wrong.empty()) throw FileError(message("read_image: \"", path, "\" ", wrong), path);
  return pixels;
}

}  // namespace tenstride::io
