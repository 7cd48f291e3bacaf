// SPDX-License-Identifier: Apache-2.0
// The loop nest of a copy in normal form: loops in the destination's order, strides in bytes.
#pragma once

#include <optional>

#include "plan/loops.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// A loop nest with positive, falling destination strides. Neighbours that are one loop on both sides are
/// merged, and contiguous elements are joined to items of at most 16 bytes in the source and at most a cache
/// line in the destination.
struct Nest : Loops {
  Index dst_item = 0;
  Index src_item = 0;
  /// The number of elements of an item.
  Index elements = 1;
  /// Bytes from storage element 0 of each side to the first item.
  Index dst_offset = 0;
  Index src_offset = 0;
};

/// The nest of a plan. None where the plan has more than 8 loops, has scale or shift for each index, or where
/// byte offsets overflow an Index.
/// Example: float32 of shape (2,3,4) with all axes reversed in order, into a dense destination, has the loops
/// 4 (strides 24, 4), 3 (8, 16) and 2 (4, 48): extent (destination, source).
std::optional<Nest> nest_of(const CopyPlan& plan);

}  // namespace tenstride::detail
