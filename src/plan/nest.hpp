// SPDX-License-Identifier: Apache-2.0
// The normal form of a copy: its loops in the destination's order, strides in bytes.
#pragma once

#include <optional>

#include "plan/loops.hpp"
#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// Outer to inner, with falling destination strides, all of them positive. Neighbours that are one loop on
/// both sides are merged. As much as moves together is one item: of up to 16 bytes in the source, and no more
/// than a line in the destination.
struct Nest : Loops {
  Index dst_item = 0;
  Index src_item = 0;
  /// Elements of an item.
  Index elements = 1;
  /// From storage element 0 of each side to the first item.
  Index dst_offset = 0;
  Index src_offset = 0;
};

/// None where there are more loops than a nest has, scale and shift have a number for each index, or bytes
/// cannot be counted.
/// Example: (2,3,4) float32 reversed, into a dense destination, has the loops 4: 24, 4 · 3: 8, 16 · 2: 4, 48.
std::optional<Nest> nest_of(const CopyPlan& plan);

}  // namespace tenstride::detail
