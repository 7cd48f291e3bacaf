// SPDX-License-Identifier: Apache-2.0
// The kernels of any and all of floating-point and complex numbers, compiled once for each instruction set.

// Vectors of AVX-512 gain little where memory is read: 600 → 585 us (2048x2048 float32). In the L2 cache they
// would take three quarters of the time.
#define TENSTRIDE_WITHOUT_AVX512
#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/kernels/truth.cpp"
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
  // float16 and bfloat16 have the same bits for 0.
  using Zero = std::conditional_t<std::is_same_v<T, bfloat16>, float16, T>;
  return reduction == Reduction::any ? KernelSet<Truth<Zero, false>>::table()
                                     : KernelSet<Truth<Zero, true>>::table();
}

}  // namespace

const ReduceKernel* find_truth_kernel(Reduction reduction, DType dtype) {
  return kernel_for(FloatingTypes{}, dtype, [&]<class T>(T*) { return kernel_of<T>(reduction); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "reduce/kernels/dispatch-inl.h"

namespace tenstride::detail {

const ReduceKernel& truth_kernel(Reduction reduction, DType dtype) {
  return *TENSTRIDE_CHOSEN(find_truth_kernel)(reduction, dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
