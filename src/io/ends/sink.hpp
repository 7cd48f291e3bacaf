// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "io/output/part_sum.hpp"
#include "io/plan/tile_plan.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// What is written at a time, when it has all its elements.
struct Unit {
  /// The elements of the tile that it has.
  Box box;
  /// What is written with them: chunks reach beyond the tensor.
  Box stored;
  /// The number of the unit in the sink.
  std::size_t number = 0;
  /// Bytes of memory that it takes from `open` to `write`; 0 where the sink has buffers of its own.
  std::size_t nbytes = 0;
  /// Whether it is not to be written: an earlier run did, or another task does.
  bool is_left_out = false;
  Storage memory{};
};

/// Where the elements of a pass go. Tiles are asked for in order.
class Sink {
 public:
  virtual ~Sink() = default;
  /// The units of tile `number` of the pass; none where none is to be written.
  [[nodiscard]] virtual std::vector<Unit> units(const Box& tile, Index number) = 0;
  /// The extents of a unit, where those of a tile are all that it is cut into, in row-major order; otherwise
  /// empty.
  [[nodiscard]] virtual Dims unit() const = 0;
  /// Whether a thread of the sink's own does the work: then one thread passes tiles on, each read as one
  /// part, and a unit is written before the next is opened.
  [[nodiscard]] virtual bool has_thread() const noexcept = 0;
  /// Where the elements of a unit's box go.
  virtual Tensor open(Unit& unit) = 0;
  /// Writes a unit, and notes it where what is finished is kept. Throws FileError.
  virtual void write(Unit& unit, const PartSum& sum) = 0;
  /// Waits until everything is written.
  virtual void close() {}
};

}  // namespace tenstride::io
