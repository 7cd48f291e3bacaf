// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

/// Python's sequences, read entry by entry. Reading an entry may run any code of its object (`__index__`,
/// `__array_interface__`), which may change the sequence or drop it: entries are held while they are read,
/// and how many and how deep is bounded, whatever an object says of itself.
namespace tenstride::python {

/// How deep lists may lie in each other: PyTorch's bound. Beyond it are lists that contain themselves.
inline constexpr std::size_t max_nesting = 128;
/// How many entries an iterator may give: it may have no end.
inline constexpr std::size_t max_iterated = std::size_t{1} << 16;

/// Throws ValueError where a list lies in `depth` others, which are too many; of one that lies in none,
/// StorageError where reading it would take more memory than the machine has.
void require_nesting(PyObject* list, std::size_t depth);

/// The entries of a list or tuple as a tuple, which nothing changes.
inline nanobind::object entries_of(PyObject* list) {
  if (PyTuple_Check(list) != 0) return nanobind::borrow(list);
  nanobind::object entries = nanobind::steal(PyList_AsTuple(list));
  if (!entries) throw nanobind::python_error();
  return entries;
}

/// The entries of any sequence as a tuple, as many as it says it has.
nanobind::object counted_entries(PyObject* object);

/// Calls visit(entry) with each entry of a list or tuple.
template <typename Visit>
void each_entry(PyObject* list, const Visit& visit) {
  const nanobind::object entries = entries_of(list);
  for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(entries.ptr()); ++i)
    visit(NB_TUPLE_GET_ITEM(entries.ptr(), i));
}

/// Throws ValueError where an iterable has given `count` entries, which are too many; before the first, where
/// it says that it has too many.
void require_end(nanobind::handle iterable, std::size_t count);

/// Calls visit(entry) with each thing that an iterable gives. Throws ValueError where that has no end.
template <typename Visit>
void each_of(nanobind::handle iterable, const Visit& visit) {
  if (PyTuple_Check(iterable.ptr()) != 0 || PyList_Check(iterable.ptr()) != 0) {
    return each_entry(iterable.ptr(), visit);
  }
  std::size_t count = 0;
  require_end(iterable, count);
  for (const nanobind::handle entry : iterable) {
    require_end(iterable, ++count);
    visit(entry.ptr());
  }
}

}  // namespace tenstride::python
