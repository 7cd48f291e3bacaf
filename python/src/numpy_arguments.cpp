// SPDX-License-Identifier: Apache-2.0
#include "numpy_arguments.hpp"

#include <cctype>
#include <complex>
#include <string>

#include "base/message.hpp"
#include "cpython.hpp"
#include "exchange.hpp"
#include "sequences.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/tensor/factory.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::message;
using numpy::Order;

/// `operator.index`. Throws TypeError.
nb::object whole_of(nb::handle given) {
  nb::object result = nb::steal(PyNumber_Index(given.ptr()));
  if (!result) throw nb::python_error();
  return result;
}

/// The int that an object says it is; nothing, and no error, for any other.
nb::object find_int(nb::handle given) {
  nb::object result = nb::steal(PyIndex_Check(given.ptr()) != 0 ? PyNumber_Index(given.ptr()) : nullptr);
  if (!result && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();  // an array of other than one int
  }
  return result;
}

/// An int; where it does not fit 64 bits, `otherwise(int, sign)`.
template <typename Otherwise>
Index read_index(nb::handle given, const Otherwise& otherwise) {
  const nb::object whole = whole_of(given);
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return overflow == 0 ? Index{value} : otherwise(whole, overflow);
}

/// `read` of an int, or of each of several.
template <typename Read>
Dims read_each(nb::handle given, const Read& read) {
  if (const nb::object one = find_int(given)) return {read(one)};
  Dims dims;
  each_of(given, [&](PyObject* entry) { dims.push_back(read(entry)); });
  return dims;
}

bool is_bool(nb::handle given) {
  return PyBool_Check(given.ptr()) != 0 || name_of_type(given).starts_with("numpy.bool");
}

BasicIndex basic_index(nb::handle entry) {
  if (entry.is_none()) return NewAxis{};
  if (entry.ptr() == Py_Ellipsis) return Ellipsis{};
  if (PySlice_Check(entry.ptr())) return to_slice(entry.ptr());
  if (const nb::object position = is_bool(entry) ? nb::object() : find_int(entry)) {
    return read_index(position, [](const nb::object& whole, int) -> Index {
      const nb::str digits(whole);
      throw IndexError(message("index: ", digits.c_str(), " must fit 64 bits"), 0, 0, 0);
    });
  }
  throw IndexError(message("index: ", name_of_type(entry),
                           " must be an int, a slice, None or `...`, which alone give a view; see x[...] "
                           "for lists and masks"),
                   0, 0, 0);
}

}  // namespace

Tensor numpy_tensor(nb::handle given) {
  if (is_tensor(given.ptr())) return tensor_of(given.ptr());
  const nb::object array = import_foreign(given);
  if (is_tensor(array.ptr())) return tensor_of(array.ptr());
  throw TypeError(message("an argument of type ", name_of_type(given), " must be a Tensor or an array"));
}

std::vector<Tensor> numpy_tensors(nb::handle given, std::string_view operation) {
  std::vector<Tensor> tensors;
  if (is_tensor(given.ptr())) {
    const Tensor& whole = tensor_of(given.ptr());
    if (whole.dim() == 0)
      throw ValueError(message(operation, ": a list of arrays must be given (a tensor of rank 0)"));
    require_end(given, 0);
    return whole.unbind(0);
  }
  each_of(given, [&](PyObject* entry) { tensors.push_back(numpy_tensor(entry)); });
  return tensors;
}

Tensor numpy_destination(nb::handle given) {
  if (is_numpy_number(given)) throw TypeError("copyto: the destination must be an array, not a number");
  Tensor destination = numpy_tensor(given);
  if (!destination.is_read_only()) return destination;
  throw ValueError(
      message("copyto: the destination must not be read-only (shape ", destination.shape(), ")"));
}

Tensor numpy_source(nb::handle given, DType type) {
  PyObject* const object = given.ptr();
  if (PyFloat_Check(object)) return full({}, number_of_float(object), {.dtype = DType::float64});
  if (PyBool_Check(object)) return full({}, object == Py_True);
  if (PyLong_Check(object) != 0 && !is_integer(type) && type != DType::bool_) {
    const double real = PyLong_AsDouble(object);
    if (real == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return full({}, real, {.dtype = DType::float64});
  }
  if (PyLong_Check(object) != 0) {
    Given held;
    const Scalar number = *to_value(object, held).number();
    const Tensor whole = full({}, number, {.dtype = number.dtype()});
    if (!is_integer(type)) return whole;
    const Tensor fitting = whole.to(type);
    if (fitting.item() == number) return fitting;
    throw OverflowError(
        message("copyto: ", number.to_string(), " must lie in the range of ", tenstride::name(type)));
  }
  if (PyComplex_CheckExact(object)) {
    const std::complex<double> value = complex_number(object);
    return full({}, value, {.dtype = DType::complex128});
  }
  return numpy_tensor(given);
}

Dims numpy_axes(nb::handle given) {
  return read_each(given, [](nb::handle entry) { return to_index(entry.ptr()); });
}
std::optional<Dims> maybe_numpy_axes(nb::handle given) {
  return given.is_none() ? std::nullopt : std::optional(numpy_axes(given));
}

void refuse_bools(nb::handle given, std::string_view operation) {
  if (is_bool(given)) throw TypeError(message(operation, ": a size or an axis must be an int, not a bool"));
  if (PyTuple_Check(given.ptr()) == 0 && PyList_Check(given.ptr()) == 0) return;
  for (const nb::handle entry : given) {
    if (is_bool(entry)) refuse_bools(entry, operation);
  }
}

Dims numpy_sizes(nb::handle given, std::string_view operation) {
  const auto size = [operation](nb::handle entry) {
    refuse_bools(entry, operation);
    return read_index(entry, [operation](const nb::object& whole, int) -> Index {
      throw ValueError(message(operation, ": size ", nb::str(whole).c_str(), " must fit 64 bits"));
    });
  };
  const Py_ssize_t count = PySequence_Check(given.ptr()) != 0 ? PySequence_Size(given.ptr()) : -1;
  if (count < 0) {  // one int, also as an array of rank 0
    PyErr_Clear();
    return {size(given)};
  }
  if (static_cast<std::size_t>(count) > max_rank) {
    throw ValueError(message(operation, ": ", count, " sizes are given, must be at most ", max_rank));
  }
  Dims sizes;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object entry = nb::steal(PySequence_GetItem(given.ptr(), i));
    if (!entry) throw nb::python_error();
    sizes.push_back(size(entry));
  }
  return sizes;
}

Dims clamped_ints(nb::handle given) {
  return read_each(given, [](nb::handle entry) { return to_clamped_index(entry.ptr()); });
}

Index periodic_int(nb::handle given, Index period) {
  return read_index(given, [period](const nb::object& whole, int) {
    const nb::object modulus = nb::steal(PyLong_FromLongLong(period));
    const nb::object rest = nb::steal(PyNumber_Remainder(whole.ptr(), modulus.ptr()));
    if (!rest) throw nb::python_error();
    return to_index(rest.ptr());
  });
}
Dims periodic_ints(nb::handle given, Index period) {
  return read_each(given, [period](nb::handle entry) { return periodic_int(entry, period); });
}

Order numpy_order(nb::handle given, Order otherwise, std::string_view operation) {
  if (given.is_none()) return otherwise;
  if (PyUnicode_Check(given.ptr()) == 0) {
    throw TypeError(message(operation, ": order must be a str, not ", name_of_type(given)));
  }
  const std::string text = nb::cast<std::string>(given);
  if (text.size() == 1) {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    for (const Order order : {Order::C, Order::F, Order::A, Order::K}) {
      if (numpy::name(order)[0] == letter) return order;
    }
  }
  throw ValueError(message(operation, ": order '", text, "' must be 'C', 'F', 'A' or 'K'"));
}

CopyRule numpy_copy_rule(nb::handle given, std::string_view operation) {
  if (given.is_none()) return CopyRule::if_needed;
  if (PyUnicode_Check(given.ptr())) {
    throw ValueError(message(operation, ": copy must be True, False or None, not a str"));
  }
  const int is_true = PyObject_IsTrue(given.ptr());
  if (is_true < 0) throw nb::python_error();
  return is_true == 1 ? CopyRule::always : CopyRule::never;
}

DType numpy_dtype(nb::handle given, std::string_view operation) {
  const std::optional<DType> dtype = to_dtype(given, operation);
  if (!dtype) throw TypeError(message(operation, ": a dtype must be given"));
  return *dtype;
}

std::vector<BasicIndex> numpy_index(nb::handle key) {
  if (PyTuple_Check(key.ptr()) == 0) return {basic_index(key)};
  std::vector<BasicIndex> entries;
  for (const nb::handle entry : key) entries.push_back(basic_index(entry));
  return entries;
}

}  // namespace tenstride::python
