// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

/// The table of operations as Python's methods, attributes and functions.
namespace tenstride::python {

/// Gives the type a method or an attribute for each operation that has that form.
void define_methods(nanobind::handle tensor_type);
/// Gives the module its functions; `linalg.` ones go into a module `linalg`.
void define_functions(nanobind::module_& module);

/// Calls the operation of that name as a method. A new reference.
PyObject* call_method(std::string_view name, PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* names);

}  // namespace tenstride::python
