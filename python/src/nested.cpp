// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/message.hpp"
#include "cpython.hpp"
#include "operations/call.hpp"
#include "sequences.hpp"
#include "tensor/require_memory.hpp"
#include "tensor/stored_elements.hpp"
#include "types.hpp"
#include "values.hpp"

/// Python's lists of numbers, and back.
namespace tenstride::python {

namespace nb = nanobind;

namespace {

/// The tensor that the importer makes of a foreign array; null where it knows nothing of the object.
nb::object import_array(PyObject* object) {
  const nb::object result = import_foreign(object);
  return is_tensor(result.ptr()) ? result : nb::object();
}

/// How long the lists are that stand in one another along the first entries. A tensor is an entry, an array
/// is lists.
std::vector<Index> lengths_of(PyObject* object) {
  std::vector<Index> lengths;
  nb::object entry = nb::borrow(object);
  while (entry && lengths.size() < max_rank && PySequence_Check(entry.ptr()) != 0 &&
         PyUnicode_Check(entry.ptr()) == 0) {
    const bool is_list = PyList_Check(entry.ptr()) != 0 || PyTuple_Check(entry.ptr()) != 0;
    if (const nb::object array = is_list ? nb::object() : import_array(entry.ptr())) {
      for (const Index size : tensor_of(array.ptr()).shape()) lengths.push_back(size);
      return lengths;
    }
    lengths.push_back(PySequence_Size(entry.ptr()));
    if (lengths.back() <= 0) break;
    entry = nb::steal(PySequence_GetItem(entry.ptr(), 0));
  }
  PyErr_Clear();  // whoever reads the items says what is wrong
  return lengths;
}

/// A sequence of another kind as a list; memoryviews of several axes have no items.
nb::object listed(PyObject* object) {
  try {
    nb::object list = nb::steal(PySequence_List(counted_entries(object).ptr()));
    if (!list) throw nb::python_error();
    return list;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_NotImplementedError)) throw;
  }
  throw ValueError(
      detail::message("tensor: ", name_of_type(object), " must be a sequence of items; see asarray"));
}

/// The object in `depth` lists.
nb::object with_lists_in(PyObject* object, std::size_t depth) {
  const bool is_list = PyList_Check(object) != 0 || PyTuple_Check(object) != 0;
  if (!is_list && (PySequence_Check(object) == 0 || PyUnicode_Check(object) || PyBytes_Check(object) ||
                   is_array(object) || PyObject_HasAttrString(object, "__array__") != 0)) {
    return nb::borrow(object);
  }
  require_nesting(object, depth);
  nb::object list = is_list ? nb::borrow(object) : listed(object);
  const nb::object entries = entries_of(list.ptr());
  for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(entries.ptr()); ++i) {
    PyObject* const entry = NB_TUPLE_GET_ITEM(entries.ptr(), i);
    if (PyFloat_CheckExact(entry) || PyLong_CheckExact(entry)) continue;
    nb::object changed = with_lists_in(entry, depth + 1);
    if (changed.ptr() == entry) continue;
    if (list.ptr() == object) list = listed(entries.ptr());
    if (PyList_SetItem(list.ptr(), i, changed.release().ptr()) != 0) throw nb::python_error();
  }
  return list;
}

/// The object in `depth` lists.
Nested nested_of(PyObject* object, std::span<const Index> lengths, std::optional<DType> dtype,
                 std::size_t depth) {
  if (is_tensor(object)) return detail::nested_tensor(tensor_of(object), lengths, dtype);
  if (const std::optional<Scalar> scalar = to_number(object)) return Nested(*scalar);
  if (const nb::object array = import_array(object)) return tensor_of(array.ptr()).tolist();
  if (object == Py_None) throw RuntimeError("tensor: None must be a number or lists of numbers");
  if (PyUnicode_Check(object) || PySequence_Check(object) == 0) {
    throw TypeError(
        detail::message("tensor: ", name_of_type(object), " must be a number or lists of numbers"));
  }
  require_nesting(object, depth);
  const nb::object entries = counted_entries(object);
  const std::span<const Index> below = lengths.subspan(lengths.empty() ? 0 : 1);
  std::vector<Nested> nested;
  nested.reserve(static_cast<std::size_t>(NB_TUPLE_GET_SIZE(entries.ptr())));
  each_entry(entries.ptr(),
             [&](PyObject* entry) { nested.push_back(nested_of(entry, below, dtype, depth + 1)); });
  return Nested(std::move(nested));
}

/// The elements from an axis on, which begin at a position of the storage.
nb::object lists_of(const Tensor& x, std::size_t axis, Index position) {
  if (axis == x.layout().rank()) return nb::steal(from_scalar(detail::scalar_at(x, position)));
  const Index size = x.shape()[axis], step = x.strides()[axis];
  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(size)));
  if (!list) throw nb::python_error();
  for (Index i = 0; i < size; ++i) {
    NB_LIST_SET_ITEM(list.ptr(), i, lists_of(x, axis + 1, position + i * step).release().ptr());
  }
  return list;
}

}  // namespace

nb::object with_lists(nb::handle object) {
  return with_lists_in(object.ptr(), 0);
}

Nested to_nested(PyObject* object, std::optional<DType> dtype) {
  if (is_tensor(object)) return tensor_of(object).tolist();
  return nested_of(object, lengths_of(object), dtype, 0);
}

nb::object to_lists(const Tensor& x) {
  detail::require_memory(x, "tolist");
  return lists_of(x, 0, x.storage_offset());
}

}  // namespace tenstride::python
