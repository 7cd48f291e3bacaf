// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/reduce_pattern.hpp"

#include "einops/rearrange_parts.hpp"
#include "memory/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/layout/chain.hpp"
#include "tenstride/ops/ops.hpp"

namespace tenstride {

Tensor reduce(const Tensor& x, const Pattern& pattern, Reduction reduction, const AxisSizes& sizes,
              CopyRule copy, Caller caller) {
  const detail::OperationScope scope("reduce", caller);
  detail::require_verb(pattern, PatternVerb::reduce);
  const BoundPattern bound = pattern.bind(x.shape(), sizes);
  if (bound.kept == bound.order.size()) return detail::rearranged(x, pattern, sizes, copy, caller);
  const Tensor parts = with_layout(x, bound.apply_split(Chain(x.layout())).try_view().value());
  Dims reduced;
  for (std::size_t i = bound.kept; i < bound.order.size(); ++i) reduced.push_back(static_cast<Index>(i));
  const Tensor result = reduce_axes(parts, reduced, reduction, caller);
  return bound.merges ? result.reshape(bound.shape) : result;
}
Tensor reduce(const Tensor& x, std::string_view pattern, Reduction reduction, const AxisSizes& sizes,
              CopyRule copy, Caller caller) {
  const detail::OperationScope scope("reduce", caller);
  return reduce(x, *Pattern::cached(pattern, PatternVerb::reduce), reduction, sizes, copy, caller);
}
Tensor reduce(TensorList list, std::string_view pattern, Reduction reduction, const AxisSizes& sizes,
              CopyRule copy, Caller caller) {
  const detail::OperationScope scope("reduce", caller);
  detail::require_leave_to_copy(list, copy, "reduce");
  detail::joined_dtype(list, "reduce");
  detail::require_equal_shapes(list, "reduce");
  return reduce(stack(list), *Pattern::cached(pattern, PatternVerb::reduce), reduction, sizes, copy, caller);
}

}  // namespace tenstride
