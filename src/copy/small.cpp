// SPDX-License-Identifier: Apache-2.0
#include "copy/small.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "copy/kernels.hpp"
#include "copy/listed.hpp"
#include "copy/loops.hpp"
#include "copy/walk.hpp"
#include "copy_plan_order.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// Up to so many elements a loop over them is done before a plan is made.
constexpr Index most_elements = 512;
/// From so many elements on it is tables that they are copied by, up to so many bytes of one type.
constexpr Index least_listed = 64;
constexpr Index most_listed_bytes = Index{64} << 10;
/// Up to so many bytes of a plan are copied without a worker: about what an L2 cache holds. Of 4 MB it takes
/// 1.2 to 1.7 times as long as by tiles on the Xeons, on Zen 5 half as long.
Index most_cached_bytes(const CopyPlan& plan) {
  return plan.kernel == CopyKernel::tile && plan.streams == MemoryStreams::one ? detail::most_cached_tiles
                                                                               : Index{2} << 20;
}

template <std::size_t item>
void walk(const Loops& loops, std::byte* dst, const std::byte* src) {
  if (loops.count == 0) {
    std::memcpy(dst, src, item);
    return;
  }
  const std::size_t inner = loops.count - 1;
  const Index count = loops.extent[inner];
  const Index dst_stride = loops.dst[inner];
  const Index src_stride = loops.src[inner];
  if (dst_stride == static_cast<Index>(item) && src_stride == static_cast<Index>(item)) {
    walk_positions(loops, inner, dst, src, [count](std::byte* to, const std::byte* from) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * item);
    });
  } else {
    walk_positions(loops, inner, dst, src, [=](std::byte* to, const std::byte* from) {
      for (Index i = 0; i < count; ++i) std::memcpy(to + i * dst_stride, from + i * src_stride, item);
    });
  }
}

void walk(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src) {
  switch (item) {
    case 1:
      return walk<1>(loops, dst, src);
    case 2:
      return walk<2>(loops, dst, src);
    case 4:
      return walk<4>(loops, dst, src);
    case 8:
      return walk<8>(loops, dst, src);
    default:
      return walk<16>(loops, dst, src);
  }
}

/// Packs all elements, converts them in one go, and puts each in its place.
void walk_converted(const Loops& loops, Index count, DType dst_type, std::byte* dst, DType src_type,
                    const std::byte* src) {
  const std::size_t dst_item = item_size(dst_type);
  const std::size_t src_item = item_size(src_type);
  const auto elements = static_cast<std::size_t>(count);
  ConvertRow convert = kernels().convert(dst_type, src_type);
  if (convert == nullptr) convert = portable_convert(dst_type, src_type);
  alignas(64) std::array<std::byte, most_elements * 16 + spill_bytes> packed;
  Loops part = loops;
  part.dst = loops.dense(static_cast<Index>(src_item));
  if (!loops.is_dense(loops.src, src_item)) {
    walk(part, src_item, packed.data(), src);
    src = packed.data();
  }
  if (loops.is_dense(loops.dst, dst_item)) {
    convert(dst, src, elements, Stores::ordinary);
    return;
  }
  alignas(64) std::array<std::byte, most_elements * 16 + spill_bytes> converted;
  convert(converted.data(), src, elements, Stores::ordinary);
  part.dst = loops.dst;
  part.src = loops.dense(static_cast<Index>(dst_item));
  walk(part, dst_item, dst, converted.data());
}

/// Whether a plan may go straight, whatever its loops.
bool may_be_small(const CopyPlan& plan) {
  const auto element = static_cast<Index>(item_size(plan.dst_type));
  return plan.conversion == CopyConversion::none && !plan.streaming && plan.loops.size() <= most_loops &&
         plan.count <= most_cached_bytes(plan) / element && plan.kernel != CopyKernel::memcpy &&
         plan.kernel != CopyKernel::fill;
}

Loops loops_of(const CopyPlan& plan) {
  const auto element = static_cast<Index>(item_size(plan.dst_type));
  Loops loops;
  for (const CopyLoop& loop : plan.loops)
    loops.add(loop.extent, loop.dst_stride * element, loop.src_stride * element);
  return loops;
}

}  // namespace

bool copy_small(const Layout& dst, DType dst_type, std::byte* dst_base, const Layout& src, DType src_type,
                const std::byte* src_base) {
  const std::size_t rank = dst.rank();
  if (rank > most_loops) return false;
  const auto dst_item = static_cast<Index>(item_size(dst_type));
  const auto src_item = static_cast<Index>(item_size(src_type));
  const Index* const sizes = dst.shape.data();
  const Index* const dst_steps = dst.strides.data();
  const Index* const src_steps = src.strides.data();
  const Index most = dst_type == src_type ? most_listed_bytes / dst_item : most_elements;
  Loops loops;
  Index count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index size = sizes[d];
    if (size > most || size == 0) return size == 0;
    count *= size;
    if (count > most) return false;
    if (size > 1) loops.add(size, dst_steps[d] * dst_item, src_steps[d] * src_item);
  }
  loops.merge();
  std::byte* const to = dst_base + dst.offset * dst_item;
  const std::byte* const from = src_base + src.offset * src_item;
  if (dst_type == src_type) {
    if (count >= least_listed && copy_listed(loops, static_cast<std::size_t>(dst_item), to, from))
      return true;
    if (count > most_elements) return false;
    walk(loops, static_cast<std::size_t>(dst_item), to, from);
  } else {
    walk_converted(loops, count, dst_type, to, src_type, from);
  }
  return true;
}

bool run_small(const CopyPlan& plan, std::byte* dst_base, const std::byte* src_base) {
  if (!may_be_small(plan)) return false;
  const auto element = static_cast<Index>(item_size(plan.dst_type));
  const Loops loops = loops_of(plan);
  const auto item = static_cast<std::size_t>(element * plan.item_elements);
  std::byte* const dst = dst_base + plan.dst_offset * element;
  const std::byte* const src = src_base + plan.src_offset * element;
  const int threads = threads_of(plan);
  if (threads == 1) return copy_listed(loops, item, dst, src);
  if (!is_listed(loops, item)) return false;
  const Index extent = loops.extent[0];
  parallel_for(
      0, extent, ceil_divide(extent, 2 * threads),
      [&](Index from, Index to) {
        Loops part = loops;
        part.extent[0] = to - from;
        std::byte* const begin = dst + from * loops.dst[0];
        const std::byte* const source = src + from * loops.src[0];
        // A part may be too small for tables.
        if (!copy_listed(part, item, begin, source)) walk(part, item, begin, source);
      },
      threads);
  return true;
}

std::string small_text(const CopyPlan& plan) {
  const std::size_t item = item_size(plan.dst_type) * static_cast<std::size_t>(plan.item_elements);
  if (!may_be_small(plan) || !is_listed(loops_of(plan), item)) return {};
  return "straight into the destination, within the caches";
}

}  // namespace tenstride::copy
