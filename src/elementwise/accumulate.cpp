// SPDX-License-Identifier: Apache-2.0
#include "elementwise/accumulate.hpp"

#include <vector>

#include "elementwise/combine_elements.hpp"

namespace tenstride::detail {
namespace {

/// Returns the offsets of the elements of a box from its first one, in row-major order.
std::vector<Index> offsets_of(const Layout& box) {
  std::vector<Index> offsets{0};
  for (std::size_t d = 0; d < box.rank(); ++d) {
    std::vector<Index> next;
    next.reserve(offsets.size() * static_cast<std::size_t>(box.shape[d]));
    for (const Index offset : offsets) {
      for (Index i = 0; i < box.shape[d]; ++i) next.push_back(offset + i * box.strides[d]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace

void accumulate_boxes(Tensor& dst, const Tensor& src, std::span<const Index> starts, const Layout& box) {
  const std::vector<Index> offsets = offsets_of(box);
  visit(dst.dtype(), [&]<class T>(std::type_identity<T>) {
    std::byte* const base = dst.mutable_storage_data() + box.offset * static_cast<Index>(sizeof(T));
    const std::byte* from = src.storage_data() + src.storage_offset() * static_cast<Index>(sizeof(T));
    for (const Index start : starts) {
      for (const Index offset : offsets) {
        std::byte* const at = base + (start + offset) * static_cast<Index>(sizeof(T));
        store_element<T>(at, elementwise::combined<elementwise::BinaryOp::add>(load_element<T>(at),
                                                                               load_element<T>(from)));
        from += sizeof(T);
      }
    }
  });
}

}  // namespace tenstride::detail
