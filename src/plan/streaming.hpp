// SPDX-License-Identifier: Apache-2.0
// The size from which a plan writes its destination by streaming stores.
#pragma once

#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// The smallest destination, in bytes, that is written by streaming stores; the greatest Index where the
/// destination has no contiguous runs. `item_bytes` is the size of an element of the source.
Index min_streaming_bytes(const CopyPlan& plan, Index item_bytes, const PlanOptions& options);

/// Whether the destination is written sequentially and has at least as many bytes as are read. Untouched
/// memory is then filled by ordinary stores: the system has just cleared each page, so its lines are in the
/// cache. Conversions to shorter types keep streaming stores, as they read more than they write. Ordinary →
/// streaming stores: .47 → .58 of a plain copy (float32 to int8).
bool is_written_sequentially(const CopyPlan& plan);

}  // namespace tenstride::detail
