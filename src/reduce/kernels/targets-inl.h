// SPDX-License-Identifier: Apache-2.0
// The instruction sets that reductions are compiled for. Each of their sources includes it first, before
// Highway. A source that AVX-512 makes no faster defines TENSTRIDE_WITHOUT_AVX512 before. With sanitizers
// there are fewer, as in copy/kernels/simd_targets.hpp.
#pragma once

#define HWY_IS_DEBUG_BUILD 0
// Instruction sets that are left out. Reductions gain from wider vectors and from conversions of half
// numbers, which these lack.
#define TENSTRIDE_UNUSED \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#if defined(__SANITIZE_THREAD__)
#define HWY_DISABLED_TARGETS (TENSTRIDE_UNUSED | HWY_AVX2 | HWY_AVX3)
#elif defined(TENSTRIDE_WITHOUT_AVX512) || defined(__SANITIZE_ADDRESS__)
#define HWY_DISABLED_TARGETS (TENSTRIDE_UNUSED | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS TENSTRIDE_UNUSED
#endif
