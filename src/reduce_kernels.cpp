// SPDX-License-Identifier: Apache-2.0
// The kernels of sums and products, compiled once for each instruction set, in a namespace of its own.

#define HWY_IS_DEBUG_BUILD 0
// Of use here is what is wider, or widens half numbers.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "copy/kernels.hpp"
#include "reduce_leaves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

/// Sums of so many integers of one byte fit in two, of two bytes in four, of one byte in four.
template <class T>
const ReduceKernel* sum_of(Index folded) {
  if constexpr (std::is_integral_v<T>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    using Two = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;
    using Four = std::conditional_t<is_signed, std::int32_t, std::uint32_t>;
    constexpr Index few = 256;
    if constexpr (sizeof(T) == 1) {
      if (folded <= few) return Leaves<WholeSum<T, Two>>::table();
      if (folded <= few * few * few) return Leaves<WholeSum<T, Four>>::table();
    }
    if constexpr (sizeof(T) == 2) {
      if (folded <= few * few) return Leaves<WholeSum<T, Four>>::table();
    }
    return Leaves<WholeSum<T, Word<T>>>::table();
  } else {
    return Leaves<FloatSum<T>>::table();
  }
}

template <class T>
const ReduceKernel* kernel_of(Reduction reduction, Index folded) {
  if (reduction == Reduction::sum) return sum_of<T>(folded);
  if constexpr (std::is_integral_v<T>) {
    return Leaves<WholeProduct<T>>::table();
  } else {
    if (reduction == Reduction::prod) return Leaves<FloatProduct<T>>::table();
    if constexpr (!is_complex_element<T>) return Leaves<FloatSum<T>>::template table<FloatMean<T>>();
    return nullptr;
  }
}

/// float8 has no reductions.
template <class... T>
const ReduceKernel* find(TypeList<T...>, Reduction reduction, DType dtype, Index folded) {
  const ReduceKernel* found = nullptr;
  const auto look = [&]<class One>(One*) {
    if constexpr (!(is_small_float<One> && sizeof(One) == 1)) {
      if (dtype == dtype_of<One>) found = kernel_of<One>(reduction, folded);
    }
  };
  (look(static_cast<T*>(nullptr)), ...);
  return found;
}

}  // namespace

const ReduceKernel* find_sum_kernel(Reduction reduction, DType dtype, Index folded) {
  return find(ElementTypes{}, reduction, dtype, folded);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenstride::detail {

const ReduceKernel& sum_kernel(Reduction reduction, DType dtype, Index folded) {
#if HWY_ARCH_X86
  [[maybe_unused]] const std::string_view chosen = copy::kernels().name;
#if HWY_TARGETS & HWY_AVX3
  if (chosen == "avx512") return *N_AVX3::find_sum_kernel(reduction, dtype, folded);
#endif
#if HWY_TARGETS & HWY_AVX2
  if (chosen == "avx2") return *N_AVX2::find_sum_kernel(reduction, dtype, folded);
#endif
#endif
  return *HWY_STATIC_DISPATCH(find_sum_kernel)(reduction, dtype, folded);
}

const ReduceKernel& reduce_kernel(Reduction reduction, DType dtype, Index folded) {
  const bool adds =
      reduction == Reduction::sum || reduction == Reduction::mean || reduction == Reduction::prod;
  return adds ? sum_kernel(reduction, dtype, folded) : order_kernel(reduction, dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
