// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <exception>

#include "base/message.hpp"
#include "io/image/png.hpp"
#include "ledger/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/io/image.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// So many bytes of rows are brought into PNG's order at a time.
constexpr Index block_bytes = Index{1} << 20;

/// What errors are about: "write_png: \"x.png\"", or the operation alone where the bytes go to no file.
struct Writing {
  std::string_view operation;
  std::string path;

  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    if (path.empty()) throw RuntimeError(message(operation, ": ", pieces...));
    throw FileError(message(operation, ": \"", path, "\" ", pieces...), path);
  }
};

class PngEncoder {
 public:
  PngEncoder(const ByteSink& sink, const Writing& writing) : sink_(sink), writing_(writing) {
    library_ =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors_, PngErrors::fail, PngErrors::keep_warning);
    if (library_ != nullptr) facts_ = png_create_info_struct(library_);
    if (facts_ == nullptr) writing.refuse("needs memory for libpng to begin");
  }
  ~PngEncoder() { png_destroy_write_struct(&library_, &facts_); }
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;

  void begin(const Dims& shape, int bits) {
    require(try_begin(static_cast<png_uint_32>(shape[0]), static_cast<png_uint_32>(shape[1]),
                      static_cast<std::size_t>(shape[2]), bits));
  }
  void rows(const std::byte* first, Index count, Index row_bytes) {
    require(try_rows(reinterpret_cast<png_const_bytep>(first), count, row_bytes));
  }
  void end() { require(try_end()); }

 private:
  void require(bool worked) const {
    if (failure_) std::rethrow_exception(failure_);
    if (worked) return;
    writing_.refuse("must be an image that libpng can write: ", std::string_view(errors_.text.data()));
  }

  bool try_begin(png_uint_32 height, png_uint_32 width, std::size_t channels, int bits) {
    if (setjmp(png_jmpbuf(library_)) != 0) return false;
    static constexpr int colours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                      PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(library_, this, write, flush);
    png_set_user_limits(library_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(library_, facts_, width, height, bits, colours[channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(library_, facts_);
    if (bits == 16 && std::endian::native == std::endian::little) png_set_swap(library_);
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
    if (!encoder.take(bytes, count)) png_error(library, "the bytes could not be written");
  }
  static void flush(png_structp) {}
  bool take(png_const_bytep bytes, std::size_t count) noexcept {
    try {
      sink_(std::as_bytes(std::span(bytes, count)));
      return true;
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }

  const ByteSink& sink_;
  const Writing& writing_;
  png_structp library_ = nullptr;
  png_infop facts_ = nullptr;
  PngErrors errors_;
  std::exception_ptr failure_;
};

/// The picture as (h,w,c). Throws where PNG has no such picture.
Tensor as_picture(const Tensor& image, std::string_view operation) {
  const Dims& shape = image.shape();
  if (image.dtype() != DType::uint8 && image.dtype() != DType::uint16 && image.dtype() != DType::bool_) {
    throw TypeError(message(operation, ": elements of ", tenstride::name(image.dtype()),
                            " must be uint8, uint16 or bool (shape ", shape,
                            "); scale them to 0..255 and use .to(uint8)"));
  }
  tenstride::detail::require_memory(image, operation, "written");
  const bool has_channels = shape.size() == 3;
  const auto channels_at = [&](std::size_t axis) { return shape[axis] >= 1 && shape[axis] <= 4; };
  if (shape.size() != 2 && !has_channels) {
    throw ShapeError(message(operation, ": shape ", shape, " must be (h,w) or (h,w,c)"), shape, shape);
  }
  if (has_channels && !channels_at(2)) {
    throw ShapeError(message(operation, ": shape ", shape, " must be (h,w,c) with c of 1 to 4",
                             channels_at(0) ? "; use .permute(1,2,0)" : ""),
                     shape, shape);
  }
  constexpr Index longest = 0x7fffffff;
  if (std::min(shape[0], shape[1]) < 1 || std::max(shape[0], shape[1]) > longest) {
    throw ShapeError(message(operation, ": shape ", shape, " must have a height and width of 1 to ", longest),
                     shape, shape);
  }
  return has_channels ? image : image.unsqueeze(2);
}

/// Rows as PNG holds them, row-major; a copy only where they are not.
Tensor as_rows(const Tensor& rows) {
  if (rows.dtype() != DType::bool_) return rows.contiguous().resolve_neg();
  constexpr double white = 255;
  return convert(rows, DType::uint8, {.scale = std::span(&white, 1)});
}

void encode(const Tensor& picture, const ByteSink& sink, const Writing& writing) {
  const Dims& shape = picture.shape();
  const Index pixel_nbytes = picture.dtype() == DType::uint16 ? 2 : 1;
  const Index row_nbytes = shape[1] * shape[2] * pixel_nbytes;
  const Index rows_at_once = std::max<Index>(1, block_bytes / row_nbytes);
  PngEncoder encoder(sink, writing);
  encoder.begin(shape, static_cast<int>(8 * pixel_nbytes));
  for (Index y = 0; y < shape[0]; y += rows_at_once) {
    const Tensor rows = as_rows(picture.narrow(0, y, std::min(rows_at_once, shape[0] - y)));
    encoder.rows(static_cast<const std::byte*>(rows.data_ptr()), rows.shape()[0], row_nbytes);
  }
  encoder.end();
}

}  // namespace

void write_png(const std::string& path, const Tensor& image, Overwrite overwrite, Caller caller) {
  constexpr std::string_view operation = "write_png";
  const tenstride::detail::OperationScope scope(operation, caller);
  const tenstride::detail::ReadingScope reading;
  const Tensor picture = as_picture(image, operation);
  AtomicFile file(path, overwrite, operation);
  encode(picture, [&](std::span<const std::byte> part) { file.write(part); }, {operation, path});
  file.commit();
}

void encode_png(const Tensor& image, const ByteSink& sink, Caller caller) {
  constexpr std::string_view operation = "encode_png";
  const tenstride::detail::OperationScope scope(operation, caller);
  const tenstride::detail::ReadingScope reading;
  encode(as_picture(image, operation), sink, {operation, {}});
}

}  // namespace tenstride::io
