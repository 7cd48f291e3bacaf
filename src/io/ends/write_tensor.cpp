// SPDX-License-Identifier: Apache-2.0
#include "io/ends/write_tensor.hpp"

#include "io/ends/fill_elements.hpp"
#include "io/plan/boxes.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {
void write_tensor(ChunkSink& sink, const Tensor& tensor) {
  const ChunkGrid& grid = sink.grid();
  const Dims counts = grid.counts();
  const Layout layout = row_major(grid.chunk);
  const auto nbytes = static_cast<std::size_t>(numel(layout)) * item_size(sink.dtype());
  const Dims zeros = Dims::filled(grid.chunk.size(), 0);
  parallel_for(0, count_elements(counts), 1, [&](Index first, Index last) {
    const ThreadScope serial(1);
    const Storage buffer = Storage::allocate(nbytes);
    const Tensor unit(buffer, layout, sink.dtype());
    const std::span<std::byte> bytes{buffer.mutable_data(), nbytes};
    for (Index number = first; number < last; ++number) {
      const Dims index = unit_index(counts, number);
      const Box box = chunk_box(grid, index);
      if (box.extents != grid.chunk) fill_elements(bytes, sink.fill_value());
      Tensor target = part_of(unit, zeros, box.extents);
      copy_elements(target, part_of(tensor, box.first, box.extents));
      sink.write(index, bytes);
    }
  });
}

}  // namespace tenstride::io
