// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "base/message.hpp"
#include "cpython.hpp"
#include "defaults.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "exchange_slots.hpp"
#include "ledger.hpp"
#include "sequences.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "tenstride/tensor/factory.hpp"
#include "types.hpp"
#include "values.hpp"

/// Tensors of arrays, buffers, numbers and lists.
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::message;

/// Converted and copied as the rule has it; the GIL is free meanwhile.
Tensor converted(const Tensor& tensor, std::optional<DType> dtype, std::optional<Device> device,
                 CopyRule rule, std::string_view operation) {
  const bool fits = dtype.value_or(tensor.dtype()) == tensor.dtype() &&
                    device.value_or(tensor.device()).placed() == tensor.device();
  if (fits && rule != CopyRule::always) return tensor;
  if (rule == CopyRule::never) {
    throw ValueError(message(operation, ": a copy must be allowed to convert ", name(tensor.dtype()), " on ",
                             name(tensor.device()), " to ", name(dtype.value_or(tensor.dtype())), " on ",
                             name(device.value_or(tensor.device())), " (copy=False)"));
  }
  const LedgerPlaces places;
  const nb::gil_scoped_release released;
  return tensor.to(ToOptions{.dtype = dtype, .device = device, .copy = rule});
}

/// Whether the elements of the result are a copy already.
CopyRule after(CopyRule rule) {
  return rule == CopyRule::always ? CopyRule::if_needed : rule;
}

bool is_buffer(nb::handle object) {
  return PyObject_CheckBuffer(object.ptr()) != 0;
}

/// The array that `__array__` gives, with the dtype that it has there; nothing for an object without it.
std::optional<Tensor> tensor_from_method(nb::handle object, CopyRule rule, std::string_view operation) {
  if (PyType_Check(object.ptr()) != 0 || PyObject_HasAttrString(object.ptr(), "__array__") == 0)
    return std::nullopt;
  const nb::object asarray = nb::module_::import_("numpy").attr("asarray");
  const nb::object array =
      rule == CopyRule::never ? asarray(object, nb::arg("copy") = false) : asarray(object);
  return tensor_from_array(array, rule, operation);
}

/// Masked arrays are arrays to the buffer protocol: what is masked would count.
void require_unmasked(nb::handle array, std::string_view operation) {
  if (PyObject_HasAttrString(array.ptr(), "filled") == 0 || PyObject_HasAttrString(array.ptr(), "mask") == 0)
    return;
  throw TypeError(message(
      operation, ": a masked array must be filled, as a tensor has no mask; use .filled(value) first"));
}

/// The types of a list's numbers: tensors, arrays and NumPy's numbers keep theirs, as in PyTorch.
class Numbers {
 public:
  explicit Numbers(PyObject* list) { add(list, 0); }

  /// The type in which all meet, where some have a type of their own; else nothing. None has no type.
  [[nodiscard]] std::optional<DType> dtype() const { return is_typed_ && !has_none_ ? dtype_ : std::nullopt; }

 private:
  void meet(DType other) {
    if (dtype_ != other) dtype_ = dtype_ ? promote_types(*dtype_, other) : other;
  }

  void meet_own(DType own) {
    is_typed_ = true;
    meet(own);
  }

  void add(PyObject* object, std::size_t depth) {
    if (is_tensor(object)) return meet_own(tensor_of(object).dtype());
    if (PyFloat_CheckExact(object)) return meet(default_dtype());
    if (PyLong_CheckExact(object)) return meet(DType::int64);
    if (PyBool_Check(object)) return meet(DType::bool_);
    if (PyComplex_CheckExact(object)) return meet(default_complex_dtype());
    if (Py_TYPE(object) == seen_) return;
    has_none_ |= object == Py_None;
    if (PyList_Check(object) != 0 || PyTuple_Check(object) != 0) {
      require_nesting(object, depth);
      each_entry(object, [&](PyObject* entry) { add(entry, depth + 1); });
    } else if (is_numpy_number(object)) {
      seen_ = Py_TYPE(object);
      meet_own(tensor_from_buffer(object, CopyRule::always, "tensor").dtype());
    } else if (const nb::object array = import_foreign(object); is_tensor(array.ptr())) {
      meet_own(tensor_of(array.ptr()).dtype());
    }
  }

  bool is_typed_ = false;
  bool has_none_ = false;
  /// The type of the last of NumPy's numbers: all of one type are of one dtype.
  PyTypeObject* seen_ = nullptr;
  std::optional<DType> dtype_;
};

Tensor from_numbers(nb::handle object, std::optional<DType> given, std::optional<Device> device) {
  if (device) detail::require_present(*device, "asarray");
  const std::optional<DType> dtype = given ? given : Numbers(object.ptr()).dtype();
  const Nested nested = to_nested(object.ptr(), dtype);
  return tensor(nested, TensorOptions{.dtype = dtype, .device = device.value_or(Device::cpu)});
}

/// A tensor stays the same object where nothing changes, as in PyTorch.
nb::object as_object(nb::handle given, const Tensor& result) {
  if (is_tensor(given.ptr()) && tensor_of(given.ptr()).is_same(result)) return nb::borrow(given);
  return nb::steal(new_tensor(result));
}

nb::object asarray(nb::handle object, nb::handle dtype_given, nb::handle device_given, nb::handle copy,
                   std::string_view operation) {
  const CopyRule rule = to_copy_rule(copy, operation);
  const std::optional<DType> dtype = to_dtype(dtype_given, operation);
  const std::optional<Device> device = to_device(device_given, operation);
  if (is_tensor(object.ptr())) {
    return as_object(object, converted(tensor_of(object.ptr()), dtype, device, rule, operation));
  }
  // What has to be converted is not copied before.
  const bool converts = dtype.has_value() || device.has_value();
  const CopyRule first = converts && rule == CopyRule::always ? CopyRule::if_needed : rule;
  const CopyRule then = converts ? rule : after(rule);
  if (const std::optional<Tensor> array = tensor_from_array(object, first, operation)) {
    return nb::steal(new_tensor(converted(*array, dtype, device, then, operation)));
  }
  if (is_buffer(object)) {
    const Tensor shared = tensor_from_buffer(object, first, operation);
    return nb::steal(new_tensor(converted(shared, dtype, device, then, operation)));
  }
  if (rule == CopyRule::never) {
    throw ValueError(message(operation, ": a copy must be allowed to make a tensor of ", name_of_type(object),
                             " (copy=False)"));
  }
  return nb::steal(new_tensor(from_numbers(object, dtype, device)));
}

/// The device that is given, else that of a `with` statement, or None.
nb::object device_or_scopes(nb::handle given) {
  const std::optional<Device> device = device_of_scope();
  return given.is_none() && device ? nb::steal(new_device(*device)) : nb::borrow(given);
}

Tensor from_numpy(nb::handle array) {
  if (!is_numpy_array(array)) {
    throw TypeError(message("from_numpy: a numpy.ndarray must be given (", name_of_type(array), ")"));
  }
  return *tensor_from_array(array, CopyRule::never, "from_numpy");
}

/// Whether a call names an argument.
bool names_it(PyObject* names, const char* wanted) {
  for (Py_ssize_t i = 0; names != nullptr && i < NB_TUPLE_GET_SIZE(names); ++i) {
    if (PyUnicode_CompareWithASCIIString(NB_TUPLE_GET_ITEM(names, i), wanted) == 0) return true;
  }
  return false;
}

/// In front of `tensor`: a number of NumPy's keeps its type, which it would lose among Python's numbers.
PyObject* tensor_of_number(PyObject* original, PyObject* const* arguments, Py_ssize_t count,
                           PyObject* names) {
  return guarded([&] {
    std::vector<PyObject*> given(arguments,
                                 arguments + count + (names == nullptr ? 0 : NB_TUPLE_GET_SIZE(names)));
    nb::object number;
    nb::object data;  // as lists, for as long as the call takes
    if (count > 0) {
      data = with_lists(given[0]);
      given[0] = data.ptr();
    }
    const bool may_be = count > 0 && !PyLong_CheckExact(given[0]) && !PyFloat_CheckExact(given[0]) &&
                        !PyList_CheckExact(given[0]) && !is_tensor(given[0]);
    if (may_be && is_numpy_number(given[0])) {
      number = nb::steal(new_tensor(tensor_from_buffer(given[0], CopyRule::always, "tensor")));
      given[0] = number.ptr();
    }
    if (count == 1 && (PyList_Check(given[0]) != 0 || PyTuple_Check(given[0]) != 0) &&
        !names_it(names, "dtype")) {
      if (const std::optional<DType> dtype = Numbers(given[0]).dtype()) {
        const nb::object typed = nb::cast(DTypeObject{*dtype});
        const nb::object more = nb::make_tuple("dtype");
        const nb::object all = names == nullptr ? more : nb::steal(PySequence_Concat(names, more.ptr()));
        given.push_back(typed.ptr());
        return PyObject_Vectorcall(original, given.data(), static_cast<std::size_t>(count), all.ptr());
      }
    }
    return PyObject_Vectorcall(original, given.data(), static_cast<std::size_t>(count), names);
  });
}

void put_in_front_of_tensor(nb::module_& module) {
  const nb::object original = module.attr("tensor");
  if (PyCFunction_Check(original.ptr()) == 0) throw TypeError("tensor: must be a function of the table");
  static const std::string documentation =
      message("tensor", nb::cast<std::string>(original.attr("__text_signature__")), "\n--\n\n",
              nb::cast<std::string>(original.attr("__doc__")));
  static PyMethodDef definition{"tensor",
                                reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(tensor_of_number)),
                                METH_FASTCALL | METH_KEYWORDS, documentation.c_str()};
  const nb::object module_name = module.attr("__name__");
  const nb::object front = nb::steal(PyCFunction_NewEx(&definition, original.ptr(), module_name.ptr()));
  if (!front) throw nb::python_error();
  module.attr("tensor") = front;
}

/// PyTorch's checks in PyTorch's order: https://pytorch.org/docs/stable/generated/torch.frombuffer.html
Tensor frombuffer(nb::handle object, nb::handle dtype_given, Index count, Index offset) {
  constexpr std::string_view operation = "frombuffer";
  const std::optional<DType> dtype = to_dtype(dtype_given, operation);
  if (!dtype) throw TypeError("frombuffer: dtype must be given");
  if (!is_buffer(object)) {
    throw ValueError(message(operation, ": an object with the buffer protocol must be given (",
                             name_of_type(object), ")"));
  }
  const nb::object plain = nb::steal(PyMemoryView_FromObject(object.ptr()));
  if (!plain) throw nb::python_error();
  const BufferView facts(plain.ptr());
  if (PyBuffer_IsContiguous(facts.get(), 'C') == 0)
    throw ValueError("frombuffer: the buffer must be contiguous");
  const Index size = facts->len;
  const auto item = static_cast<Index>(item_size(*dtype));
  if (size == 0 || count == 0) {
    throw ValueError(
        message(operation, ": both the buffer's length (", size, ") and count (", count, ") must not be 0"));
  }
  if (offset < 0 || offset >= size) {
    throw ValueError(message(operation, ": offset ", offset, " must be in 0..", size - 1, " (the buffer has ",
                             size, " bytes)"));
  }
  const Index left = size - offset;
  if (count < 0 && left % item != 0) {
    throw ValueError(message(operation, ": the ", left, " bytes behind offset ", offset,
                             " must be a multiple of ", item, ", the bytes of ", name(*dtype)));
  }
  const Index elements = count < 0 ? left / item : count;
  if (elements > left / item) {
    throw ValueError(message(operation, ": ", elements, " elements of ", name(*dtype), " need ", left / item,
                             " at most (", left, " bytes behind offset ", offset, ")"));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(facts->buf) + static_cast<std::uintptr_t>(offset);
  const std::size_t number = item_size(component_type(*dtype));
  if (address % number != 0) {
    throw ValueError(message(operation, ": offset ", offset, " must leave the elements at a multiple of ",
                             number, " bytes for ", name(*dtype),
                             "; give a copy of the bytes from there on instead"));
  }
  const nb::object bytes = plain.attr("cast")("B");
  const Tensor all = tensor_from_buffer(bytes, CopyRule::never, operation);
  return all.narrow(0, offset, elements * item).view(*dtype);
}

}  // namespace

std::optional<Tensor> tensor_from_array(nb::handle object, CopyRule rule, std::string_view operation) {
  if (is_numpy_array(object)) {
    require_unmasked(object, operation);
    const std::string kind = nb::cast<std::string>(nb::str(object.attr("dtype").attr("kind")));
    if (kind == "M" || kind == "m") {
      throw TypeError(message(operation, ": elements of ", kind == "M" ? "datetime64" : "timedelta64",
                              " must be numbers; use .view('int64') first"));
    }
    return tensor_from_buffer(object, rule, operation);
  }
  if (is_numpy_number(object)) {
    if (rule == CopyRule::never) {
      throw ValueError(message(operation, ": a copy must be allowed to make a tensor of ",
                               name_of_type(object), " (copy=False)"));
    }
    return tensor_from_buffer(object, CopyRule::always, operation);
  }
  if (PyCapsule_CheckExact(object.ptr()) || PyObject_HasAttrString(object.ptr(), "__dlpack__") != 0) {
    return tensor_from_dlpack(object, std::nullopt, rule);
  }
  if (is_buffer(object)) return std::nullopt;
  if (std::optional<Tensor> described = tensor_from_interface(object, rule, operation)) return described;
  return tensor_from_method(object, rule, operation);
}

void define_from_arrays(nb::module_& module) {
  put_in_front_of_tensor(module);
  module.def(
      "from_numpy", [](nb::handle array) { return nb::steal(new_tensor(from_numpy(array))); },
      nb::arg("ndarray"), nb::sig("def from_numpy(ndarray: numpy.ndarray) -> Tensor"),
      "A tensor on the memory of a NumPy array: same shape and strides (negative ones too), no copy.\n\n"
      "A read-only array gives a read-only tensor. TypeError for what is no array and for elements that are "
      "no\n"
      "numbers; ValueError for swapped bytes and for elements that are not aligned. Each says the fix.\n\n"
      ">>> import numpy\n"
      ">>> a = numpy.arange(4)\n"
      ">>> x = torch.from_numpy(a[::-1])\n"
      ">>> x[0] = 9\n"
      ">>> a.tolist()\n"
      "[0, 1, 2, 9]\n");
  module.def(
      "frombuffer",
      [](nb::handle buffer, nb::handle dtype, Index count, Index offset, bool) {
        return nb::steal(new_tensor(frombuffer(buffer, dtype, count, offset)));
      },
      nb::arg("buffer"), nb::kw_only(), nb::arg("dtype") = nb::none(), nb::arg("count") = -1,
      nb::arg("offset") = 0, nb::arg("requires_grad") = false,
      nb::sig("def frombuffer(buffer: object, *, dtype: dtype, count: int = -1, offset: int = 0, "
              "requires_grad: bool = False) -> Tensor"),
      "A 1-D tensor on the bytes of a buffer, read as elements of `dtype`: no copy.\n\n"
      "`count` elements (all without it) from byte `offset` on; read-only where the buffer is.\n"
      "ValueError where they do not fit into the buffer or are not aligned.\n\n"
      ">>> torch.frombuffer(bytearray(b'\\x01\\x00\\x02\\x00'), dtype=torch.int16)\n"
      "tensor([1, 2], dtype=torch.int16)\n");
  module.def(
      "asarray",
      [](nb::handle object, nb::handle dtype, nb::handle device, nb::handle copy, bool) {
        return asarray(object, dtype, device_or_scopes(device), copy, "asarray");
      },
      nb::arg("obj"), nb::kw_only(), nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none(),
      nb::arg("copy") = nb::none(), nb::arg("requires_grad") = false,
      nb::sig("def asarray(obj: object, *, dtype: dtype | None = None, device: object = None, "
              "copy: bool | None = None, requires_grad: bool = False) -> Tensor"),
      "A tensor of anything: a tensor, an array (NumPy, DLPack, the buffer protocol, `__array_interface__`,\n"
      "`__array__`), a number or lists.\n\n"
      "Memory is shared where it can be; `copy=True` never shares, `copy=False` raises ValueError where a\n"
      "copy is needed. Elements of a buffer are what its format says.\n\n"
      ">>> import array\n"
      ">>> a = array.array('i', [1, 2, 3])\n"
      ">>> torch.asarray(a)[1] = 7\n"
      ">>> a\n"
      "array('i', [1, 7, 3])\n");
  module.def(
      "_asarray",
      [](nb::handle object, const std::string& operation, nb::handle copy) {
        return asarray(object, nb::none(), nb::none(), copy, operation);
      },
      nb::arg("obj"), nb::arg("operation"), nb::arg("copy") = nb::none());
  module.def(
      "as_tensor",
      [](nb::handle data, nb::handle dtype, nb::handle device) {
        return asarray(data, dtype, device_or_scopes(device), nb::none(), "as_tensor");
      },
      nb::arg("data"), nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none(),
      nb::sig("def as_tensor(data: object, dtype: dtype | None = None, device: object = None) -> Tensor"),
      "A tensor of anything, sharing its memory where it can be; a tensor itself where nothing changes.\n\n"
      ">>> x = torch.zeros(2)\n"
      ">>> torch.as_tensor(x) is x, torch.as_tensor([1, 2])\n"
      "(True, tensor([1, 2]))\n");
}

void define_exchange(nb::module_& module, nb::handle tensor_type) {
  define_dlpack(module, tensor_type);
  define_numpy(module, tensor_type);
  define_from_arrays(module);
  // Wherever a tensor is wanted and an array is given: `torch.tensor(array)`, `x[array]`.
  set_importer(nb::cpp_function([](nb::handle object) -> nb::object {
    const std::optional<Tensor> array = tensor_from_array(object, CopyRule::if_needed, "tensor");
    return array ? nb::steal(new_tensor(*array)) : nb::none();
  }));
}

}  // namespace tenstride::python
