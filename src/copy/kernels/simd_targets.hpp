// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the kernels are compiled for: included first by each of their sources, before
// Highway. A source that AVX-512 makes no faster defines TENSTRIDE_WITHOUT_AVX512 before.
#pragma once

// Highway's own checks would abort; the library never does.
#define HWY_IS_DEBUG_BUILD 0
// Highway's name for the sets to leave out. x86 processors without AVX2 (Intel's before 2013, AMD's before
// 2015, Atoms before 2021) run the portable kernels: a third set made the part `core` a sixth larger.
// Nothing is used of those beyond AVX3 (AVX3_DL, and newer versions' AVX3_ZEN4 and AVX3_SPR), which would
// take its place where one set alone is compiled. With sanitizers one set stands for the others, which have
// the same sources: half the time to compile. On ARM it is NEON alone: vectors of SVE have no size at compile
// time, and blocks of them, which are arrays here, cannot be had (of ARM's servers only Neoverse V1 has
// longer ones).
#define TENSTRIDE_OLD_TARGETS ((1LL << 14) | HWY_SSSE3 | HWY_SSE4)  // the first is newer versions' HWY_SSE2
#define TENSTRIDE_UNUSED_TARGETS                                                                      \
  (TENSTRIDE_OLD_TARGETS | HWY_AVX3_DL | (1LL << 6) | (1LL << 4) | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128)
#if defined(__SANITIZE_THREAD__)
#define HWY_DISABLED_TARGETS (TENSTRIDE_UNUSED_TARGETS | HWY_AVX2 | HWY_AVX3)
#elif defined(TENSTRIDE_WITHOUT_AVX512) || defined(__SANITIZE_ADDRESS__)
#define HWY_DISABLED_TARGETS (TENSTRIDE_UNUSED_TARGETS | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS TENSTRIDE_UNUSED_TARGETS
#endif

// In a source that is compiled once for each set: what `TENSTRIDE_KERNELS` calls the set at hand.
#define TENSTRIDE_TARGET_NAME (HWY_TARGET == HWY_AVX3 ? "avx512" : HWY_TARGET == HWY_AVX2 ? "avx2" : "vector")
