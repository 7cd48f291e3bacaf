// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_TIFF
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "files/system_reason.hpp"
#include "io/tiff/libtiff_handle.hpp"
#include "io/tiff/page_sink.hpp"

namespace tenstride::io {
namespace {

std::uint16_t libtiff_scheme(TiffCompression compression) {
  switch (compression) {
    case TiffCompression::deflate:
      return COMPRESSION_ADOBE_DEFLATE;
    case TiffCompression::lzw:
      return COMPRESSION_LZW;
    case TiffCompression::zstd:
      return COMPRESSION_ZSTD;
    case TiffCompression::none:
      break;
  }
  return COMPRESSION_NONE;
}

/// Tells libtiff of the tags of GeoTIFF and GDAL.
void add_attribute_fields(TIFF* handle) {
  static const std::vector<TIFFFieldInfo> fields = [] {
    std::vector<TIFFFieldInfo> made;
    for (const TiffAttributeTag& tag : tiff_attribute_tags) {
      const bool is_text = tag.type == TiffValueType::text;
      const auto count = static_cast<short>(is_text ? TIFF_VARIABLE : TIFF_VARIABLE2);
      made.push_back({tag.tag, count, count, static_cast<TIFFDataType>(tag.type), FIELD_CUSTOM, 1,
                      static_cast<unsigned char>(is_text ? 0 : 1), const_cast<char*>(tag.name)});
    }
    return made;
  }();
  TIFFMergeFieldInfo(handle, fields.data(), static_cast<std::uint32_t>(fields.size()));
}

class LibtiffPages final : public TiffPageSink {
 public:
  LibtiffPages(const TiffPages& pages, const std::string& path, const TiffOptions& options)
      : pages_(pages),
        tile_(options.tile),
        scheme_(libtiff_scheme(options.compression)),
        operation_(options.operation),
        file_(path, options.overwrite, options.operation),
        handle_(nullptr, TIFFClose) {
    if (TIFFIsCODECConfigured(scheme_) == 0) refuse("must have a compression that libtiff has here");
    // libtiff closes it.
    const int descriptor = open(file_.temporary_path().c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) refuse("could not be opened to be written", system_reason(errno));
    const auto settings = LibtiffErrors::options(errors_);
    if (settings) {
      handle_.reset(TIFFFdOpenExt(descriptor, path.c_str(), pages_.is_big ? "w8m" : "w4m", settings.get()));
    }
    if (!handle_) {
      ::close(descriptor);
      refuse("could not be begun by libtiff: ", errors_.text);
    }
    add_attribute_fields(handle_.get());
  }

  void write(std::span<const std::byte> elements) override {
    set_fields();
    if (tile_.empty()) {
      write_strips(elements);
    } else {
      write_tiles(elements);
    }
    if (TIFFWriteDirectory(handle_.get()) == 0) refuse("could not be written: ", errors_.text);
    ++page_;
  }

  void commit() override {
    // What the last calls write is in the file only now; their errors are seen by the handler alone.
    errors_.text.clear();
    handle_.reset();
    if (!errors_.text.empty()) refuse("could not be written: ", errors_.text);
    file_.commit();
  }

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(tenstride::detail::message(operation_, ": \"", file_.path(), "\" ", pieces...),
                    file_.path());
  }

  void set_fields() {
    TIFF* const handle = handle_.get();
    TIFFSetField(handle, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(pages_.width));
    TIFFSetField(handle, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(pages_.height));
    TIFFSetField(handle, TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(pages_.samples));
    TIFFSetField(handle, TIFFTAG_BITSPERSAMPLE, int{pages_.bits()});
    TIFFSetField(handle, TIFFTAG_SAMPLEFORMAT, int{pages_.sample_format()});
    TIFFSetField(handle, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(handle, TIFFTAG_PHOTOMETRIC, pages_.is_rgb() ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(handle, TIFFTAG_COMPRESSION, int{scheme_});
    if (pages_.extra_samples() > 0) {
      const std::vector<std::uint16_t> extra(pages_.extra_samples(), pages_.extra_sample());
      TIFFSetField(handle, TIFFTAG_EXTRASAMPLES, int{pages_.extra_samples()}, extra.data());
    }
    if (tile_.empty()) {
      TIFFSetField(handle, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(pages_.strip_height));
    } else {
      TIFFSetField(handle, TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(tile_[1]));
      TIFFSetField(handle, TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(tile_[0]));
    }
    for (const TiffValue& value : pages_.values) {
      if (page_ == 0 || !value.is_of_first_page()) set_value(value);
    }
    if (page_ > 0) return;
    TIFFSetField(handle, TIFFTAG_SOFTWARE, std::string(tiff_software).c_str());
    if (!pages_.description.empty()) {
      TIFFSetField(handle, TIFFTAG_IMAGEDESCRIPTION, pages_.description.c_str());
    }
  }

  void set_value(const TiffValue& value) {
    const bool is_single = !value.is_of_first_page();
    if (value.type == TiffValueType::text) {
      TIFFSetField(handle_.get(), value.tag, value.text.c_str());
    } else if (is_single && value.type == TiffValueType::int16) {
      TIFFSetField(handle_.get(), value.tag, static_cast<int>(value.numbers[0]));
    } else if (is_single) {
      TIFFSetField(handle_.get(), value.tag, value.numbers[0]);
    } else if (value.type == TiffValueType::int16) {
      const std::vector<std::uint16_t> numbers(value.numbers.begin(), value.numbers.end());
      TIFFSetField(handle_.get(), value.tag, static_cast<std::uint32_t>(numbers.size()), numbers.data());
    } else {
      TIFFSetField(handle_.get(), value.tag, static_cast<std::uint32_t>(value.numbers.size()),
                   value.numbers.data());
    }
  }

  void write_strips(std::span<const std::byte> elements) {
    for (Index y = 0; y < pages_.height; y += pages_.strip_height) {
      const Index rows = std::min(pages_.strip_height, pages_.height - y);
      const auto nbytes = static_cast<std::size_t>(rows * pages_.stored_row_nbytes());
      std::byte* bytes = nullptr;
      if (pages_.dtype == DType::bool_) {
        buffer_.resize(nbytes);
        copy_rows(elements, {y, 0, rows, pages_.width}, pages_.stored_row_nbytes());
        bytes = buffer_.data();
      } else {
        const auto begin = static_cast<std::size_t>(y * pages_.stored_row_nbytes());
        // libtiff changes the bytes only to swap them, and this machine's order is written.
        bytes = const_cast<std::byte*>(elements.data() + begin);
      }
      const auto number = static_cast<std::uint32_t>(y / pages_.strip_height);
      if (TIFFWriteEncodedStrip(handle_.get(), number, bytes, static_cast<tmsize_t>(nbytes)) < 0) {
        refuse("could not be written: ", errors_.text);
      }
    }
  }

  void write_tiles(std::span<const std::byte> elements) {
    const Index row = tile_[1] * pages_.samples;
    const Index pitch = pages_.dtype == DType::bool_ ? ceil_divide(row, 8)
                                                     : row * static_cast<Index>(item_size(pages_.dtype));
    std::uint32_t number = 0;
    for (Index y = 0; y < pages_.height; y += tile_[0]) {
      for (Index x = 0; x < pages_.width; x += tile_[1]) {
        buffer_.assign(static_cast<std::size_t>(pitch * tile_[0]), std::byte{0});
        const Rectangle part{y, x, std::min(tile_[0], pages_.height - y),
                             std::min(tile_[1], pages_.width - x)};
        copy_rows(elements, part, pitch);
        if (TIFFWriteEncodedTile(handle_.get(), number++, buffer_.data(),
                                 static_cast<tmsize_t>(buffer_.size())) < 0) {
          refuse("could not be written: ", errors_.text);
        }
      }
    }
  }

  struct Rectangle {
    Index y;
    Index x;
    Index height;
    Index width;
  };
  /// Copies a part of the page into the buffer, rows at a distance of `pitch` bytes.
  void copy_rows(std::span<const std::byte> elements, const Rectangle& part, Index pitch) {
    const Index pixel = pages_.samples * static_cast<Index>(item_size(pages_.dtype));
    for (Index y = 0; y < part.height; ++y) {
      const Index begin = ((part.y + y) * pages_.width + part.x) * pixel;
      const auto row =
          elements.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(part.width * pixel));
      std::byte* const to = buffer_.data() + y * pitch;
      if (pages_.dtype == DType::bool_) {
        pack_tiff_bits(row, to);
      } else {
        std::memcpy(to, row.data(), row.size());
      }
    }
  }

  TiffPages pages_;
  Dims tile_;
  std::uint16_t scheme_;
  std::string operation_;
  Index page_ = 0;
  std::vector<std::byte> buffer_;
  AtomicFile file_;
  LibtiffErrors errors_;
  std::unique_ptr<TIFF, void (*)(TIFF*)> handle_;
};

}  // namespace

std::unique_ptr<TiffPageSink> make_libtiff_pages(const TiffPages& pages, const std::string& path,
                                                 const TiffOptions& options) {
  return std::make_unique<LibtiffPages>(pages, path, options);
}

}  // namespace tenstride::io
#endif
