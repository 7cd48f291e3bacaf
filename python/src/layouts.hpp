// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

/// `torch.layout` and its values: ours is `torch.strided`; the others are there to be refused by name.
namespace tenstride::python {

struct LayoutObject {
  /// "torch.strided".
  std::string name;
};

/// Makes `layout` and its values in the module, and the attribute `layout` of tensors.
void define_layouts(nanobind::module_& module, nanobind::handle tensor_type);

}  // namespace tenstride::python
