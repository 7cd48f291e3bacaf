// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/block_plan.hpp"

namespace tenstride::io {

/// The limits as a journal keeps them, without loss.
std::string to_text(const BlockLimits& limits);

}  // namespace tenstride::io
