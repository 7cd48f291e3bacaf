// SPDX-License-Identifier: Apache-2.0
// When a copy goes row after row of the destination, and what that costs.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// For every copy whose kernel works on rows, or on single elements.
std::optional<Proposal> propose_row_loops(Problem& problem);

}  // namespace tenstride::detail
