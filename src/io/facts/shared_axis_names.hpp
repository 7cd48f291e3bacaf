// SPDX-License-Identifier: Apache-2.0
// What several tensors of one file say together: names of axes that they share, and names of one another.
#pragma once

#include <vector>

#include "io/format/result_attributes.hpp"
#include "tenstride/io/result_facts.hpp"

namespace tenstride::io {

/// Names that several tensors share stand for the same indices of all: where the chain of one leaves others,
/// its axis gets a name of its own, and that is told. A coordinate keeps its name, then whole axes do.
/// Example: beside lat (lat), of `x.flip(1)` of t2m (time, lat) the axes are time and lat_10.
void separate_axis_names(const std::vector<TensorMove>& moves, const std::vector<ResultOrigin>& results,
                         std::vector<ResultFacts>& facts);

/// Drops attributes that name other variables ("coordinates", "bounds", "grid_mapping", …) whose indices are
/// no longer those of tensor `number`.
void keep_true_references(const std::vector<TensorMove>& moves, const std::vector<ResultOrigin>& results,
                          std::size_t number, ResultAttributes& attributes);

}  // namespace tenstride::io
