// SPDX-License-Identifier: Apache-2.0
// Boxes of tensors, and tensors on memory of others.
#pragma once

#include <cstddef>

#include "io/chunks/chunk_store.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// The index of a unit by its number in row-major order. Pre: 0 <= number < the product of `counts`.
Dims unit_index(const Dims& counts, Index number);
/// The reverse: the number of the unit at an index.
Index unit_number(const Dims& counts, const Dims& index);

/// Bytes of a box of elements of `item` bytes, for forecasts: of any size.
double box_nbytes(const Dims& extents, Index item);

/// The box of a grid's chunk at `index` that lies in the tensor: its first element and its extents.
struct ChunkBox {
  Dims first;
  Dims extents;
};
ChunkBox chunk_box(const ChunkGrid& grid, const Dims& index);

/// The part of a tensor at a box.
Tensor part_of(Tensor tensor, const Dims& first, const Dims& extents);

/// A tensor on memory of a buffer, which outlives it.
Tensor tensor_on_memory(const std::byte* data, const Layout& layout, DType dtype);

}  // namespace tenstride::io
