// SPDX-License-Identifier: Apache-2.0
// What arithmetic and comparisons do to operands of different types and devices.
#pragma once

#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// Returns the layout of an operand after its conversion to the common type: `to` keeps the strides of a
/// dense tensor.
inline Layout met_layout(const Tensor& x, DType meeting) {
  if (x.dtype() == meeting) return x.layout();
  return layout_like(x.layout(), MemoryFormat::preserve, "elementwise");
}

/// Returns whether a tensor is passed to another device as a number, as PyTorch does with tensors of rank 0
/// on the cpu. In a forecast meta stands for the cpu.
inline bool goes_as_number(const Tensor& x, Device to) {
  return x.dim() == 0 && x.device() != to && (x.device() == Device::cpu || (x.is_meta() && !to.is_host()));
}

}  // namespace tenstride::detail
