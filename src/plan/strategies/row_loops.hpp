// SPDX-License-Identifier: Apache-2.0
// The candidate for copies row by row.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// Proposes row loops for every plan whose kernel works on rows or on single elements.
std::optional<Candidate> propose_row_loops(Problem& problem);

}  // namespace tenstride::detail
