// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Gives the type of tensors what the array API standard wants of arrays and PyTorch's lack:
/// `__array_namespace__` and `to_device`.
void define_array_namespace(nanobind::handle tensor_type);

}  // namespace tenstride::python
