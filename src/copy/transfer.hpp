// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/memory/transfer.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// Whether bytes go from one memory to another: between the cpu (or meta, which stands for it) and another
/// device, or between two of those.
inline bool is_transfer(Device from, Device to) {
  return from != to && !(from.is_host() && to.is_host());
}

/// Forecasts `dst.copy_(src)` between two devices: records the transfer, and the copies before and after it,
/// in the thread's ledgers. Throws RuntimeError where dst has memory. Pre: the same shape, is_transfer.
void transfer(Tensor& dst, const Tensor& src, Blocking blocking);

/// Forecasts a transfer into a new tensor of the layout and type, which it returns. A tensor that comes to
/// the cpu is one on meta.
Tensor transferred(const Tensor& src, const Layout& layout, DType dtype, Device to, Blocking blocking);

}  // namespace tenstride::detail
