// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Whether a short way has had its say: it gave something, or an error.
inline bool is_done(PyObject* result) noexcept {
  return result != nullptr || PyErr_Occurred() != nullptr;
}

/// Puts quick ways in front of the operations that are called most: `x.view(2, 3)` and the like, where all
/// arguments are ints given by position. Pre: before `define_methods`.
void define_quick_methods();
/// The same for small factories (`torch.zeros(2, 3)`) and arithmetic by its names (`x.add(1)`).
void define_quick_functions();

}  // namespace tenstride::python
