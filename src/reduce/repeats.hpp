// SPDX-License-Identifier: Apache-2.0
// Elements that expanded axes repeat.
#pragma once

#include "tenstride/reduce/reduce_plan.hpp"

namespace tenstride::detail {

/// Takes repeated elements out of a plan's problem where they need not be read again: results along expanded
/// axes, elements that extrema and truth do not count, elements of integer sums, which are multiples. Returns
/// whether that is the whole plan: a result of multiples.
bool take_repeats(ReducePlan& plan);

}  // namespace tenstride::detail
