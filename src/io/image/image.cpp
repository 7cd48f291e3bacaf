// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/image.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "io/image/codec.hpp"
#include "io/image/mpo.hpp"
#include "io/input.hpp"
#include "ledger/watch.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The pictures of a file, and the header of one.
struct OpenImage {
  Storage file;
  std::vector<MpoPicture> pictures;
  std::unique_ptr<ImageDecoder> decoder;
  ImageInfo info;

  /// Throws FileError where the picture of that number cannot be read.
  OpenImage(const std::string& path, std::string_view operation, std::size_t number = 0);
  /// Reads the header of another one. Returns what is wrong, or nothing ("").
  std::string select(std::size_t number);
};

OpenImage::OpenImage(const std::string& path, std::string_view operation, std::size_t number)
    : file(map_input(path, operation)) {
  const std::string name = number == 0 ? path : message(path, "::", number);
  const auto refuse = [&](const auto&... pieces) {
    throw FileError(message(operation, ": \"", name, "\" ", pieces...), path);
  };
  switch (kind_of(bytes_of(file))) {
    case FileKind::png:
      pictures = {{0, file.nbytes()}};
      break;
    case FileKind::jpeg:
      pictures = mpo_pictures(bytes_of(file));
      break;
    default:
      refuse("must be a PNG or JPEG image, it begins with ", describe_start(bytes_of(file)));
  }
  if (number >= pictures.size()) refuse("must still be a picture of the file, which has ", pictures.size());
  const std::string wrong = select(number);
  if (!wrong.empty()) refuse(wrong);
}

std::string OpenImage::select(std::size_t number) {
  const auto [begin, nbytes] = pictures[number];
  if (begin > file.nbytes()) {
    return message("begins at byte ", begin, ", which must lie in the file of ", file.nbytes(), " bytes");
  }
  const bool is_png = kind_of(bytes_of(file)) == FileKind::png;
  decoder = is_png ? make_png_decoder() : make_jpeg_decoder();
  std::string wrong =
      decoder->begin(bytes_of(file).subspan(begin, std::min<std::uint64_t>(nbytes, file.nbytes() - begin)));
  if (wrong.empty()) info = decoder->info();
  return wrong;
}

Tensor read_pixels(const OpenImage& image, const std::string& path, std::size_t number) {
  Tensor pixels =
      empty({image.info.height, image.info.width, image.info.channels}, {.dtype = image.info.dtype});
  const std::string wrong = image.decoder->decode(pixels.mutable_storage_data());
  if (wrong.empty()) return pixels;
  const std::string name = number == 0 ? path : message(path, "::", number);
  throw FileError(message("read_image: \"", name, "\" ", wrong), path);
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
  return read_pixels(OpenImage(path, "read_image"), path, 0);
}

std::vector<ListedImage> list_images(const std::string& path) {
  OpenImage file(path, "read_image");
  std::vector<ListedImage> result{{file.info, {}}};
  for (std::size_t i = 1; i < file.pictures.size(); ++i) {
    std::string wrong = file.select(i);
    result.push_back({wrong.empty() ? file.info : ImageInfo(), std::move(wrong)});
  }
  return result;
}

Tensor read_listed_image(const std::string& path, std::size_t number) {
  const tenstride::detail::OperationScope scope("read_image", Caller::current());
  return read_pixels(OpenImage(path, "read_image", number), path, number);
}

}  // namespace tenstride::io
