// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/message.hpp"
#include "cpython.hpp"
#include "module_parts.hpp"
#include "operations/call.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

constexpr const char* autograd =
    "tenstride has no autograd; compute gradients in PyTorch and hand tensors over by from_dlpack";
constexpr const char* sparse =
    "tenstride has strided tensors alone; keep indices and values as two tensors, or use PyTorch's";

struct Absent {
  const char* name;
  const char* why;
};
constexpr Absent absent[] = {
    {"backward", autograd},    {"coalesce", sparse},      {"register_hook", autograd},
    {"retain_grad", autograd}, {"sparse_mask", sparse},   {"to_mkldnn", sparse},
    {"to_sparse", sparse},     {"to_sparse_bsc", sparse}, {"to_sparse_bsr", sparse},
    {"to_sparse_coo", sparse}, {"to_sparse_csc", sparse}, {"to_sparse_csr", sparse}};

bool to_bool(nb::handle given) {
  if (PyBool_Check(given.ptr()) == 0) {
    throw TypeError(
        detail::message("requires_grad: must be True or False, ", name_of_type(given), " is given"));
  }
  return given.ptr() == Py_True;
}

[[noreturn]] void refuse(const char* name, const char* why) {
  throw detail::NotationError{"NotImplementedError", detail::message(name, ": ", why), {}};
}

}  // namespace

void define_absent_methods(nb::handle tensor_type) {
  auto type = nb::borrow<nb::class_<Tensor>>(tensor_type);
  for (const auto& [name, why] : absent) {
    const std::string doc =
        detail::message("Refused: ", why, ".\n\n>>> torch.zeros(2).", name,
                        "()\nTraceback (most recent call last):\nNotImplementedError: …\n");
    type.def(
        name, [name = name, why = why](nb::handle, nb::args, nb::kwargs) -> nb::object { refuse(name, why); },
        doc.c_str());
  }
  type.def(
      "requires_grad_",
      [](nb::object self, nb::handle requires_grad) {
        if (to_bool(requires_grad)) refuse("requires_grad_", autograd);
        return self;
      },
      nb::arg("requires_grad").none() = true,
      nb::sig("def requires_grad_(self, requires_grad: bool = True) -> Tensor"),
      "The tensor itself for False; True is refused: tenstride has no autograd.\n\n"
      ">>> torch.zeros(2).requires_grad_(False)\ntensor([0., 0.])\n");
  type.def_prop_rw(
      "requires_grad", [](const Tensor&) { return false; },
      [](Tensor&, nb::handle requires_grad) {
        if (to_bool(requires_grad)) refuse("requires_grad", autograd);
      },
      nb::arg("value").none(),
      "False: tenstride has no autograd, and refuses True.\n\n>>> torch.zeros(2).requires_grad\nFalse\n");
  type.def_prop_rw(
      "grad", [](const Tensor&) { return nb::none(); },
      [](Tensor&, nb::handle grad) {
        if (!grad.is_none()) refuse("grad", autograd);
      },
      nb::arg("value").none(), "None: tenstride has no autograd.\n\n>>> torch.zeros(2).grad is None\nTrue\n");
}

}  // namespace tenstride::python
