// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tenstride::testing {

/// How often this thread has called `operator new` (of any form) so far.
std::size_t allocations_of_this_thread() noexcept;

/// The allocations of one call. Its result is destroyed inside.
template <typename Call>
std::size_t allocations_in(Call&& call) {
  const std::size_t before = allocations_of_this_thread();
  static_cast<void>(call());
  return allocations_of_this_thread() - before;
}

}  // namespace tenstride::testing
