// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../peer.hpp"

namespace tenstride::bench {

/// A chain step by step; einops does the same steps on PyTorch.
Call torch_chain(const ChainJob& job);

}  // namespace tenstride::bench
