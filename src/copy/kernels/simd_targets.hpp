// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the kernels are compiled for: included first by each of their sources, before
// Highway.
#pragma once

// Highway's own checks would abort; the library never does.
#define HWY_IS_DEBUG_BUILD 0
// Highway's name for the sets to leave out: SSE4 is hardly more than SSSE3 for what is used here. With
// sanitizers one set stands for the others, which have the same sources: half the time to compile.
#if defined(__SANITIZE_THREAD__)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3)
#elif defined(__SANITIZE_ADDRESS__)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS HWY_SSE4
#endif
