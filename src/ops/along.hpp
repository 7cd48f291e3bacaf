// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// Copies the parts one after the other along an axis of `dst`: shapes agree in all other axes, and the sizes
/// along that one add up. Where each part's runs in `dst` are shorter than a few cache lines, all parts of a
/// piece of `dst` that fits the L2 cache are written before the next piece.
void copy_along(Tensor& dst, std::size_t axis, std::span<const Tensor> parts);

}  // namespace tenstride::detail
