// SPDX-License-Identifier: Apache-2.0
#include "copy/small.hpp"

#include <array>
#include <cstring>

#include "copy/cached.hpp"
#include "copy/items.hpp"
#include "copy/kernels/kernels.hpp"

namespace tenstride::copy {
namespace {

/// Copies of at most this many elements are done by one loop, which takes less time than to make a plan.
constexpr Index max_elements = 512;
/// Bounds of copies by `copy_cached`, for equal types: more elements than a plain loop copies as fast, and at
/// most as many bytes as the L1 and L2 caches hold.
constexpr Index min_cached_elements = 64;
constexpr Index max_cached_bytes = Index{64} << 10;

/// Packs all elements into a buffer, converts them by one call, and copies them to their positions.
void copy_converted(const Loops& loops, Index count, DType dst_type, std::byte* dst, DType src_type,
                    const std::byte* src) {
  const auto dst_item = static_cast<Index>(item_size(dst_type));
  const auto src_item = static_cast<Index>(item_size(src_type));
  const auto elements = static_cast<std::size_t>(count);
  const ConvertRow convert = kernels().convert(dst_type, src_type);
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
  Loops unpacking = loops;
  unpacking.make_contiguous(&Loop::src_stride, dst_item);
  copy_items(unpacking, item_size(dst_type), dst, converted.data());
}

}  // namespace

bool copy_small(const Layout& dst, DType dst_type, std::byte* dst_base, const Layout& src, DType src_type,
                const std::byte* src_base) {
  const std::size_t rank = dst.rank();
  if (rank > detail::max_loops) return false;
  const auto dst_item = static_cast<Index>(item_size(dst_type));
  const auto src_item = static_cast<Index>(item_size(src_type));
  const Index* const sizes = dst.shape.data();
  const Index* const dst_strides = dst.strides.data();
  const Index* const src_strides = src.strides.data();
  const Index max_count = dst_type == src_type ? max_cached_bytes / dst_item : max_elements;
  Loops loops;
  Index count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index size = sizes[d];
    if (size > max_count || size == 0) return size == 0;
    count *= size;
    if (count > max_count) return false;
    if (size > 1) loops.add({size, dst_strides[d] * dst_item, src_strides[d] * src_item});
  }
  loops.merge();
  std::byte* const dst_first = dst_base + dst.offset * dst_item;
  const std::byte* const src_first = src_base + src.offset * src_item;
  if (dst_type == src_type) {
    if (count >= min_cached_elements &&
        copy_cached(loops, static_cast<std::size_t>(dst_item), dst_first, src_first))
      return true;
    if (count > max_elements) return false;
    copy_items(loops, static_cast<std::size_t>(dst_item), dst_first, src_first);
  } else {
    copy_converted(loops, count, dst_type, dst_first, src_type, src_first);
  }
  return true;
}

}  // namespace tenstride::copy
