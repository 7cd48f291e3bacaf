// SPDX-License-Identifier: Apache-2.0
#include "exchange_slots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <span>
#include <vector>

#include "base/message.hpp"
#include "base/scalar_checked.hpp"
#include "calls.hpp"
#include "cpython.hpp"
#include "defaults.hpp"
#include "direct.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "ints.hpp"
#include "ledger.hpp"
#include "module_parts.hpp"
#include "quick_numbers.hpp"
#include "sequences.hpp"
#include "tensor_slots.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/print/format.hpp"
#include "tenstride/tensor/factory.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

PyObject* get_item(PyObject* self, PyObject* key) {
  if (PyLong_CheckExact(key)) {
    return guarded([&] {
      Index index = 0;
      if (!read_int(key, index)) index = to_index(key);  // says that it is too large
      return make_tensor([&] { return std::as_const(tensor_of(self)).select(0, index); });
    });
  }
  PyObject* quick = quick_item(self, key);
  if (is_done(quick)) return quick;
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    const LedgerPlaces places;
    const std::vector<TensorIndex> indices = to_indices(key);
    const bool is_large = tensor.numel() >= elements_without_gil;
    return new_tensor(without_gil(is_large, [&] { return tensor.index(indices); }));
  });
}

void put(Tensor& tensor, const std::vector<TensorIndex>& indices, PyObject* value) {
  if (is_tensor(value)) {
    tensor.index_put_(indices, tensor_of(value));
    return;
  }
  const bool is_list = PyList_Check(value) || PyTuple_Check(value) || PyRange_Check(value);
  if (!is_list && PyUnicode_Check(value) == 0) {
    const TensorOptions options{.dtype = tensor.dtype(), .device = tensor.device()};
    Given given;
    const Value converted = to_value(value, given);
    if (converted.tensor() != nullptr) {
      tensor.index_put_(indices, *converted.tensor());
      return;
    }
    if (const Scalar* number = converted.number()) {
      detail::require_element("index_put_", *number, number->is_integer() ? DType::int64 : tensor.dtype());
      tensor.index_put_(indices, full({}, *number, options));
      return;
    }
  }
  throw TypeError(detail::message("index_put_: ", name_of_type(value),
                                  " must be a number or a Tensor to be assigned to elements of ",
                                  name(tensor.dtype()), "; make it one with tensor(...)"));
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  PyObject* done = guarded([&]() -> PyObject* {
    if (value == nullptr) throw TypeError("Tensor: elements cannot be deleted");
    const LedgerPlaces places;
    put(tensor_of(self), to_indices(key), value);
    Py_RETURN_NONE;
  });
  if (done == nullptr) return -1;
  Py_DECREF(done);
  return 0;
}

Py_ssize_t length(PyObject* self) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.dim() > 0) return static_cast<Py_ssize_t>(tensor.shape()[0]);
  PyErr_SetString(PyExc_TypeError, "len: a tensor of rank 0 has no length; .numel() counts its elements");
  return -1;
}

PyObject* iterate(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    if (tensor.dim() == 0)
      throw TypeError("iter: a tensor of rank 0 has no axis to go along; .item() is its element");
    // One part at a time where there are many: nobody may want all of them.
    if (tensor.size(0) > static_cast<Index>(max_iterated)) {
      const nb::object positions = nb::handle(reinterpret_cast<PyObject*>(&PyRange_Type))(tensor.size(0));
      const nb::handle map(reinterpret_cast<PyObject*>(&PyMap_Type));
      return map(nb::getattr(self, "__getitem__"), positions).release().ptr();
    }
    nb::list parts;
    for (Tensor& part : tensor.unbind(0)) parts.append(nb::steal(new_tensor(std::move(part))));
    return PyObject_GetIter(parts.ptr());
  });
}

/// Comparisons; what cannot be compared is Python's own affair (`x == None` is False).
PyObject* compare(PyObject* left, PyObject* right, int sign) {
  using elementwise::Comparison;
  // In order of Py_LT to Py_GE.
  static constexpr const char* names[] = {"lt", "le", "eq", "ne", "gt", "ge"};
  static constexpr Comparison comparisons[] = {Comparison::lt, Comparison::le, Comparison::eq,
                                               Comparison::ne, Comparison::gt, Comparison::ge};
  PyObject* quick = quick_compare(comparisons[sign], left, right);
  if (is_done(quick)) return quick;
  const bool is_known = is_tensor(right) || PyLong_Check(right) || PyFloat_Check(right) ||
                        PyComplex_Check(right) || PyObject_HasAttrString(right, "__array_interface__") != 0;
  if (!is_known) Py_RETURN_NOTIMPLEMENTED;
  PyObject* const arguments[] = {right};
  return call_method(names[sign], left, arguments, 1, nullptr);
}

Py_hash_t hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(self) >> 4);
}

int truth(PyObject* self) {
  PyObject* answer = guarded([&]() -> PyObject* {
    const Tensor& tensor = tensor_of(self);
    if (tensor.numel() != 1) {
      throw RuntimeError(detail::message("bool: a tensor of ", tensor.numel(),
                                         " elements has no truth value, must have 1; see .all() and .any()"));
    }
    return PyBool_FromLong(tensor.item().to<bool>() ? 1 : 0);
  });
  if (answer == nullptr) return -1;
  const int result = answer == Py_True ? 1 : 0;
  Py_DECREF(answer);
  return result;
}

/// What `int(x)` and its like convert.
Scalar only_element(const Tensor& tensor, std::string_view operation) {
  if (tensor.numel() == 1) return tensor.item();
  throw ValueError(detail::message(operation, ": the tensor has ", tensor.numel(),
                                   " elements and must have 1 (shape ", tensor.shape(), ")"));
}

/// The same; of a complex number its real part, where the imaginary one is 0.
Scalar real_element(const Tensor& tensor, std::string_view operation) {
  const Scalar element = only_element(tensor, operation);
  if (!element.is_complex()) return element;
  const auto value = element.to<std::complex<double>>();
  if (value.imag() == 0) return value.real();
  throw RuntimeError(detail::message(operation, ": a complex number must have no imaginary part"));
}

PyObject* as_int(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = tensor_of(self);
    const Scalar element = real_element(tensor, "int");
    if (tensor.is_complex() && !(std::abs(element.to<double>()) <= 0x1p63)) {
      throw RuntimeError("int: a complex number must fit int64");
    }
    const nb::object item = nb::steal(from_scalar(element));
    return PyNumber_Long(item.ptr());
  });
}
PyObject* as_float(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const nb::object item = nb::steal(from_scalar(real_element(tensor_of(self), "float")));
    return PyNumber_Float(item.ptr());
  });
}
PyObject* as_index(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = tensor_of(self);
    if (tensor.numel() != 1 || !(is_integer(tensor.dtype()) || tensor.dtype() == DType::bool_)) {
      throw TypeError("index: only a tensor of one integer can be an index");
    }
    const nb::object item = nb::steal(from_scalar(tensor.item()));
    return PyNumber_Long(item.ptr());
  });
}

/// `value in x`: any element equal to it.
int contains(PyObject* self, PyObject* value) {
  nb::object equal = nb::steal(compare(self, value, Py_EQ));
  if (!equal) return -1;
  if (!is_tensor(equal.ptr())) {
    PyErr_Format(PyExc_RuntimeError, "in: %s must be a number or a Tensor", name_of_type(value).c_str());
    return -1;
  }
  const Tensor any = tensor_of(equal.ptr()).any();
  return any.item().to<bool>() ? 1 : 0;
}

PyObject* repr(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const std::string text = to_string(tensor_of(self), print_options());
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  });
}

std::vector<PyType_Slot> syntax_slots() {
  std::vector<PyType_Slot> slots{{Py_mp_subscript, reinterpret_cast<void*>(get_item)},
                                 {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
                                 {Py_mp_length, reinterpret_cast<void*>(length)},
                                 {Py_sq_contains, reinterpret_cast<void*>(contains)},
                                 {Py_tp_new, reinterpret_cast<void*>(new_object)},
                                 {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                 {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                                 {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                                 {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                                 {Py_tp_hash, reinterpret_cast<void*>(hash)},
                                 {Py_tp_repr, reinterpret_cast<void*>(repr)},
                                 {Py_nb_bool, reinterpret_cast<void*>(truth)},
                                 {Py_nb_int, reinterpret_cast<void*>(as_int)},
                                 {Py_nb_float, reinterpret_cast<void*>(as_float)},
                                 {Py_nb_index, reinterpret_cast<void*>(as_index)}};
  const std::span<const PyType_Slot> numbers = number_slots();
  slots.insert(slots.end(), numbers.begin(), numbers.end());
  slots.push_back({0, nullptr});
  return slots;
}

/// `Tensor(2, 3)`: elements not initialised; `Tensor([[1, 2]])`: those; both of the default type, as
/// PyTorch's. A tensor gives its alias, of whatever type.
void construct(Tensor* self, const nb::args& arguments) {
  const bool is_sizes = std::all_of(arguments.begin(), arguments.end(),
                                    [](nb::handle argument) { return PyLong_Check(argument.ptr()) != 0; });
  if (arguments.size() == 1 && is_size(arguments[0].ptr())) {
    Dims dims;
    for (nb::handle size : nb::borrow<nb::tuple>(arguments[0])) dims.push_back(to_index(size.ptr()));
    new (self) Tensor(empty(dims));
  } else if (is_sizes) {
    Dims dims;
    for (nb::handle size : arguments) dims.push_back(to_index(size.ptr()));
    if (arguments.size() == 0) dims.push_back(0);
    new (self) Tensor(empty(dims));
  } else if (arguments.size() == 1 && is_tensor(arguments[0].ptr())) {
    new (self) Tensor(tensor_of(arguments[0].ptr()).alias());
  } else if (arguments.size() == 1 && PySequence_Check(arguments[0].ptr()) == 0) {
    throw TypeError(detail::message("Tensor: sizes, or one list of numbers, must be given (",
                                    name_of_type(arguments[0]), ")"));
  } else if (arguments.size() == 1) {
    const DType dtype = default_dtype();
    new (self) Tensor(tenstride::tensor(to_nested(arguments[0].ptr(), dtype), {.dtype = dtype}));
  } else {
    throw TypeError("Tensor: sizes, or one list of numbers, must be given");
  }
}

/// The bytes of the storage that the tensor reaches, and where in them its first element stands: what is
/// pickled.
nb::object reduce(const Tensor& tensor) {
  const Tensor plain = tensor.resolve_conj().resolve_neg();
  const std::optional<Reach> reached = reach(plain.layout(), "pickle");
  const Index low = reached ? reached->lowest : 0;
  const Index high = reached ? reached->highest : -1;
  const auto item = static_cast<Index>(plain.element_size());
  // A tensor without memory is its device's name, on meta None.
  nb::object bytes = nb::none();
  if (!plain.device().is_host()) bytes = nb::cast(name(plain.device()));
  if (plain.has_memory()) {
    const auto* first = reinterpret_cast<const char*>(plain.storage_data() + low * item);
    bytes = nb::bytes(plain.numel() == 0 ? "" : first, static_cast<std::size_t>((high - low + 1) * item));
  }
  const nb::object rebuild = nb::module_::import_("tenstride._pickle").attr("rebuild");
  return nb::make_tuple(
      rebuild, nb::make_tuple(bytes, nb::steal(new_dtype(plain.dtype())), (high - low + 1) * item,
                              nb::steal(new_tuple(plain.shape())), nb::steal(new_tuple(plain.strides())),
                              plain.numel() == 0 ? 0 : plain.storage_offset() - low));
}

Tensor rebuild(nb::object bytes, const DTypeObject& dtype, std::size_t nbytes, nb::tuple size,
               nb::tuple stride, Index offset) {
  const bool is_foretold = nb::isinstance<nb::str>(bytes);
  const Device device = is_foretold       ? Device::parse(nb::cast<std::string>(bytes)).value_or(Device::meta)
                        : bytes.is_none() ? Device::meta
                                          : Device::cpu;
  Storage storage = Storage::on(device, nbytes);
  if (storage.has_memory()) {
    const auto given = nb::cast<nb::bytes>(bytes);
    if (given.size() != nbytes) throw StorageError("pickle: the bytes must be as many as the tensor's");
    std::copy_n(static_cast<const std::byte*>(given.data()), nbytes, storage.mutable_data());
  }
  return Tensor(std::move(storage), Layout{to_dims(size), to_dims(stride), offset}, dtype.value);
}

}  // namespace

void define_tensor(nb::module_& module) {
  std::vector<PyType_Slot> slots = syntax_slots();
  nb::class_<Tensor> type(module, "Tensor", nb::type_slots(slots.data()), nb::is_weak_referenceable(),
                          "A storage seen through a shape, strides and an offset as elements of one type.\n\n"
                          "Methods have PyTorch's names, arguments and refusals.\n\n"
                          ">>> x = torch.arange(6).view(2, 3)\n"
                          ">>> x.T.stride()\n"
                          "(1, 3)\n");
  set_tensor_type(type, module.attr("dtype"));
  type.def("__init__", construct)
      .def("__copy__", [](const Tensor& self) { return self.alias(); })
      .def(
          "__deepcopy__", [](const Tensor& self, nb::dict) { return self.clone(MemoryFormat::preserve); },
          nb::arg("memo"))
      .def("__reduce__", reduce)
      .def("__reversed__", [](const Tensor& self) { return self.dim() == 0 ? self.alias() : self.flip({0}); })
      .def(
          "__format__",
          [](nb::handle self, const std::string& format) -> nb::object {
            const Tensor& tensor = tensor_of(self.ptr());
            const bool is_number = tensor.dim() == 0 && tensor.has_memory() && self.type().is(tensor_type());
            if (!is_number) {
              if (format.empty()) return nb::str(self);
              throw TypeError(
                  "format: a tensor takes a format only where it has rank 0, elements, and no class "
                  "derived from Tensor");
            }
            const nb::object item = nb::steal(from_scalar(tensor.item()));
            return nb::steal(PyObject_Format(item.ptr(), nb::str(format.c_str()).ptr()));
          },
          nb::arg("format_spec"))
      .def("__complex__",
           [](const Tensor& self) {
             const auto value = only_element(self, "complex").to<std::complex<double>>();
             return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
           })
      .def_prop_ro(
          "is_read_only", [](const Tensor& self) { return self.is_read_only(); },
          "Whether writing is refused: of a read-only array or mapping.\n\n"
          ">>> torch.zeros(2).is_read_only, torch.frombuffer(b\"abcd\", dtype=torch.uint8).is_read_only\n"
          "(False, True)\n");
  type.attr("__array_priority__") = 1000;
  module.def("_rebuild", rebuild, nb::arg("bytes").none(), nb::arg("dtype"), nb::arg("nbytes"),
             nb::arg("size"), nb::arg("stride"), nb::arg("offset"), "What unpickling calls.");
}

}  // namespace tenstride::python
