// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/ends/sink.hpp"
#include "io/ends/tile_groups.hpp"
#include "io/ends/tile_notes.hpp"

namespace tenstride::io {

/// The elements of a flat file, or of the blocks between two passes: a unit is a group of runs, and a tile is
/// finished when all of its groups are written. For one thread.
class TileSink final : public Sink {
 public:
  /// All must stay until the end.
  TileSink(const TileTarget& target, const FlatPass& pass, DType dtype, const TileNotes& notes,
           MovedBytes& moved)
      : pass_(pass), dtype_(dtype), notes_(notes), writer_(target, pass, moved) {}

  /// Elements stand in the file in the other byte order.
  void swap_bytes() { is_swapped_ = true; }

  [[nodiscard]] std::vector<Unit> units(const Box& tile, Index number) override;
  [[nodiscard]] Dims unit() const override { return {}; }
  [[nodiscard]] bool has_thread() const noexcept override { return true; }
  Tensor open(Unit& unit) override;
  void write(Unit& unit, const PartSum& sum) override;
  void close() override { writer_.wait_until_idle(notes_.while_waiting); }

 private:
  /// Hands the groups of the buffer to the writer.
  void submit();

  FlatPass pass_;
  DType dtype_;
  bool is_swapped_ = false;
  const TileNotes& notes_;
  /// The tile that is written, what is known of its elements, and its groups.
  Index tile_ = 0;
  PartSum sum_;
  std::vector<TileGroup> groups_;
  /// A buffer of the writer: of the group that is open, what follows it, and how much there is of that.
  std::byte* at_ = nullptr;
  std::byte* free_ = nullptr;
  Index left_ = 0;
  WrittenGroup filled_;
  TileWriter writer_;
};

}  // namespace tenstride::io
