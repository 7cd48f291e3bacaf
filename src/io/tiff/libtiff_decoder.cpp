// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_TIFF
#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "io/tiff/decoder.hpp"
#include "io/tiff/libtiff_handle.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// libtiff searches all pages that a handle has seen, one by one.
constexpr std::uint64_t max_selections = 4096;

/// One byte for each bit, of rows that begin with a whole byte.
void unpack_bits(std::span<const std::byte> bits, Index row, std::span<std::byte> elements) {
  const auto row_elements = static_cast<std::size_t>(row);
  const std::size_t row_nbytes = (row_elements + 7) / 8;
  for (std::size_t at = 0, y = 0; at < elements.size(); at += row_elements, ++y) {
    for (std::size_t x = 0; x < row_elements; ++x) {
      elements[at + x] = bits[y * row_nbytes + x / 8] >> (7 - x % 8) & std::byte{1};
    }
  }
}

class LibtiffDecoder final : public TiffDecoder {
 public:
  explicit LibtiffDecoder(const TiffStack& stack) : file_(stack.file), format_(stack.format) {}

  std::uint64_t decode(const TiffPiece& piece, std::span<std::byte> elements) const override {
    std::unique_ptr<LibtiffReader> reader = take(piece.directory);
    const std::uint64_t stored = decode_by(*reader, piece, elements);
    // After an error the handle is not used again.
    give_back(std::move(reader));
    return stored;
  }

 private:
  template <typename... Pieces>
  [[noreturn]] void refuse(const TiffPiece& piece, const Pieces&... pieces) const {
    file_->refuse("page ", piece.page, ", ", format_.pieces == TiffPieces::tiles ? "tile " : "strip ",
                  piece.number, " ", pieces...);
  }

  std::uint64_t decode_by(LibtiffReader& reader, const TiffPiece& piece,
                          std::span<std::byte> elements) const {
    TIFF* const handle = reader.get();
    if (!reader.select(piece.directory)) refuse(piece, "cannot be read: ", reader.errors().text);
    std::uint16_t photometric = 0;
    std::uint16_t compression = 0;
    TIFFGetFieldDefaulted(handle, TIFFTAG_PHOTOMETRIC, &photometric);
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &compression);
    if (photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG) {
      TIFFSetField(handle, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    const std::uint64_t stored = stored_nbytes(handle, piece);
    if (stored == 0) {
      // A piece that was never written.
      std::fill(elements.begin(), elements.end(), std::byte{0});
      return 0;
    }
    if (format_.dtype != DType::bool_) {
      decode_whole(reader, piece, stored, elements);
    } else {
      const Index row = format_.piece_width * format_.samples_together();
      std::vector<std::byte> bits(static_cast<std::size_t>(ceil_divide(row, 8) * piece.rows));
      decode_whole(reader, piece, stored, bits);
      unpack_bits(bits, row, elements);
    }
    return stored;
  }

  /// The bytes of the piece in the file, in which they lie.
  [[nodiscard]] std::uint64_t stored_nbytes(TIFF* handle, const TiffPiece& piece) const {
    const bool is_tiled = format_.pieces == TiffPieces::tiles;
    const std::uint32_t pieces = is_tiled ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle);
    if ((TIFFIsTiled(handle) != 0) != is_tiled || piece.number >= pieces) {
      refuse(piece, "must be one of the ", pieces, " of the page");
    }
    int is_wrong = 0;
    const std::uint64_t begin = TIFFGetStrileOffsetWithErr(handle, piece.number, &is_wrong);
    if (is_wrong != 0) refuse(piece, "must have an offset in the file");
    const std::uint64_t nbytes = TIFFGetStrileByteCountWithErr(handle, piece.number, &is_wrong);
    if (is_wrong != 0) refuse(piece, "must have a length in the file");
    if (nbytes == 0) return 0;
    if (begin > file_->size() || nbytes > file_->size() - begin) {
      refuse(piece, "has ", nbytes, " bytes from byte ", begin, " on, which must lie in the file of ",
             file_->size(), " bytes");
    }
    return nbytes;
  }

  /// Pre: the piece has `stored` bytes in the file.
  void decode_whole(LibtiffReader& reader, const TiffPiece& piece, std::uint64_t stored,
                    std::span<std::byte> bytes) const {
    TIFF* const handle = reader.get();
    const bool is_tiled = format_.pieces == TiffPieces::tiles;
    const std::uint64_t expected =
        is_tiled ? TIFFTileSize64(handle) : TIFFVStripSize64(handle, static_cast<std::uint32_t>(piece.rows));
    if (expected != bytes.size()) {
      refuse(piece, "is decoded to ", expected, " bytes, which must be ", bytes.size());
    }
    std::uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &compression);
    if (compression == COMPRESSION_NONE && stored < bytes.size()) {
      refuse(piece, "has ", stored, " bytes, uncompressed, and must have ", bytes.size());
    }
    reader.errors().text.clear();
    const auto size = static_cast<tmsize_t>(bytes.size());
    const tmsize_t got = is_tiled ? TIFFReadEncodedTile(handle, piece.number, bytes.data(), size)
                                  : TIFFReadEncodedStrip(handle, piece.number, bytes.data(), size);
    if (!reader.errors().text.empty()) refuse(piece, "cannot be decoded: ", reader.errors().text);
    if (got < 0) refuse(piece, "cannot be decoded, for which libtiff gives no reason");
    if (got != size) refuse(piece, "has ", got, " bytes when decoded, which must be ", size);
  }

  /// A handle of no other thread: one that reads this page already, any, or a new one.
  [[nodiscard]] std::unique_ptr<LibtiffReader> take(std::uint64_t directory) const {
    {
      const std::lock_guard lock(mutex_);
      auto found = std::find_if(idle_.begin(), idle_.end(),
                                [&](const auto& reader) { return reader->directory() == directory; });
      if (found == idle_.end() && !idle_.empty()) found = idle_.end() - 1;
      if (found != idle_.end()) {
        std::unique_ptr<LibtiffReader> result = std::move(*found);
        idle_.erase(found);
        return result;
      }
    }
    auto result = std::make_unique<LibtiffReader>(*file_);
    if (result->get() == nullptr) file_->refuse("cannot be read: ", result->errors().text);
    return result;
  }
  void give_back(std::unique_ptr<LibtiffReader> reader) const {
    if (reader->selections() >= max_selections) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
  }

  std::shared_ptr<const TiffFile> file_;
  TiffFormat format_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<LibtiffReader>> idle_;
};

}  // namespace

std::unique_ptr<TiffDecoder> make_tiff_decoder(const TiffStack& stack) {
  if (stack.compression > 65535 ||
      TIFFIsCODECConfigured(static_cast<std::uint16_t>(stack.compression)) == 0) {
    stack.file->refuse("is compressed with ", tiff_compression_text(stack.compression), " (scheme ",
                       stack.compression, "), which must be one that libtiff of this machine can decode");
  }
  return std::make_unique<LibtiffDecoder>(stack);
}

}  // namespace tenstride::io
#endif
