// SPDX-License-Identifier: Apache-2.0
// The candidate for copies that repeat rows.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// Proposes repeated rows for copies by streaming stores whose source repeats rows of 128 bytes to 128 KiB
/// that take longer to make than to copy from a cache: the source has a stride of 0 along a loop just around
/// the row. Example: the rows of pixels of an image enlarged along both axes.
std::optional<Candidate> propose_repeated_rows(Problem& problem);

/// Sorts the plan's loops in the destination's order, as the strategy needs them.
void arrange_repeated_rows(CopyPlan& plan);

}  // namespace tenstride::detail
