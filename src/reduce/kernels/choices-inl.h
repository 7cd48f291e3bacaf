// SPDX-License-Identifier: Apache-2.0
// Which kernel each reduction of each element type has, in groups that are compiled by themselves, once for
// each instruction set. All of a source of kernels: it defines TENSTRIDE_REDUCTIONS, the name of a group, and
// TENSTRIDE_FIND_KERNEL, the function of `kernels.hpp` that finds its kernels.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/kernels/choices-inl.h"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "reduce/kernels/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

/// The element types that have reductions.
using IntegerTypes = TypeList<bool, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                              std::int32_t, std::uint64_t, std::int64_t>;
using RealTypes = TypeList<float16, bfloat16, float, double>;
using FloatingTypes = TypeList<float16, bfloat16, float, double, std::complex<float>, std::complex<double>>;

/// Sums of integers, in the narrowest accumulators that hold a sum. 256 integers of one byte fit in two
/// bytes; 256^3 of them, or 256^2 integers of two bytes, fit in four.
struct WholeSums {
  using Types = IntegerTypes;
  template <class T>
  static const ReduceKernel* kernel(Reduction, Index reduced_count) {
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
};

/// Products of integers. Null for bools, whose products are minima.
struct WholeProducts {
  using Types = IntegerTypes;
  template <class T>
  static const ReduceKernel* kernel(Reduction, Index) {
    // Modulo 2^64, signed and unsigned products have the same bits.
    using Same = std::conditional_t<sizeof(T) == 8, std::int64_t, T>;
    if constexpr (std::is_same_v<T, bool>)
      return nullptr;
    else
      return KernelSet<WholeProduct<Same>>::table();
  }
};

/// Sums, means and products of floating-point and complex numbers.
struct FloatSums {
  using Types = FloatingTypes;
  template <class T>
  static const ReduceKernel* kernel(Reduction reduction, Index) {
    if (reduction == Reduction::prod) return KernelSet<FloatProduct<T>>::table();
    if constexpr (!is_complex_element<T>) {
      if (reduction == Reduction::mean) return KernelSet<FloatSum<T>>::template table<FloatMean<T>>();
    }
    return KernelSet<FloatSum<T>>::table();
  }
};

/// Minima and maxima, of which any and all are made: some integer is not 0 if the greatest is not, all are
/// not 0 if the least is not. Minima, maxima and products of bools are any and all, too.
struct WholeOrder {
  using Types = IntegerTypes;
  template <class T>
  static const ReduceKernel* kernel(Reduction reduction, Index) {
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
};

/// Minima and maxima of floating-point numbers.
struct FloatOrder {
  using Types = RealTypes;
  template <class T>
  static const ReduceKernel* kernel(Reduction reduction, Index) {
    return reduction == Reduction::min ? KernelSet<Extreme<T, true>>::table()
                                       : KernelSet<Extreme<T, false>>::table();
  }
};

/// Any and all of floating-point and complex numbers.
struct Truths {
  using Types = FloatingTypes;
  template <class T>
  static const ReduceKernel* kernel(Reduction reduction, Index) {
    // float16 and bfloat16 have the same bits for 0.
    using Zero = std::conditional_t<std::is_same_v<T, bfloat16>, float16, T>;
    return reduction == Reduction::any ? KernelSet<Truth<Zero, false>>::table()
                                       : KernelSet<Truth<Zero, true>>::table();
  }
};

/// Returns the kernel for the type that `dtype` names, or null where the list lacks it.
template <class Reductions, class... T>
const ReduceKernel* kernel_among(TypeList<T...>, Reduction reduction, DType dtype, Index reduced_count) {
  const ReduceKernel* found = nullptr;
  ((dtype == dtype_of<T> ? void(found = Reductions::template kernel<T>(reduction, reduced_count)) : void()),
   ...);
  return found;
}

const ReduceKernel* find_kernel(Reduction reduction, DType dtype, Index reduced_count) {
  using Reductions = TENSTRIDE_REDUCTIONS;
  return kernel_among<Reductions>(Reductions::Types(), reduction, dtype, reduced_count);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "copy/kernels/compiled-inl.h"
#include "copy/kernels/kernels.hpp"

namespace tenstride::detail {

const ReduceKernel& TENSTRIDE_FIND_KERNEL(Reduction reduction, DType dtype, Index reduced_count) {
  return *copy::compiled_for(copy::kernels().name, HWY_STATIC_DISPATCH(find_kernel),
                             {TENSTRIDE_COMPILED(find_kernel)})(reduction, dtype, reduced_count);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
