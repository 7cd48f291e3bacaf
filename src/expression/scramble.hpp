// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/expression/expression.hpp"

namespace tenstride::detail {

/// A scramble of the tensor: the places that part, and what stands there.
ScrambleSeen see(const Scramble& scramble, const Tensor& x);

}  // namespace tenstride::detail
