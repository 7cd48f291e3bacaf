// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "elementwise/kernels/arithmetic.hpp"
#include "elementwise/kernels/compare.hpp"

/// Short ways for arithmetic on small tensors that lie row by row: a tensor and a number, or two tensors of
/// one shape and type, where nobody watches. Null without an error where it is anything else. A new
/// reference.
namespace tenstride::python {

/// add, sub, mul, and div of floats.
PyObject* quick_binary(elementwise::BinaryOp op, PyObject* left, PyObject* right);
/// The same into `self`, which comes back.
PyObject* quick_in_place(elementwise::BinaryOp op, PyObject* self, PyObject* other);
PyObject* quick_compare(elementwise::Comparison comparison, PyObject* left, PyObject* right);

}  // namespace tenstride::python
