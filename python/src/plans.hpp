// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes `plan` in the module, and `Plan`, which it gives.
void define_plans(nanobind::module_& module);

}  // namespace tenstride::python
