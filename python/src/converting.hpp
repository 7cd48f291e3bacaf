// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes `convert`, `plan_convert` and what they give in the module.
void define_converting(nanobind::module_& module);

}  // namespace tenstride::python
