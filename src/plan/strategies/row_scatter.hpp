// SPDX-License-Identifier: Apache-2.0
// When rows go to their places in the source's order, and what that costs.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// For rows of 72 bytes to 16 KiB past the cache whose order differs on the two sides. Rows that are no whole
/// lines only where memory is read as one stream.
std::optional<Proposal> propose_row_scatter(Problem& problem);

/// Puts the loops of the plan in the order that the strategy has. Pre: proposed for it.
void arrange_row_scatter(CopyPlan& plan, const PlanOptions& options);

}  // namespace tenstride::detail
