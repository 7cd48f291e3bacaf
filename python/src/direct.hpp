// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "operations/call.hpp"

/// The short way of all operations: arguments that are what they seem (ints and lists of them, tensors,
/// numbers, types) are read straight into slots and handed to the operation's function.
namespace tenstride::python {

/// Whether a short way has had its say: it gave something, or an error.
inline bool is_done(PyObject* result) noexcept {
  return result != nullptr || PyErr_Occurred() != nullptr;
}

/// What a call gives, a new reference. Null without an error where it goes the long way: some argument is
/// anything else or is missing, somebody watches (the long way knows the line of Python), or there is so much
/// to do that other threads are to run meanwhile. `self` is null for an operation without one.
PyObject* call_directly(const detail::Operation& operation, bool is_method, PyObject* self,
                        PyObject* const* arguments, Py_ssize_t count, PyObject* names);

/// An operation in one form. Its first way takes what most calls give: nothing, integers, or one list. It is
/// made for what one of the operation's functions takes and gives, so that a view costs little more than
/// itself.
struct FrontCall {
  using Code = PyObject* (*)(const FrontCall& front, PyObject* self, PyObject* const* arguments,
                             Py_ssize_t count);
  const detail::Operation* operation = nullptr;
  bool is_method = false;
  /// The way of all other calls, which the first one leaves them to. What it is given is what a function got
  /// behind its tensor.
  Code otherwise = nullptr;
  /// Null where there is no such function. Pre of a call: `self` is a tensor, no argument is named.
  Code first = nullptr;
  const detail::Direct* direct = nullptr;
  std::size_t least = 0;  ///< of the integers, how many must be given
  bool never_takes_long = false;
};
FrontCall find_front_call(const detail::Operation& operation, bool is_method, FrontCall::Code otherwise);

}  // namespace tenstride::python
