// SPDX-License-Identifier: Apache-2.0
#include "copy/small.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "copy/kernels.hpp"

namespace tenstride::copy {
namespace {

/// Up to so many elements a loop over them is done before a plan is made.
constexpr Index most_elements = 512;
constexpr std::size_t most_loops = Dims::inline_capacity;
/// Tiles up to so large are turned without a buffer: both sides then stay in the L2 cache.
constexpr Index most_turned_bytes = Index{256} << 10;
/// No leaf writes past a row that ends at a multiple of this.
constexpr Index whole_bytes = 64;
/// Columns of what is left beside those.
constexpr Index strip_columns = 64;

/// Loops from the outermost to the innermost, the destination's strides falling; all strides in bytes.
struct Loops {
  std::size_t count = 0;
  std::array<Index, most_loops> extent;
  std::array<Index, most_loops> dst;
  std::array<Index, most_loops> src;

  /// Puts a loop at its place.
  void add(Index size, Index dst_stride, Index src_stride) {
    std::size_t at = count++;
    for (; at > 0 && dst[at - 1] < dst_stride; --at) {
      extent[at] = extent[at - 1];
      dst[at] = dst[at - 1];
      src[at] = src[at - 1];
    }
    extent[at] = size;
    dst[at] = dst_stride;
    src[at] = src_stride;
  }

  /// Makes one loop of neighbours that are one on both sides.
  void merge() {
    std::size_t last = 0;
    for (std::size_t d = 1; d < count; ++d) {
      if (dst[d] * extent[d] == dst[last] && src[d] * extent[d] == src[last]) {
        extent[last] *= extent[d];
      } else {
        ++last;
        extent[last] = extent[d];
      }
      dst[last] = dst[d];
      src[last] = src[d];
    }
    count = count == 0 ? 0 : last + 1;
  }

  [[nodiscard]] bool is_dense(const std::array<Index, most_loops>& strides, std::size_t item) const {
    auto step = static_cast<Index>(item);
    for (std::size_t d = count; d-- > 0;) {
      if (strides[d] != step) return false;
      step *= extent[d];
    }
    return true;
  }

  /// The strides of dense items in the order of the loops.
  [[nodiscard]] std::array<Index, most_loops> dense(Index item) const {
    std::array<Index, most_loops> strides;
    Index step = item;
    for (std::size_t d = count; d-- > 0;) {
      strides[d] = step;
      step *= extent[d];
    }
    return strides;
  }
};

/// Calls `visit(dst, src)` at each position of the first `count` loops.
template <class Visit>
void walk_positions(const Loops& loops, std::size_t count, std::byte* dst, const std::byte* src,
                    const Visit& visit) {
  std::array<Index, most_loops> index;
  for (std::size_t d = 0; d < count; ++d) index[d] = 0;
  for (;;) {
    visit(dst, src);
    std::size_t d = count;
    for (;;) {
      if (d-- == 0) return;
      dst += loops.dst[d];
      src += loops.src[d];
      if (++index[d] < loops.extent[d]) break;
      dst -= loops.extent[d] * loops.dst[d];
      src -= loops.extent[d] * loops.src[d];
      index[d] = 0;
    }
  }
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

/// What one position of the outer loops has to be turned: rows of the source become columns.
struct Turned {
  Index rows = 0;
  Index columns = 0;
  Index dst_pitch = 0;
  Index src_pitch = 0;
};

/// Whole vectors of rows straight into the destination, the rest through a strip as wide as a line.
void turn(const Turned& turned, std::size_t item, std::byte* dst, const std::byte* src) {
  const Kernels& leaves = kernels();
  const auto log2 = static_cast<std::size_t>(std::countr_zero(item));
  const auto step = static_cast<Index>(item);
  const Index whole = turned.rows * step / whole_bytes * whole_bytes / step;
  Pending nothing;
  if (whole > 0) {
    leaves.turn[log2](dst, static_cast<std::size_t>(turned.dst_pitch),
                      Rows{.first = src, .pitch = turned.src_pitch}, static_cast<std::size_t>(whole),
                      static_cast<std::size_t>(turned.columns), nothing);
  }
  if (whole == turned.rows) return;
  alignas(64) std::array<std::byte, strip_columns * whole_bytes + spill_bytes> strip;
  for (Index done = 0; done < turned.columns; done += strip_columns) {
    const auto columns = static_cast<std::size_t>(std::min(strip_columns, turned.columns - done));
    const Rows rest{.first = src + whole * turned.src_pitch + done * step, .pitch = turned.src_pitch};
    leaves.turn[log2](strip.data(), whole_bytes, rest, static_cast<std::size_t>(turned.rows - whole), columns,
                      nothing);
    leaves.copy_rows(dst + whole * step + done * turned.dst_pitch, turned.dst_pitch, strip.data(),
                     whole_bytes, columns, static_cast<std::size_t>((turned.rows - whole) * step));
  }
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
  Loops loops;
  Index count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index size = sizes[d];
    if (size > most_elements || size == 0) return size == 0;
    count *= size;
    if (count > most_elements) return false;
    if (size > 1) loops.add(size, dst_steps[d] * dst_item, src_steps[d] * src_item);
  }
  loops.merge();
  std::byte* const to = dst_base + dst.offset * dst_item;
  const std::byte* const from = src_base + src.offset * src_item;
  if (dst_type == src_type) {
    walk(loops, static_cast<std::size_t>(dst_item), to, from);
  } else {
    walk_converted(loops, count, dst_type, to, src_type, from);
  }
  return true;
}

bool run_small(const CopyPlan& plan, std::byte* dst_base, const std::byte* src_base) {
  const std::size_t inner = plan.loops.size() - 1;
  if (plan.kernel != CopyKernel::tile || plan.conversion != CopyConversion::none || plan.streaming ||
      plan.strip_loop != inner ||
      plan.count > most_turned_bytes / static_cast<Index>(item_size(plan.dst_type))) {
    return false;
  }
  const auto dst_bytes = static_cast<Index>(item_size(plan.dst_type));
  const auto src_bytes = static_cast<Index>(item_size(plan.src_type));
  const CopyLoop& rows = plan.loops[inner];
  const CopyLoop& columns = plan.loops[plan.turned_loop];
  const Index item = dst_bytes * plan.item_elements;
  if (plan.loops.size() > most_loops || columns.src_stride != plan.item_elements ||
      columns.dst_stride < rows.extent * plan.item_elements) {
    return false;
  }
  const Turned turned{rows.extent, columns.extent, columns.dst_stride * dst_bytes,
                      rows.src_stride * src_bytes};
  Loops outer;
  for (std::size_t d = 0; d < inner; ++d) {
    const CopyLoop& loop = plan.loops[d];
    if (d != plan.turned_loop)
      outer.add(loop.extent, loop.dst_stride * dst_bytes, loop.src_stride * src_bytes);
  }
  walk_positions(
      outer, outer.count, dst_base + plan.dst_offset * dst_bytes, src_base + plan.src_offset * src_bytes,
      [&](std::byte* dst, const std::byte* src) { turn(turned, static_cast<std::size_t>(item), dst, src); });
  return true;
}

}  // namespace tenstride::copy
