// SPDX-License-Identifier: Apache-2.0
// The kernels of minima and maxima of floating numbers, compiled once for each instruction set.

#define HWY_IS_DEBUG_BUILD 0
// Of use here is what is wider, or widens half numbers.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce_kernels_order_float.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "copy/kernels.hpp"
#include "reduce_leaves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

template <class T>
const ReduceKernel* kernel_of(Reduction reduction) {
  return reduction == Reduction::min ? Leaves<Extreme<T, true>>::table() : Leaves<Extreme<T, false>>::table();
}

}  // namespace

const ReduceKernel* find_float_order_kernel(Reduction reduction, DType dtype) {
  return kernel_for(RealTypes{}, dtype, [&]<class T>(T*) { return kernel_of<T>(reduction); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenstride::detail {

const ReduceKernel& float_order_kernel(Reduction reduction, DType dtype) {
#if HWY_ARCH_X86
  [[maybe_unused]] const std::string_view chosen = copy::kernels().name;
#if HWY_TARGETS & HWY_AVX3
  if (chosen == "avx512") return *N_AVX3::find_float_order_kernel(reduction, dtype);
#endif
#if HWY_TARGETS & HWY_AVX2
  if (chosen == "avx2") return *N_AVX2::find_float_order_kernel(reduction, dtype);
#endif
#endif
  return *HWY_STATIC_DISPATCH(find_float_order_kernel)(reduction, dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
