// SPDX-License-Identifier: Apache-2.0
#include "io/image/png.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include "base/message.hpp"
#include "io/image/codec.hpp"
#include "io/image/exif.hpp"
#include "io/stream/big_endian.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// Whether all chunks but the pixels' lie within the file: libpng takes memory for them before it reads them.
/// What follows the last chunk is none of them.
bool has_whole_chunks(std::span<const std::byte> file) {
  constexpr std::size_t signature = 8, head = 8, crc = 4;
  std::size_t at = signature;
  while (at + head <= file.size()) {
    const std::uint64_t nbytes = big_endian(file.subspan(at, 4));
    const std::string_view name(reinterpret_cast<const char*>(file.data() + at + 4), 4);
    if (name == "IEND") return true;
    if (nbytes > file.size() - at - head) return name == "IDAT";
    at += head + nbytes + crc;
  }
  return true;
}

class PngDecoder final : public ImageDecoder {
 public:
  ~PngDecoder() override { png_destroy_read_struct(&library_, &facts_, nullptr); }

  std::string begin(std::span<const std::byte> file) override {
    rest_ = file;
    if (!has_whole_chunks(file)) return "must be a PNG image that can be read: the file ends early";
    library_ =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, PngErrors::fail, PngErrors::keep_warning);
    if (library_ == nullptr) return "needs a libpng like the one tenstride was built with";
    facts_ = png_create_info_struct(library_);
    if (facts_ == nullptr) return "needs memory to be read";
    if (!read_header()) return failure();
    // Before libpng takes memory for rows.
    std::string wrong = too_many_pixels(Index{png_get_image_height(library_, facts_)},
                                        Index{png_get_image_width(library_, facts_)});
    if (!wrong.empty()) return wrong;
    return prepare_rows() ? std::string() : failure();
  }

  [[nodiscard]] ImageInfo info() const override {
    return {.format = ImageFormat::png,
            .height = Index{png_get_image_height(library_, facts_)},
            .width = Index{png_get_image_width(library_, facts_)},
            .channels = Index{png_get_channels(library_, facts_)},
            .bits = bits_,
            .dtype = bits_ == 16 ? DType::uint16 : DType::uint8,
            .orientation = orientation_};
  }

  std::string decode(std::byte* rows) override {
    return read_rows(reinterpret_cast<png_bytep>(rows)) ? std::string() : failure();
  }

 private:
  [[nodiscard]] std::string failure() const {
    const std::string_view warning(errors_.warning.data());
    return message("must be a PNG image that can be read: ", std::string_view(errors_.text.data()),
                   warning.empty() ? "" : "; ", warning);
  }

  static void read(png_structp library, png_bytep to, std::size_t count) {
    auto& rest = static_cast<PngDecoder*>(png_get_io_ptr(library))->rest_;
    if (count > rest.size()) png_error(library, "the file ends early");
    std::memcpy(to, rest.data(), count);
    rest = rest.subspan(count);
  }

  bool read_header() {
    if (setjmp(png_jmpbuf(library_)) != 0) return false;
    png_set_read_fn(library_, this, read);
    // Sizes are judged by their product (max_image_pixels), not by libpng's million each.
    png_set_user_limits(library_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(library_, facts_);
    return true;
  }

  bool prepare_rows() {
    if (setjmp(png_jmpbuf(library_)) != 0) return false;
    bits_ = png_get_bit_depth(library_, facts_);
    png_set_expand(library_);  // palettes, gray of fewer bits, a transparent colour
    if (bits_ == 16 && std::endian::native == std::endian::little) png_set_swap(library_);
    read_orientation();
    passes_ = png_set_interlace_handling(library_);
    png_read_update_info(library_, facts_);
    return true;
  }

  void read_orientation() {
#ifdef PNG_eXIf_SUPPORTED
    png_uint_32 size = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(library_, facts_, &size, &exif) == 0 || exif == nullptr) return;
    orientation_ = exif_orientation(std::as_bytes(std::span(exif, size)));
#endif
  }

  bool read_rows(png_bytep rows) {
    if (setjmp(png_jmpbuf(library_)) != 0) return false;
    const png_uint_32 height = png_get_image_height(library_, facts_);
    const std::size_t row_bytes = png_get_rowbytes(library_, facts_);
    for (int pass = 0; pass < passes_; ++pass) {
      for (png_uint_32 y = 0; y < height; ++y) png_read_row(library_, rows + y * row_bytes, nullptr);
    }
    png_read_end(library_, nullptr);
    return true;
  }

  png_structp library_ = nullptr;
  png_infop facts_ = nullptr;
  std::span<const std::byte> rest_;
  int bits_ = 8;
  int passes_ = 1;
  Orientation orientation_ = Orientation::upright;
  PngErrors errors_;
};

}  // namespace

std::unique_ptr<ImageDecoder> make_png_decoder() {
  return std::make_unique<PngDecoder>();
}

}  // namespace tenstride::io
