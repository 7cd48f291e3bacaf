// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the kernels are compiled for: included first by each of their sources, before
// Highway. A source that AVX-512 makes no faster defines TENSTRIDE_WITHOUT_AVX512 before.
#pragma once

// Highway's own checks would abort; the library never does.
#define HWY_IS_DEBUG_BUILD 0
// Highway's name for the sets to leave out: SSE4 is hardly more than SSSE3 for what is used here.
#ifdef TENSTRIDE_WITHOUT_AVX512
#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS HWY_SSE4
#endif
