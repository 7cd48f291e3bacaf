// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "io/plan/boxes.hpp"
#include "io/plan/tile_plan.hpp"

namespace tenstride::io {

/// Numbers the units that a pass in parts writes, along each axis tile by tile and within a tile unit by
/// unit. Example: shape (10), tiles of 5 in units of 2: the units begin at 0, 2, 4, 5, 7, 9 and are 0, …, 5.
/// Where tiles are whole numbers of units the numbers do not depend on the tile.
class UnitNumbers {
 public:
  UnitNumbers(const Dims& shape, const TilePass& pass);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t number(const Box& unit) const;

 private:
  Dims tile_;
  Dims unit_;
  /// How many units there are along each axis: in a whole tile, and in all.
  Dims per_tile_;
  Dims counts_;
  std::size_t count_ = 0;
};

}  // namespace tenstride::io
