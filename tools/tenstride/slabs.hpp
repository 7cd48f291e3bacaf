// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "convert.hpp"

namespace tenstride::cli {

/// Indices [first, first + count) of one axis.
struct Slab {
  Index first = 0;
  Index count = 0;
};

/// Cuts an axis into slabs of about so many bytes of the whole shape, at least one index each. Example: of
/// (1000,250) float32, axis 0, 64000 bytes, there are 16 slabs of 64 rows, the last of 40. Of no axes, or no
/// elements, there is one slab.
std::vector<Slab> slabs_of(const Dims& shape, std::size_t item_nbytes, Index axis, Index slab_nbytes);

/// That part of a tensor; a tensor without axes is its own only part.
Tensor narrowed(const Tensor& x, Index axis, const Slab& slab);

/// The scale and shift of a part: of numbers that run along this axis, those of the slab.
ScaleShift arithmetic_of(const ConvertPlan& plan, Index rank, Index axis, const Slab& slab);

}  // namespace tenstride::cli
