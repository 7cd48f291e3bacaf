// SPDX-License-Identifier: Apache-2.0
// The kernels of sums of integers, compiled once for each instruction set.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/kernels/whole.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "reduce/kernels/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

/// Chooses the narrowest accumulators that hold a sum. 256 integers of one byte fit in two bytes; 256^3 of
/// them, or 256^2 integers of two bytes, fit in four.
template <class T>
const ReduceKernel* kernel_of(Index reduced_count) {
  constexpr bool is_signed = std::is_signed_v<T>;
  using Two = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;
  using Four = std::conditional_t<is_signed, std::int32_t, std::uint32_t>;
  constexpr Index max_addends = 256;
  if constexpr (sizeof(T) == 1) {
    if (reduced_count <= max_addends) return KernelSet<WholeSum<T, Two>>::table();
    if (reduced_count <= max_addends * max_addends * max_addends)
      return KernelSet<WholeSum<T, Four>>::table();
  }
  if constexpr (sizeof(T) == 2) {
    if (reduced_count <= max_addends * max_addends) return KernelSet<WholeSum<T, Four>>::table();
  }
  // Modulo 2^64, signed and unsigned sums have the same bits.
  using Same = std::conditional_t<sizeof(T) == 8, std::int64_t, T>;
  return KernelSet<WholeSum<Same, Word<Same>>>::table();
}

}  // namespace

const ReduceKernel* find_whole_sum_kernel(DType dtype, Index reduced_count) {
  return kernel_for(IntegerTypes{}, dtype, [&]<class T>(T*) { return kernel_of<T>(reduced_count); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "reduce/kernels/dispatch-inl.h"

namespace tenstride::detail {

const ReduceKernel& whole_sum_kernel(DType dtype, Index reduced_count) {
  return *TENSTRIDE_CHOSEN(find_whole_sum_kernel)(dtype, reduced_count);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
