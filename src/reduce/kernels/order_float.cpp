// SPDX-License-Identifier: Apache-2.0
// The kernels of minima and maxima of floating-point numbers, compiled once for each instruction set.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/kernels/order_float.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "reduce/kernels/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

template <class T>
const ReduceKernel* kernel_of(Reduction reduction) {
  return reduction == Reduction::min ? KernelSet<Extreme<T, true>>::table()
                                     : KernelSet<Extreme<T, false>>::table();
}

}  // namespace

const ReduceKernel* find_float_order_kernel(Reduction reduction, DType dtype) {
  return kernel_for(RealTypes{}, dtype, [&]<class T>(T*) { return kernel_of<T>(reduction); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "reduce/kernels/dispatch-inl.h"

namespace tenstride::detail {

const ReduceKernel& float_order_kernel(Reduction reduction, DType dtype) {
  return *TENSTRIDE_CHOSEN(find_float_order_kernel)(reduction, dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
