// SPDX-License-Identifier: Apache-2.0
// What needs libtiff, in a build without it, where the sources libtiff_*.cpp are left out. Uncompressed files
// are read and written all the same.
#ifndef TENSTRIDE_HAS_TIFF
#include "io/tiff/decoder.hpp"
#include "io/tiff/page_sink.hpp"

namespace tenstride::io {

std::unique_ptr<TiffDecoder> make_tiff_decoder(const TiffStack& stack) {
  stack.file->refuse("has pages that must be decoded by libtiff (compression ",
                     tiff_compression_text(stack.compression), "), which is not part of this build");
}

std::unique_ptr<TiffPageSink> make_libtiff_pages(const TiffPages& /*pages*/, const std::string& path,
                                                 const TiffOptions& options) {
  throw FileError(tenstride::detail::message(
                      options.operation, ": \"", path,
                      "\" must be uncompressed and without tiles: libtiff is not part of this build"),
                  path);
}

}  // namespace tenstride::io
#endif
