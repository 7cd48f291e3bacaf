// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include <string>

#include "base/message.hpp"
#include "exchange.hpp"
#include "module_parts.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// The versions whose behaviour the namespace has.
constexpr const char* versions[] = {"2021.12", "2022.12", "2023.12", "2024.12"};

nb::object array_namespace(nb::handle, nb::handle api_version) {
  if (!api_version.is_none()) {
    const std::string wanted =
        nb::cast<std::string>(nb::module_::import_("reprlib").attr("repr")(api_version));
    bool is_known = false;
    for (const char* version : versions) is_known = is_known || wanted == "'" + std::string(version) + "'";
    if (!is_known) {
      throw ValueError(detail::message("__array_namespace__: api_version ", wanted,
                                       " must be one of 2021.12, 2022.12, 2023.12 and 2024.12"));
    }
  }
  return nb::module_::import_("tenstride.array_api");
}

nb::object tensor_on_device(nb::handle self, nb::handle device, nb::handle stream) {
  if (!stream.is_none()) throw ValueError("to_device: stream must be None: the devices here have none");
  const std::optional<Device> target = to_device(device, "to_device");
  const Tensor& tensor = tensor_of(self.ptr());
  if (!target) throw TypeError("to_device: a device must be given");
  if (target->placed() == tensor.device()) return nb::borrow(self);
  return nb::steal(new_tensor(tensor.to(ToOptions{.device = *target})));
}

}  // namespace

void define_array_namespace(nb::handle tensor_type) {
  const auto add = [&](const char* name, auto function, auto... extra) {
    nb::setattr(
        tensor_type, name,
        nb::cpp_function(function, nb::name(name), nb::scope(tensor_type), nb::is_method(), extra...));
  };
  add("__array_namespace__", array_namespace, nb::arg("api_version").none() = nb::none(),
      "The module of the array API standard's functions, `tenstride.array_api`.\n\n"
      "ValueError for a version of the standard that is not known.\n\n"
      ">>> torch.zeros(2).__array_namespace__().__name__\n"
      "'tenstride.array_api'\n");
  add("to_device", tensor_on_device, nb::arg("device"), nb::kw_only(), nb::arg("stream").none() = nb::none(),
      "The tensor on the device, a `device` or its name: itself where it is there already.\n\n"
      "ValueError where a stream is given: the devices here have none.\n\n"
      ">>> torch.zeros(2).to_device(\"meta\").device\n"
      "device(type='meta')\n");
}

}  // namespace tenstride::python
