// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/base/export.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride {

/// Carries out a plan on memory. The bases are the addresses of storage element 0 of each side; they need no
/// alignment. Pre: all positions of the plan lie inside the storages, and the memory of the two sides does
/// not overlap.
TENSTRIDE_API void run_plan(const CopyPlan& plan, void* dst_base, const void* src_base);

/// What the way of a plan does, in one line for people; empty where there is no element. The extents of
/// blocks are items along each loop, outermost first. Example, of float32 (100000,64,6) by (1,0,2): "in
/// blocks of 64 x 168 x 3, gathered".
TENSTRIDE_API std::string run_text(const CopyPlan& plan);

/// The placement of a destination; `dst_base` is the address of its storage element 0. For destinations of
/// less than 4 MiB the system is not asked whether pages are untouched.
TENSTRIDE_API Placement placement_of(const void* dst_base, const Layout& dst, DType type);

/// Options for a plan that will run on this processor, or on that of a MachineScope; all else is default.
/// Example: `run_plan(plan_copy(dst, type, src, type, options_here()), dst_base, src_base)`.
TENSTRIDE_API PlanOptions options_here();

}  // namespace tenstride
