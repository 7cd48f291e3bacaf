// SPDX-License-Identifier: Apache-2.0
#include "copy/small.hpp"

#include <array>
#include <cstring>

#include "copy/cached.hpp"
#include "copy/items.hpp"
#include "copy/kernels/kernels.hpp"

namespace tenstride::copy {
namespace {

/// Up to so many elements a loop over them is done before a plan is made.
constexpr Index max_elements = 512;
/// From so many elements on it is tables that they are copied by, up to so many bytes of one type.
constexpr Index min_indexed = 64;
constexpr Index max_indexed_bytes = Index{64} << 10;

/// Packs all elements, converts them in one go, and puts each in its place.
void walk_converted(const Loops& loops, Index count, DType dst_type, std::byte* dst, DType src_type,
                    const std::byte* src) {
  const auto dst_item = static_cast<Index>(item_size(dst_type));
  const auto src_item = static_cast<Index>(item_size(src_type));
  const auto elements = static_cast<std::size_t>(count);
  ConvertRow convert = kernels().convert(dst_type, src_type);
  if (convert == nullptr) convert = portable_convert(dst_type, src_type);
  alignas(64) std::array<std::byte, max_elements * 16 + spill_bytes> packed;
  if (!loops.is_contiguous(&Loop::src_stride, src_item)) {
    Loops packing = loops;
    packing.make_contiguous(&Loop::dst_stride, src_item);
    copy_items(packing, item_size(src_type), packed.data(), src);
    src = packed.data();
  }
  if (loops.is_contiguous(&Loop::dst_stride, dst_item)) {
    convert(dst, src, elements, Stores::ordinary);
    return;
  }
  alignas(64) std::array<std::byte, max_elements * 16 + spill_bytes> converted;
  convert(converted.data(), src, elements, Stores::ordinary);
  Loops placing = loops;
  placing.make_contiguous(&Loop::src_stride, dst_item);
  copy_items(placing, item_size(dst_type), dst, converted.data());
}

}  // namespace

bool copy_small(const Layout& dst, DType dst_type, std::byte* dst_base, const Layout& src, DType src_type,
                const std::byte* src_base) {
  const std::size_t rank = dst.rank();
  if (rank > detail::max_loops) return false;
  const auto dst_item = static_cast<Index>(item_size(dst_type));
  const auto src_item = static_cast<Index>(item_size(src_type));
  const Index* const sizes = dst.shape.data();
  const Index* const dst_steps = dst.strides.data();
  const Index* const src_steps = src.strides.data();
  const Index most = dst_type == src_type ? max_indexed_bytes / dst_item : max_elements;
  Loops loops;
  Index count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index size = sizes[d];
    if (size > most || size == 0) return size == 0;
    count *= size;
    if (count > most) return false;
    if (size > 1) loops.add({size, dst_steps[d] * dst_item, src_steps[d] * src_item});
  }
  loops.merge();
  std::byte* const to = dst_base + dst.offset * dst_item;
  const std::byte* const from = src_base + src.offset * src_item;
  if (dst_type == src_type) {
    if (count >= min_indexed && copy_cached(loops, static_cast<std::size_t>(dst_item), to, from)) return true;
    if (count > max_elements) return false;
    copy_items(loops, static_cast<std::size_t>(dst_item), to, from);
  } else {
    walk_converted(loops, count, dst_type, to, src_type, from);
  }
  return true;
}

}  // namespace tenstride::copy
