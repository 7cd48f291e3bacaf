// SPDX-License-Identifier: Apache-2.0
// How many accumulators a thread computes at a time, and into how many parts their elements are cut.
#pragma once

#include "reduce/kernels/kernels.hpp"
#include "tenstride/reduce/reduce_plan.hpp"

namespace tenstride::detail {

/// The smallest share of a thread, in elements.
inline constexpr Index piece_elements = Index{1} << 17;
/// Rows that span no more bytes than this are passed to a kernel in one call.
inline constexpr Index window_bytes = 4096;

/// Whether results are the same whatever the order: all but sums and products of floats.
bool is_exact(const ReducePlan& plan);

/// Sets `tile`, `cuts` and `pairwise_from` of a plan that has its way.
void set_tiles(ReducePlan& plan, const ReduceKernel& kernel);

/// The accumulators that are not divided among threads or tiles.
Index whole_accumulators(const ReducePlan& plan);

/// The distance between the elements of a row that is accumulated with the elements between them;
/// otherwise 1.
Index gap_step(const ReducePlan& plan);

}  // namespace tenstride::detail
