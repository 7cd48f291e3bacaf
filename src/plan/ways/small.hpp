// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/nest.hpp"
#include "tenstride/plan/copy_way.hpp"

namespace tenstride::detail {

/// The most elements of a small copy without rows or tiles, and of one that converts.
inline constexpr Index max_small_elements = 512;

/// Sets `way` to the small copy of a nest of `count` elements. Returns false where it is too large. Pre:
/// conversions change types alone, and other items are widened.
bool find_small(const Nest& nest, Index count, bool converts, Small& way);

/// A small copy between two layouts, without a plan.
struct SmallCopy {
  Nest nest;
  Small way;

  /// Returns false where it is too large or has no element. Pre: equal shapes, there is memory, and
  /// conversions change types alone.
  bool find(const Layout& dst, DType dst_type, const Layout& src, DType src_type);
};

}  // namespace tenstride::detail
