// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes `explain`, `why_not_view`, `why_not_contiguous` and `show` in the module, and what they give.
void define_explaining(nanobind::module_& module);

}  // namespace tenstride::python
