// SPDX-License-Identifier: Apache-2.0
// The kernels of sums, means and products of floating-point and complex numbers, compiled once for each
// instruction set.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/kernels/sums_float.cpp"
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
  if (reduction == Reduction::prod) return KernelSet<FloatProduct<T>>::table();
  if constexpr (!is_complex_element<T>) {
    if (reduction == Reduction::mean) return KernelSet<FloatSum<T>>::template table<FloatMean<T>>();
  }
  return KernelSet<FloatSum<T>>::table();
}

}  // namespace

const ReduceKernel* find_float_kernel(Reduction reduction, DType dtype) {
  return kernel_for(FloatingTypes{}, dtype, [&]<class T>(T*) { return kernel_of<T>(reduction); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "reduce/kernels/dispatch-inl.h"

namespace tenstride::detail {

const ReduceKernel& float_kernel(Reduction reduction, DType dtype) {
  return *TENSTRIDE_CHOSEN(find_float_kernel)(reduction, dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
