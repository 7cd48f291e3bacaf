// SPDX-License-Identifier: Apache-2.0
#include "slabs.hpp"

#include <algorithm>

namespace tenstride::cli {

std::vector<Slab> slabs_of(const Dims& shape, std::size_t item_nbytes, Index axis, Index slab_nbytes) {
  const Index elements = count_elements(shape);
  if (shape.empty() || elements == 0) return {{0, shape.empty() ? 1 : shape[static_cast<std::size_t>(axis)]}};
  const Index length = shape[static_cast<std::size_t>(axis)];
  const Index index_nbytes = elements / length * static_cast<Index>(item_nbytes);
  const Index height = std::max<Index>(1, slab_nbytes / index_nbytes);
  std::vector<Slab> slabs;
  for (Index first = 0; first < length; first += height)
    slabs.push_back({first, std::min(height, length - first)});
  return slabs;
}

Tensor narrowed(const Tensor& x, Index axis, const Slab& slab) {
  return x.dim() == 0 ? x : x.narrow(axis, slab.first, slab.count);
}

ScaleShift arithmetic_of(const ConvertPlan& plan, Index rank, Index axis, const Slab& slab) {
  ScaleShift part = plan.arithmetic();
  const bool runs_along = (plan.axis < 0 ? plan.axis + rank : plan.axis) == axis;
  for (std::span<const double>* numbers : {&part.scale, &part.shift}) {
    if (runs_along && numbers->size() > 1)
      *numbers = numbers->subspan(static_cast<std::size_t>(slab.first), static_cast<std::size_t>(slab.count));
  }
  return part;
}

}  // namespace tenstride::cli
