// SPDX-License-Identifier: Apache-2.0
#include "io/plan/unit_numbers.hpp"

namespace tenstride::io {

UnitNumbers::UnitNumbers(const Dims& shape, const TilePass& pass)
    : tile_(pass.tile), unit_(pass.unit), per_tile_(shape), counts_(shape) {
  if (count_elements(shape) == 0) return;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    per_tile_[d] = ceil_divide(tile_[d], unit_[d]);
    const Index before = (shape[d] - 1) / tile_[d];
    counts_[d] = before * per_tile_[d] + ceil_divide(shape[d] - before * tile_[d], unit_[d]);
  }
  count_ = static_cast<std::size_t>(count_elements(counts_));
}

std::size_t UnitNumbers::number(const Box& unit) const {
  Index number = 0;
  for (std::size_t d = 0; d < counts_.size(); ++d) {
    const Index first = unit.first[d];
    number = number * counts_[d] + first / tile_[d] * per_tile_[d] + first % tile_[d] / unit_[d];
  }
  return static_cast<std::size_t>(number);
}

}  // namespace tenstride::io
