// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "tenstride/plan/in_place_plan.hpp"

/// The methods of exchanging two groups of axes: what each needs and costs.
namespace tenstride::detail {

/// `batch` successive matrices of rows x columns items of `item` bytes, each to be transposed.
struct Transposition {
  Index batch = 1;
  Index rows = 1;
  Index columns = 1;
  Index item = 1;
  friend auto operator<=>(const Transposition&, const Transposition&) = default;
};

/// Steps and their cost, in bytes read and written at the speed of a plain copy.
struct CostedSteps {
  double cost = 0;
  std::vector<InPlaceStep> steps;
};

/// Bytes of one block of a step.
Index block_bytes(const InPlaceStep& step);

/// A step through the scratch memory; `scratch_bytes` is not set yet.
InPlaceStep scratch_step(Index batch, const Dims& shape, const Dims& order, Index item);

/// The step with `scratch_bytes` of at most `extra`, and its cost. Pre: a block fits.
CostedSteps within(InPlaceStep step, Index extra);

/// Bytes of a bitmap, in whole words.
Index bitmap_bytes(Index items);

/// The smallest scratch memory, in bytes, that any method needs.
Index min_scratch(const Transposition& t);

/// The steps of the cheapest method within `extra` bytes of scratch memory; nothing where none fits.
std::optional<CostedSteps> cheapest_steps(const Transposition& t, Index extra);

}  // namespace tenstride::detail
