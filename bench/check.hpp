// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "call.hpp"
#include "case.hpp"

namespace tenstride::bench {

/// Writes the value that element `position` of a row-major result must have.
using Definition = std::function<void(Index position, std::byte* element)>;

/// A result by its definition, element by element.
struct Expected {
  Index elements = 0;
  DType type = DType::float32;
  /// The relative difference that is allowed: libraries round scale and shift differently.
  double tolerance = 0;
  Definition define;
};

/// The definition of a copy. `src` must outlive it.
Expected expected_copy(const CopyCase& what, const std::byte* src);

/// The positions that are checked: all of a small result; of a large one both ends and 100,000 random ones.
std::vector<Index> positions_to_check(Index elements);

/// The outcome of a check.
struct Checked {
  /// What is wrong with the result; empty if it is right.
  std::optional<std::string> complaint;
  /// Seconds of the call; 0 if it makes a new result.
  double seconds = 0;
};

/// Makes the call and compares its result. `dst` is overwritten before, so that the result of another
/// contender cannot pass for the call's own.
Checked check(const Call& call, const Expected& expected, std::byte* dst, std::size_t dst_bytes);

}  // namespace tenstride::bench
