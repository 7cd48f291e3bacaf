// SPDX-License-Identifier: Apache-2.0
// When a copy goes by tiles, and what that costs.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// For every copy that turns runs of the source into runs of the destination.
std::optional<Proposal> propose_tiles(Problem& problem);

}  // namespace tenstride::detail
