// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/tiff_source.hpp"

#include <algorithm>

#include "io/tiff/decoder.hpp"

namespace tenstride::io {
namespace {

/// The bytes of a chunk of flat pages: large enough that a request costs little beside its bytes.
constexpr Index flat_chunk_nbytes = Index{1} << 22;

void swap_in_place(std::span<std::byte> elements, std::size_t width) {
  for (std::size_t at = 0; at + width <= elements.size(); at += width) {
    std::reverse(elements.begin() + static_cast<std::ptrdiff_t>(at),
                 elements.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
}

}  // namespace

/// Where a chunk is in the stack.
struct TiffSource::Place {
  Index page = 0;
  Index plane = 0;
  /// Of the pieces in depth.
  Index deep = 0;
  Index row = 0;
  Index column = 0;
  /// How many rows the page has, from the chunk's first row on.
  Index rows = 0;
};

TiffSource::TiffSource(TiffStack stack) : stack_(std::move(stack)) {
  set_grid();
  if (!stack_.flat) decoder_ = make_tiff_decoder(stack_);
}
TiffSource::~TiffSource() = default;

void TiffSource::set_grid() {
  const TiffFormat& format = stack_.format;
  height_axis_ =
      stack_.page_rank + (format.planes == TiffPlanes::separate ? 1 : 0) + (format.depth > 1 ? 1 : 0);
  grid_.shape = stack_.shape;
  grid_.chunk = Dims::filled(stack_.shape.size(), 1);
  if (format.depth > 1) grid_.chunk[height_axis_ - 1] = format.piece_depth;
  grid_.chunk[height_axis_] = format.piece_height;
  grid_.chunk[height_axis_ + 1] = format.piece_width;
  if (format.samples_together() > 1) grid_.chunk.back() = format.samples;
  const auto item = static_cast<Index>(item_size(stack_.dtype));
  const Index row_nbytes = format.piece_width * format.samples_together() * item;
  if (stack_.flat) {
    grid_.chunk[height_axis_] = std::clamp<Index>(flat_chunk_nbytes / row_nbytes, 1, format.height);
  }
  const std::optional<Index> rows = try_multiply(grid_.chunk[height_axis_], format.piece_depth);
  const std::optional<Index> nbytes = rows ? try_multiply(row_nbytes, *rows) : rows;
  if (!nbytes || static_cast<std::uint64_t>(*nbytes) > max_tiff_chunk) {
    stack_.file->refuse("has ", format.pieces == TiffPieces::tiles ? "tiles" : "strips", " of ",
                        format.piece_depth > 1 ? std::to_string(format.piece_depth) + " x " : "",
                        grid_.chunk[height_axis_], " x ", format.piece_width, " pixels of ",
                        format.samples_together(), format.samples_together() == 1 ? " sample" : " samples",
                        " (", name(stack_.dtype), "), whose bytes must be at most ", max_tiff_chunk);
  }
  chunk_layout_ = row_major(grid_.chunk);
}

TiffSource::Place TiffSource::place(const Dims& index) const {
  Place result;
  for (std::size_t d = 0; d < stack_.page_rank; ++d) result.page = result.page * stack_.shape[d] + index[d];
  if (stack_.format.planes == TiffPlanes::separate) result.plane = index[stack_.page_rank];
  if (stack_.format.depth > 1) result.deep = index[height_axis_ - 1];
  result.row = index[height_axis_] * grid_.chunk[height_axis_];
  result.column = index[height_axis_ + 1] * grid_.chunk[height_axis_ + 1];
  result.rows = std::min(grid_.chunk[height_axis_], stack_.format.height - result.row);
  return result;
}

std::uint64_t TiffSource::read_flat(const Place& place, std::span<std::byte> elements) const {
  const TiffFormat& format = stack_.format;
  const auto row_nbytes =
      static_cast<std::uint64_t>(format.width * format.samples_together()) * item_size(stack_.dtype);
  const auto row = static_cast<std::uint64_t>(place.plane * format.height + place.row);
  const std::uint64_t begin = stack_.flat->begin +
                              static_cast<std::uint64_t>(place.page) * stack_.flat->page_pitch +
                              row * row_nbytes;
  stack_.file->read(begin, elements);
  if (stack_.byte_order == ByteOrder::swapped) {
    swap_in_place(elements, item_size(component_type(stack_.dtype)));
  }
  return elements.size();
}

std::uint64_t TiffSource::read(const Dims& index, std::span<std::byte> elements) const {
  const TiffFormat& format = stack_.format;
  const Place at = place(index);
  const bool is_tile = !stack_.flat && format.pieces == TiffPieces::tiles;
  const Index rows = is_tile ? format.piece_height * format.piece_depth : at.rows;
  const auto row_nbytes =
      static_cast<std::size_t>(format.piece_width * format.samples_together()) * item_size(stack_.dtype);
  const std::size_t held = static_cast<std::size_t>(rows) * row_nbytes;
  std::fill(elements.begin() + static_cast<std::ptrdiff_t>(held), elements.end(), std::byte{0});
  if (stack_.flat) return read_flat(at, elements.first(held));
  const Index across = format.pieces_across();
  const Index slab = at.plane * format.pieces_deep() + at.deep;
  const Index number =
      (slab * format.pieces_down() + at.row / format.piece_height) * across + at.column / format.piece_width;
  const auto page = static_cast<std::size_t>(at.page);
  const TiffPiece piece{&stack_.file_of(page), stack_.directories[page], at.page,
                        static_cast<std::uint32_t>(number), rows};
  return decoder_->decode(piece, elements.first(held));
}

}  // namespace tenstride::io
