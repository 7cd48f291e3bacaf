// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
// All casters that any file uses stand here: a file that lacks one would link another meaning of the same
// cast.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "objects.hpp"
#include "tenstride/tensor/tensor.hpp"

/// The Python types of the package, and how C++ makes their objects. All functions want the GIL; what they
/// give as PyObject* is a new reference unless they say otherwise.
namespace tenstride::python {

/// What stands behind `torch.float32`, `torch.channels_last` and `torch.device("cpu")`.
struct DTypeObject {
  DType value;
};
struct FormatObject {
  MemoryFormat value;
};
struct DeviceObject {
  Device value;
};

/// Makes `Size`, `dtype` and its values, `memory_format` and its, and `device` in the module.
void define_types(nanobind::module_& module);
/// Tells what the type of tensors is, once there is one.
void set_tensor_type(nanobind::handle type, nanobind::handle other);

/// The same of `Size`.
void set_size_type(nanobind::handle type);

/// Borrowed.
nanobind::handle tensor_type() noexcept;
inline bool is_tensor(PyObject* object) noexcept {
  return Py_TYPE(object) == tensor_objects.type ||
         PyType_IsSubtype(Py_TYPE(object), tensor_objects.type) != 0;
}
PyObject* new_tensor(Tensor tensor);

/// A `torch.Size`, a tuple of ints. What was asked for lately may be given again.
PyObject* new_size(const Dims& dims);
PyObject* new_tuple(const Dims& dims);
bool is_size(PyObject* object) noexcept;

PyObject* new_dtype(DType dtype);
/// The type that a `dtype` object stands for; nothing for any other object.
std::optional<DType> find_dtype(PyObject* object) noexcept;
PyObject* new_format(MemoryFormat format);
/// The same of a memory format.
std::optional<MemoryFormat> find_format(PyObject* object) noexcept;
PyObject* new_device(Device device);

}  // namespace tenstride::python
