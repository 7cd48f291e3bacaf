// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes `TypedStorage` and `UntypedStorage` in the module: what `x.storage()` and `x.untyped_storage()`
/// give.
void define_storages(nanobind::module_& module);

}  // namespace tenstride::python
