// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "cpython.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "exchange_slots.hpp"
#include "ledger.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/io/dlpack.hpp"
#include "types.hpp"

/// DLPack between Python's libraries, as the array standard says:
/// https://data-apis.org/array-api/2024.12/API_specification/generated/array_api.array.__dlpack__.html
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::message;
using io::DLManagedTensor;
using io::DLManagedTensorVersioned;

/// A capsule's name says whether what is in it still waits for its owner.
template <typename Managed>
struct Names;
template <>
struct Names<DLManagedTensorVersioned> {
  static constexpr const char* fresh = "dltensor_versioned";
  static constexpr const char* used = "used_dltensor_versioned";
};
template <>
struct Names<DLManagedTensor> {
  static constexpr const char* fresh = "dltensor";
  static constexpr const char* used = "used_dltensor";
};

/// Of a capsule that nobody has taken.
template <typename Managed>
void delete_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, Names<Managed>::fresh) == 0) return;
  // An error may be on its way while objects die: it must not be lost.
  const nb::error_scope kept;
  io::DlpackDeleter{}(static_cast<Managed*>(PyCapsule_GetPointer(capsule, Names<Managed>::fresh)));
}

template <typename Managed>
nb::object to_capsule(std::unique_ptr<Managed, io::DlpackDeleter> managed) {
  nb::object capsule =
      nb::steal(PyCapsule_New(managed.get(), Names<Managed>::fresh, delete_capsule<Managed>));
  if (!capsule) throw nb::python_error();
  static_cast<void>(managed.release());
  return capsule;
}

/// Takes the capsule's tensor; the capsule is then marked as used, whether the tensor is accepted or not.
template <typename Managed>
std::optional<Tensor> take(nb::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), Names<Managed>::fresh) == 0) return std::nullopt;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Names<Managed>::fresh));
  if (PyCapsule_SetName(capsule.ptr(), Names<Managed>::used) != 0) throw nb::python_error();
  return io::from_dlpack(managed);
}

Tensor from_capsule(nb::handle capsule) {
  if (std::optional<Tensor> tensor = take<DLManagedTensorVersioned>(capsule)) return *std::move(tensor);
  if (std::optional<Tensor> tensor = take<DLManagedTensor>(capsule)) return *std::move(tensor);
  if (PyCapsule_CheckExact(capsule.ptr()) == 0) {
    throw TypeError(message("from_dlpack: __dlpack__ must give a capsule (", name_of_type(capsule), ")"));
  }
  const char* name = PyCapsule_GetName(capsule.ptr());
  const std::string_view given = name == nullptr ? "no name" : name;
  if (given.starts_with("used_")) {
    throw RuntimeError("from_dlpack: a capsule must be used once (its tensor was taken before)");
  }
  throw RuntimeError(
      message("from_dlpack: a capsule must be named dltensor or dltensor_versioned (", given, ")"));
}

/// `(major, minor)`, of which the major number counts; 0 for None.
long major_version(nb::handle version) {
  if (version.is_none()) return 0;
  if (!nb::isinstance<nb::tuple>(version) || nb::len(version) != 2) {
    throw TypeError("__dlpack__: max_version must be a tuple (major, minor) or None");
  }
  return nb::cast<long>(version[0]);
}

/// `(type, id)`, of which only the CPU will do.
void require_cpu(nb::handle device) {
  if (device.is_none()) return;
  if (!nb::isinstance<nb::tuple>(device) || nb::len(device) != 2) {
    throw TypeError("__dlpack__: dl_device must be a tuple (type, id) or None");
  }
  const io::DLDevice wanted{nb::cast<std::int32_t>(nb::int_(nb::object(device[0]))),
                            nb::cast<std::int32_t>(nb::int_(nb::object(device[1])))};
  if (wanted.type == io::dlpack_cpu) return;
  throw_python(PyExc_BufferError, message("__dlpack__: a tensor on cpu cannot be handed out on ",
                                          io::dlpack_device_name(wanted), "; ask for dl_device=(1, 0)"));
}

nb::object export_tensor(nb::handle self, nb::handle stream, nb::handle max_version, nb::handle dl_device,
                         nb::handle copy) {
  // On the cpu there is no stream to wait for: any number will do, as in PyTorch.
  if (!stream.is_none() && (PyLong_Check(stream.ptr()) == 0 || PyBool_Check(stream.ptr()) != 0)) {
    throw TypeError(message("__dlpack__: stream must be an int or None (", name_of_type(stream), ")"));
  }
  const CopyRule rule = to_copy_rule(copy, "__dlpack__");
  const bool is_versioned = major_version(max_version) >= 1;
  require_cpu(dl_device);
  Tensor tensor = tensor_of(self.ptr());
  if (rule == CopyRule::always && tensor.has_memory()) {
    const LedgerPlaces places;
    const nb::gil_scoped_release released;
    tensor = tensor.clone();
  }
  try {
    if (!is_versioned) return to_capsule(io::to_dlpack_unversioned(tensor));
    const auto memory = rule == CopyRule::always ? io::DlpackMemory::copied : io::DlpackMemory::shared;
    return to_capsule(io::to_dlpack(tensor, memory));
  } catch (const Error& error) {
    throw_python(export_error(), error.what());
  }
}

nb::object export_device(nb::handle self) {
  if (tensor_of(self.ptr()).has_memory()) return nb::make_tuple(io::dlpack_cpu, 0);
  throw_python(PyExc_BufferError, "__dlpack_device__: meta has no memory and is none of DLPack's devices");
}

/// Whether the type of an object, or one it is derived from, is of a package: `jax._src.array` of "jax".
bool is_of(nb::handle object, std::string_view package) {
  for (const nb::handle type : nb::borrow<nb::tuple>(object.type().attr("__mro__"))) {
    const nb::object module_name = nb::getattr(type, "__module__", nb::str(""));
    if (!nb::isinstance<nb::str>(module_name)) continue;
    const std::string name = nb::cast<std::string>(module_name);
    if (std::string_view(name).substr(0, name.find('.')) == package) return true;
  }
  return false;
}

/// Asks before anything is handed over, so that nothing needs to be given back.
void require_reachable(nb::handle object, std::optional<Device> device) {
  if (PyObject_HasAttrString(object.ptr(), "__dlpack_device__") == 0) {
    throw TypeError(message("from_dlpack: an array must have elements (", name_of_type(object),
                            is_of(object, "jax") ? "; inside jax.jit it has none: use jax.pure_callback)"
                                                 : " has __dlpack__, but no __dlpack_device__)"));
  }
  const nb::object answer = nb::getattr(object, "__dlpack_device__")();
  const io::DLDevice given{nb::cast<std::int32_t>(nb::int_(nb::object(answer[0]))),
                           nb::cast<std::int32_t>(nb::int_(nb::object(answer[1])))};
  if (given.type == io::dlpack_cpu || device) return;
  throw_python(PyExc_BufferError,
               message("from_dlpack: a tensor on ", io::dlpack_device_name(given),
                       " must be on the cpu; move it there first, e.g. by .cpu(), or ask for "
                       "device='cpu' where its library can do that"));
}

/// Libraries older than DLPack 1.0 know no arguments. Whether a copy still has to be made is told by `rule`.
nb::object capsule_of(nb::handle object, std::optional<Device> device, CopyRule& rule) {
  const nb::object method = nb::getattr(object, "__dlpack__");
  nb::dict arguments;
  arguments["max_version"] = nb::make_tuple(io::dlpack_version.major, io::dlpack_version.minor);
  if (device) arguments["dl_device"] = nb::make_tuple(io::dlpack_cpu, 0);
  if (rule != CopyRule::if_needed) arguments["copy"] = nb::bool_(rule == CopyRule::always);
  nb::object capsule = nb::steal(PyObject_Call(method.ptr(), nb::tuple().ptr(), arguments.ptr()));
  if (capsule) {
    rule = CopyRule::if_needed;
    return capsule;
  }
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
  PyErr_Clear();
  return method();
}

/// Whether what a library hands out in the old form of a capsule, which cannot say so, may have to be left as
/// it is. PyTorch has no such memory, and NumPy refuses to hand it out so; JAX hands it out.
bool may_be_read_only(nb::handle object) {
  return !is_of(object, "torch") && !is_of(object, "numpy");
}

/// A tensor of our own as a capsule would bring it, on the same storage: a stride along which no step is
/// taken is 1.
Tensor own_tensor(const Tensor& tensor) {
  if (tensor.is_conj()) {
    throw_python(export_error(), "from_dlpack: a conjugate view must be resolved; use .resolve_conj() first");
  }
  Layout layout = tensor.layout();
  for (std::size_t axis = 0; axis < layout.rank(); ++axis) {
    if (layout.shape[axis] < 2) layout.strides[axis] = 1;
  }
  return layout.strides == tensor.strides() ? tensor : with_layout(tensor, layout);
}

/// Whether a tensor may be written to: as its capsule says, or as the library knows to which it goes back.
enum class Writing { as_said, lent };

Tensor taken(nb::handle object, std::optional<Device> device, CopyRule rule, Writing writing) {
  if (device && !device->has_memory()) {
    throw ValueError(message("from_dlpack: device must be 'cpu': ", name(*device), " has no memory"));
  }
  Tensor tensor;
  if (is_tensor(object.ptr())) {
    tensor = own_tensor(tensor_of(object.ptr()));
  } else if (PyCapsule_CheckExact(object.ptr())) {
    tensor = from_capsule(object);
  } else if (PyObject_HasAttrString(object.ptr(), "__dlpack__") != 0) {
    require_reachable(object, device);
    const nb::object capsule = capsule_of(object, device, rule);
    const bool is_old = PyCapsule_IsValid(capsule.ptr(), Names<DLManagedTensor>::fresh) != 0;
    tensor = from_capsule(capsule);
    if (is_old && writing == Writing::as_said && may_be_read_only(object)) tensor = tensor.read_only();
  } else {
    throw TypeError(message("from_dlpack: an object that has __dlpack__ must be given, or its capsule (",
                            name_of_type(object), ")"));
  }
  if (rule != CopyRule::always) return tensor;
  const LedgerPlaces places;
  const nb::gil_scoped_release released;
  return tensor.clone();
}

}  // namespace

Tensor tensor_from_dlpack(nb::handle object, std::optional<Device> device, CopyRule rule) {
  return taken(object, device, rule, Writing::as_said);
}

void define_dlpack(nb::module_& module, nb::handle tensor_type) {
  // For what is only read, and goes back to its library, which knows what may be written to.
  module.def(
      "_lent",
      [](nb::handle object) {
        return nb::steal(new_tensor(taken(object, std::nullopt, CopyRule::if_needed, Writing::lent)));
      },
      nb::arg("object"));
  auto type = nb::borrow<nb::class_<Tensor>>(tensor_type);
  type.def(
      "__dlpack__", export_tensor, nb::arg("stream") = nb::none(), nb::kw_only(),
      nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
      nb::sig(
          "def __dlpack__(self, stream: int | None = None, *, max_version: tuple[int, int] | None = None, "
          "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> object"),
      "The tensor for another library, as a DLPack capsule; no element is copied unless `copy=True`.\n\n"
      "The versioned form is given where `max_version` says (1, 0) or more. BufferError for what cannot be\n"
      "handed out: a device other than the cpu, a conjugate view, a read-only tensor in the old form.\n\n"
      ">>> x = torch.arange(6)\n"
      ">>> torch.from_dlpack(x.__dlpack__(max_version=(1, 0))).data_ptr() == x.data_ptr()\n"
      "True\n");
  type.def("__dlpack_device__", export_device, nb::sig("def __dlpack_device__(self) -> tuple[int, int]"),
           "DLPack's number of the device, (1, 0) for the cpu; BufferError on meta.\n\n"
           ">>> torch.zeros(2).__dlpack_device__()\n"
           "(1, 0)\n");
  module.def(
      "to_dlpack",
      [](nb::handle tensor) {
        if (is_tensor(tensor.ptr())) return nb::object(tensor.attr("__dlpack__")());
        throw TypeError(message("to_dlpack: a Tensor must be given (", name_of_type(tensor), ")"));
      },
      nb::arg("tensor"), nb::sig("def to_dlpack(tensor: Tensor) -> object"),
      "The DLPack capsule of a tensor, to be taken once; `from_dlpack(x)` needs none.\n\n"
      ">>> torch.from_dlpack(torch.to_dlpack(torch.arange(3)))\n"
      "tensor([0, 1, 2])\n");
  module.def(
      "from_dlpack",
      [](nb::handle object, nb::handle device, nb::handle copy) {
        const CopyRule rule = to_copy_rule(copy, "from_dlpack");
        return nb::steal(new_tensor(tensor_from_dlpack(object, to_device(device, "from_dlpack"), rule)));
      },
      nb::arg("ext_tensor"), nb::kw_only(), nb::arg("device") = nb::none(), nb::arg("copy") = nb::none(),
      nb::sig("def from_dlpack(ext_tensor: object, *, device: object = None, copy: bool | None = None) -> "
              "Tensor"),
      "A tensor on the memory of another library's: of anything that has `__dlpack__`, or of its capsule.\n\n"
      "Shape and strides are those of the other; a read-only array gives a read-only tensor, and so does "
      "one\n"
      "whose library knows only the old form, which cannot say it (but for PyTorch and NumPy; a capsule is\n"
      "taken as it is). `copy=True` makes a copy, `copy=False` forbids one. BufferError where the other is "
      "on a device that is not the cpu;\n"
      "RuntimeError for element types that tenstride has not, and for what is no valid tensor.\n\n"
      ">>> class Lent:\n"
      "...     def __init__(self, x): self.x = x\n"
      "...     def __dlpack_device__(self): return self.x.__dlpack_device__()\n"
      "...     def __dlpack__(self, **arguments): return self.x.__dlpack__(**arguments)\n"
      ">>> x = torch.zeros(2, 3)\n"
      ">>> y = torch.from_dlpack(Lent(x.T))\n"
      ">>> y[0, 1] = 7.\n"
      ">>> x\n"
      "tensor([[0., 0., 0.],\n"
      "        [7., 0., 0.]])\n");
}

}  // namespace tenstride::python
