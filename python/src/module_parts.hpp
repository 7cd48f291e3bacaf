// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

/// The parts that the module is made of, each in the file of its name.
namespace tenstride::python {

/// `Tensor`, with what Python's own syntax asks of it.
void define_tensor(nanobind::module_& module);
/// What PyTorch's tensors do and tenstride's do not (autograd, sparse layouts): methods that say so, each in
/// one sentence with what to use. Pre: after `define_methods`.
void define_absent_methods(nanobind::handle tensor_type);
/// What the array API standard wants of arrays and PyTorch's lack: `__array_namespace__` and `to_device`.
void define_array_namespace(nanobind::handle tensor_type);
/// `TypedStorage` and `UntypedStorage`: what `x.storage()` and `x.untyped_storage()` give.
void define_storages(nanobind::module_& module);
/// The module `_numpy`: NumPy's functions with all arguments by position, which `tenstride.numpy` gives their
/// names and defaults.
void define_numpy_functions(nanobind::module_& module);
/// `lazy`, and `Lazy`, which it gives.
void define_lazy(nanobind::module_& module);
/// `plan`, and `Plan`, which it gives.
void define_plans(nanobind::module_& module);
/// `explain`, `why_not_view`, `why_not_contiguous` and `show`, and what they give.
void define_explaining(nanobind::module_& module);
/// `convert` of files, `plan_convert` and what they give.
void define_converting(nanobind::module_& module);
/// `_convert_elements`, of which `convert` of arrays is made.
void define_converting_elements(nanobind::module_& module);

/// Gives every function and method bound so far, of the module and of what it holds, the library's own text
/// where its arguments do not fit. Example: `frombuffer: the arguments (int) must fit frombuffer(buffer:
/// object, *, dtype: dtype, ...)`.
void put_refusals_in_front(nanobind::module_& module);

}  // namespace tenstride::python
