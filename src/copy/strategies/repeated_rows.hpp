// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/bound_plan.hpp"

namespace tenstride::copy {

/// Packs each repeated row once, in a cache, and writes it to all its positions.
void run(const RepeatedRows& strategy, const BoundPlan& bound);

}  // namespace tenstride::copy
