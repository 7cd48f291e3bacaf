// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// Adds `src` to boxes of `dst`, one after the other. Box k is the layout `box` on dst's storage, moved by
/// starts[k]; it gets the k-th run of src, which is dense. Each sum is rounded to the element type; bools are
/// combined by `or`. Both tensors have the same dtype and conjugate bit. Example: with starts 0 0 and a box
/// of one element, src 1 2 adds 3 to the first element.
void accumulate_boxes(Tensor& dst, const Tensor& src, std::span<const Index> starts, const Layout& box);

}  // namespace tenstride::detail
