// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/flat.hpp"

#include <algorithm>

namespace tenstride::io {
namespace {

/// No more entries of tables are read than this: 2^26 take about a second. Beyond it pages are not flat and
/// `stored_nbytes` is the size of the file.
constexpr std::uint64_t max_entries = std::uint64_t{1} << 26;

}  // namespace

std::uint64_t tiff_page_nbytes(const TiffFormat& format) {
  return static_cast<std::uint64_t>(format.stored_nbytes(format.height, format.width) * format.depth *
                                    format.planes_count());
}

void TiffStorageSurvey::add_page(TiffReader& reader, const TiffDirectory& page) {
  const bool is_tiled = format_.pieces == TiffPieces::tiles;
  const TiffTag* const counts =
      page.find(is_tiled ? tiff_tag::tile_byte_counts : tiff_tag::strip_byte_counts);
  const std::uint64_t entries = counts == nullptr ? 0 : counts->count;
  if (entries > max_entries - entries_) {
    entries_ = max_entries;
    is_flat_ = false;
    return;
  }
  entries_ += entries;
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t nbytes = reader.integer(*counts, i);
    stored_nbytes_ += std::min(nbytes, reader.file().size());
  }
  if (!is_flat_) return;
  const std::optional<std::uint64_t> found = page_begin(reader, page);
  is_flat_ = found.has_value();
  if (!is_flat_) return;
  const std::uint64_t begin = *found;
  if (pages_ == 0) first_ = begin;
  if (pages_ == 1) pitch_ = begin - first_;
  // Pages ascend, at one distance, and do not overlap.
  const bool is_behind =
      pages_ == 0 || (begin > last_ && begin - last_ == pitch_ && pitch_ >= tiff_page_nbytes(format_));
  is_flat_ = is_behind;
  last_ = begin;
  ++pages_;
}

std::optional<std::uint64_t> TiffStorageSurvey::page_begin(TiffReader& reader, const TiffDirectory& page) {
  const bool is_plain = format_.pieces == TiffPieces::strips && format_.is_plain() &&
                        reader.integer(page, tiff_tag::compression, 1) == tiff_compression::none &&
                        format_.predictor == TiffPredictor::none &&
                        reader.integer(page, tiff_tag::fill_order, 1) == 1;
  const TiffTag* const offsets = page.find(tiff_tag::strip_offsets);
  const TiffTag* const counts = page.find(tiff_tag::strip_byte_counts);
  if (!is_plain || offsets == nullptr || counts == nullptr) return std::nullopt;
  const auto pieces = static_cast<std::uint64_t>(format_.piece_count());
  if (offsets->count != pieces || counts->count != pieces) return std::nullopt;
  const std::uint64_t begin = reader.integer(*offsets);
  const std::uint64_t nbytes = tiff_page_nbytes(format_);
  if (begin == 0 || begin > reader.file().size() || nbytes > reader.file().size() - begin)
    return std::nullopt;
  std::uint64_t next = begin;
  const auto plane = static_cast<std::uint64_t>(format_.pieces_down());
  const std::uint64_t row_nbytes =
      nbytes / static_cast<std::uint64_t>(format_.height * format_.planes_count());
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const auto row = static_cast<Index>(i % plane) * format_.piece_height;
    const auto rows = static_cast<std::uint64_t>(std::min(format_.piece_height, format_.height - row));
    if (reader.integer(*offsets, i) != next || reader.integer(*counts, i) != rows * row_nbytes) {
      return std::nullopt;
    }
    next += rows * row_nbytes;
  }
  return begin;
}

std::uint64_t TiffStorageSurvey::stored_nbytes(std::uint64_t file_size) const {
  return entries_ == max_entries ? file_size : std::min(stored_nbytes_, file_size);
}

std::optional<TiffFlat> TiffStorageSurvey::flat() const {
  if (!is_flat_ || pages_ == 0) return std::nullopt;
  return TiffFlat{first_, pages_ == 1 ? tiff_page_nbytes(format_) : pitch_, std::nullopt};
}

}  // namespace tenstride::io
