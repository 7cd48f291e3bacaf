// SPDX-License-Identifier: Apache-2.0
/// The loop of `parallel.hpp` on oneTBB's threads. The source is compiled without ThreadSanitizer: that does
/// not see into libtbb, and would report false races in oneTBB's inlined templates.
#pragma once

#include "parallel/ranges.hpp"

namespace tenstride::detail {

/// Calls `body` with `state` and each range, on at most `threads` threads, and waits for all. Returns false,
/// with nothing done, where only one thread is available.
bool run_on_tbb(const Ranges& ranges, int threads, void (*body)(void*, Index, Index), void* state);

}  // namespace tenstride::detail
