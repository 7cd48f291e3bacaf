// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes `lazy` in the module, and `Lazy`, which it gives.
void define_lazy(nanobind::module_& module);

}  // namespace tenstride::python
