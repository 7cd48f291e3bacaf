// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// `x[key]` of ints, slices with a step above 0, None and `...` within their bounds, as a view. Null without
/// an error where the key is anything else.
PyObject* quick_item(PyObject* self, PyObject* key);

}  // namespace tenstride::python
