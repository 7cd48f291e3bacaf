// SPDX-License-Identifier: Apache-2.0
// The conversions of rows over Highway: compiled once for each instruction set, as copy/kernels/simd.cpp is.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copy/kernels/convert_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "copy/kernels/convert-inl.h"
#include "copy/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

ConvertRow find_convert(DType to, DType from);
ScaleRow find_scale(DType to, DType from, Numbers numbers);

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

ConvertRow find_convert(DType to, DType from) {
  const ConvertRow fast = fast_convert(to, from);
  return fast != nullptr ? fast : portable_convert(to, from);
}

ScaleRow find_scale(DType to, DType from, Numbers numbers) {
  return fast_scale(to, from, numbers);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();
