// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string_view>
#include <vector>

#include "tenstride/pattern/pattern.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::python {

/// Makes `_rearrange`, `_reduce`, `_repeat`, `_pack`, `_unpack` and `_parse_shape` in the module: einops'
/// verbs on tensors and lists of tensors, which `tenstride.foreign` offers for arrays of every kind.
void define_einops(nanobind::module_& module);

/// The sizes of axes by their names. Throws what Python throws for what is no int.
std::vector<AxisSize> axis_sizes(const nanobind::dict& given);
/// The numbers of `scale` or `shift`: None, one number, or several. Throws what Python throws for others.
std::vector<double> scale_numbers(nanobind::handle given);
/// Throws TypeError for what is no tensor, whatever class it says it has.
const Tensor& required_tensor(nanobind::handle given, std::string_view operation);
/// The tensors of a list. Throws TypeError for anything else in it.
std::vector<Tensor> tensors_of(nanobind::handle list, std::string_view operation);
/// What `work` makes without the GIL, as an object: it moves elements and touches no Python object.
nanobind::object moved(const std::function<Tensor()>& work);

}  // namespace tenstride::python
