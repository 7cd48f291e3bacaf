// SPDX-License-Identifier: Apache-2.0
#include "io/ends/tile_sink.hpp"

#include <utility>

#include "copy/swap_bytes.hpp"

namespace tenstride::io {
namespace {

/// Lengthens a piece to the end of its page, which no other piece has, with whatever lies in the buffer.
void pad(Piece& piece, std::uint64_t page) {
  const std::uint64_t end = (piece.begin + piece.nbytes + page - 1) / page * page;
  piece.nbytes = static_cast<std::size_t>(end - piece.begin);
}

}  // namespace

std::vector<Unit> TileSink::units(const Box& tile, Index number) {
  if (notes_.left_out[static_cast<std::size_t>(number)]) return {};
  tile_ = number;
  sum_ = {};
  groups_ = groups_of_tile(pass_, tile, static_cast<Index>(item_size(dtype_)));
  std::vector<Unit> units;
  units.reserve(groups_.size());
  for (const TileGroup& group : groups_) units.push_back({group.box, group.box, units.size()});
  return units;
}

Tensor TileSink::open(Unit& unit) {
  const TileGroup& group = groups_[unit.number];
  const Index nbytes = buffer_nbytes(group, pass_.plan.page);
  if (free_ != nullptr && left_ < nbytes) {
    filled_.next_begin = group.place.file_begin;
    submit();
  }
  if (free_ == nullptr) {
    free_ = writer_.wait(notes_.while_waiting);
    left_ = pass_.pass().group_bytes;
  }
  at_ = std::exchange(free_, free_ + nbytes);
  left_ -= nbytes;
  return group_tensor(group, dtype_, at_);
}

void TileSink::write(Unit& unit, const PartSum& sum) {
  const TileGroup& group = groups_[unit.number];
  sum_ += sum;
  const std::vector<Piece> pieces = pieces_of(group.place, static_cast<Index>(item_size(dtype_)), at_);
  const std::size_t width = item_size(component_type(dtype_));
  if (is_swapped_ && width > 1) {
    for (const Piece& piece : pieces) tenstride::swap_bytes(piece.data, piece.data, piece.nbytes, width);
  }
  filled_.pieces.insert(filled_.pieces.end(), pieces.begin(), pieces.end());
  if (group.ends_slot) pad(filled_.pieces.back(), static_cast<std::uint64_t>(pass_.plan.page));
  if (unit.number + 1 < groups_.size()) return;
  filled_.when_written = [this, tile = tile_, sum = sum_] { notes_.finish(tile, sum); };
  submit();
}

void TileSink::submit() {
  writer_.write(std::exchange(filled_, {}));
  free_ = nullptr;
}

}  // namespace tenstride::io
