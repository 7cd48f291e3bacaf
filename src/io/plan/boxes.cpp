// SPDX-License-Identifier: Apache-2.0
#include "io/plan/boxes.hpp"

#include <algorithm>

namespace tenstride::io {

Dims unit_index(const Dims& counts, Index number) {
  Dims index = counts;
  for (std::size_t d = counts.size(); d-- > 0;) {
    index[d] = number % counts[d];
    number /= counts[d];
  }
  return index;
}

Index unit_number(const Dims& counts, const Dims& index) {
  Index number = 0;
  for (std::size_t d = 0; d < counts.size(); ++d) number = number * counts[d] + index[d];
  return number;
}

double box_nbytes(const Dims& extents, Index item) {
  double nbytes = static_cast<double>(item);
  for (const Index extent : extents) nbytes *= static_cast<double>(extent);
  return nbytes;
}

Box chunk_box(const ChunkGrid& grid, const Dims& index) {
  Box box{index, index};
  for (std::size_t d = 0; d < index.size(); ++d) {
    box.first[d] = index[d] * grid.chunk[d];
    box.extents[d] = std::min(grid.chunk[d], grid.shape[d] - box.first[d]);
  }
  return box;
}

Box piece_of_box(const Box& box, const Dims& piece, Index number) {
  Box one = tile_box(box.extents, piece, number);
  for (std::size_t d = 0; d < one.first.size(); ++d) one.first[d] += box.first[d];
  return one;
}

std::vector<Box> cut_box(const Box& box, const Dims& piece) {
  const Index count = count_elements(tile_counts(box.extents, piece));
  std::vector<Box> pieces;
  pieces.reserve(static_cast<std::size_t>(count));
  for (Index number = 0; number < count; ++number) pieces.push_back(piece_of_box(box, piece, number));
  return pieces;
}

std::vector<Index> touched_pieces(const Box& box, const Dims& piece, const Box& part) {
  const Dims counts = tile_counts(box.extents, piece);
  Dims first = counts, touched = counts;
  for (std::size_t d = 0; d < counts.size(); ++d) {
    const Index begin = part.first[d] - box.first[d];
    first[d] = begin / piece[d];
    touched[d] = (begin + part.extents[d] - 1) / piece[d] - first[d] + 1;
  }
  const Index count = count_elements(touched);
  std::vector<Index> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    Dims index = unit_index(touched, i);
    for (std::size_t d = 0; d < index.size(); ++d) index[d] += first[d];
    numbers.push_back(unit_number(counts, index));
  }
  return numbers;
}

std::optional<Box> intersection(const Box& a, const Box& b) {
  Box common = a;
  for (std::size_t d = 0; d < a.first.size(); ++d) {
    const Index first = std::max(a.first[d], b.first[d]);
    const Index last = std::min(a.first[d] + a.extents[d], b.first[d] + b.extents[d]);
    if (last <= first) return std::nullopt;
    common.first[d] = first;
    common.extents[d] = last - first;
  }
  return common;
}

Dims relative_to(const Dims& first, Dims index) {
  for (std::size_t d = 0; d < index.size(); ++d) index[d] -= first[d];
  return index;
}

Layout layout_of_box(const Layout& layout, const Box& box) {
  Layout part{box.extents, layout.strides, layout.offset};
  for (std::size_t d = 0; d < box.first.size(); ++d) part.offset += box.first[d] * layout.strides[d];
  return part;
}

Tensor part_of(Tensor tensor, const Dims& first, const Dims& extents) {
  for (std::size_t d = 0; d < first.size(); ++d) {
    const auto axis = static_cast<Index>(d);
    if (extents[d] != tensor.size(axis)) tensor = tensor.narrow(axis, first[d], extents[d]);
  }
  return tensor;
}

Tensor tensor_on_memory(const std::byte* data, const Layout& layout, DType dtype) {
  const auto touched = reach(layout);
  const auto nbytes = touched ? static_cast<std::size_t>(touched->highest + 1) * item_size(dtype) : 0;
  return Tensor(Storage::adopt(const_cast<std::byte*>(data), nbytes, [](void*) {}), layout, dtype);
}

}  // namespace tenstride::io
