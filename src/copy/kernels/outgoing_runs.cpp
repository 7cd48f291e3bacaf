// SPDX-License-Identifier: Apache-2.0
#include "copy/kernels/outgoing_runs.hpp"

namespace tenstride::copy {

bool OutgoingRuns::next() {
  return next([](std::byte* out, const std::byte* in, std::size_t bytes) { std::memcpy(out, in, bytes); });
}

}  // namespace tenstride::copy
