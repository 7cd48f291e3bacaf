// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "tenstride/memory/device.hpp"
#include "tenstride/print/format.hpp"

/// What holds where a call does not say otherwise: the floating type, the device of factories, how tensors
/// are printed.
namespace tenstride::python {

/// The device of the innermost `with torch.device(...)` of the calling thread.
std::optional<Device> device_of_scope() noexcept;
/// `device.__enter__` and `device.__exit__`.
void enter_device(Device device);
void leave_device();

/// What `set_printoptions` has set.
const PrintOptions& print_options() noexcept;

void define_defaults(nanobind::module_& module);

}  // namespace tenstride::python
