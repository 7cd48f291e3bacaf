// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/tensor.hpp"
#include "tenstride/transfer.hpp"

namespace tenstride::detail {

/// Whether bytes go from one memory to another: between the cpu (or meta, which stands for it) and another
/// device, or between two of those.
inline bool is_transfer(Device from, Device to) {
  return from != to && !(from.is_host() && to.is_host());
}

/// Foretells `dst.copy_(src)` between two devices: tells the thread's ledgers of the transfer and of the
/// copies before and after it. Throws RuntimeError where dst has elements. Pre: the same shape, is_transfer.
void transfer(Tensor& dst, const Tensor& src, Blocking blocking);

/// The same into a tensor that is made for it, of the layout and type; what comes to the cpu lies on meta.
Tensor transferred(const Tensor& src, const Layout& layout, DType dtype, Device to, Blocking blocking);

}  // namespace tenstride::detail
