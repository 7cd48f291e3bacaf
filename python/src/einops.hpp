// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tenstride::python {

/// Makes `_rearrange`, `_reduce`, `_repeat`, `_pack`, `_unpack` and `_parse_shape` in the module: einops'
/// verbs on tensors and lists of tensors, which `tenstride.foreign` offers for arrays of every kind.
void define_einops(nanobind::module_& module);

}  // namespace tenstride::python
