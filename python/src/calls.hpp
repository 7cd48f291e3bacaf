// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

/// The table of operations as Python's methods, attributes and functions.
namespace tenstride::python {

/// A method as CPython calls it: `arguments` holds `count` values by position, then those by name.
using Method = PyObject* (*)(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);

/// Gives the type a method or an attribute for each operation that has that form.
void define_methods(nanobind::handle tensor_type);
/// Gives the module its functions; `linalg.` ones go into a module `linalg`.
void define_functions(nanobind::module_& module);

/// Puts a quicker method in front of an operation: what it does not take (it gives null and has set no error)
/// goes the long way. A function that is a method too goes by it, with its first argument as `self`. Pre:
/// before `define_methods`.
void put_in_front(std::string_view name, Method quick);

/// The same for an attribute; the quick way takes every tensor.
using Attribute = PyObject* (*)(PyObject* self, void* unused);
void put_in_front(std::string_view name, Attribute quick);

/// The same for a function without a tensor of its own in front (`torch.zeros`).
using Function = PyObject* (*)(PyObject* const* arguments, Py_ssize_t count, PyObject* names);
void put_in_front(std::string_view name, Function quick);

/// Calls the operation of that name as a method. A new reference.
PyObject* call_method(std::string_view name, PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* names);

}  // namespace tenstride::python
