// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Gives every function and method bound so far, of the module and of what it holds, the library's own text
/// where its arguments do not fit. Example: `frombuffer: the arguments (int) must fit frombuffer(buffer:
/// object, *, dtype: dtype, ...)`.
void put_refusals_in_front(nanobind::module_& module);

}  // namespace tenstride::python
