// SPDX-License-Identifier: Apache-2.0
#include "sequences.hpp"

#include <unistd.h>

#include <algorithm>

#include <string>
#include <unordered_map>

#include "base/message.hpp"
#include "cpython.hpp"
#include "operations/call.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::python {
namespace {

bool is_list(PyObject* object) {
  return PyList_Check(object) != 0 || PyTuple_Check(object) != 0;
}

using Counts = std::unordered_map<PyObject*, std::size_t>;

/// What lies in a list and in the lists in it, or `most` where that is more. A list that others hold many
/// times is looked at once, and counts each time. What lies in itself is left to the bound of the depth.
std::size_t count_entries(PyObject* list, std::size_t most, std::size_t depth, Counts& known) {
  if (depth > max_nesting) return 1;
  const auto [place, is_new] = known.try_emplace(list, 0);
  if (!is_new) return place->second;
  std::size_t count = 1;
  const bool is_tuple = PyTuple_Check(list) != 0;
  for (Py_ssize_t i = 0; i < EntriesOf::count(list) && count < most; ++i) {
    PyObject* const entry = is_tuple ? NB_TUPLE_GET_ITEM(list, i) : NB_LIST_GET_ITEM(list, i);
    count += is_list(entry) ? count_entries(entry, most, depth + 1, known) : 1;
  }
  return known[list] = std::min(count, most);
}

/// Throws StorageError where lists in lists have more entries than the machine has memory for.
void require_memory(PyObject* list) {
  static const auto machine =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t most = machine / sizeof(Value);
  Counts known;
  if (!is_list(list) || count_entries(list, most, 0, known) < most) return;
  throw StorageError(detail::message(name_of_type(list), ": lists in lists must have less than ", most,
                                     " entries, for which this machine has memory; give an array"));
}

}  // namespace

void require_nesting(PyObject* list, std::size_t depth) {
  if (depth == 0) require_memory(list);
  if (depth < max_nesting) return;
  throw ValueError(detail::message("too many dimensions '", name_of_type(list), "': lists must be at most ",
                                   max_nesting, " deep, and not in themselves"));
}

nanobind::object counted_entries(PyObject* object) {
  if (is_list(object)) return entries_of(object);
  const Py_ssize_t count = PySequence_Size(object);
  if (count < 0) throw nanobind::python_error();
  nanobind::object entries = nanobind::steal(PyTuple_New(count));
  const nanobind::object iterator = nanobind::steal(PyObject_GetIter(object));
  if (!entries || !iterator) throw nanobind::python_error();
  Py_ssize_t found = 0;
  while (found < count) {
    PyObject* const entry = PyIter_Next(iterator.ptr());
    if (entry == nullptr) break;
    NB_TUPLE_SET_ITEM(entries.ptr(), found++, entry);
  }
  if (PyErr_Occurred() != nullptr) throw nanobind::python_error();
  if (found == count) return entries;
  return nanobind::steal(PyTuple_GetSlice(entries.ptr(), 0, found));
}

void require_end(nanobind::handle iterable, std::size_t count) {
  if (count == 0) {
    const Py_ssize_t hint = length_hint(iterable.ptr());
    if (hint < 0) PyErr_Clear();  // reading it says what is wrong
    count = static_cast<std::size_t>(std::max<Py_ssize_t>(hint, 0));
  }
  if (count <= max_iterated) return;
  throw ValueError(detail::message(name_of_type(iterable), ": what is iterated over must have at most ",
                                   max_iterated, " entries; give a list of more"));
}

}  // namespace tenstride::python
