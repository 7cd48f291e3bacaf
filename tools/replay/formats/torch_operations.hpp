// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/chain.hpp"

namespace replay {

/// Every recorded operation of PyTorch's, by ATen's name, carried out through the public API.
const Operations& torch_operations();

}  // namespace replay
