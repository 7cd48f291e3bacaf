// SPDX-License-Identifier: Apache-2.0
// What comparisons, `equal` and the reductions to a truth value share.
#pragma once

#include "base/message.hpp"
#include "elementwise/kernels/compare.hpp"
#include "tenstride/elementwise/compare.hpp"

namespace tenstride::detail {

/// The least number of elements for a thread. Smaller comparisons are serial.
inline constexpr Index compare_grain = Index{1} << 16;

/// The longest run that is compared in memory by one call.
inline constexpr Index longest_in_place = Index{1} << 14;

inline void require_one_device(std::string_view operation, const Tensor& a, const Tensor& b) {
  if (a.device() == b.device()) return;
  throw RuntimeError(detail::message(operation, ": both tensors must be on one device, not ",
                                     name(a.device()), " and ", name(b.device())));
}

}  // namespace tenstride::detail
