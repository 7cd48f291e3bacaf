// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../peer.hpp"

namespace tenstride::bench {

/// The same small work as `tenstride_tiny`, by libtorch.
std::vector<Tiny> torch_tiny();

}  // namespace tenstride::bench
