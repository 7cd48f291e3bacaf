// SPDX-License-Identifier: Apache-2.0
// The loops of a reduction, and what one call of a kernel accumulates.
#pragma once

#include "tenstride/reduce/reduce_plan.hpp"

namespace tenstride::detail {

/// Rows of fewer results, and runs of fewer elements, are too short for a kernel's vectors.
inline constexpr Index short_row = 16;
/// The least number of rows that are accumulated together.
inline constexpr Index min_rows_together = 8;

/// What one call of a kernel accumulates.
enum class ReduceShape : unsigned char {
  runs,    ///< runs of elements, each into one accumulator
  rows,    ///< rows of accumulators
  pixels,  ///< a few accumulators whose elements alternate
};

/// The axes from the greatest stride to the smallest.
Dims slowest_first(const Dims& strides);

/// The shape that a way has.
ReduceShape shape_of(ReduceWay way);

/// Sets the loops, joins groups, and sets the order of the loops. The results stand in the order of
/// `dst_strides`, which are dense.
ReduceShape set_loops(ReducePlan& plan, const Layout& results, const Dims& dst_strides,
                      const Layout& reduced);

/// Dense strides for the results in the order in which they are computed fastest: the source's order, except
/// that a short innermost axis (the channels of pixels that are pooled) gives way to a longer one.
Dims working_strides(const Layout& results, const Layout& reduced);

/// Whether few rows, and groups within them, are reduced.
bool is_pool(const ReducePlan& plan);

}  // namespace tenstride::detail
