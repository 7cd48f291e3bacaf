// SPDX-License-Identifier: Apache-2.0
#include "copy/ways/small.hpp"

#include <array>

#include "copy/kernels/kernels.hpp"
#include "copy/ways/cached_tiles.hpp"
#include "copy/ways/ways.hpp"
#include "plan/ways/small.hpp"

namespace tenstride::copy {
namespace {

constexpr std::size_t max_bytes = detail::max_small_elements * 16;

/// Packs all elements into a buffer, converts them by one call, and copies them to their positions.
void copy_converted(const Loops& loops, DType dst_type, std::byte* dst, DType src_type,
                    const std::byte* src) {
  const auto dst_item = static_cast<Index>(item_size(dst_type));
  const auto src_item = static_cast<Index>(item_size(src_type));
  const auto elements = static_cast<std::size_t>(loops.positions());
  const ConvertRow convert = kernels().convert(dst_type, src_type);
  alignas(64) std::array<std::byte, max_bytes + spill_bytes> packed;
  if (!loops.is_contiguous(&Loop::src_stride, src_item)) {
    Loops packing = loops;
    packing.make_contiguous(&Loop::dst_stride, src_item);
    copy_items(packing, src_item, packed.data(), src);
    src = packed.data();
  }
  if (loops.is_contiguous(&Loop::dst_stride, dst_item)) {
    convert(dst, src, elements, Stores::ordinary);
    return;
  }
  alignas(64) std::array<std::byte, max_bytes + spill_bytes> converted;
  convert(converted.data(), src, elements, Stores::ordinary);
  Loops unpacking = loops;
  unpacking.make_contiguous(&Loop::src_stride, dst_item);
  copy_items(unpacking, dst_item, dst, converted.data());
}

}  // namespace

void copy_small(const Small& way, const Nest& nest, DType dst_type, std::byte* dst_base, DType src_type,
                const std::byte* src_base) {
  std::byte* const dst = dst_base + nest.dst_offset;
  const std::byte* const src = src_base + nest.src_offset;
  if (way.converts) {
    copy_converted(nest.loops, dst_type, dst, src_type, src);
  } else {
    copy_cached(way, nest.loops, nest.dst_item, dst, src);
  }
}

void run(const Small& way, const Bound& bound) {
  copy_small(way, bound.nest, bound.conversion.dst_type, bound.dst_base, bound.conversion.src_type,
             bound.src_base);
}

}  // namespace tenstride::copy
