// SPDX-License-Identifier: Apache-2.0
// The kernels of minima and maxima of integers, compiled once for each instruction set.

// Vectors of AVX-512 gain nothing where memory is read: .98 to 1.02 of the time without them (91 cases,
// Xeon). In the L2 cache they would take three quarters of the time.
#define TENSTRIDE_WITHOUT_AVX512
#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/kernels/order.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "reduce/kernels/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

/// Any and all are made of the greatest and the least: some integer is not 0 if the greatest is not, all are
/// not 0 if the least is not. Minima, maxima and products of bools are any and all, too.
template <class T>
const ReduceKernel* kernel_of(Reduction reduction) {
  using Bits = hwy::UnsignedFromSize<sizeof(T)>;
  constexpr bool is_bool = std::is_same_v<T, bool>;
  using Least = KernelSet<Extreme<Bits, true>>;
  using Greatest = KernelSet<Extreme<Bits, false>>;
  if constexpr (is_bool) {
    if (reduction == Reduction::prod) return Least::template table<NotZero<Bits, std::int64_t>>();
  }
  if (reduction == Reduction::any || (is_bool && reduction == Reduction::max)) {
    return Greatest::template table<NotZero<Bits, bool>>();
  }
  if (reduction == Reduction::all || is_bool) return Least::template table<NotZero<Bits, bool>>();
  if constexpr (!is_bool) {
    return reduction == Reduction::min ? KernelSet<Extreme<T, true>>::table()
                                       : KernelSet<Extreme<T, false>>::table();
  }
  return nullptr;
}

}  // namespace

const ReduceKernel* find_whole_order_kernel(Reduction reduction, DType dtype) {
  return kernel_for(IntegerTypes{}, dtype, [&]<class T>(T*) { return kernel_of<T>(reduction); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "reduce/kernels/dispatch-inl.h"

namespace tenstride::detail {

const ReduceKernel& whole_order_kernel(Reduction reduction, DType dtype) {
  return *TENSTRIDE_CHOSEN(find_whole_order_kernel)(reduction, dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
