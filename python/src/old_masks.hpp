// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/tensor/tensor.hpp"

namespace tenstride::python {

/// Warns, as PyTorch does, where a uint8 tensor serves as a mask. Throws where warnings are errors.
void warn_of_old_mask(const Tensor& index);

}  // namespace tenstride::python
