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

/// Null where the file is of no kind that is a picture.
std::unique_ptr<ImageFile> open_pictures(std::span<const std::byte> file) {
  switch (kind_of(file)) {
    case FileKind::png:
      return open_png(file);
    case FileKind::jpeg:
      return open_jpeg(file);
    case FileKind::jpeg2000:
      return open_jpeg2000(file);
    case FileKind::gif:
      return open_gif(file);
    default:
      return nullptr;
  }
}

/// A file of pictures, and the headers of one.
struct OpenImage {
  std::string path;
  std::size_t number;
  Storage file;
  std::unique_ptr<ImageFile> pictures;
  ImageInfo info{};

  /// Throws FileError where the picture of that number cannot be read.
  explicit OpenImage(const std::string& path, std::size_t number = 0);
  [[nodiscard]] Tensor read() const;

  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    const std::string name = number == 0 ? path : message(path, "::", number);
    throw FileError(message("read_image: \"", name, "\" ", pieces...), path);
  }
};

OpenImage::OpenImage(const std::string& path_, std::size_t number_)
    : path(path_),
      number(number_),
      file(map_input(path, "read_image")),
      pictures(open_pictures(bytes_of(file))) {
  if (pictures == nullptr) {
    refuse("must be a PNG, JPEG, JPEG 2000 or GIF image, it begins with ", describe_start(bytes_of(file)));
  }
  if (number >= pictures->size()) {
    refuse("must still be a picture of the file, which has ", pictures->size());
  }
  const ListedImage found = pictures->picture(number);
  if (!found.wrong.empty()) refuse(found.wrong);
  info = found.info;
}

Tensor OpenImage::read() const {
  Tensor pixels = empty({info.height, info.width, info.channels}, {.dtype = info.dtype});
  const std::string wrong = pictures->decode(number, pixels.mutable_storage_data());
  if (!wrong.empty()) refuse(wrong);
  return pixels;
}

}  // namespace

std::string too_many_pixels(Index height, Index width) {
  // All formats give sizes of at most 32 bits.
  const bool is_too_many = height > 0 && width > max_image_pixels / height;
  return is_too_many
             ? message("has ", height, " x ", width, " pixels, which must be at most ", max_image_pixels)
             : "";
}

ImageInfo read_image_info(const std::string& path) {
  return OpenImage(path).info;
}

Tensor read_image(const std::string& path, Caller caller) {
  const tenstride::detail::OperationScope scope("read_image", caller);
  return OpenImage(path).read();
}

std::vector<ListedImage> list_images(const std::string& path) {
  const OpenImage file(path);
  std::vector<ListedImage> result{{file.info, {}}};
  for (std::size_t i = 1; i < file.pictures->size(); ++i) result.push_back(file.pictures->picture(i));
  return result;
}

Tensor read_listed_image(const std::string& path, std::size_t number) {
  const tenstride::detail::OperationScope scope("read_image", Caller::current());
  return OpenImage(path, number).read();
}

}  // namespace tenstride::io
