// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/index.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride::detail {

#if defined(__x86_64__)
template <class F>
[[gnu::target("avx2,fma")]] void run_with_fma(const F& f, Index from, Index to) {
  f(from, to);
}
#endif

/// Calls `f(from, to)`, compiled for processors with AVX2 and a fused multiply-add where this one has them:
/// by a call of the C library each would take ten times as long. `f` must be always_inline. The results are
/// the same.
template <class F>
void run_fused(const F& f, Index from, Index to) {
#if defined(__x86_64__)
  static const bool is_fused = Machine::here().instructions >= InstructionSet::avx2;
  if (is_fused) return run_with_fma(f, from, to);
#endif
  f(from, to);
}

}  // namespace tenstride::detail
