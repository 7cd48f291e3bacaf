// SPDX-License-Identifier: Apache-2.0
#include "plan/nest.hpp"

#include <algorithm>
#include <limits>

namespace tenstride::detail {
namespace {

/// The largest distance between two items of a side, in bytes.
constexpr Index max_reach = std::numeric_limits<Index>::max() / 4;

/// Merges neighbouring loops that are one loop on both sides. Returns how many remain. The loop `scaled` is
/// not merged with loops inside it, because each of its indices has a number of its own; it is merged with
/// loops around it, for which the numbers repeat. Pre: count > 0.
std::size_t merge(Loop* loops, std::size_t count, std::size_t& scaled) {
  std::size_t last = 0;
  std::size_t merged_scaled = scaled == 0 ? 0 : no_loop;
  for (std::size_t d = 1; d < count; ++d) {
    const Loop inner = loops[d];
    Loop& outer = loops[last];
    if (last != merged_scaled && inner.dst_stride * inner.extent == outer.dst_stride &&
        inner.src_stride * inner.extent == outer.src_stride) {
      outer = {outer.extent * inner.extent, inner.dst_stride, inner.src_stride};
    } else {
      loops[++last] = inner;
    }
    if (d == scaled) merged_scaled = last;
  }
  scaled = merged_scaled;
  return last + 1;
}

}  // namespace

void reverse(Nest& nest, Loop& loop) {
  nest.dst_offset += (loop.extent - 1) * loop.dst_stride;
  nest.src_offset += (loop.extent - 1) * loop.src_stride;
  loop.dst_stride = -loop.dst_stride;
  loop.src_stride = -loop.src_stride;
}

bool is_countable(const Layout& layout, DType type) {
  // Short numbers, which nearly all are, cannot overflow: 64 times 2^26 * 2^26, each of at most 16 bytes.
  constexpr std::uint64_t short_number = std::uint64_t{1} << 26;
  std::uint64_t bits = magnitude(layout.offset);
  for (std::size_t d = 0; d < layout.rank(); ++d)
    bits |= magnitude(layout.strides[d]) | static_cast<std::uint64_t>(layout.shape[d]);
  if (bits < short_number) return true;
  const auto fits = [](Index value) { return value <= max_reach && value >= -max_reach; };
  const auto item = static_cast<Index>(item_size(type));
  Index bytes = 0;
  if (__builtin_mul_overflow(layout.offset, item, &bytes) || !fits(bytes)) return false;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const Index extent = layout.shape[d];
    if (extent == 1) continue;
    if (__builtin_mul_overflow(layout.strides[d], item, &bytes) ||
        __builtin_mul_overflow(bytes, extent, &bytes) || !fits(bytes))
      return false;
  }
  return numel(layout) <= max_reach / max_item_bytes;
}

void normalise(const Layout& dst, DType dst_type, const Layout& src, DType src_type, Nest& nest,
               ScaledAxis* scaled) {
  const std::size_t rank = dst.rank();
  const std::size_t axis = scaled == nullptr ? no_loop : scaled->axis;
  const auto dst_item = nest.dst_item = static_cast<Index>(item_size(dst_type));
  const auto src_item = nest.src_item = static_cast<Index>(item_size(src_type));
  nest.dst_offset = dst.offset * dst_item;
  nest.src_offset = src.offset * src_item;
  Loop* const loops = nest.loops.reserve(std::max<std::size_t>(rank, 1));
  const Index* const extents = dst.shape.data();
  const Index* const dst_strides = dst.strides.data();
  const Index* const src_strides = src.strides.data();
  std::size_t count = 0;
  std::size_t scaled_loop = no_loop;
  for (std::size_t d = 0; d < rank; ++d) {
    if (extents[d] == 1) continue;
    Loop loop{extents[d], dst_strides[d] * dst_item, src_strides[d] * src_item};
    if (loop.dst_stride < 0) {
      reverse(nest, loop);
      if (d == axis) scaled->is_reversed = true;
    }
    std::size_t at = count++;
    for (; at > 0 && loops[at - 1].dst_stride < loop.dst_stride; --at) loops[at] = loops[at - 1];
    loops[at] = loop;
    if (d == axis) {
      scaled_loop = at;
    } else if (scaled_loop != no_loop && scaled_loop >= at) {
      ++scaled_loop;
    }
  }
  if (count == 0) loops[count++] = {1, dst_item, src_item};
  nest.loops.shrink(merge(loops, count, scaled_loop));
  nest.scaled_loop = scaled_loop;
}

void widen(Nest& nest) {
  while (nest.size() > 1 && nest.src_item < max_item_bytes && nest.dst_item < line_bytes) {
    Loop& inner = nest.loops.back();
    if (inner.dst_stride != nest.dst_item || inner.src_stride != nest.src_item || inner.extent % 2 != 0)
      return;
    inner = {inner.extent / 2, inner.dst_stride * 2, inner.src_stride * 2};
    nest.dst_item *= 2;
    nest.src_item *= 2;
    nest.elements *= 2;
    if (inner.extent == 1) nest.loops.shrink(nest.size() - 1);
  }
}

}  // namespace tenstride::detail
