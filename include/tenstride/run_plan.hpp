// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/copy_plan.hpp"
#include "tenstride/export.hpp"

namespace tenstride {

/// Carries out a plan on memory. The bases are the addresses of storage element 0 of each side; they need no
/// alignment. Pre: all positions of the plan lie inside the storages, and the memory of the two sides does
/// not overlap.
TENSTRIDE_API void run(const CopyPlan& plan, void* dst_base, const void* src_base);

/// The options of a plan that is to run on this processor, all else as it is: what is written in order goes
/// past the cache where that is faster. The environment variable TENSTRIDE_STORES, "streaming" or "ordinary",
/// says otherwise. Example: `run(plan(dst, type, src, type, options_here()), to, from)`.
TENSTRIDE_API PlanOptions options_here();

}  // namespace tenstride
