// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes the module `_numpy`: NumPy's functions with all arguments by position, which `tenstride.numpy` gives
/// their names and defaults.
void define_numpy_functions(nanobind::module_& module);

}  // namespace tenstride::python
