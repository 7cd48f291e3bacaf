// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>

#include "tenstride/tensor/tensor.hpp"

/// Tensors from and to the arrays of others: DLPack, the buffer protocol, NumPy. All functions want the GIL.
namespace tenstride::python {

/// Gives the type of tensors the protocols (`__dlpack__`, `__array__`, the buffer protocol, `numpy()`), and
/// the module the functions (`from_dlpack`, `from_numpy`, `frombuffer`, `as_tensor`, `asarray`).
void define_exchange(nanobind::module_& module, nanobind::handle tensor_type);

/// NumPy's arrays and numbers, what speaks DLPack, and what describes or gives its array by
/// `__array_interface__` or `__array__`, as a tensor; nothing for any other object. Whether memory is shared
/// follows the rule; what only a copy can give is a ValueError where the rule is never. Masked arrays are a
/// TypeError.
std::optional<Tensor> tensor_from_array(nanobind::handle object, CopyRule rule, std::string_view operation);

/// The elements of an object that has the buffer protocol, as its format says; read-only where it is. The
/// object is kept alive, and cannot change its size, as long as any view of a tensor that shares its memory
/// lives. Where elements lie at addresses, or at steps, that are no multiple of their size, only a copy will
/// do.
Tensor tensor_from_buffer(nanobind::handle object, CopyRule rule, std::string_view operation);

/// The elements of an object that describes itself by `__array_interface__`; nothing for any other. The
/// object is kept alive. Throws ValueError and TypeError for descriptions that are none.
std::optional<Tensor> tensor_from_interface(nanobind::handle object, CopyRule rule,
                                            std::string_view operation);

/// The tensor in the structure of a capsule or of an object that has `__dlpack__`, by its protocol.
Tensor tensor_from_dlpack(nanobind::handle object, std::optional<Device> device, CopyRule rule);

/// Whether the object is an array (or a number) of NumPy's; never imports NumPy.
bool is_numpy_array(nanobind::handle object);
bool is_numpy_number(nanobind::handle object);

/// The buffer protocol's name of the elements ("f", "Zd"), and NumPy's ("<f4"); null or empty where it has
/// none.
const char* buffer_format(DType dtype);
std::string array_type(DType dtype);

/// What stands in a buffer of the format. Throws, with the fix, TypeError for what is no number, and
/// ValueError, as PyTorch, for numbers whose bytes are swapped.
DType dtype_of_format(std::string_view format, Index item_size, std::string_view operation);

/// A dtype, its name, or one of Python's number types; nothing for None. Throws TypeError.
std::optional<DType> to_dtype(nanobind::handle object, std::string_view operation);
/// A device or its name; nothing for None. Throws TypeError and RuntimeError.
std::optional<Device> to_device(nanobind::handle object, std::string_view operation);
/// None, True or False as the standard's `copy=`.
CopyRule to_copy_rule(nanobind::handle object, std::string_view operation);

/// Sets Python's error, and throws it.
[[noreturn]] void throw_python(PyObject* type, const std::string& message);

}  // namespace tenstride::python
