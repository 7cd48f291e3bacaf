// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>

#include "../message.hpp"
#include "copy/ledger_watch.hpp"
#include "image_png.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/io/image.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// So many bytes of rows are brought into PNG's order at a time.
constexpr Index block_bytes = Index{1} << 20;

class PngEncoder {
 public:
  explicit PngEncoder(AtomicFile& file) : file_(file) {
    library_ =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors_, PngErrors::fail, PngErrors::be_silent);
    if (library_ != nullptr) facts_ = png_create_info_struct(library_);
    if (facts_ == nullptr)
      throw FileError(message("write_png: libpng must have memory to begin"), file.path());
  }
  ~PngEncoder() { png_destroy_write_struct(&library_, &facts_); }
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;

  void begin(Index height, Index width, Index channels) {
    require(try_begin(static_cast<png_uint_32>(height), static_cast<png_uint_32>(width),
                      static_cast<std::size_t>(channels)));
  }
  void rows(const std::byte* first, Index count, Index row_bytes) {
    require(try_rows(reinterpret_cast<png_const_bytep>(first), count, row_bytes));
  }
  void end() { require(try_end()); }

 private:
  void require(bool worked) const {
    if (failure_) std::rethrow_exception(failure_);
    if (worked) return;
    throw FileError(message("write_png: \"", file_.path(), "\" must be an image that libpng can write: ",
                            std::string_view(errors_.text.data())),
                    file_.path());
  }

  bool try_begin(png_uint_32 height, png_uint_32 width, std::size_t channels) {
    if (setjmp(png_jmpbuf(library_)) != 0) return false;
    static constexpr int colours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                      PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(library_, this, write, flush);
    png_set_user_limits(library_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(library_, facts_, width, height, 8, colours[channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(library_, facts_);
    return true;
  }
  bool try_rows(png_const_bytep first, Index count, Index row_bytes) {
    if (setjmp(png_jmpbuf(library_)) != 0) return false;
    for (Index y = 0; y < count; ++y) png_write_row(library_, first + y * row_bytes);
    return true;
  }
  bool try_end() {
    if (setjmp(png_jmpbuf(library_)) != 0) return false;
    png_write_end(library_, facts_);
    return true;
  }

  /// An exception must not pass through libpng: it waits until libpng has been left.
  static void write(png_structp library, png_bytep bytes, std::size_t count) {
    auto& encoder = *static_cast<PngEncoder*>(png_get_io_ptr(library));
    if (!encoder.take(bytes, count)) png_error(library, "the file could not be written");
  }
  static void flush(png_structp) {}
  bool take(png_const_bytep bytes, std::size_t count) noexcept {
    try {
      file_.write(std::as_bytes(std::span(bytes, count)));
      return true;
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }

  AtomicFile& file_;
  png_structp library_ = nullptr;
  png_infop facts_ = nullptr;
  PngErrors errors_;
  std::exception_ptr failure_;
};

/// The picture as (h,w,c). Throws where PNG has no such picture.
Tensor as_picture(const Tensor& image) {
  const Dims& shape = image.shape();
  if (image.dtype() != DType::uint8 && image.dtype() != DType::bool_) {
    throw TypeError(message("write_png: elements of ", tenstride::name(image.dtype()),
                            " must be uint8 or bool (shape ", shape,
                            "); scale them to 0..255 and use .to(uint8)"));
  }
  if (!image.has_memory()) {
    throw RuntimeError(message("write_png: ", tenstride::detail::without_memory_text(image.device()),
                               " has no elements to be written (shape ", shape, ")"));
  }
  const bool has_channels = shape.size() == 3;
  const auto channels_at = [&](std::size_t axis) { return shape[axis] >= 1 && shape[axis] <= 4; };
  if (shape.size() != 2 && !has_channels) {
    throw ShapeError(message("write_png: shape ", shape, " must be (h,w) or (h,w,c)"), shape, shape);
  }
  if (has_channels && !channels_at(2)) {
    throw ShapeError(message("write_png: shape ", shape, " must be (h,w,c) with c of 1 to 4",
                             channels_at(0) ? "; use .permute(1,2,0)" : ""),
                     shape, shape);
  }
  constexpr Index longest = 0x7fffffff;
  if (std::min(shape[0], shape[1]) < 1 || std::max(shape[0], shape[1]) > longest) {
    throw ShapeError(message("write_png: shape ", shape, " must have a height and width of 1 to ", longest),
                     shape, shape);
  }
  return has_channels ? image : image.unsqueeze(2);
}

/// Rows as uint8, row-major; a copy only where they are not.
Tensor as_rows(const Tensor& rows) {
  if (rows.dtype() == DType::uint8) return rows.contiguous().resolve_neg();
  constexpr double white = 255;
  return convert(rows, DType::uint8, {.scale = std::span(&white, 1)});
}

}  // namespace

void write_png(const std::string& path, const Tensor& image, Overwrite overwrite, Caller caller) {
  const tenstride::detail::OperationScope scope("write_png", caller);
  const tenstride::detail::ReadingScope reading;
  const Tensor picture = as_picture(image);
  const Index height = picture.shape()[0];
  const Index row_bytes = picture.shape()[1] * picture.shape()[2];
  const Index rows_at_once = std::max<Index>(1, block_bytes / row_bytes);
  AtomicFile file(path, overwrite, "write_png");
  PngEncoder encoder(file);
  encoder.begin(height, picture.shape()[1], picture.shape()[2]);
  for (Index y = 0; y < height; y += rows_at_once) {
    const Tensor rows = as_rows(picture.narrow(0, y, std::min(rows_at_once, height - y)));
    encoder.rows(static_cast<const std::byte*>(rows.data_ptr()), rows.shape()[0], row_bytes);
  }
  encoder.end();
  file.commit();
}

}  // namespace tenstride::io
