// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "io/plan/chunk_plan.hpp"

namespace tenstride::io {

/// A tile that a plan may have.
struct TileChoice {
  Dims tile;
  /// Bytes that are decoded; more for short runs of flat sides.
  double cost = 0;
  /// Bytes of its units that are in memory at once where its chunks are read in this order
  /// (`ChunkPlan::order`).
  double open_nbytes = 0;
  Dims order;
};

/// The tiles that a copy in chunks may have, and what each of them costs.
class TileChoices {
 public:
  explicit TileChoices(const ChunkProblem& problem);

  /// The cheapest tile with at most `nbytes` of units in memory; nothing where there is none.
  [[nodiscard]] std::optional<TileChoice> cheapest(double nbytes) const;
  /// The tiles of at most `nbytes` that are the cheapest or not much dearer, largest first; `count` of them.
  [[nodiscard]] std::vector<Dims> large_ones(double nbytes, std::size_t count) const;

  [[nodiscard]] double tile_nbytes(const Dims& tile) const;
  /// The bytes that are decoded for all tiles together.
  [[nodiscard]] double decoded_nbytes(const Dims& tile) const;
  [[nodiscard]] double src_chunk_nbytes() const;
  /// The extent of a unit of the destination, along an axis.
  [[nodiscard]] Index unit(std::size_t axis) const;

 private:
  /// Units of the destination along an axis, while the chunks of the source are read one after the other.
  struct Span {
    /// Units in a tile; those with elements of one chunk, at most; those that have elements of another, too.
    double all = 1;
    double open = 1;
    double kept = 1;
  };
  /// What a tile may have of one axis of the destination.
  struct Axis {
    std::vector<Index> extents;
    /// For each of them: chunks of the source that all tiles along the axis touch, the tiles, and the units.
    std::vector<double> touched;
    std::vector<double> tiles;
    std::vector<Span> spans;
  };
  /// One of the extents of each axis.
  using Choice = std::vector<std::size_t>;

  [[nodiscard]] const Dims& shape() const { return problem_.dst.grid.shape; }
  [[nodiscard]] bool is_flat() const { return problem_.src.is_flat || problem_.dst.is_flat; }
  [[nodiscard]] Axis choices_of(std::size_t axis) const;
  [[nodiscard]] Index chunk_extent(std::size_t axis) const;
  [[nodiscard]] double touched_by(std::size_t axis, Index extent) const;
  [[nodiscard]] Index end_of_chunk(std::size_t axis, Index at) const;
  [[nodiscard]] Span whole_span(std::size_t axis) const;
  template <class Visit>
  void for_each_tile(const Visit& visit) const;
  [[nodiscard]] double cost_of(const Choice& at, const Dims& tile) const;
  [[nodiscard]] double open_units(const Choice& at, const Dims& order) const;
  void choose_order(const Choice& at, TileChoice& candidate) const;

  const ChunkProblem& problem_;
  std::vector<Axis> axes_;
};

}  // namespace tenstride::io
