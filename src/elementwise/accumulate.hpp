// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tenstride/tensor.hpp"

namespace tenstride::detail {

/// Adds `src` to boxes of `dst`, one after the other: box k, a layout on dst's storage, begins at starts[k]
/// and gets the k-th run of src, which is dense. Each sum is rounded to the element type; of bools it is the
/// truth of either. Same dtype and conjugate bit. Example: starts 0 0, a box of one element and src 1 2 add 3
/// to the first element.
void accumulate_boxes(Tensor& dst, const Tensor& src, std::span<const Index> starts, const Layout& box);

}  // namespace tenstride::detail
