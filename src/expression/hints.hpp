// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What a name that is not known was probably meant to be: the end of an error.
namespace tenstride::detail {

/// The nearest of some names: "; did you mean 'view'?". Empty where none is near.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& names);

/// What a name that stands alone, and is not among the given ones, was probably meant to be. Example: "; did
/// you mean 'arange'?", and for np what explains NumPy's code. Empty where nothing is near.
std::string hint_for_name(std::string_view name, const std::vector<std::string>& known);

/// What `torch.name(…)`, which is no function, was probably meant to be: only functions of the module come
/// into question. Example, for len: "; Python's own stands alone: len(…)".
std::string hint_for_torch(std::string_view name);

}  // namespace tenstride::detail
