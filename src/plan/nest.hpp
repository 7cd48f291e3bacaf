// SPDX-License-Identifier: Apache-2.0
// Brings a copy into the normal form of its loop nest.
#pragma once

#include "base/cache_line.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/plan/nest.hpp"

namespace tenstride::detail {

/// The most loops of nests that are copied within the caches or by blocks.
inline constexpr std::size_t max_loops = Loops::inline_capacity;
inline constexpr Index max_item_bytes = 16;

/// The axis that scale and shift have a number for each index of, and what becomes of it: `is_reversed` where
/// the nest visits its indices from the last to the first.
struct ScaledAxis {
  std::size_t axis = no_loop;
  bool is_reversed = false;
};

/// Whether all byte offsets and counts fit an Index with a factor of 4 to spare, as for every layout that
/// memory holds.
bool is_countable(const Layout& layout, DType type);

/// Sets `nest` to that of a copy, whose items are still single elements. Pre: equal shapes, no extent is 0,
/// no two elements of `dst` at one address, countable layouts, and an empty nest.
void normalise(const Layout& dst, DType dst_type, const Layout& src, DType src_type, Nest& nest,
               ScaledAxis* scaled = nullptr);

/// Joins pairs of items that are contiguous on both sides into items twice as large, to at most 16 bytes in
/// the source and a cache line in the destination. At least one loop remains.
void widen(Nest& nest);

/// Reverses the direction of a loop on both sides: it starts at its last index, with negated strides.
void reverse(Nest& nest, Loop& loop);

}  // namespace tenstride::detail
