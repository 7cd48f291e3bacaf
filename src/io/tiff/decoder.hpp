// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/tiff/stack.hpp"

namespace tenstride::io {

/// A strip or a tile of a page.
struct TiffPiece {
  /// The file that has the page.
  const TiffFile* file = nullptr;
  /// Where the page's directory begins.
  std::uint64_t directory = 0;
  /// The page's number in the stack, for errors.
  Index page = 0;
  /// Its number in the page's table.
  std::uint32_t number = 0;
  /// Rows that the file has of it.
  Index rows = 0;
};

/// Decodes pieces of pages; for any number of threads at once.
class TiffDecoder {
 public:
  virtual ~TiffDecoder() = default;
  /// Fills `elements` with `piece.rows` rows of the width of a piece, in this machine's byte order. Returns
  /// the bytes that the file has of the piece. Throws FileError.
  virtual std::uint64_t decode(const TiffPiece& piece, std::span<std::byte> elements) const = 0;
};

/// A decoder over libtiff. Throws FileError where this build lacks it, or it lacks the compression.
std::unique_ptr<TiffDecoder> make_tiff_decoder(const TiffStack& stack);

}  // namespace tenstride::io
