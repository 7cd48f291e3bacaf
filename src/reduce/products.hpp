// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/reduce/reduce_plan.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// Recomputes the products of floats that are NaN, one element after another in row-major order, as NumPy
/// does: of two partial products one may have overflowed and the other vanished, and inf * 0 is NaN. Example:
/// the product of 1/n, 2/n, ..., 2n/n vanishes, though that of its upper half overflows. `src` is the
/// source's storage element 0. Pre: `products` is contiguous.
void recompute_products(const ReducePlan& plan, Tensor& products, const std::byte* src);

}  // namespace tenstride::detail
