// SPDX-License-Identifier: Apache-2.0
// The candidate for copies of rows in the source's order.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// Proposes row scatter for copies by streaming stores of rows of 72 bytes to 16 KiB whose order differs on
/// the two sides. Rows that are not whole lines are proposed only on machines with one memory stream.
std::optional<Candidate> propose_row_scatter(Problem& problem);

/// Sorts the plan's loops in the source's order, as the strategy needs them. Pre: the strategy was proposed
/// for the plan.
void arrange_row_scatter(CopyPlan& plan, const PlanOptions& options);

}  // namespace tenstride::detail
