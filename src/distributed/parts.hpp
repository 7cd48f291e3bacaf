// SPDX-License-Identifier: Apache-2.0
// A part of an exchange as boxes, and the same elements in two tensors.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "tenstride/distribution/distribution.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::distributed {

/// A box of indices: one range along each axis.
using Box = std::vector<IndexRange>;

/// Calls f(box) for boxes that together are positions [first, first + count) of a row-major tensor of a
/// shape, in this order. At most one box for each axis on either side of whole rows.
void each_box(const Dims& shape, Index first, Index count, const std::function<void(const Box&)>& f);

/// The elements of a holding whose place in the rank's own tensor lies in a box.
Holding within(const Holding& holding, const Box& box);

/// Indices of an axis in two dense local tensors, as a nest of loops: the outermost takes `counts[0]` steps.
/// Example: {0,1,2,6,7,8} in the one and {3,4,5,6,7,8} in the other are first {0,3}, counts (2,3), steps
/// (6,1) and (3,1).
struct AxisNest {
  std::array<Index, 2> first{};
  Dims counts;
  std::array<Dims, 2> steps;
};

/// The indices of `part` in the tensors of `a` and of `b`, which both hold them, as few nests of at most
/// `max_loops` loops, which is 1 or more.
std::vector<AxisNest> axis_nests(const std::vector<IndexRange>& part, const std::vector<IndexRange>& a,
                                 const std::vector<IndexRange>& b, std::size_t max_loops);

/// A rank's own tensor and what it has.
struct Held {
  const Holding& holding;
  const Tensor& tensor;
};

/// Calls f(of_a, of_b) for views of both tensors that together have the elements of `part`. Pre: both hold
/// them.
void each_common_part(const Holding& part, const Held& a, const Held& b,
                      const std::function<void(const Tensor& of_a, const Tensor& of_b)>& f);

}  // namespace tenstride::distributed
