// SPDX-License-Identifier: Apache-2.0
/// The loop of `parallel.hpp` on oneTBB's threads. Its source is compiled without ThreadSanitizer: that does
/// not look into libtbb, so of oneTBB's accesses it would see only those made by templates in its headers.
#pragma once

#include "tenstride/index.hpp"

namespace tenstride::copy {

/// Calls `body` with `state` and parts of [begin, end) of at most `grain`, on at most `threads` threads, and
/// waits for all. False where only one thread is to be had: nothing was done then.
bool run_on_tbb(Index begin, Index end, Index grain, int threads, void (*body)(void*, Index, Index),
                void* state);

}  // namespace tenstride::copy
