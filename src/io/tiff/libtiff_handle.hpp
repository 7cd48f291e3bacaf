// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tiffio.h>

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/stream/zlib_decoder.hpp"
#include "io/tiff/tiff_file.hpp"

namespace tenstride::io {

/// Takes down what libtiff says instead of printing it: the last error, or a warning about damaged JPEG data,
/// with which it would go on with made-up pixels.
struct LibtiffErrors {
  std::string text;

  /// The options of all handles that are opened with them; `errors` must outlive these.
  static std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(LibtiffErrors& errors);

 private:
  static int take_error(TIFF* handle, void* errors, const char* module, const char* format,
                        std::va_list arguments);
  static int take_warning(TIFF* handle, void* errors, const char* module, const char* format,
                          std::va_list arguments);
};

/// libtiff's view of a file that is read. For one thread at a time.
class LibtiffReader {
 public:
  explicit LibtiffReader(const TiffFile& file);
  LibtiffReader(const LibtiffReader&) = delete;
  LibtiffReader& operator=(const LibtiffReader&) = delete;

  [[nodiscard]] const TiffFile& file() const noexcept { return *file_; }
  /// Makes the page whose directory begins there the one that is read. False where libtiff refuses it.
  bool select(std::uint64_t directory);
  [[nodiscard]] std::uint64_t directory() const noexcept { return directory_; }
  /// How many pages were selected: libtiff keeps something of each and searches it.
  [[nodiscard]] std::uint64_t selections() const noexcept { return selections_; }

  /// Null where it could not be opened; `errors` says why.
  [[nodiscard]] TIFF* get() const noexcept { return handle_.get(); }
  [[nodiscard]] LibtiffErrors& errors() noexcept { return errors_; }
  /// The decoder for what is decoded without libtiff.
  [[nodiscard]] ZlibDecoder& inflater() noexcept { return inflater_; }
  [[nodiscard]] std::vector<std::byte>& scratch() noexcept { return scratch_; }

 private:
  static tmsize_t read(thandle_t client, void* bytes, tmsize_t count);
  static toff_t seek(thandle_t client, toff_t offset, int whence);
  static toff_t size(thandle_t client);

  const TiffFile* file_;
  std::uint64_t at_ = 0;
  std::uint64_t directory_ = 0;
  std::uint64_t selections_ = 0;
  LibtiffErrors errors_;
  ZlibDecoder inflater_;
  std::vector<std::byte> scratch_;
  std::unique_ptr<TIFF, void (*)(TIFF*)> handle_;
};

}  // namespace tenstride::io
