// SPDX-License-Identifier: Apache-2.0
#include "defaults.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "cpython.hpp"
#include "errors.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

thread_local std::vector<Device> devices_of_scopes;

/// Read and written with the GIL.
PrintOptions printing;

/// A threshold may be infinite or broken: more elements than that many are summarised.
Index to_threshold(nb::handle given) {
  if (!PyFloat_Check(given.ptr())) return to_index(given.ptr());
  const double threshold = std::floor(number_of_float(given.ptr()));
  if (!(threshold < 0x1p63)) return std::numeric_limits<Index>::max();
  return threshold < 0 ? -1 : static_cast<Index>(threshold);
}

/// Those of a profile; any other name changes nothing, as in PyTorch.
void apply_profile(const std::string& profile, PrintOptions& options) {
  const PrintOptions usual;
  if (profile != "default" && profile != "short" && profile != "full") return;
  options = {.sci_mode = options.sci_mode};
  if (profile == "short") options.precision = options.edgeitems = 2;
  if (profile == "full") options.threshold = std::numeric_limits<Index>::max();
}

void set_printoptions(nb::handle precision, nb::handle threshold, nb::handle edgeitems, nb::handle linewidth,
                      nb::handle profile, nb::handle sci_mode) {
  PrintOptions options = printing;
  if (!profile.is_none()) apply_profile(nb::cast<std::string>(profile), options);
  if (!precision.is_none()) options.precision = to_index(precision.ptr());
  if (!threshold.is_none()) options.threshold = to_threshold(threshold);
  if (!edgeitems.is_none()) options.edgeitems = to_index(edgeitems.ptr());
  if (!linewidth.is_none()) options.linewidth = to_index(linewidth.ptr());
  options.sci_mode.reset();
  if (!sci_mode.is_none()) options.sci_mode = nb::cast<bool>(sci_mode);
  static_cast<void>(to_string(Tensor(), options));  // refuses what cannot be printed with
  printing = options;
}

nb::dict get_printoptions() {
  nb::dict options;
  options["precision"] = printing.precision;
  if (printing.threshold == std::numeric_limits<Index>::max()) {
    options["threshold"] = std::numeric_limits<double>::infinity();
  } else {
    options["threshold"] = printing.threshold;
  }
  options["edgeitems"] = printing.edgeitems;
  options["linewidth"] = printing.linewidth;
  options["sci_mode"] = printing.sci_mode;
  return options;
}

}  // namespace

std::optional<Device> device_of_scope() noexcept {
  return devices_of_scopes.empty() ? std::nullopt : std::optional(devices_of_scopes.back());
}
void enter_device(Device device) {
  devices_of_scopes.push_back(device);
}
void leave_device() {
  if (!devices_of_scopes.empty()) devices_of_scopes.pop_back();
}

const PrintOptions& print_options() noexcept {
  return printing;
}

void define_defaults(nb::module_& module) {
  module.def(
      "get_default_dtype", [] { return nb::steal(new_dtype(default_dtype())); },
      nb::sig("def get_default_dtype() -> dtype"),
      "The floating type that `set_default_dtype` has set; float32 before.\n\n"
      ">>> torch.get_default_dtype()\ntorch.float32\n");
  module.def(
      "set_default_dtype",
      [](nb::handle type) {
        const std::optional<DType> found = find_dtype(type.ptr());
        if (!found) {
          throw TypeError(
              detail::message("set_default_dtype: a dtype must be given (", name_of_type(type), ")"));
        }
        set_default_dtype(*found);
      },
      nb::arg("d"), nb::sig("def set_default_dtype(d: dtype, /) -> None"),
      "The type of Python's floats, of factories that are told none, and of quotients of integers, for the "
      "whole\n"
      "process. Complex numbers follow: complex128 with float64.\n\n"
      "TypeError for a type that is not floating, and for float8.\n\n"
      ">>> torch.set_default_dtype(torch.float64)\n"
      ">>> torch.tensor(0.5).dtype, (torch.arange(2) / 2).dtype, torch.tensor(1j).dtype\n"
      "(torch.float64, torch.float64, torch.complex128)\n"
      ">>> torch.set_default_dtype(torch.float32)\n");
  module.def(
      "set_printoptions", set_printoptions, nb::arg("precision") = nb::none(),
      nb::arg("threshold") = nb::none(), nb::arg("edgeitems") = nb::none(), nb::arg("linewidth") = nb::none(),
      nb::arg("profile") = nb::none(), nb::arg("sci_mode") = nb::none(),
      nb::sig("def set_printoptions(precision: int | None = None, threshold: float | None = None, "
              "edgeitems: int | None = None, linewidth: int | None = None, profile: str | None = None, "
              "sci_mode: bool | None = None) -> None"),
      "How tensors are printed from here on: digits after the point, the number of elements above which a "
      "tensor is\n"
      "summarised, how many a summary shows at either end of an axis, characters in a line, scientific "
      "notation.\n\n"
      "`profile` 'default', 'short' or 'full' sets all but the last. ValueError for a negative count.\n\n"
      ">>> torch.set_printoptions(precision=2)\n>>> torch.tensor([0.12345])\ntensor([0.12])\n"
      ">>> torch.set_printoptions(profile=\"default\")\n");
  module.def("get_printoptions", get_printoptions, nb::sig("def get_printoptions() -> dict[str, object]"),
             "What `set_printoptions` has set.\n\n"
             ">>> torch.get_printoptions()[\"precision\"]\n4\n");
}

}  // namespace tenstride::python
