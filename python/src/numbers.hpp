// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <span>

namespace tenstride::python {

/// What Python's operators call: `+ - * / // % ** & | ^ ~`, their reflected and their in-place forms.
std::span<const PyType_Slot> number_slots();

}  // namespace tenstride::python
