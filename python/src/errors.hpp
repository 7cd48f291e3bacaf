// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

/// The library's exceptions as Python's, of PyTorch's kinds.
namespace tenstride::python {

/// Makes the classes `ShapeError`, `AxisError` and the like in the module.
void define_errors(nanobind::module_& module);

/// The class `ExportError`, borrowed.
PyObject* export_error() noexcept;

/// Sets Python's error for the exception that is being handled. Pre: inside a catch.
void set_python_error() noexcept;

/// What `work()` gives, a new reference; null and Python's error where it throws. For functions that Python
/// calls directly.
template <typename Work>
PyObject* guarded(Work&& work) noexcept {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

}  // namespace tenstride::python
