// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "ledger.hpp"
#include "module_parts.hpp"
#include "tenstride/copy/lazy.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

std::vector<AxisSize> sizes_of(const nb::kwargs& sizes) {
  std::vector<AxisSize> result;
  for (const auto& [name, size] : sizes) {
    result.push_back({nb::cast<std::string>(name), to_index(size.ptr())});
  }
  return result;
}

Tensor materialize(const Lazy& self, std::optional<bool> copy) {
  CopyRule rule = CopyRule::if_needed;
  if (copy) rule = *copy ? CopyRule::always : CopyRule::never;
  const LedgerPlaces places;
  const nb::gil_scoped_release released;
  return self.materialize(rule);
}

}  // namespace

void define_lazy(nb::module_& module) {
  nb::class_<Lazy> type(
      module, "Lazy",
      "A tensor with layout operations that have not happened: `materialize` carries them out by one "
      "copy at most, where the sizes divide.\n\n"
      ">>> x = tenstride.lazy(torch.arange(24).view(2, 3, 4))\n"
      ">>> chain = x.permute(0, 2, 1).reshape(2, 12).unflatten(1, (4, 3))\n"
      ">>> chain.copies, chain.materialize().shape\n"
      "(0, torch.Size([2, 4, 3]))\n");
  type.def_prop_ro(
          "shape", [](const Lazy& self) { return nb::steal(new_size(self.shape())); },
          "The sizes of the result.")
      .def_prop_ro(
          "dtype", [](const Lazy& self) { return nb::steal(new_dtype(self.dtype())); },
          "The type of its elements.")
      .def_prop_ro("is_view", &Lazy::is_view, "Whether the result shares the source's memory.")
      .def_prop_ro(
          "copies", [](const Lazy& self) { return self.cost().copies; },
          "How many copies `materialize` makes.")
      .def_prop_ro(
          "bytes_moved", [](const Lazy& self) { return self.cost().bytes_read + self.cost().bytes_written; },
          "Bytes that these read and write.")
      .def_prop_ro(
          "peak_bytes", [](const Lazy& self) { return self.cost().peak_bytes; },
          "The most bytes of fresh memory at the same time.")
      .def(
          "permute", [](const Lazy& self, const nb::args& dims) { return self.permute(to_dims(dims)); },
          "The axes in another order.")
      .def("transpose", &Lazy::transpose, nb::arg("dim0"), nb::arg("dim1"), "Two axes swapped.")
      .def(
          "movedim",
          [](const Lazy& self, nb::handle source, nb::handle destination) {
            return self.movedim(to_dims(source), to_dims(destination));
          },
          nb::arg("source"), nb::arg("destination"), "Axes moved to other places.")
      .def(
          "squeeze",
          [](const Lazy& self, nb::handle dim) {
            return dim.is_none() ? self.squeeze() : self.squeeze(to_dims(dim));
          },
          nb::arg("dim") = nb::none(), "Without axes of size 1.")
      .def("unsqueeze", &Lazy::unsqueeze, nb::arg("dim"), "With one more axis of size 1.")
      .def(
          "expand", [](const Lazy& self, const nb::args& size) { return self.expand(to_dims(size)); },
          "Axes of size 1 repeated.")
      .def(
          "flip", [](const Lazy& self, const nb::args& dims) { return self.flip(to_dims(dims)); },
          "Axes walked from their ends.")
      .def("select", &Lazy::select, nb::arg("dim"), nb::arg("index"), "One index of an axis, which goes.")
      .def("narrow", &Lazy::narrow, nb::arg("dim"), nb::arg("start"), nb::arg("length"), "A part of an axis.")
      .def("slice", &Lazy::slice, nb::arg("dim") = 0, nb::arg("start") = nb::none(),
           nb::arg("end") = nb::none(), nb::arg("step") = 1, "Every step-th index of a part of an axis.")
      .def("diagonal", &Lazy::diagonal, nb::arg("offset") = 0, nb::arg("dim1") = 0, nb::arg("dim2") = 1,
           "A diagonal of two axes, as the last axis.")
      .def(
          "reshape",
          [](const Lazy& self, const nb::args& shape) {
            const LedgerPlaces places;
            return self.reshape(to_dims(shape));
          },
          "Other sizes for the same elements in row-major order.")
      .def(
          "view",
          [](const Lazy& self, const nb::args& size) {
            const LedgerPlaces places;
            return self.view(to_dims(size));
          },
          "The same; ViewError where it takes a copy.")
      .def("flatten", &Lazy::flatten, nb::arg("start_dim") = 0, nb::arg("end_dim") = -1,
           "Neighbouring axes as one.")
      .def(
          "unflatten",
          [](const Lazy& self, Index dim, nb::handle sizes) { return self.unflatten(dim, to_dims(sizes)); },
          nb::arg("dim"), nb::arg("sizes"), "One axis as several.")
      .def(
          "rearrange",
          [](const Lazy& self, const std::string& pattern, const nb::kwargs& sizes) {
            return self.rearrange(pattern, sizes_of(sizes));
          },
          nb::arg("pattern"), nb::arg("axes_lengths"), "By einops' notation.")
      .def("materialize", materialize, nb::kw_only(), nb::arg("copy") = nb::none(),
           "The tensor: a view of the source where there is one, else fresh. `copy=True` always copies, "
           "`copy=False` "
           "raises ValueError where it takes a copy.")
      .def("__str__", [](const Lazy& self) { return self.to_string(); })
      .def("__repr__", [](const Lazy& self) {
        return detail::message("<tenstride.Lazy ", self.chain().to_string(), '>');
      });
  module.def(
      "lazy", [](const Tensor& input) { return lazy(input); }, nb::arg("input"),
      "Holds back what is done to the tensor from here on, until `materialize`.\n\n"
      ">>> tenstride.lazy(torch.zeros(2, 3)).permute(1, 0).reshape(-1).copies\n"
      "1\n");
}

}  // namespace tenstride::python
