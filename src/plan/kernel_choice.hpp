// SPDX-License-Identifier: Apache-2.0
// Which kernel the innermost loops of a plan go by.
#pragma once

#include "plan/tile_shape.hpp"

namespace tenstride::detail {

/// Chooses the kernel, and the tile where it has one. Pre: loops ordered by the destination's strides and
/// merged; `item_bytes` of the source's type.
void choose_kernel(CopyPlan& plan, Index item_bytes, bool may_stream, InOrder order);

}  // namespace tenstride::detail
