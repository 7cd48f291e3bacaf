// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/copy_plan.hpp"
#include "tenstride/export.hpp"

namespace tenstride {

/// Carries out a plan on memory. The bases are the addresses of storage element 0 of each side; they need no
/// alignment. Pre: all positions of the plan lie inside the storages, and the memory of the two sides does
/// not overlap.
TENSTRIDE_API void run(const CopyPlan& plan, void* dst_base, const void* src_base);

}  // namespace tenstride
