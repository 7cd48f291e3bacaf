// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../peer.hpp"

namespace tenstride::bench {

/// Views, small tensors and layouts of tenstride, nanoseconds each.
std::vector<Tiny> tenstride_tiny();

}  // namespace tenstride::bench
