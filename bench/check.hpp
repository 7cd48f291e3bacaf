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

/// Writes what element `position` of a row-major result must be.
using Definition = std::function<void(Index position, std::byte* element)>;

/// A result by its definition: one plain loop over indices, no clever copy.
struct Expected {
  Index elements = 0;
  DType type = DType::float32;
  /// Results may differ by so much, relatively: roundings of scale and shift are each one's own.
  double tolerance = 0;
  Definition define;
};

/// The definition of a copy. `src` must outlive it.
Expected expected_copy(const CopyCase& what, const std::byte* src);

/// The positions to look at: all of a small result, else the ends and 100,000 anywhere.
std::vector<Index> positions_to_check(Index elements);

/// What a look at a result gave.
struct Checked {
  /// Nothing where all is right, else what is wrong.
  std::optional<std::string> complaint;
  /// Seconds of the call; 0 for one that makes its own result.
  double seconds = 0;
};

/// Makes the call and compares its result. `dst` is written over before, so that nobody lives on what
/// another one wrote.
Checked check(const Call& call, const Expected& expected, std::byte* dst, std::size_t dst_bytes);

}  // namespace tenstride::bench
