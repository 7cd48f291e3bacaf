// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tenstride/reduce/reduce.hpp"

namespace tenstride::detail {

/// Does what `reduce_axes` does on behalf of the public operation `operation`, which error messages and
/// ledgers name.
Tensor reduce_axes(std::string_view operation, const Tensor& x, const Dims& axes, Reduction reduction,
                   Caller caller);

}  // namespace tenstride::detail
