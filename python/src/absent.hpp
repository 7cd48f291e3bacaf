// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

/// What PyTorch's tensors do and tenstride's do not: autograd and sparse layouts.
namespace tenstride::python {

/// Gives the type methods that say so, each in one sentence with what to use. Pre: after `define_methods`.
void define_absent_methods(nanobind::handle tensor_type);

}  // namespace tenstride::python
