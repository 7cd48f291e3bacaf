// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "tenstride/in_place_plan.hpp"

/// The methods for one exchange of two groups of axes: what each needs and costs.
namespace tenstride::detail {

/// `batch` matrices, one behind the other, of rows x columns items of `item` bytes, each to be transposed.
struct Transposition {
  Index batch = 1;
  Index rows = 1;
  Index columns = 1;
  Index item = 1;
  friend auto operator<=>(const Transposition&, const Transposition&) = default;
};

/// Steps and what they cost, in bytes read and written at the speed of a plain copy.
struct CostedSteps {
  double cost = 0;
  std::vector<InPlaceStep> steps;
};

/// Bytes of one of a step's blocks.
Index block_bytes(const InPlaceStep& step);

/// A step through the scratch, its scratch not settled yet.
InPlaceStep scratch_step(Index batch, const Dims& shape, const Dims& order, Index item);

/// A step through the scratch, its scratch within `extra`. Pre: a block fits.
CostedSteps within(InPlaceStep step, Index extra);

/// Bytes of a bitmap, in whole words.
Index bitmap_bytes(Index items);

/// Bytes of the least scratch that some method makes do with.
Index min_scratch(const Transposition& t);

/// The cheapest of all methods within `extra` bytes of scratch; nothing where there is none.
std::optional<CostedSteps> cheapest_steps(const Transposition& t, Index extra);

}  // namespace tenstride::detail
