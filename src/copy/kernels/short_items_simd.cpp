// SPDX-License-Identifier: Apache-2.0
// The kernels for short items of any length, over Highway: compiled once for each instruction set, as
// copy/kernels/simd.cpp is.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copy/kernels/short_items_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/short_items-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

extern const ShortItemKernels short_items;
constinit const ShortItemKernels short_items{.repeat = repeat_items, .repeat_lines = repeat_lines};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();
