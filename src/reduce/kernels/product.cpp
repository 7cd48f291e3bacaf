// SPDX-License-Identifier: Apache-2.0
// The kernels of products of integers, compiled once for each instruction set.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/kernels/product.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "reduce/kernels/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

/// Null for bools: whole_order_kernel has their products, as minima.
template <class T>
const ReduceKernel* kernel_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return nullptr;
  } else if constexpr (sizeof(T) == 8) {  // modulo 2^64, signed and unsigned products have the same bits
    return KernelSet<WholeProduct<std::int64_t>>::table();
  } else {
    return KernelSet<WholeProduct<T>>::table();
  }
}

}  // namespace

const ReduceKernel* find_whole_product_kernel(DType dtype) {
  return kernel_for(IntegerTypes{}, dtype, [&]<class T>(T*) { return kernel_of<T>(); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "reduce/kernels/dispatch-inl.h"

namespace tenstride::detail {

const ReduceKernel& whole_product_kernel(DType dtype) {
  return *TENSTRIDE_CHOSEN(find_whole_product_kernel)(dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
