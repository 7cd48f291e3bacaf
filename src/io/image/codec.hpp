// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenstride/io/image.hpp"

namespace tenstride::io {

/// One picture being read. Decoders report errors of their library as text and never throw out of its frames.
class ImageDecoder {
 public:
  virtual ~ImageDecoder() = default;
  /// Reads the header. Returns what is wrong, or nothing ("").
  virtual std::string begin(std::span<const std::byte> file) = 0;
  /// Pre: begin() found nothing wrong.
  [[nodiscard]] virtual ImageInfo info() const = 0;
  /// Writes height rows of width * channels elements of the info's type. Returns what is wrong, or nothing
  /// ("").
  virtual std::string decode(std::byte* rows) = 0;
};

std::unique_ptr<ImageDecoder> make_jpeg_decoder();
std::unique_ptr<ImageDecoder> make_png_decoder();
std::unique_ptr<ImageDecoder> make_jpeg2000_decoder();

/// A picture of a file that may hold several.
struct ListedImage {
  ImageInfo info{};
  /// What is wrong with it; "" for nothing, and then `info` is known.
  std::string wrong{};
};

/// The pictures of a file, at least one.
class ImageFile {
 public:
  virtual ~ImageFile() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// What the headers say of one.
  virtual ListedImage picture(std::size_t number) = 0;
  /// Its rows, as those of a decoder. Pre: picture() found nothing wrong.
  virtual std::string decode(std::size_t number, std::byte* rows) = 0;
};

/// The pictures in the bytes of a file of that kind, which must outlive the result.
std::unique_ptr<ImageFile> open_jpeg(std::span<const std::byte> file);
std::unique_ptr<ImageFile> open_png(std::span<const std::byte> file);
std::unique_ptr<ImageFile> open_gif(std::span<const std::byte> file);
std::unique_ptr<ImageFile> open_jpeg2000(std::span<const std::byte> file);

/// What is wrong with a picture of that many pixels, or nothing (""): at most max_image_pixels are read.
std::string too_many_pixels(Index height, Index width);

/// All pictures of a file. Throws FileError where the first cannot be read.
std::vector<ListedImage> list_images(const std::string& path);
/// One of them. Throws FileError.
Tensor read_listed_image(const std::string& path, std::size_t number);

}  // namespace tenstride::io
