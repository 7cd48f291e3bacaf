// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "io/chunks/chunk_store.hpp"
#include "tenstride/tensor.hpp"

namespace tenstride::io {

/// Writes all units of a tensor, on all threads. Pre: shape and type are the sink's.
void write_tensor(ChunkSink& sink, const Tensor& tensor);

/// The index of a unit by its number in row-major order. Pre: 0 <= number < the product of `counts`.
Dims unit_index(const Dims& counts, Index number);

/// The box of a grid's chunk at `index` that lies in the tensor: its first element and its extents.
struct ChunkBox {
  Dims first;
  Dims extents;
};
ChunkBox chunk_box(const ChunkGrid& grid, const Dims& index);

/// The part of a tensor at a box.
Tensor part_of(Tensor tensor, const Dims& first, const Dims& extents);

}  // namespace tenstride::io
