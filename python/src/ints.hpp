// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#if PY_VERSION_HEX < 0x030B0000 && !defined(Py_LIMITED_API)
#include <longintrepr.h>
#endif

#include <cstddef>

#include "cpython.hpp"
#include "tenstride/base/dims.hpp"

/// Python's ints read without a call, for the short ways. What they do not take is nobody's error: the long
/// way says what is wrong with it.
namespace tenstride::python {

/// The most ints that a Dims holds without a heap.
inline constexpr std::size_t max_ints = Dims::inline_capacity;

/// Whether the object is an int of 64 bits (no bool, nothing derived), which `value` then is.
inline bool read_int(PyObject* object, Index& value) noexcept {
  if (!PyLong_CheckExact(object)) return false;
#if defined(Py_LIMITED_API)
    // as below
#elif PY_VERSION_HEX >= 0x030C0000
  const auto* number = reinterpret_cast<const PyLongObject*>(object);
  if (PyUnstable_Long_IsCompact(number) != 0) [[likely]] {
    value = PyUnstable_Long_CompactValue(number);
    return true;
  }
#else
  const auto* number = reinterpret_cast<const PyLongObject*>(object);
  const Py_ssize_t digits = Py_SIZE(object);
  if (digits >= -1 && digits <= 1) [[likely]] {
    value = static_cast<Index>(digits) * static_cast<Index>(number->ob_digit[0]);
    return true;
  }
#endif
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

/// Whether all arguments are such ints, which `to` then holds. Pre: it has room for them.
inline bool read_ints(PyObject* const* arguments, Py_ssize_t count, Index* to) noexcept {
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!read_int(arguments[i], to[i])) return false;
  }
  return true;
}

/// Ints by position, as `view(2, 3)` takes them, or one tuple or list of them; false where there is anything
/// else, none, or more than `max_ints`.
inline bool read_sizes(PyObject* const* arguments, Py_ssize_t count, Dims& to) noexcept {
  const bool is_list = count == 1 && (PyTuple_Check(arguments[0]) || PyList_Check(arguments[0]));
  if (is_list) count = EntriesOf::count(arguments[0]);
  if (count < 1 || count > static_cast<Py_ssize_t>(max_ints)) return false;
  to = Dims::of_size(static_cast<std::size_t>(count));
  return is_list ? read_ints(EntriesOf(arguments[0]).data(), count, to.data())
                 : read_ints(arguments, count, to.data());
}

}  // namespace tenstride::python
