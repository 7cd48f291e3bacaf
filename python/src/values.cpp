// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <limits>
#include <string>

#include "base/message.hpp"
#include "cpython.hpp"
#include "errors.hpp"
#include "layouts.hpp"
#include "operations/call.hpp"
#include "ops/index_parts.hpp"
#include "sequences.hpp"
#include "tenstride/tensor/factory.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// Lives as long as the process.
PyObject* importer = nullptr;

/// The tensor that the importer makes of a foreign array; null where it knows nothing of the object.
nb::object imported(PyObject* object) {
  if (importer == nullptr || object == Py_None) return {};
  nb::object result = nb::steal(PyObject_CallFunctionObjArgs(importer, object, nullptr));
  if (!result) throw nb::python_error();
  return is_tensor(result.ptr()) ? result : nb::object();
}

Scalar integer(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return Scalar(static_cast<std::int64_t>(value));
  }
  const unsigned long long large = PyLong_AsUnsignedLongLong(object);
  if (large == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw OverflowError("an int must fit 64 bits");
  }
  return Scalar(static_cast<std::uint64_t>(large));
}

/// One of Python's numbers; nothing for any other object.
std::optional<Scalar> plain_number(PyObject* object) {
  if (PyBool_Check(object)) return Scalar(object == Py_True);
  if (PyLong_Check(object)) return integer(object);
  if (PyFloat_Check(object)) return Scalar(number_of_float(object));
  if (PyComplex_Check(object)) {
    const std::complex<double> value = complex_number(object);
    return Scalar(value);
  }
  return std::nullopt;
}

/// A Python number, or one of NumPy's; nothing for any other object.
std::optional<Scalar> number(PyObject* object) {
  if (const std::optional<Scalar> plain = plain_number(object)) return plain;
  if (PyObject_HasAttrString(object, "__array_interface__") == 0) {
    // PyTorch's tensors can be indices, too.
    if (PyIndex_Check(object) == 0 || PyObject_HasAttrString(object, "__dlpack__") != 0) return std::nullopt;
  } else if (PyObject_HasAttrString(object, "__setitem__") != 0 ||
             PyObject_HasAttrString(object, "dtype") == 0) {
    return std::nullopt;  // an array; NumPy's numbers cannot be written to
  }
  const nb::object kind = nb::getattr(nb::getattr(object, "dtype", nb::none()), "kind", nb::str(""));
  const auto is_kind = [&](const char* letter) {
    return PyUnicode_Check(kind.ptr()) != 0 && PyUnicode_CompareWithASCIIString(kind.ptr(), letter) == 0;
  };
  if (is_kind("b")) {
    const int truth = PyObject_IsTrue(object);
    if (truth < 0) throw nb::python_error();
    return Scalar(truth == 1);
  }
  if (is_kind("f")) {
    const double value = PyFloat_AsDouble(object);
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return Scalar(value);
  }
  if (is_kind("c")) {
    const std::complex<double> value = complex_number(object);
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return Scalar(value);
  }
  const nb::object index = nb::steal(PyNumber_Index(object));
  if (!index) throw nb::python_error();
  return integer(index.ptr());
}

Value nested_value(PyObject* object, Given& given, std::size_t depth);

Value sequence(PyObject* object, Value::SequenceKind kind, Given& given, std::size_t depth) {
  require_nesting(object, depth);
  Value::Sequence items{kind, {}};
  items.items.reserve(static_cast<std::size_t>(EntriesOf::count(object)));
  each_entry(object, [&](PyObject* entry) { items.items.push_back(nested_value(entry, given, depth + 1)); });
  return Value(Value::Variant(std::move(items)));
}

/// Python's own types as dtypes mean the wide ones, as PyTorch takes them.
std::optional<DType> python_type(PyObject* object) {
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::float64;
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::int64;
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::bool_;
  if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DType::complex128;
  // `torch.FloatTensor` and the like say theirs.
  if (PyType_Check(object) == 0 || PyObject_HasAttrString(object, "dtype") == 0) return std::nullopt;
  const nb::object dtype = nb::handle(object).attr("dtype");
  return find_dtype(dtype.ptr());
}

}  // namespace

std::optional<Scalar> to_number(PyObject* object) {
  return number(object);
}

void set_importer(nb::object callable) {
  importer = callable.release().ptr();
}

nb::object import_foreign(nb::handle object) {
  nb::object result = imported(object.ptr());
  return result ? result : nb::none();
}

Index to_index(PyObject* object) {
  const nb::object index = nb::steal(PyNumber_Index(object));
  if (!index) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) throw OverflowError("an index or a size must fit 64 bits");
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

Dims to_dims(nb::handle object) {
  if (PyLong_Check(object.ptr()) != 0) return {to_index(object.ptr())};
  Dims dims;
  each_of(object, [&](PyObject* entry) { dims.push_back(to_index(entry)); });
  return dims;
}

Dims to_dims(const nb::args& arguments) {
  return to_dims(arguments.size() == 1 ? nb::object(arguments[0]) : nb::object(arguments));
}

Value to_value(PyObject* object, Given& given) {
  return nested_value(object, given, 0);
}

Index to_clamped_index(PyObject* object) {
  const nb::object whole = nb::steal(PyNumber_Index(object));
  if (!whole) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow == 0) return value;
  return overflow < 0 ? std::numeric_limits<Index>::min() : std::numeric_limits<Index>::max();
}

Slice to_slice(PyObject* object) {
  const SliceParts slice(object);
  const auto entry = [](PyObject* value) {
    return value == Py_None ? std::optional<Index>() : std::optional(to_clamped_index(value));
  };
  return {entry(slice.start()), entry(slice.stop()), entry(slice.step()).value_or(1)};
}

namespace {

/// The object in `depth` lists.
Value nested_value(PyObject* object, Given& given, std::size_t depth) {
  if (is_tensor(object)) {
    given.emplace_back(&tensor_of(object), nb::borrow(object));
    return Value(Value::Variant(std::shared_ptr<Tensor>(std::shared_ptr<void>(), &tensor_of(object))));
  }
  if (object == Py_None) return {};
  if (PyTuple_Check(object)) {
    const auto kind = is_size(object) ? Value::SequenceKind::size : Value::SequenceKind::tuple;
    return sequence(object, kind, given, depth);
  }
  if (PyList_Check(object)) return sequence(object, Value::SequenceKind::list, given, depth);
  if (const std::optional<Scalar> scalar = plain_number(object)) return Value(*scalar);
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == nullptr) throw nb::python_error();
    return Value(Value::Variant(std::string(text, static_cast<std::size_t>(size))));
  }
  if (object == Py_Ellipsis) return Value(Value::Variant(detail::EllipsisType{}));
  if (PySlice_Check(object)) return Value(Value::Variant(to_slice(object)));
  if (const std::optional<DType> dtype = python_type(object)) return Value(Value::Variant(*dtype));
  if (DTypeObject* dtype = nullptr; nb::try_cast(nb::handle(object), dtype))
    return Value(Value::Variant(dtype->value));
  if (FormatObject* format = nullptr; nb::try_cast(nb::handle(object), format)) {
    return Value(Value::Variant(format->value));
  }
  if (LayoutObject* layout = nullptr; nb::try_cast(nb::handle(object), layout)) {
    return Value(Value::Variant(layout->name));
  }
  if (DeviceObject* device = nullptr; nb::try_cast(nb::handle(object), device)) {
    return Value(Value::Variant(device->value));
  }
  if (detail::StorageElements* storage = nullptr; nb::try_cast(nb::handle(object), storage)) {
    return Value(Value::Variant(*storage));
  }
  if (detail::StorageBytes* storage = nullptr; nb::try_cast(nb::handle(object), storage)) {
    return Value(Value::Variant(*storage));
  }
  if (const std::optional<Scalar> scalar = number(object)) return Value(*scalar);
  if (const nb::object array = imported(object)) return Value::array_of(tensor_of(array.ptr()));
  if (PyRange_Check(object)) {
    return sequence(counted_entries(object).ptr(), Value::SequenceKind::list, given, depth);
  }
  if (PyIter_Check(object)) {
    Value::Sequence items{Value::SequenceKind::list, {}};
    each_of(object, [&](PyObject* entry) { items.items.push_back(nested_value(entry, given, depth + 1)); });
    return Value(Value::Variant(std::move(items)));
  }
  throw TypeError(detail::message("an argument of type ", name_of_type(object),
                                  " must be a Tensor, a number, a str, a tuple or list of these, a dtype, a "
                                  "memory format, a device or None"));
}

}  // namespace

PyObject* from_scalar(const Scalar& scalar) {
  return std::visit(
      [](auto value) -> PyObject* {
        using T = decltype(value);
        if constexpr (std::is_same_v<T, bool>) {
          return PyBool_FromLong(value ? 1 : 0);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return PyLong_FromLongLong(value);
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
          return PyLong_FromUnsignedLongLong(value);
        } else if constexpr (std::is_same_v<T, double>) {
          return PyFloat_FromDouble(value);
        } else {
          return PyComplex_FromDoubles(value.real(), value.imag());
        }
      },
      scalar.value());
}

namespace {

PyObject* from_sequence(const Value::Sequence& sequence) {
  if (sequence.kind == Value::SequenceKind::size) {
    Dims dims;
    for (const Value& item : sequence.items) dims.push_back(item.number()->to<Index>());
    return new_size(dims);
  }
  const auto count = static_cast<Py_ssize_t>(sequence.items.size());
  const bool is_list = sequence.kind == Value::SequenceKind::list;
  nb::object result = nb::steal(is_list ? PyList_New(count) : PyTuple_New(count));
  if (!result) throw nb::python_error();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = from_value(sequence.items[static_cast<std::size_t>(i)]);
    if (item == nullptr) throw nb::python_error();
    if (is_list) {
      NB_LIST_SET_ITEM(result.ptr(), i, item);
    } else {
      NB_TUPLE_SET_ITEM(result.ptr(), i, item);
    }
  }
  return result.release().ptr();
}

}  // namespace

PyObject* from_value(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return new_tensor(*tensor);
  if (const Scalar* scalar = value.number()) return from_scalar(*scalar);
  if (const Value::Sequence* items = value.sequence()) return from_sequence(*items);
  const Value::Variant& held = value.variant();
  if (const auto* text = std::get_if<std::string>(&held)) {
    return PyUnicode_FromStringAndSize(text->data(), static_cast<Py_ssize_t>(text->size()));
  }
  if (const auto* dtype = std::get_if<DType>(&held)) return new_dtype(*dtype);
  if (const auto* format = std::get_if<MemoryFormat>(&held)) return new_format(*format);
  if (const auto* device = std::get_if<Device>(&held)) return new_device(*device);
  if (const auto* elements = std::get_if<detail::StorageElements>(&held)) {
    return nb::cast(*elements).release().ptr();
  }
  if (const auto* bytes = std::get_if<detail::StorageBytes>(&held)) return nb::cast(*bytes).release().ptr();
  Py_RETURN_NONE;
}

void warn_of_old_mask(const Tensor& index) {
  if (index.dtype() != DType::uint8 || index.dim() == 0) return;
  constexpr const char* text =
      "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.";
  if (PyErr_WarnEx(PyExc_UserWarning, text, 1) != 0) throw nb::python_error();
}

namespace {

/// A foreign array as an index: positions of any type of integers, where a Tensor's must be int64 or int32.
Tensor foreign_index(const Tensor& array) {
  const DType type = array.dtype();
  return is_integer(type) && type != DType::uint8 ? array.to(DType::int64) : array;
}

TensorIndex to_entry(PyObject* object) {
  if (PyLong_CheckExact(object)) return to_index(object);
  if (object == Py_None) return NewAxis{};
  if (object == Py_Ellipsis) return Ellipsis{};
  if (PySlice_Check(object)) return to_slice(object);
  if (PyBool_Check(object)) return object == Py_True;
  if (is_tensor(object)) {
    const Tensor& tensor = tensor_of(object);
    const bool is_position = is_integer(tensor.dtype()) && tensor.dtype() != DType::uint8;
    if (tensor.dim() == 0 && is_position) return tensor.item<Index>();
    warn_of_old_mask(tensor);
    return tensor;
  }
  if (PyList_Check(object) || PyTuple_Check(object) || PyRange_Check(object)) {
    return detail::list_index(to_nested(object, DType::int64));
  }
  if (const std::optional<Scalar> scalar = number(object); scalar && scalar->is_integer()) {
    return scalar->to<Index>();
  } else if (scalar && scalar->is_bool()) {
    return scalar->to<bool>();
  }
  if (const nb::object array = imported(object)) {
    warn_of_old_mask(tensor_of(array.ptr()));
    return foreign_index(tensor_of(array.ptr()));
  }
  const std::string text =
      detail::message("index: ", name_of_type(object),
                      " must be an int, a slice, None, `...`, a list of ints or bools, or a Tensor");
  if (PyUnicode_Check(object)) throw TypeError(text);
  throw detail::NotationError{"IndexError", text, {}};
}

/// Whether a sequence stands for a tuple of indices (PyTorch's treatSequenceAsTuple, once NumPy's): a tuple,
/// or another sequence of less than 32 items of which one is a sequence, a slice, None, `...` or a Tensor.
/// Example: `x[[[0, 1], [1, 2]]]` is `x[[0, 1], [1, 2]]`; `x[[0, 1]]` is one list of positions.
bool is_tuple_of_indices(PyObject* object) {
  if (PyTuple_Check(object)) return true;
  if (PySequence_Check(object) == 0 || PyUnicode_Check(object) || is_array(object)) return false;
  const Py_ssize_t count = PySequence_Size(object);
  if (count < 0) PyErr_Clear();
  if (count < 0 || count >= 32) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(object, i));
    if (!item) {
      PyErr_Clear();
      return false;
    }
    PyObject* const entry = item.ptr();
    if (is_tensor(entry) || PySequence_Check(entry) != 0 || PySlice_Check(entry)) return true;
    if (entry == Py_Ellipsis || entry == Py_None) return true;
  }
  return false;
}

}  // namespace

bool is_array(PyObject* object) {
  return is_tensor(object) || PyObject_HasAttrString(object, "__array_interface__") != 0 ||
         PyObject_HasAttrString(object, "__dlpack__") != 0;
}

std::vector<TensorIndex> to_indices(PyObject* object) {
  std::vector<TensorIndex> indices;
  if (!is_tuple_of_indices(object)) {
    indices.push_back(to_entry(object));
    return indices;
  }
  const nb::object entries = counted_entries(object);
  indices.reserve(static_cast<std::size_t>(NB_TUPLE_GET_SIZE(entries.ptr())));
  each_entry(entries.ptr(), [&](PyObject* entry) { indices.push_back(to_entry(entry)); });
  return indices;
}

}  // namespace tenstride::python
