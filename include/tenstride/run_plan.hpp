// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/copy_plan.hpp"
#include "tenstride/export.hpp"

namespace tenstride {

/// Carries out a plan on memory. The bases are the addresses of storage element 0 of each side; they need no
/// alignment. Pre: all positions of the plan lie inside the storages, and the memory of the two sides does
/// not overlap.
TENSTRIDE_API void run(const CopyPlan& plan, void* dst_base, const void* src_base);

/// How `run` goes about a plan, in one line for people: empty where it walks the loops with the plan's
/// kernel. Blocks have so many items along each loop of the copy, outer to inner. Example, of float32
/// (100000,64,6) by (1,0,2): "in pipelined blocks of 64 x 168 x 3, gathered".
TENSTRIDE_API std::string run_text(const CopyPlan& plan);

/// What the address of a destination tells; `dst_base` is that of its storage element 0. Of less than 4 MiB
/// the system is not asked whether it has memory.
TENSTRIDE_API Placement placement_of(const void* dst_base, const Layout& dst, DType type);

/// The options of a plan that is to run on this processor, or the one of a MachineScope, all else as it is.
/// Example: `run(plan(dst, type, src, type, options_here()), to, from)`.
TENSTRIDE_API PlanOptions options_here();

}  // namespace tenstride
