// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes the module `_distributed`, of which `tenstride.distributed` is made.
void define_distributed(nanobind::module_& module);

/// In that module: `Placement` and `Distribution`, with the functions that make them.
void define_distributions(nanobind::module_& distributed);
/// `RedistributionPlan` and `plan_redistribution`.
void define_redistribution_plans(nanobind::module_& distributed);
/// `Transport` and `Redistributor`.
void define_redistributors(nanobind::module_& distributed);

}  // namespace tenstride::python
