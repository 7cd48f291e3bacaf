// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "errors.hpp"
#include "objects.hpp"

namespace tenstride::python {

/// `make_tensor` for functions that Python calls directly: null and Python's error where `make()` throws.
template <typename Make>
PyObject* made(const Make& make) noexcept {
  return guarded([&] { return make_tensor(make); });
}

}  // namespace tenstride::python
