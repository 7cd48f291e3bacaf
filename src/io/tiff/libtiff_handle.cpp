// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_TIFF
#include "io/tiff/libtiff_handle.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include "base/message.hpp"

namespace tenstride::io {
namespace {

/// No memory is taken at once that is larger: damaged files announce any.
constexpr tmsize_t max_libtiff_memory = tmsize_t{1} << 32;

std::string libtiff_text(const char* module, const char* format, std::va_list arguments) {
  std::array<char, 400> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  if (module == nullptr) return text.data();
  return tenstride::detail::message(std::string_view(module), ": ", std::string_view(text.data()));
}

tmsize_t write_nothing(thandle_t /*client*/, void* /*bytes*/, tmsize_t /*count*/) {
  return -1;
}
int close_nothing(thandle_t /*client*/) {
  return 0;
}
int map_nothing(thandle_t /*client*/, void** /*begin*/, toff_t* /*size*/) {
  return 0;
}
void unmap_nothing(thandle_t /*client*/, void* /*begin*/, toff_t /*size*/) {}

}  // namespace

int LibtiffErrors::take_error(TIFF* /*handle*/, void* errors, const char* module, const char* format,
                              std::va_list arguments) {
  static_cast<LibtiffErrors*>(errors)->text = libtiff_text(module, format, arguments);
  return 1;
}

int LibtiffErrors::take_warning(TIFF* /*handle*/, void* errors, const char* module, const char* format,
                                std::va_list arguments) {
  const std::string text = libtiff_text(module, format, arguments);
  const auto has = [&](std::string_view words) { return text.find(words) != std::string::npos; };
  // Extraneous bytes cost no pixel; of a picture smaller than its piece, libtiff leaves the rest as it was in
  // memory.
  const bool is_damage = has("Premature end of JPEG") || has("Improper JPEG strip/tile size") ||
                         (has("Corrupt JPEG data") && !has("extraneous bytes"));
  if (is_damage) static_cast<LibtiffErrors*>(errors)->text = text;
  return 1;
}

std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> LibtiffErrors::options(LibtiffErrors& errors) {
  std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> result(TIFFOpenOptionsAlloc(),
                                                                      TIFFOpenOptionsFree);
  if (result) {
    TIFFOpenOptionsSetErrorHandlerExtR(result.get(), take_error, &errors);
    TIFFOpenOptionsSetWarningHandlerExtR(result.get(), take_warning, &errors);
    TIFFOpenOptionsSetMaxSingleMemAlloc(result.get(), max_libtiff_memory);
  }
  return result;
}

tmsize_t LibtiffReader::read(thandle_t client, void* bytes, tmsize_t count) {
  auto* const reader = static_cast<LibtiffReader*>(client);
  if (count < 0) return -1;
  const std::size_t got =
      reader->file_->try_read(reader->at_, {static_cast<std::byte*>(bytes), static_cast<std::size_t>(count)});
  reader->at_ += got;
  return static_cast<tmsize_t>(got);
}

toff_t LibtiffReader::seek(thandle_t client, toff_t offset, int whence) {
  auto* const reader = static_cast<LibtiffReader*>(client);
  if (whence == SEEK_SET) reader->at_ = offset;
  if (whence == SEEK_CUR) reader->at_ += offset;
  if (whence == SEEK_END) reader->at_ = reader->file_->size() + offset;
  return reader->at_;
}

toff_t LibtiffReader::size(thandle_t client) {
  return static_cast<LibtiffReader*>(client)->file_->size();
}

LibtiffReader::LibtiffReader(const TiffFile& file) : file_(&file), handle_(nullptr, TIFFClose) {
  const auto options = LibtiffErrors::options(errors_);
  if (!options) return;
  // h: no page is read yet; m: no map; c: strips stay as they are; O: tables are read where they are needed.
  handle_.reset(TIFFClientOpenExt(file.path().c_str(), "rhmcO", this, read, write_nothing, seek,
                                  close_nothing, size, map_nothing, unmap_nothing, options.get()));
}

bool LibtiffReader::select(std::uint64_t directory) {
  if (directory == directory_) return true;
  directory_ = 0;
  ++selections_;
  errors_.text.clear();
  if (TIFFSetSubDirectory(get(), directory) == 0) return false;
  directory_ = directory;
  return true;
}

}  // namespace tenstride::io
#endif
