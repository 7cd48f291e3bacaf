// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "types.hpp"

/// Shapes and strides as tuples. A program asks for few different ones, again and again, and a tuple of ints
/// cannot change: those asked for last are kept, and who asks again is given the same one.
namespace tenstride::python {
namespace {

namespace nb = nanobind;

class KnownTuples {
 public:
  /// A new reference to the tuple of these ints; `make()` makes the ones not known.
  template <typename Make>
  PyObject* get(const Dims& dims, const Make& make) {
    if (dims.size() > most) return make();
    Entry& entry = entries_[place_of(dims)];
    if (!entry.is(dims)) {
      PyObject* made = make();
      // Making it may have run a collection, and that other code, but none that makes tuples here.
      Py_XDECREF(std::exchange(entry.tuple, made));
      entry.count = dims.size();
      std::copy(dims.begin(), dims.end(), entry.ints.begin());
    }
    Py_INCREF(entry.tuple);
    return entry.tuple;
  }

 private:
  static constexpr std::size_t most = 6;
  static constexpr int log2_places = 6;

  struct Entry {
    PyObject* tuple = nullptr;
    std::size_t count = 0;
    std::array<Index, most> ints{};

    [[nodiscard]] bool is(const Dims& dims) const {
      if (tuple == nullptr || count != dims.size()) return false;
      for (std::size_t i = 0; i < count; ++i) {
        if (ints[i] != dims[i]) return false;
      }
      return true;
    }
  };

  static std::size_t place_of(const Dims& dims) {
    std::uint64_t hash = dims.size();
    for (const Index value : dims) hash = (hash + static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U;
    return hash >> (64 - log2_places);
  }

  std::array<Entry, std::size_t{1} << log2_places> entries_{};
};

// They live as long as the process.
PyTypeObject* size_type = nullptr;
KnownTuples known_sizes;
KnownTuples known_tuples;

PyObject* fill(PyObject* tuple, const Dims& dims) {
  if (tuple == nullptr) throw nb::python_error();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    PyObject* number = PyLong_FromLongLong(dims[i]);
    if (number == nullptr) {
      Py_DECREF(tuple);
      throw nb::python_error();
    }
    NB_TUPLE_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), number);
  }
  return tuple;
}

}  // namespace

void set_size_type(nb::handle type) {
  size_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

PyObject* new_size(const Dims& dims) {
  return known_sizes.get(
      dims, [&] { return fill(PyType_GenericAlloc(size_type, static_cast<Py_ssize_t>(dims.size())), dims); });
}
PyObject* new_tuple(const Dims& dims) {
  return known_tuples.get(dims,
                          [&] { return fill(PyTuple_New(static_cast<Py_ssize_t>(dims.size())), dims); });
}
bool is_size(PyObject* object) noexcept {
  return PyObject_TypeCheck(object, size_type) != 0;
}

}  // namespace tenstride::python
