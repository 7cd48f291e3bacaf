// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "exchange_slots.hpp"
#include "ledger.hpp"
#include "memory/storage_pin.hpp"
#include "tenstride/layout/numpy_layout.hpp"
#include "types.hpp"

/// Tensors as NumPy's arrays. NumPy is imported only where an array has to be made.
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::message;

nb::object numpy_module() {
  nb::object module = nb::steal(PyImport_ImportModule("numpy"));
  if (module) return module;
  PyErr_Clear();
  throw RuntimeError("numpy: NumPy must be installed; memoryview(x) gives the elements without it");
}

/// A type of NumPy's where NumPy is imported already; what is no such object then is known without it.
nb::object numpy_type(const char* name) {
  const nb::object module_name = nb::str("numpy");
  const nb::object module = nb::steal(PyImport_GetModule(module_name.ptr()));
  if (!module) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return {};
  }
  return nb::getattr(module, name, nb::object());
}

bool is_numpy(nb::handle object, const char* name) {
  const nb::object type = numpy_type(name);
  if (!type.is_valid()) return false;
  const int answer = PyObject_IsInstance(object.ptr(), type.ptr());
  if (answer < 0) throw nb::python_error();
  return answer == 1;
}

void require_numpy_can(const Tensor& tensor) {
  if (!tensor.has_memory()) {
    throw TypeError(message("numpy: a tensor on ", name(tensor.device()),
                            " has no memory and must be on the cpu (shape ", tensor.shape(), ")"));
  }
  if (!tensor.is_resolved()) {
    throw RuntimeError(message("numpy: a ", tensor.is_conj() ? "conjugate" : "negative",
                               " view must be resolved (shape ", tensor.shape(), "); use .resolve_",
                               tensor.is_conj() ? "conj" : "neg", "().numpy() or .numpy(force=True)"));
  }
  if (buffer_format(tensor.dtype()) != nullptr) return;
  if (tensor.is_complex()) {
    throw TypeError(message("numpy: NumPy has no ", name(tensor.dtype()), " (shape ", tensor.shape(),
                            "); use .to(torch.complex64).numpy(), or torch.view_as_real(x).numpy() for the "
                            "parts"));
  }
  const bool is_wide = tensor.element_size() == 2;
  throw TypeError(message("numpy: NumPy has no ", name(tensor.dtype()), " (shape ", tensor.shape(),
                          "); use .to(torch.float32).numpy(), or .view(torch.", is_wide ? "uint16" : "uint8",
                          ").numpy() for the bits"));
}

/// The strides in bytes as a tuple.
nb::object byte_strides(const Tensor& tensor, std::string_view operation) {
  Dims strides = tensor.strides();
  for (Index& stride : strides) {
    stride = checked_multiply(stride, static_cast<Index>(tensor.element_size()), operation);
  }
  return nb::steal(new_tuple(strides));
}

/// The array looks at the tensor's memory through a memoryview, which keeps it alive. A buffer does not carry
/// a tensor's strides along axes of one element or of none; the array has them nevertheless, as in PyTorch.
nb::object to_array(nb::handle self) {
  require_numpy_can(tensor_of(self.ptr()));
  const nb::object numpy = numpy_module();
  const nb::object view = nb::steal(PyMemoryView_FromObject(self.ptr()));
  if (!view) throw nb::python_error();
  const nb::object array = nb::getattr(numpy, "asarray")(view);
  const nb::object strides = byte_strides(tensor_of(self.ptr()), "numpy");
  if (strides.equal(array.attr("strides"))) return array;
  return numpy.attr("lib").attr("stride_tricks").attr("as_strided")(array, nb::arg("strides") = strides);
}

nb::object numpy_of(nb::handle self, bool force) {
  const Tensor& tensor = tensor_of(self.ptr());
  if (!force || tensor.is_resolved()) return to_array(self);
  Tensor resolved;
  {
    const LedgerPlaces places;
    const nb::gil_scoped_release released;
    resolved = tensor.resolve_conj().resolve_neg();
  }
  return to_array(nb::steal(new_tensor(std::move(resolved))));
}

/// What NumPy's array does; other libraries ask for it where memory has strides.
nb::object tobytes(nb::handle self, const std::string& order) {
  if (order != "C") throw ValueError(message("tobytes: order '", order, "' must be 'C'"));
  require_numpy_can(tensor_of(self.ptr()));
  Tensor tensor = tensor_of(self.ptr());
  if (!tensor.is_contiguous()) {
    const LedgerPlaces places;
    const nb::gil_scoped_release released;
    tensor = tensor.contiguous();
  }
  return nb::bytes(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
}

nb::object array_of(nb::handle self, nb::handle dtype, nb::handle copy) {
  const CopyRule rule = to_copy_rule(copy, "__array__");
  // NumPy's text of a refusal has no end where the list has none.
  if (PyList_Check(dtype.ptr())) throw TypeError("__array__: dtype must be a type of numbers, not a list");
  const nb::object array = to_array(self);
  const nb::object wanted =
      dtype.is_none() ? array.attr("dtype") : nb::getattr(numpy_module(), "dtype")(dtype);
  if (!wanted.equal(array.attr("dtype"))) {
    if (rule == CopyRule::never) {
      throw ValueError(message("__array__: a copy must be allowed to convert ",
                               name(tensor_of(self.ptr()).dtype()), " to ",
                               nb::cast<std::string>(nb::str(wanted)), " (copy=False)"));
    }
    return array.attr("astype")(wanted);
  }
  if (rule != CopyRule::always) return array;
  Tensor copied;
  {
    const Tensor tensor = tensor_of(self.ptr());
    const LedgerPlaces places;
    const nb::gil_scoped_release released;
    copied = tensor.clone();
  }
  return to_array(nb::steal(new_tensor(std::move(copied))));
}

nb::object array_interface(nb::handle self) {
  const Tensor& tensor = tensor_of(self.ptr());
  const std::string type = array_type(tensor.dtype());
  const auto refuse = [&](std::string_view what) {
    throw_python(PyExc_AttributeError,
                 message("__array_interface__: ", what, " (shape ", tensor.shape(), ")"));
  };
  if (!tensor.has_memory()) refuse(message("a tensor on ", name(tensor.device()), " has no memory"));
  if (tensor.is_conj()) refuse("a conjugate view must be resolved by .resolve_conj() first");
  if (tensor.is_neg()) refuse("a negative view must be resolved by .resolve_neg() first");
  if (type.empty()) refuse(message("NumPy has no ", name(tensor.dtype())));
  detail::pin(tensor.storage());
  const bool is_c = numpy::is_c_contiguous(tensor.layout());
  nb::dict facts;
  facts["version"] = 3;
  facts["typestr"] = type;
  facts["shape"] = nb::steal(new_tuple(tensor.shape()));
  facts["strides"] = is_c ? nb::none() : byte_strides(tensor, "__array_interface__");
  facts["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(tensor.data_ptr()), tensor.is_read_only());
  return facts;
}

}  // namespace

bool is_numpy_array(nb::handle object) {
  return is_numpy(object, "ndarray");
}
bool is_numpy_number(nb::handle object) {
  return is_numpy(object, "generic");
}

void define_numpy(nb::module_&, nb::handle tensor_type) {
  auto type = nb::borrow<nb::class_<Tensor>>(tensor_type);
  type.def(
      "numpy", numpy_of, nb::kw_only(), nb::arg("force") = false,
      nb::sig("def numpy(self, *, force: bool = False) -> numpy.ndarray"),
      "The elements as a NumPy array of the same shape and strides, on the same memory: no copy.\n\n"
      "The array is read-only where the tensor is. TypeError on meta and for element types that NumPy has\n"
      "not (bfloat16, float8); RuntimeError for a conjugate view, which `force=True` resolves by a copy.\n\n"
      ">>> x = torch.zeros(2, 3)\n"
      ">>> a = x.T.numpy()\n"
      ">>> a[2, 1] = 5\n"
      ">>> x\n"
      "tensor([[0., 0., 0.],\n"
      "        [0., 0., 5.]])\n"
      ">>> a.strides\n"
      "(4, 12)\n");
  type.def("tobytes", tobytes, nb::arg("order") = "C",
           nb::sig("def tobytes(self, order: str = 'C') -> bytes"),
           "The bytes of the elements in row-major order, as NumPy's `tobytes` gives them.\n\n"
           ">>> torch.arange(4, dtype=torch.uint8).view(2, 2).T.tobytes()\n"
           "b'\\x00\\x02\\x01\\x03'\n");
  type.def("__array__", array_of, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: object = None, copy: bool | None = None) -> numpy.ndarray"),
           "What `numpy.asarray(x)` asks for: the elements as an array, shared unless the dtype is another "
           "one.\n\n"
           ">>> import numpy\n"
           ">>> x = torch.zeros(2)\n"
           ">>> numpy.shares_memory(x.__array__(), numpy.asarray(x))\n"
           "True\n");
  type.def_prop_ro(
      "__array_interface__", array_interface, nb::sig("def __array_interface__(self) -> dict"),
      "Where the elements lie, as NumPy's protocol (version 3) says it: address, shape, byte strides (None\n"
      "where the elements are row-major).\n\n"
      "AttributeError for what NumPy cannot say. The memory lives as long as the tensor does.\n\n"
      ">>> torch.zeros(2, 3).T.__array_interface__['strides']\n"
      "(4, 12)\n");
  // NumPy's operators give way to a tensor's.
  nb::setattr(tensor_type, "__array_priority__", nb::int_(1000));
}

}  // namespace tenstride::python
