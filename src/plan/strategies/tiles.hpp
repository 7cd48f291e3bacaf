// SPDX-License-Identifier: Apache-2.0
// The candidate for copies by tiles.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// Proposes tiles for every plan whose kernel transposes, interleaves or deinterleaves.
std::optional<Candidate> propose_tiles(Problem& problem);

}  // namespace tenstride::detail
