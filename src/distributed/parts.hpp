// SPDX-License-Identifier: Apache-2.0
// A part of an exchange as boxes.
#pragma once

#include <functional>
#include <vector>

#include "tenstride/distributed/distribution.hpp"

namespace tenstride::distributed {

/// A box of indices: one range along each axis.
using Box = std::vector<IndexRange>;

/// Calls f(box) for boxes that together are positions [first, first + count) of a row-major tensor of a
/// shape, in this order. At most one box for each axis on either side of whole rows.
void each_box(const Dims& shape, Index first, Index count, const std::function<void(const Box&)>& f);

/// Calls f(packed, local) for boxes that together are `box` of the dense tensor of what `part` holds: the box
/// in that tensor, and the same elements in the dense tensor of what `whole` holds. Pre: `whole` holds
/// `part`.
void each_local_box(const Holding& part, const Holding& whole, const Box& box,
                    const std::function<void(const Box& packed, const Box& local)>& f);

}  // namespace tenstride::distributed
