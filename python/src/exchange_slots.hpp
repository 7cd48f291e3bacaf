// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

/// The pieces that `define_exchange` puts together.
namespace tenstride::python {

/// What CPython calls for `memoryview(x)`, and when that is over.
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

void define_dlpack(nanobind::module_& module, nanobind::handle tensor_type);
void define_numpy(nanobind::module_& module, nanobind::handle tensor_type);
void define_from_arrays(nanobind::module_& module);

}  // namespace tenstride::python
