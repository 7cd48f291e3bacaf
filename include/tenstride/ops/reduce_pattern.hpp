// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tenstride/pattern/pattern.hpp"
#include "tenstride/reduce/reduce.hpp"
#include "tenstride/tensor/ops_views.hpp"

/// einops' verb that reduces; the others are in rearrange.hpp.
namespace tenstride {

/// Reduces the axes on the left only, and rearranges the others. Element types and refusals are
/// `reduced_dtype`'s; where the pattern reduces nothing, this is `rearrange` with its `copy`. A reduction
/// always gives fresh memory and copies nothing before, but for a list, which is stacked. Example: 2 x 2 max
/// pooling: `reduce(x, "b c (h 2) (w 2) -> b c h w", Reduction::max)`.
TENSTRIDE_API Tensor reduce(const Tensor& x, std::string_view pattern, Reduction reduction,
                            const AxisSizes& sizes = {}, CopyRule copy = CopyRule::if_needed,
                            Caller caller = Caller::current());
TENSTRIDE_API Tensor reduce(const Tensor& x, const Pattern& pattern, Reduction reduction,
                            const AxisSizes& sizes = {}, CopyRule copy = CopyRule::if_needed,
                            Caller caller = Caller::current());
TENSTRIDE_API Tensor reduce(TensorList list, std::string_view pattern, Reduction reduction,
                            const AxisSizes& sizes = {}, CopyRule copy = CopyRule::if_needed,
                            Caller caller = Caller::current());
/// The reduction by its name. Throws ValueError for another.
inline Tensor reduce(const Tensor& x, std::string_view pattern, std::string_view reduction,
                     const AxisSizes& sizes = {}, CopyRule copy = CopyRule::if_needed,
                     Caller caller = Caller::current()) {
  return reduce(x, pattern, parse_reduction(reduction), sizes, copy, caller);
}

}  // namespace tenstride
