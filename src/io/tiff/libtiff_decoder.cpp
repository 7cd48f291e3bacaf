// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_TIFF
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "io/tiff/decoder.hpp"
#include "io/tiff/libtiff_handle.hpp"
#include "io/tiff/packed_elements.hpp"
#include "io/tiff/picture_pieces.hpp"
#include "io/tiff/predictor.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// libtiff searches all pages that a handle has seen, one by one.
constexpr std::uint64_t max_selections = 4096;

/// What is read of a piece that is compressed to more bytes than it has: so much is not needed by any.
constexpr std::uint64_t max_packed(std::uint64_t nbytes) {
  return 16 * nbytes + 65536;
}

/// Where a piece lies in the file.
struct StoredPiece {
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;
};

/// The value of a tag, or TIFF's default for it. Pre: libtiff gives it as a `Number`, of which 0 is none.
template <typename Number = std::uint16_t>
Number number_of_page(TIFF* handle, std::uint32_t tag) {
  Number result = 0;
  TIFFGetFieldDefaulted(handle, tag, &result);
  return result;
}

class LibtiffDecoder final : public TiffDecoder {
 public:
  explicit LibtiffDecoder(const TiffStack& stack)
      : file_(stack.file), files_(stack.files), format_(stack.format) {}

  std::uint64_t decode(const TiffPiece& piece, std::span<std::byte> elements) const override {
    std::unique_ptr<LibtiffReader> reader = take(*piece.file, piece.directory);
    const std::uint64_t stored = decode_by(*reader, piece, elements);
    // After an error the handle is not used again.
    give_back(std::move(reader));
    return stored;
  }

 private:
  [[nodiscard]] std::size_t stored_nbytes(Index rows) const {
    return static_cast<std::size_t>(format_.stored_nbytes(rows, format_.piece_width));
  }
  template <typename... Pieces>
  [[noreturn]] void refuse(const TiffPiece& piece, const Pieces&... pieces) const {
    piece.file->refuse("page ", piece.page, ", ", format_.pieces == TiffPieces::tiles ? "tile " : "strip ",
                       piece.number, " ", pieces...);
  }

  std::uint64_t decode_by(LibtiffReader& reader, const TiffPiece& piece,
                          std::span<std::byte> elements) const {
    TIFF* const handle = reader.get();
    if (!reader.select(piece.directory)) refuse(piece, "cannot be read: ", reader.errors().text);
    if (number_of_page(handle, TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_YCBCR &&
        number_of_page(handle, TIFFTAG_COMPRESSION) == COMPRESSION_JPEG) {
      TIFFSetField(handle, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    const StoredPiece stored = find_stored(handle, piece);
    if (stored.nbytes == 0) {
      // A piece that was never written.
      std::fill(elements.begin(), elements.end(), std::byte{0});
      return 0;
    }
    if (format_.is_plain()) {
      decode_whole(reader, piece, stored, elements);
    } else {
      std::vector<std::byte> packed(stored_nbytes(piece.rows));
      decode_whole(reader, piece, stored, packed);
      unpack_elements(format_, piece.rows, packed, elements);
      if (predictor_of(handle) != TiffPredictor::none) undo_predictor_of_packed(piece, elements);
    }
    return stored.nbytes;
  }

  /// The bytes of the piece in the file, in which they lie.
  [[nodiscard]] StoredPiece find_stored(TIFF* handle, const TiffPiece& piece) const {
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
    if (nbytes == 0) return {};
    const std::uint64_t size = piece.file->size();
    if (begin > size || nbytes > size - begin) {
      refuse(piece, "has ", nbytes, " bytes from byte ", begin, " on, which must lie in the file of ", size,
             " bytes");
    }
    return {begin, nbytes};
  }

  /// Pre: the piece has `stored` bytes in the file.
  void decode_whole(LibtiffReader& reader, const TiffPiece& piece, StoredPiece stored,
                    std::span<std::byte> bytes) const {
    TIFF* const handle = reader.get();
    const bool is_tiled = format_.pieces == TiffPieces::tiles;
    const std::uint64_t expected = format_.piece_depth > 1 ? bytes.size()
                                   : is_tiled
                                       ? TIFFTileSize64(handle)
                                       : TIFFVStripSize64(handle, static_cast<std::uint32_t>(piece.rows));
    if (expected != bytes.size()) {
      refuse(piece, "is decoded to ", expected, " bytes, which must be ", bytes.size());
    }
    const auto compression = number_of_page(handle, TIFFTAG_COMPRESSION);
    if (compression == COMPRESSION_NONE && stored.nbytes < bytes.size()) {
      refuse(piece, "has ", stored.nbytes, " bytes, uncompressed, and must have ", bytes.size());
    }
    // libtiff decodes the first slice of a tile alone.
    if (compression == COMPRESSION_NONE && format_.piece_depth > 1) {
      piece.file->read(stored.begin, bytes);
      to_usual_order(handle, bytes);
      if (TIFFIsByteSwapped(handle) != 0) swap_elements(bytes);
      return;
    }
    // libtiff leaves a predictor without compression as it is; who writes it means it.
    if (compression == COMPRESSION_NONE && predictor_of(handle) != TiffPredictor::none) {
      require_predictor(piece, predictor_of(handle));
      piece.file->read(stored.begin, bytes);
      to_usual_order(handle, bytes);
      undo(predictor_of(handle), TIFFIsByteSwapped(handle) != 0, bytes);
      return;
    }
    if (is_tiff_picture(compression)) {
      const std::string wrong =
          decode_tiff_picture(compression, read_packed(reader, piece, stored, bytes.size()), format_, bytes);
      if (!wrong.empty()) refuse(piece, wrong);
      return;
    }
    const bool is_deflated = compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE;
    if (!is_deflated || !try_inflate(reader, piece, stored, bytes)) decode_by_libtiff(reader, piece, bytes);
  }

  /// The bytes of a piece as they are stored, as many as `nbytes` elements can need.
  [[nodiscard]] static std::span<const std::byte> read_packed(LibtiffReader& reader, const TiffPiece& piece,
                                                              StoredPiece stored, std::uint64_t nbytes) {
    std::vector<std::byte>& packed = reader.scratch();
    packed.resize(std::min(stored.nbytes, max_packed(nbytes)));
    piece.file->read(stored.begin, packed);
    to_usual_order(reader.get(), packed);
    return packed;
  }

  /// Without libtiff, which does not notice deflated bytes that are more than the piece's, and then leaves
  /// some of these as they were in memory. False where this build lacks libdeflate, or the predictor is none
  /// that the elements can have: libtiff says so.
  bool try_inflate(LibtiffReader& reader, const TiffPiece& piece, StoredPiece stored,
                   std::span<std::byte> bytes) const {
    TIFF* const handle = reader.get();
    const TiffPredictor predictor = predictor_of(handle);
    if (!has_predictor(format_.dtype, predictor)) return false;
    const bool is_swapped = TIFFIsByteSwapped(handle) != 0;
    if (predictor == TiffPredictor::horizontal && is_complex(format_.dtype) && is_swapped) {
      refuse(piece, "has complex numbers with a predictor, which must be in this machine's byte order");
    }
    const std::span<const std::byte> packed = read_packed(reader, piece, stored, bytes.size());
    ZlibDecoder::Result result = reader.inflater().decode(packed, bytes);
    if (result.outcome == ZlibDecoder::Outcome::too_long) {
      result = inflate_padded(reader, piece, packed, bytes);
    }
    switch (result.outcome) {
      case ZlibDecoder::Outcome::whole:
        break;
      case ZlibDecoder::Outcome::too_long:
        refuse(piece, "has more than ", bytes.size(), " bytes when decoded, which must be that many");
      case ZlibDecoder::Outcome::damaged:
        refuse(piece, "cannot be decoded: its deflate data are damaged");
      case ZlibDecoder::Outcome::unavailable:
        return false;
    }
    if (result.nbytes < bytes.size()) {
      refuse(piece, "has ", result.nbytes, " bytes when decoded, which must be ", bytes.size());
    }
    undo(predictor, is_swapped, bytes);
    return true;
  }

  /// What is undone here: other codecs of libtiff do it themselves, or have none.
  [[nodiscard]] TiffPredictor predictor_of(TIFF* handle) const {
    const auto compression = number_of_page(handle, TIFFTAG_COMPRESSION);
    const bool is_deflated = compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE;
    return is_deflated ? static_cast<TiffPredictor>(number_of_page(handle, TIFFTAG_PREDICTOR))
                       : format_.predictor;
  }

  [[nodiscard]] TiffRow row() const {
    return {format_.dtype, format_.piece_width, format_.samples_together()};
  }

  void require_predictor(const TiffPiece& piece, TiffPredictor predictor) const {
    if (has_predictor(format_.dtype, predictor)) return;
    refuse(piece, "has the predictor ", static_cast<int>(predictor), ", which elements of ",
           name(format_.dtype), " must not have");
  }

  /// Brings decoded bytes into this machine's order and undoes the predictor, but of packed elements, which
  /// are unpacked before.
  void undo(TiffPredictor predictor, bool is_swapped, std::span<std::byte> bytes) const {
    if (predictor != TiffPredictor::floating_point && is_swapped) swap_elements(bytes);
    if (format_.is_plain()) undo_predictor(predictor, row(), bytes);
  }

  /// Sums wrap around in the bits that an element has in the file.
  void undo_predictor_of_packed(const TiffPiece& piece, std::span<std::byte> elements) const {
    require_predictor(piece, TiffPredictor::horizontal);
    undo_predictor(TiffPredictor::horizontal, row(), elements);
    mask_elements(format_, elements);
  }

  /// The last strip of a page may have been padded to the height of the others; the rows below the page are
  /// left out.
  ZlibDecoder::Result inflate_padded(LibtiffReader& reader, const TiffPiece& piece,
                                     std::span<const std::byte> packed, std::span<std::byte> bytes) const {
    constexpr std::uint64_t max_inflation = 1032;
    constexpr std::uint64_t max_padded = std::uint64_t{1} << 28;
    const std::uint64_t rows = number_of_page<std::uint32_t>(reader.get(), TIFFTAG_ROWSPERSTRIP);
    ZlibDecoder::Result result{ZlibDecoder::Outcome::too_long};
    if (format_.pieces == TiffPieces::tiles || rows <= static_cast<std::uint64_t>(piece.rows)) return result;
    // No overflow: the rows of a piece have at most `max_tiff_chunk` bytes.
    const std::uint64_t whole = stored_nbytes(static_cast<Index>(std::min(rows, max_padded)));
    const std::uint64_t nbytes = std::min({whole, packed.size() * max_inflation, max_padded});
    const auto padded = std::make_unique_for_overwrite<std::byte[]>(nbytes);
    result = reader.inflater().decode(packed, {padded.get(), nbytes});
    if (result.outcome == ZlibDecoder::Outcome::whole) {
      result.nbytes = std::min(result.nbytes, bytes.size());
      std::copy_n(padded.get(), result.nbytes, bytes.begin());
    }
    return result;
  }

  /// The highest bit of each byte first.
  static void to_usual_order(TIFF* handle, std::span<std::byte> bytes) {
    if (number_of_page(handle, TIFFTAG_FILLORDER) != FILLORDER_LSB2MSB) return;
    TIFFReverseBits(reinterpret_cast<std::uint8_t*>(bytes.data()), static_cast<tmsize_t>(bytes.size()));
  }

  void swap_elements(std::span<std::byte> bytes) const {
    if (!format_.is_plain()) return;
    const std::size_t width = item_size(component_type(format_.dtype));
    const auto count = static_cast<tmsize_t>(bytes.size() / width);
    if (width == 2) TIFFSwabArrayOfShort(reinterpret_cast<std::uint16_t*>(bytes.data()), count);
    if (width == 4) TIFFSwabArrayOfLong(reinterpret_cast<std::uint32_t*>(bytes.data()), count);
    if (width == 8) TIFFSwabArrayOfLong8(reinterpret_cast<std::uint64_t*>(bytes.data()), count);
  }

  void decode_by_libtiff(LibtiffReader& reader, const TiffPiece& piece, std::span<std::byte> bytes) const {
    TIFF* const handle = reader.get();
    reader.errors().text.clear();
    const auto size = static_cast<tmsize_t>(bytes.size());
    const tmsize_t got = format_.pieces == TiffPieces::tiles
                             ? TIFFReadEncodedTile(handle, piece.number, bytes.data(), size)
                             : TIFFReadEncodedStrip(handle, piece.number, bytes.data(), size);
    if (!reader.errors().text.empty()) refuse(piece, "cannot be decoded: ", reader.errors().text);
    if (got < 0) refuse(piece, "cannot be decoded, for which libtiff gives no reason");
    if (got != size) refuse(piece, "has ", got, " bytes when decoded, which must be ", size);
    // Back into the order of the file, the highest first, as all packed elements have it.
    if (format_.bits == 24 && TIFFIsByteSwapped(handle) != 0) {
      TIFFSwabArrayOfTriples(reinterpret_cast<std::uint8_t*>(bytes.data()), size / 3);
    }
  }

  /// A handle of no other thread: one that reads this page already, any, or a new one.
  [[nodiscard]] std::unique_ptr<LibtiffReader> take(const TiffFile& file, std::uint64_t directory) const {
    {
      const std::lock_guard lock(mutex_);
      const auto find = [&](const auto& is_meant) {
        return std::find_if(idle_.begin(), idle_.end(), [&](const auto& reader) {
          return &reader->file() == &file && is_meant(*reader);
        });
      };
      auto found = find([&](const LibtiffReader& reader) { return reader.directory() == directory; });
      if (found == idle_.end()) found = find([](const LibtiffReader&) { return true; });
      if (found != idle_.end()) {
        std::unique_ptr<LibtiffReader> result = std::move(*found);
        idle_.erase(found);
        return result;
      }
    }
    auto result = std::make_unique<LibtiffReader>(file);
    if (result->get() == nullptr) file.refuse("cannot be read: ", result->errors().text);
    return result;
  }
  void give_back(std::unique_ptr<LibtiffReader> reader) const {
    if (reader->selections() >= max_selections) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
  }

  std::shared_ptr<const TiffFile> file_;
  std::vector<std::shared_ptr<const TiffFile>> files_;
  TiffFormat format_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<LibtiffReader>> idle_;
};

}  // namespace

std::unique_ptr<TiffDecoder> make_tiff_decoder(const TiffStack& stack) {
  const bool is_of_libtiff =
      stack.compression <= 65535 && TIFFIsCODECConfigured(static_cast<std::uint16_t>(stack.compression)) != 0;
  if (!is_of_libtiff && !is_tiff_picture(stack.compression)) {
    stack.file->refuse("is compressed with ", tiff_compression_text(stack.compression), " (scheme ",
                       stack.compression, "), which must be one that libtiff of this machine can decode");
  }
  const bool is_plain = stack.compression == COMPRESSION_NONE ||
                        stack.compression == COMPRESSION_ADOBE_DEFLATE ||
                        stack.compression == COMPRESSION_DEFLATE;
  if (stack.format.piece_depth > 1 && !is_plain) {
    stack.file->refuse("has tiles of several slices, compressed with ",
                       tiff_compression_text(stack.compression),
                       ", and must have them uncompressed or deflated");
  }
  return std::make_unique<LibtiffDecoder>(stack);
}

}  // namespace tenstride::io
#endif
