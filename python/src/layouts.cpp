// SPDX-License-Identifier: Apache-2.0
#include "layouts.hpp"

#include "tenstride/tensor/tensor.hpp"
#include "types.hpp"

namespace tenstride::python {

namespace nb = nanobind;

void define_layouts(nb::module_& module, nb::handle tensor_type) {
  nb::class_<LayoutObject>(
      module, "layout",
      "How a tensor's elements are kept. tenstride has `torch.strided` alone; the other\n"
      "values are PyTorch's, and are refused where they are asked for.\n\n"
      ">>> torch.zeros(2).layout == torch.strided\nTrue\n")
      .def("__repr__", [](const LayoutObject& self) { return self.name; })
      .def("__reduce__", [](const LayoutObject& self) { return self.name.substr(self.name.find('.') + 1); });
  for (const char* name : {"strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"}) {
    module.attr(name) = nb::cast(LayoutObject{std::string("torch.") + name});
  }
  const nb::object strided = module.attr("strided");
  nb::borrow<nb::class_<Tensor>>(tensor_type)
      .def_prop_ro(
          "layout", [strided](const Tensor&) { return strided; },
          "How the elements are kept: `torch.strided`, by sizes and strides.\n\n"
          ">>> torch.zeros(2, 3).T.layout\ntorch.strided\n");
}

}  // namespace tenstride::python
