// SPDX-License-Identifier: Apache-2.0
// When rows that come several times are made once, and what that costs.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// For copies past the cache whose source repeats rows of 128 bytes to 128 KiB that cost more to make than to
/// copy from a cache: an axis of the source with a stride of 0 just outside of what a row is made of. Pixels
/// of an image enlarged along both axes are such.
std::optional<Proposal> propose_repeated_rows(Problem& problem);

/// Puts the loops of the plan in the order that the strategy has.
void arrange_repeated_rows(CopyPlan& plan);

}  // namespace tenstride::detail
