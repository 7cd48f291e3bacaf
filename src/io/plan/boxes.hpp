// SPDX-License-Identifier: Apache-2.0
// Boxes of tensors, and tensors on memory of others.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "io/plan/tile_plan.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// A tensor cut into chunks of one shape. The last chunks of an axis may reach beyond the tensor.
/// Example: shape (10,7) in chunks of (4,4) has (3,2) chunks.
struct ChunkGrid {
  Dims shape;
  Dims chunk;

  /// How many chunks there are along each axis.
  [[nodiscard]] Dims counts() const {
    Dims result = shape;
    for (std::size_t d = 0; d < shape.size(); ++d) result[d] = ceil_divide(shape[d], chunk[d]);
    return result;
  }
  friend bool operator==(const ChunkGrid&, const ChunkGrid&) = default;
};

/// The index of a unit by its number in row-major order. Pre: 0 <= number < the product of `counts`.
Dims unit_index(const Dims& counts, Index number);
/// The reverse: the number of the unit at an index.
Index unit_number(const Dims& counts, const Dims& index);

/// Bytes of a box of elements of `item` bytes, for forecasts: of any size.
double box_nbytes(const Dims& extents, Index item);

/// The box of a grid's chunk at `index` that lies in the tensor.
Box chunk_box(const ChunkGrid& grid, const Dims& index);

/// The piece with that number, in row-major order, of a box cut along each axis into pieces of at most
/// `piece`. Example: of the box of 10 indices from 20 on, in pieces of 4, piece 2 is the 2 indices from 28
/// on.
Box piece_of_box(const Box& box, const Dims& piece, Index number);
/// All of them.
std::vector<Box> cut_box(const Box& box, const Dims& piece);
/// The numbers of those that a part of the box has indices of.
std::vector<Index> touched_pieces(const Box& box, const Dims& piece, const Box& part);

/// The common part of two boxes; nothing where there is none.
std::optional<Box> intersection(const Box& a, const Box& b);
/// An index counted from `first` on.
Dims relative_to(const Dims& first, Dims index);
/// Where the elements of a box stand in a layout.
Layout layout_of_box(const Layout& layout, const Box& box);

/// The part of a tensor at a box.
Tensor part_of(Tensor tensor, const Dims& first, const Dims& extents);

/// A tensor on memory of a buffer, which outlives it.
Tensor tensor_on_memory(const std::byte* data, const Layout& layout, DType dtype);

}  // namespace tenstride::io
