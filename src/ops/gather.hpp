// SPDX-License-Identifier: Apache-2.0
// Gathering boxes of elements from a table of positions into a dense tensor, and scattering them: what
// indexing with tensors is made of.
#pragma once

#include <span>

#include "tenstride/copy/copy.hpp"

namespace tenstride::detail {

/// Number k of `starts` is where box k begins on the scattered side, in elements; on the other side box k
/// begins at the k-th element of `grid` in row-major order. A box is `box` there and `scattered_box` here:
/// equal shapes, offsets included.
struct Boxes {
  std::span<const Index> starts;
  Layout grid;
  Layout box;
  Layout scattered_box;
};

/// Reads the boxes of `src` into `dst`. Same dtype; src's conjugation and negation are carried out.
void gather_boxes(Tensor& dst, const Tensor& src, const Boxes& boxes);

/// Writes `src` into the boxes of `dst`, in order: where two overlap, the later one wins. Same dtype,
/// conjugate and negative bit.
void scatter_boxes(Tensor& dst, const Tensor& src, const Boxes& boxes);

}  // namespace tenstride::detail
