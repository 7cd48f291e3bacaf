// SPDX-License-Identifier: Apache-2.0
#include "plan/ways/small.hpp"

#include "plan/ways/cached_tiles.hpp"

namespace tenstride::detail {
namespace {

/// Bounds of copies by cached tiles: more elements than a plain loop copies as fast, and at most as many
/// bytes as the L1 and L2 caches hold.
constexpr Index min_cached_elements = 64;
constexpr Index max_cached_bytes = Index{64} << 10;

/// The number of elements, if it is not more than `most`; otherwise 0.
Index count_up_to(Index most, const Layout& layout) {
  Index count = 1;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const Index extent = layout.shape[d];
    if (extent > most) return 0;
    count *= extent;
    if (count > most) return 0;
  }
  return count;
}

}  // namespace

bool find_small(const Nest& nest, Index count, bool converts, Small& way) {
  if (nest.size() > max_loops) return false;
  way.converts = converts;
  if (converts || count < min_cached_elements) return count <= max_small_elements;
  const bool fits = nest.loops.positions() * nest.dst_item <= max_cached_bytes;
  if (fits && find_cached_tiles(nest, way)) return true;
  return count <= max_small_elements;
}

bool SmallCopy::find(const Layout& dst, DType dst_type, const Layout& src, DType src_type) {
  const bool converts = dst_type != src_type;
  const Index max_count = converts ? max_small_elements : max_cached_bytes >> item_size_log2(dst_type);
  const Index count = dst.rank() > max_loops ? 0 : count_up_to(max_count, dst);
  if (count == 0) return false;
  normalise(dst, dst_type, src, src_type, nest);
  if (!converts) widen(nest);
  return find_small(nest, count, converts, way);
}

}  // namespace tenstride::detail
