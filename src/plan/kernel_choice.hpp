// SPDX-License-Identifier: Apache-2.0
// The choice of the kernel that a plan's innermost loops run.
#pragma once

#include "plan/tile_shape.hpp"

namespace tenstride::detail {

/// Sets the plan's kernel and, where the kernel transposes, its tile. `item_bytes` is the size of an element
/// of the source, `may_stream` whether the copy is large enough for streaming stores, `stores` how sequential
/// destinations are written. Pre: the loops are merged and sorted by destination stride.
void choose_kernel(CopyPlan& plan, Index item_bytes, bool may_stream, SequentialStores stores);

}  // namespace tenstride::detail
