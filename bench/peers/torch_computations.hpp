// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/ATen.h>

#include "../computation.hpp"

namespace tenstride::bench {

/// Empty where PyTorch has no such call: products and any over some of several axes.
Call torch_computation(const ComputationJob& job, at::ScalarType type);

}  // namespace tenstride::bench
