// SPDX-License-Identifier: Apache-2.0
// From how many bytes on results are written by streaming stores.
#pragma once

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// Bytes of the destination; never for what has no rows there. `item_bytes` of the source's type.
Index streams_above(const CopyPlan& plan, Index item_bytes, const PlanOptions& options);

/// What is written in order and at least as much as is read. Memory that comes with the first write is then
/// filled through the cache; of what narrows, the source's lines pass the cache too, and past it is faster
/// (float32 to int8 .58 of the plain copy, .47 through it).
bool is_written_in_order(const CopyPlan& plan);

}  // namespace tenstride::detail
