// SPDX-License-Identifier: Apache-2.0
// The kernels for indexed tiles over Highway: compiled once for each instruction set, as
// copy/kernels/simd.cpp is.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copy/kernels/indexed_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose_indexed-inl.h"
#include "copy/kernels/transpose_short_items-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

extern const IndexedKernels indexed;
constinit const IndexedKernels indexed{.transpose = TENSTRIDE_ITEMS(transpose_indexed),
                                       .transpose_pitched = TENSTRIDE_ITEMS(transpose_pitched),
                                       .transpose_short = transpose_short,
                                       .overlapping_rows = copy_overlapping,
                                       .line_rows = copy_line_rows};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();
