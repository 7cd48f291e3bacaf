// SPDX-License-Identifier: Apache-2.0
// The kernels that convert while they transpose, over Highway: compiled once for each instruction set, as
// copy/kernels/simd.cpp is.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copy/kernels/converting_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "copy/kernels/channels_converted-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose_converted-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

extern const ConvertingKernels converting;
constinit const ConvertingKernels converting{.deinterleave = find_convert_deinterleaved,
                                             .interleave = find_convert_interleaved,
                                             .transpose = find_transpose_converted};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();
