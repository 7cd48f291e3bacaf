// SPDX-License-Identifier: Apache-2.0
// The leaves for tiles of listed rows and columns, over Highway: compiled once for each instruction set, as
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

extern const ListedKernels listed;
constinit const ListedKernels listed{
    .turn = {turn_listed<1>, turn_listed<2>, turn_listed<4>, turn_listed<8>, turn_listed<16>},
    .turn_pitched = {turn_pitched<1>, turn_pitched<2>, turn_pitched<4>, turn_pitched<8>, turn_pitched<16>},
    .turn_short = turn_short,
    .overlapping_rows = copy_overlapping,
    .line_rows = copy_line_rows};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();
