// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

/// What is wrong with a picture of that many pixels, or nothing (""): at most max_image_pixels are read.
std::string too_many_pixels(Index height, Index width);

/// A picture of a file that may hold several.
struct ListedImage {
  ImageInfo info{};
  /// What is wrong with it; "" for nothing, and then `info` is known.
  std::string wrong{};
};
/// All pictures of a file, at least one. Throws FileError where the first cannot be read.
std::vector<ListedImage> list_images(const std::string& path);
/// One of them. Throws FileError.
Tensor read_listed_image(const std::string& path, std::size_t number);

std::unique_ptr<ImageDecoder> make_jpeg_decoder();
std::unique_ptr<ImageDecoder> make_png_decoder();

}  // namespace tenstride::io
