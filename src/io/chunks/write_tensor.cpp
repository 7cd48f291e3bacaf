// SPDX-License-Identifier: Apache-2.0
#include "io/chunks/write_tensor.hpp"

#include <algorithm>
#include <cstring>

#include "tenstride/copy.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::io {
namespace {

void fill_with(std::span<std::byte> bytes, std::span<const std::byte> element) {
  if (element.empty()) {
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    return;
  }
  for (std::size_t at = 0; at < bytes.size(); at += element.size()) {
    std::memcpy(bytes.data() + at, element.data(), element.size());
  }
}

}  // namespace

Dims unit_index(const Dims& counts, Index number) {
  Dims index = counts;
  for (std::size_t d = counts.size(); d-- > 0;) {
    index[d] = number % counts[d];
    number /= counts[d];
  }
  return index;
}

ChunkBox chunk_box(const ChunkGrid& grid, const Dims& index) {
  ChunkBox box{index, index};
  for (std::size_t d = 0; d < index.size(); ++d) {
    box.first[d] = index[d] * grid.chunk[d];
    box.extents[d] = std::min(grid.chunk[d], grid.shape[d] - box.first[d]);
  }
  return box;
}

Tensor part_of(Tensor tensor, const Dims& first, const Dims& extents) {
  for (std::size_t d = 0; d < first.size(); ++d) {
    const auto axis = static_cast<Index>(d);
    if (extents[d] != tensor.size(axis)) tensor = tensor.narrow(axis, first[d], extents[d]);
  }
  return tensor;
}

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
      const ChunkBox box = chunk_box(grid, index);
      if (box.extents != grid.chunk) fill_with(bytes, sink.fill_value());
      Tensor target = part_of(unit, zeros, box.extents);
      copy_elements(target, part_of(tensor, box.first, box.extents));
      sink.write(index, bytes);
    }
  });
}

}  // namespace tenstride::io
