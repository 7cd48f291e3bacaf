// SPDX-License-Identifier: Apache-2.0
// The instruction sets that reductions are compiled for: included first by each of their sources, before
// Highway.
#pragma once

#define HWY_IS_DEBUG_BUILD 0
// Highway's name for the sets to leave out. Of use here is what is wider, or widens half numbers.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
