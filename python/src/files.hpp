// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes `load`, `save`, `memmap` and `checksum` in the module.
void define_files(nanobind::module_& module);

}  // namespace tenstride::python
