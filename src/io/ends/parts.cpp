// SPDX-License-Identifier: Apache-2.0
#include "io/ends/parts.hpp"

namespace tenstride::io {
namespace {

/// The chunks of a grid that a box touches, each as a whole.
std::vector<Box> chunks_of_box(const ChunkGrid& grid, const Box& box) {
  Box whole = box;
  for (std::size_t d = 0; d < box.first.size(); ++d) {
    const Index chunk = grid.chunk[d];
    whole.first[d] = box.first[d] / chunk * chunk;
    whole.extents[d] = ceil_divide(box.first[d] + box.extents[d], chunk) * chunk - whole.first[d];
  }
  return cut_box(whole, grid.chunk);
}

Dims index_of(const Box& part, const ChunkGrid& grid) {
  Dims index = part.first;
  for (std::size_t d = 0; d < index.size(); ++d) index[d] /= grid.chunk[d];
  return index;
}

}  // namespace

std::vector<Box> ChunkPartReader::parts(const Box& needed) const {
  return chunks_of_box(source_.grid(), needed);
}

std::size_t ChunkPartReader::nbytes(const Box& part) const {
  return static_cast<std::size_t>(count_elements(part.extents)) * item_size(source_.dtype());
}

Layout ChunkPartReader::read(const Box& part, std::span<std::byte> buffer, std::uint64_t& nbytes_read) const {
  nbytes_read += source_.read(index_of(part, source_.grid()), buffer);
  return source_.chunk_layout();
}

std::vector<Box> ChunkPartWriter::parts(const Box& tile) const {
  return chunks_of_box(sink_.grid(), tile);
}

std::uint64_t ChunkPartWriter::write(const Box& part, std::span<const std::byte> elements) {
  return sink_.write(index_of(part, sink_.grid()), elements);
}

}  // namespace tenstride::io
