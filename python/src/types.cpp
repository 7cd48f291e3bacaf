// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <string>

#include "base/message.hpp"
#include "defaults.hpp"
#include "exchange.hpp"
#include "tenstride/base/dtype.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// All live as long as the process.
std::array<PyObject*, dtype_count> dtypes{};
std::array<PyObject*, 4> formats{};
std::array<PyObject*, 2> devices{};  // of the cpu and meta

std::string format_name(MemoryFormat format) {
  const bool has_suffix = format == MemoryFormat::contiguous || format == MemoryFormat::preserve;
  return detail::message(name(format), has_suffix ? "_format" : "");
}

PyObject* new_ref(PyObject* object) {
  Py_INCREF(object);
  return object;
}

void define_dtypes(nb::module_& module) {
  nb::class_<DTypeObject>(module, "dtype",
                          "The type of a tensor's elements; `torch.float32` and the like.\n\n"
                          ">>> torch.float32.itemsize, torch.float32.is_floating_point\n(4, True)\n")
      .def_prop_ro(
          "itemsize", [](const DTypeObject& self) { return item_size(self.value); }, "Bytes of one element.")
      .def_prop_ro(
          "is_floating_point", [](const DTypeObject& self) { return is_floating_point(self.value); },
          "Whether it is a real floating type.")
      .def_prop_ro(
          "is_complex", [](const DTypeObject& self) { return is_complex(self.value); },
          "Whether it is a complex type.")
      .def_prop_ro(
          "is_signed",
          [](const DTypeObject& self) {
            return kind(self.value) != DTypeKind::boolean && kind(self.value) != DTypeKind::unsigned_integer;
          },
          "Whether it has negative values.")
      .def("__repr__", [](const DTypeObject& self) { return detail::message("torch.", name(self.value)); })
      .def("__reduce__", [](const DTypeObject& self) { return std::string(name(self.value)); });
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<DType>(i);
    nb::object object = nb::cast(DTypeObject{type});
    dtypes[i] = object.ptr();
    module.attr(std::string(name(type)).c_str()) = object;
    object.release();
  }
  for (const char* alias :
       {"float", "double", "half", "int", "long", "short", "chalf", "cfloat", "cdouble"}) {
    module.attr(alias) = nb::handle(dtypes[static_cast<std::size_t>(*parse_dtype(alias))]);
  }
}

void define_numbers(nb::module_& module) {
  module.attr("pi") = std::numbers::pi;
  module.attr("e") = std::numbers::e;
  module.attr("inf") = std::numeric_limits<double>::infinity();
  module.attr("nan") = std::numeric_limits<double>::quiet_NaN();
}

void define_formats(nb::module_& module) {
  nb::class_<FormatObject>(
      module, "memory_format",
      "The order of a tensor's axes in memory: `torch.contiguous_format`, `torch.channels_last` and the "
      "like.\n\n"
      ">>> torch.zeros(1, 2, 3, 4).contiguous(memory_format=torch.channels_last).stride()\n(24, 1, 8, 2)\n")
      .def("__repr__", [](const FormatObject& self) { return "torch." + format_name(self.value); })
      .def("__reduce__", [](const FormatObject& self) { return format_name(self.value); });
  for (const MemoryFormat format : {MemoryFormat::contiguous, MemoryFormat::channels_last,
                                    MemoryFormat::channels_last_3d, MemoryFormat::preserve}) {
    nb::object object = nb::cast(FormatObject{format});
    formats[static_cast<std::size_t>(format)] = object.ptr();
    module.attr(format_name(format).c_str()) = object;
    object.release();
  }
}

/// Of "cuda:1", ("cuda", 1) or a device.
Device device_of(nb::handle type, std::optional<int> index) {
  const Device device = *to_device(type, "device");
  if (!index) return device;
  if (device.index()) {
    throw RuntimeError(detail::message(
        "device: '", name(device), "' must not have an index of its own where index ", *index, " is given"));
  }
  if (*index < 0 || *index > 127) {
    throw RuntimeError(detail::message("device: index ", *index, " must be in 0..127"));
  }
  return Device(device.kind(), *index);
}

void define_devices(nb::module_& module) {
  nb::class_<DeviceObject>(
      module, "device",
      "Where bytes live: `cpu`, or `meta`, which has sizes and no memory, or `cuda`, `mps` and "
      "`xpu`, which are foretold:\n"
      "a transfer to them is told, the tensor has no elements.\n\n"
      "In a `with` statement it is the device of tensors that are made without one: of `zeros` and its like, "
      "`tensor`,\n"
      "`as_tensor` and `asarray`, in this thread.\n\n"
      "Raises RuntimeError for any other.\n\n"
      ">>> with torch.device(\"meta\"):\n"
      "...     x = torch.zeros(2)\n"
      ">>> x.device\n"
      "device(type='meta')\n"
      ">>> torch.device(\"cuda\", 1), torch.device(\"cuda:1\").index\n"
      "(device(type='cuda', index=1), 1)\n"
      ">>> torch.zeros(2, device=\"meta\").to(\"cuda\").device\n"
      "device(type='cuda', index=0)\n")
      .def(
          "__init__",
          [](DeviceObject* self, nb::handle type, std::optional<int> index) {
            new (self) DeviceObject{device_of(type, index)};
          },
          nb::arg("type"), nb::arg("index").none() = nb::none(),
          nb::sig("def __init__(self, type: str | device, index: int | None = None) -> None"))
      .def_prop_ro(
          "type", [](const DeviceObject& self) { return std::string(name(self.value.kind())); },
          "'cpu', 'meta', 'cuda', 'mps' or 'xpu'.")
      .def_prop_ro(
          "index", [](const DeviceObject& self) { return self.value.index(); },
          "Which one of the type; None where none is named.")
      .def(
          "__eq__",
          [](const DeviceObject& self, nb::handle other) {
            return nb::isinstance<DeviceObject>(other) &&
                   self.value == nb::cast<const DeviceObject&>(other).value;
          },
          nb::arg("other").none())
      .def("__hash__",
           [](const DeviceObject& self) {
             return static_cast<int>(self.value.kind()) * 256 + self.value.index().value_or(-1);
           })
      .def("__enter__",
           [](nb::handle self) {
             enter_device(nb::cast<DeviceObject>(self).value);
             return nb::borrow(self);
           })
      .def("__exit__", [](const DeviceObject&, const nb::args&) { leave_device(); })
      .def("__str__", [](const DeviceObject& self) { return name(self.value); })
      .def("__repr__", [](const DeviceObject& self) { return to_string(self.value); })
      .def("__reduce__",
           [](nb::handle self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); });
  for (const Device device : {Device::cpu, Device::meta}) {
    devices[static_cast<std::size_t>(device.kind())] = nb::cast(DeviceObject{device}).release().ptr();
  }
}

}  // namespace

void define_types(nb::module_& module) {
  nb::object size = nb::module_::import_("tenstride._size").attr("Size");
  set_size_type(size);
  module.attr("Size") = size;
  size.release();
  define_dtypes(module);
  define_numbers(module);
  define_formats(module);
  define_devices(module);
}

void set_tensor_type(nb::handle type, nb::handle other) {
  keep_objects(type, other);
}
nb::handle tensor_type() noexcept {
  return reinterpret_cast<PyObject*>(tensor_objects.type);
}

PyObject* new_tensor(Tensor tensor) {
  return make_tensor([&] { return std::move(tensor); });
}

PyObject* new_dtype(DType dtype) {
  return new_ref(dtypes[static_cast<std::size_t>(dtype)]);
}
std::optional<DType> find_dtype(PyObject* object) noexcept {
  const auto found = std::find(dtypes.begin(), dtypes.end(), object);
  if (found == dtypes.end()) return std::nullopt;
  return static_cast<DType>(found - dtypes.begin());
}
PyObject* new_format(MemoryFormat format) {
  return new_ref(formats[static_cast<std::size_t>(format)]);
}
std::optional<MemoryFormat> find_format(PyObject* object) noexcept {
  const auto found = std::find(formats.begin(), formats.end(), object);
  if (found == formats.end()) return std::nullopt;
  return static_cast<MemoryFormat>(found - formats.begin());
}
PyObject* new_device(Device device) {
  if (!device.is_host() || device.index()) return nanobind::cast(DeviceObject{device}).release().ptr();
  return new_ref(devices[static_cast<std::size_t>(device.kind())]);
}

}  // namespace tenstride::python
