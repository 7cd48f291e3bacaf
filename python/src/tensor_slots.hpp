// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <span>

/// What Python's own syntax calls of a tensor.
namespace tenstride::python {

/// The operators `+ - * / // % ** & | ^ ~`, their reflected and their in-place forms.
std::span<const PyType_Slot> number_slots();

/// `x[key]` of ints, slices with a step above 0, None and `...` within their bounds, as a view. Null without
/// an error where the key is anything else.
PyObject* quick_item(PyObject* self, PyObject* key);

}  // namespace tenstride::python
