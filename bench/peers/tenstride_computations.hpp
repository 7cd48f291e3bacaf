// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../computation.hpp"

namespace tenstride::bench {

Call tenstride_computation(const ComputationJob& job);

}  // namespace tenstride::bench
