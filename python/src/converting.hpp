// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

namespace tenstride::python {

/// Makes `convert` of files, `plan_convert` and what they give in the module.
void define_converting(nanobind::module_& module);
/// Makes `_convert_elements`, of which `convert` of arrays is made.
void define_converting_elements(nanobind::module_& module);

/// The numbers of `scale` or `shift`: None, one number, or several. Throws what Python throws for others.
std::vector<double> scale_numbers(nanobind::handle given);

}  // namespace tenstride::python
