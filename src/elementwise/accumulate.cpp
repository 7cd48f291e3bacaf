// SPDX-License-Identifier: Apache-2.0
#include "elementwise/accumulate.hpp"

#include <vector>

#include "elementwise/combine_elements.hpp"

namespace tenstride::detail {
namespace {

/// Where the elements of a box lie, from its first, in row-major order.
std::vector<Index> distances_of(const Layout& box) {
  std::vector<Index> distances{0};
  for (std::size_t d = 0; d < box.rank(); ++d) {
    std::vector<Index> next;
    next.reserve(distances.size() * static_cast<std::size_t>(box.shape[d]));
    for (const Index distance : distances) {
      for (Index i = 0; i < box.shape[d]; ++i) next.push_back(distance + i * box.strides[d]);
    }
    distances = std::move(next);
  }
  return distances;
}

}  // namespace

void accumulate_boxes(Tensor& dst, const Tensor& src, std::span<const Index> starts, const Layout& box) {
  const std::vector<Index> distances = distances_of(box);
  visit(dst.dtype(), [&]<class T>(std::type_identity<T>) {
    std::byte* const base = dst.mutable_storage_data() + box.offset * static_cast<Index>(sizeof(T));
    const std::byte* from = src.storage_data() + src.storage_offset() * static_cast<Index>(sizeof(T));
    for (const Index start : starts) {
      for (const Index distance : distances) {
        std::byte* const at = base + (start + distance) * static_cast<Index>(sizeof(T));
        store_element<T>(at, copy::combined<copy::BinaryOp::add>(load_element<T>(at), load_element<T>(from)));
        from += sizeof(T);
      }
    }
  });
}

}  // namespace tenstride::detail
