// SPDX-License-Identifier: Apache-2.0
#include "copy/items.hpp"

#include <cstring>

#include "copy/cursor.hpp"

namespace tenstride::copy {
namespace {

template <std::size_t item>
void copy_items(const Loops& loops, std::byte* dst, const std::byte* src) {
  if (loops.count == 0) {
    std::memcpy(dst, src, item);
    return;
  }
  const std::size_t inner = loops.count - 1;
  const Index count = loops[inner].extent;
  const Index dst_stride = loops[inner].dst_stride;
  const Index src_stride = loops[inner].src_stride;
  if (dst_stride == static_cast<Index>(item) && src_stride == static_cast<Index>(item)) {
    for_each_position(loops.first(inner), dst, src, [count](std::byte* to, const std::byte* from) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * item);
    });
  } else {
    for_each_position(loops.first(inner), dst, src, [=](std::byte* to, const std::byte* from) {
      for (Index i = 0; i < count; ++i) std::memcpy(to + i * dst_stride, from + i * src_stride, item);
    });
  }
}

}  // namespace

void copy_items(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src) {
  switch (item) {
    case 1:
      return copy_items<1>(loops, dst, src);
    case 2:
      return copy_items<2>(loops, dst, src);
    case 4:
      return copy_items<4>(loops, dst, src);
    case 8:
      return copy_items<8>(loops, dst, src);
    default:
      return copy_items<16>(loops, dst, src);
  }
}

}  // namespace tenstride::copy
