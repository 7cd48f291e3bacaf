// SPDX-License-Identifier: Apache-2.0
#include "io/ends/checksum_chunks.hpp"

#include <mutex>

#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {

Checksum checksum_chunks(const ChunkSource& source) {
  return checksum_chunks(source, row_major_strides(source.grid().shape));
}

Checksum checksum_chunks(const ChunkSource& source, const Dims& strides) {
  const ChunkGrid& grid = source.grid();
  const Dims counts = grid.counts();
  const Dims zeros = Dims::filled(grid.shape.size(), 0);
  const auto nbytes = static_cast<std::size_t>(count_elements(grid.chunk)) * item_size(source.dtype());
  std::mutex mutex;
  Checksum all;
  parallel_for(0, count_elements(counts), 1, [&](Index first, Index last) {
    const ThreadScope serial(1);
    const Storage buffer = Storage::allocate(nbytes);
    const Tensor chunk(buffer, source.chunk_layout(), source.dtype());
    Checksum sum;
    for (Index number = first; number < last; ++number) {
      const Dims index = unit_index(counts, number);
      source.read(index, {buffer.mutable_data(), nbytes});
      const Box box = chunk_box(grid, index);
      Layout positions{box.extents, strides, 0};
      for (std::size_t d = 0; d < strides.size(); ++d) positions.offset += box.first[d] * strides[d];
      sum += checksum(part_of(chunk, zeros, box.extents), positions);
    }
    const std::lock_guard lock(mutex);
    all += sum;
  });
  return all;
}

}  // namespace tenstride::io
