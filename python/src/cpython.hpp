// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <complex>
#include <cstddef>
#include <string>
#include <string_view>

/// What CPython's own API and its stable ABI, for which the wheel of Python 3.12 and later is built, say in
/// different ways; and what both say clumsily.
namespace tenstride::python {

/// The name of an object's type as CPython's messages have it: "list", "numpy.ndarray".
std::string name_of_type(nanobind::handle object);

/// How many entries an object says that it has; 0 where it says nothing, below 0 with Python's error.
Py_ssize_t length_hint(PyObject* object) noexcept;

/// The text of a str, which lives as long; empty and Python's error where it has none.
inline std::string_view text_of(PyObject* object) noexcept {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<std::size_t>(size));
}

/// The number of a float. Pre: it is one.
inline double number_of_float(PyObject* object) noexcept {
#if defined(Py_LIMITED_API)
  return PyFloat_AsDouble(object);
#else
  return PyFloat_AS_DOUBLE(object);
#endif
}

/// A complex number, or what `__complex__` gives; Python's error is set where that fails.
std::complex<double> complex_number(PyObject* object);

/// The entries of a tuple or list, borrowed, side by side. The stable ABI has them one by one: they are
/// copied.
class EntriesOf {
 public:
  /// Pre: a tuple or list of at most `most` entries.
  static constexpr std::size_t most = 64;
  static Py_ssize_t count(PyObject* list) noexcept {
#if defined(Py_LIMITED_API)
    return PyTuple_Check(list) != 0 ? PyTuple_Size(list) : PyList_Size(list);
#else
    return PySequence_Fast_GET_SIZE(list);
#endif
  }
#if defined(Py_LIMITED_API)
  explicit EntriesOf(PyObject* list) noexcept {
    const bool is_tuple = PyTuple_Check(list) != 0;
    for (Py_ssize_t i = 0; i < count(list); ++i) {
      entries_[static_cast<std::size_t>(i)] = is_tuple ? PyTuple_GetItem(list, i) : PyList_GetItem(list, i);
    }
  }
  [[nodiscard]] PyObject* const* data() const noexcept {
    return entries_.data();
  }

 private:
  std::array<PyObject*, most> entries_;
#else
  explicit EntriesOf(PyObject* list) noexcept : entries_(PySequence_Fast_ITEMS(list)) {}
  [[nodiscard]] PyObject* const* data() const noexcept {
    return entries_;
  }

 private:
  PyObject* const* entries_;
#endif
};

/// The three parts of a slice, borrowed.
class SliceParts {
 public:
  /// Pre: a slice.
#if defined(Py_LIMITED_API)
  explicit SliceParts(nanobind::handle slice)
      : start_(slice.attr("start")), stop_(slice.attr("stop")), step_(slice.attr("step")) {}
  [[nodiscard]] PyObject* start() const noexcept {
    return start_.ptr();
  }
  [[nodiscard]] PyObject* stop() const noexcept {
    return stop_.ptr();
  }
  [[nodiscard]] PyObject* step() const noexcept {
    return step_.ptr();
  }

 private:
  nanobind::object start_, stop_, step_;
#else
  explicit SliceParts(nanobind::handle slice) noexcept
      : slice_(reinterpret_cast<const PySliceObject*>(slice.ptr())) {}
  [[nodiscard]] PyObject* start() const noexcept {
    return slice_->start;
  }
  [[nodiscard]] PyObject* stop() const noexcept {
    return slice_->stop;
  }
  [[nodiscard]] PyObject* step() const noexcept {
    return slice_->step;
  }

 private:
  const PySliceObject* slice_;
#endif
};

/// What an object with the buffer protocol has, as long as this lives. Throws Python's error.
class BufferView {
 public:
  explicit BufferView(PyObject* object) {
    if (PyObject_GetBuffer(object, &view_, PyBUF_FULL_RO) != 0) throw nanobind::python_error();
  }
  ~BufferView() { PyBuffer_Release(&view_); }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;
  [[nodiscard]] const Py_buffer* operator->() const noexcept { return &view_; }
  [[nodiscard]] const Py_buffer* get() const noexcept { return &view_; }

 private:
  Py_buffer view_;
};

}  // namespace tenstride::python
