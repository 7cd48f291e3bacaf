// SPDX-License-Identifier: Apache-2.0
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it before itself

#include <jpeglib.h>

#include <jerror.h>

#include <algorithm>

#include "base/message.hpp"
#include "io/image/codec.hpp"
#include "io/image/exif.hpp"
#include "io/image/mpo.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// libjpeg leaves a call that failed by a jump: in the functions with a setjmp nothing has a destructor.
struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void fail(j_common_ptr library) {
  auto* const errors = reinterpret_cast<JpegErrors*>(library->err);
  errors->base.format_message(library, errors->text);
  std::longjmp(errors->jump, 1);
}

/// Where the library would go on with made-up pixels, the picture is refused; oddities that cost no pixel
/// pass.
void note(j_common_ptr library, int level) {
  if (level >= 0) return;
  switch (library->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
    case JWRN_TOO_MUCH_DATA:
      return;
    default:
      fail(library);
  }
}

void be_silent(j_common_ptr) {}

/// A few bytes can announce any number of scans, each as long as the picture.
constexpr int max_scans = 500;
void count_scans(j_common_ptr library) {
  auto* const decoder = reinterpret_cast<j_decompress_ptr>(library);
  if (decoder->input_scan_number <= max_scans) return;
  library->err->msg_code = JERR_BAD_PROGRESSION;
  fail(library);
}

class JpegDecoder final : public ImageDecoder {
 public:
  ~JpegDecoder() override { jpeg_destroy_decompress(&library_); }

  std::string begin(std::span<const std::byte> file) override {
    if (!read_header(file)) return failure();
    switch (library_.jpeg_color_space) {
      case JCS_GRAYSCALE:
      case JCS_YCbCr:
      case JCS_RGB:
      case JCS_CMYK:
      case JCS_YCCK:
        return too_many_pixels(Index{library_.image_height}, Index{library_.image_width});
      default:
        return message("is a JPEG image of ", library_.num_components,
                       " channels of unknown colours and must be gray, RGB or CMYK");
    }
  }

  [[nodiscard]] ImageInfo info() const override {
    return {.format = ImageFormat::jpeg,
            .height = Index{library_.image_height},
            .width = Index{library_.image_width},
            .channels = library_.jpeg_color_space == JCS_GRAYSCALE ? 1
                        : is_cmyk()                                ? 4
                                                                   : 3,
            .bits = library_.data_precision,
            .dtype = DType::uint8,
            .orientation = orientation(),
            .is_cmyk = is_cmyk(),
            .is_inverted = is_cmyk() && library_.saw_Adobe_marker != FALSE};
  }

  std::string decode(std::byte* rows) override {
    return read_rows(reinterpret_cast<JSAMPROW>(rows)) ? std::string() : failure();
  }

 private:
  [[nodiscard]] bool is_cmyk() const {
    return library_.jpeg_color_space == JCS_CMYK || library_.jpeg_color_space == JCS_YCCK;
  }
  /// The orientation in the first segment APP1 that holds EXIF data.
  [[nodiscard]] Orientation orientation() const {
    constexpr std::string_view name("Exif\0\0", 6);
    for (const jpeg_marker_struct* marker = library_.marker_list; marker != nullptr; marker = marker->next) {
      const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(marker->data),
                                             marker->data_length);
      const std::string_view chars(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (chars.starts_with(name)) return exif_orientation(bytes.subspan(name.size()));
    }
    return Orientation::upright;
  }

  [[nodiscard]] std::string failure() const {
    return message("must be a JPEG image that can be read: ", std::string_view(errors_.text));
  }

  bool read_header(std::span<const std::byte> file) {
    library_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = fail;
    errors_.base.emit_message = note;
    errors_.base.output_message = be_silent;
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_create_decompress(&library_);
    jpeg_mem_src(&library_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_save_markers(&library_, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&library_, TRUE);
    return true;
  }

  bool read_rows(JSAMPROW rows) {
    if (setjmp(errors_.jump) != 0) return false;
    library_.out_color_space = library_.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE
                               : is_cmyk()                                ? JCS_CMYK
                                                                          : JCS_RGB;
    progress_.progress_monitor = count_scans;
    library_.progress = &progress_;
    jpeg_start_decompress(&library_);
    while (library_.output_scanline < library_.output_height) {
      JSAMPROW row = rows + std::size_t{library_.output_scanline} * library_.output_width *
                                static_cast<std::size_t>(library_.output_components);
      jpeg_read_scanlines(&library_, &row, 1);
    }
    jpeg_finish_decompress(&library_);
    return true;
  }

  jpeg_decompress_struct library_{};
  jpeg_progress_mgr progress_{};
  JpegErrors errors_{};
};

}  // namespace

std::unique_ptr<ImageDecoder> make_jpeg_decoder() {
  return std::make_unique<JpegDecoder>();
}

std::unique_ptr<ImageFile> open_jpeg(std::span<const std::byte> file) {
  return std::make_unique<StillPictures>(file, mpo_pictures(file), make_jpeg_decoder);
}

}  // namespace tenstride::io
