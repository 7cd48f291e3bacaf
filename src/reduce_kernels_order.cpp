// SPDX-License-Identifier: Apache-2.0
// The kernels of minima, maxima, any and all, compiled once for each instruction set, in a namespace of its
// own.

#define HWY_IS_DEBUG_BUILD 0
// Of use here is what is wider, or widens half numbers.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce_kernels_order.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "copy/kernels.hpp"
#include "reduce_leaves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

/// Whether an integer is 0 does not depend on its sign.
template <class T>
using Bits = typename std::conditional_t<std::is_integral_v<T>, std::type_identity<UnsignedOf<sizeof(T)>>,
                                         std::type_identity<T>>::type;

template <class T>
const ReduceKernel* kernel_of(Reduction reduction) {
  if (reduction == Reduction::any) return Leaves<Truth<Bits<T>, false>>::table();
  if (reduction == Reduction::all) return Leaves<Truth<Bits<T>, true>>::table();
  if constexpr (!is_complex_element<T>) {
    return reduction == Reduction::min ? Leaves<Extreme<T, true>>::table()
                                       : Leaves<Extreme<T, false>>::table();
  }
  return nullptr;
}

/// float8 has no reductions.
template <class... T>
const ReduceKernel* find(TypeList<T...>, Reduction reduction, DType dtype) {
  const ReduceKernel* found = nullptr;
  const auto look = [&]<class One>(One*) {
    if constexpr (!(is_small_float<One> && sizeof(One) == 1)) {
      if (dtype == dtype_of<One>) found = kernel_of<One>(reduction);
    }
  };
  (look(static_cast<T*>(nullptr)), ...);
  return found;
}

}  // namespace

const ReduceKernel* find_order_kernel(Reduction reduction, DType dtype) {
  return find(ElementTypes{}, reduction, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenstride::detail {

const ReduceKernel& order_kernel(Reduction reduction, DType dtype) {
#if HWY_ARCH_X86
  [[maybe_unused]] const std::string_view chosen = copy::kernels().name;
#if HWY_TARGETS & HWY_AVX3
  if (chosen == "avx512") return *N_AVX3::find_order_kernel(reduction, dtype);
#endif
#if HWY_TARGETS & HWY_AVX2
  if (chosen == "avx2") return *N_AVX2::find_order_kernel(reduction, dtype);
#endif
#endif
  return *HWY_STATIC_DISPATCH(find_order_kernel)(reduction, dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
