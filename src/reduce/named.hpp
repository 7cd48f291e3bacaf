// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tenstride/reduce.hpp"

namespace tenstride::detail {

/// `reduce_axes` for the public operation of that name, which refusals and ledgers tell.
Tensor reduce_axes(std::string_view operation, const Tensor& x, const Dims& axes, Reduction reduction,
                   Caller caller);

}  // namespace tenstride::detail
