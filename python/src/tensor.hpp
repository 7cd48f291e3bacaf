// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes `Tensor` in the module, with what Python's own syntax asks of it.
void define_tensor(nanobind::module_& module);

}  // namespace tenstride::python
