// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"

/// Plans that permute the axes of a dense block of memory in place, with little extra memory, as data.
/// permute_in_place.hpp carries them out.
namespace tenstride {

/// How a step moves its items.
enum class InPlaceMethod : std::uint8_t {
  /// Each block is copied to the scratch memory in its new order, and copied back unchanged.
  scratch,
  /// Tiles of a square matrix are exchanged with their mirror images across the diagonal, through the scratch
  /// memory.
  tiles,
  /// Each cycle of the permutation is followed, with one item in the scratch memory; a bitmap marks the items
  /// that are done.
  cycles,
  /// Columns are rotated, each row is permuted, columns are rotated again, and whole rows are permuted:
  /// Catanzaro, Keller and Garland, "A Decomposition for In-place Matrix Transposition", PPoPP 2014.
  decomposition,
};

/// "scratch", "tiles", "cycles" or "decomposition".
TENSTRIDE_API std::string_view name(InPlaceMethod method);

/// One step: `batch` successive blocks, each row-major of `shape` items, become their `permute(order)`,
/// row-major.
struct InPlaceStep {
  InPlaceMethod method = InPlaceMethod::scratch;
  Index batch = 1;
  Dims shape;
  /// (1,0) for all methods but scratch.
  Dims order;
  Index item_bytes = 1;
  Index scratch_bytes = 0;
  /// Bytes that are read; as many are written. Includes those of the scratch memory.
  Index bytes_moved = 0;
  friend bool operator==(const InPlaceStep&, const InPlaceStep&) = default;
};

/// The steps in the order in which they are carried out; none where no byte moves.
struct InPlacePlan {
  std::vector<InPlaceStep> steps;
  /// The largest scratch memory of a step; all steps share it.
  Index scratch_bytes = 0;
  /// The sum over the steps.
  Index bytes_moved = 0;
  friend bool operator==(const InPlacePlan&, const InPlacePlan&) = default;

  /// One line for each step, the last without a newline; "nothing moves" for a plan without steps. Example,
  /// of (4,6) float32 by (1,0) with 1 MiB:
  /// "scratch: 1 block of (4,6) by (1,0), items of 4 B, 96 B of scratch, 192 B moved".
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
};

/// The cheapest sequence of steps that makes of a row-major block of `shape` elements its `permute(order)`,
/// row-major. Axes that stay together form a group. With up to 6 groups all sequences of exchanges of
/// neighbouring groups are searched; with more, each group is moved to its position from the left. A matrix
/// larger than the scratch memory is cut into panels of rows and columns that fit, where its sizes have
/// suitable divisors (Gustavson, Karlsson and Kagstrom, "Parallel and Cache-Efficient In-Place Matrix Storage
/// Format Conversion", TOMS 2012). Pre: `order` lists each axis once, no size is negative. Throws ValueError
/// where `extra_bytes` is less than `min_extra_bytes`.
/// Example: `plan_in_place({4, 6}, {1, 0}, 4, 1024).steps.size() == 1`.
TENSTRIDE_API InPlacePlan plan_in_place(const Dims& shape, const Dims& order, Index element_bytes,
                                        Index extra_bytes, std::string_view operation = "plan_in_place");

/// The smallest `extra_bytes` for which `plan_in_place` finds a plan; 0 where nothing moves. With more than 6
/// groups of axes it is sufficient, but not always the smallest.
/// Example: 9 for (4,6) bytes by (1,0): a bitmap of 8 bytes and an item.
TENSTRIDE_API Index min_extra_bytes(const Dims& shape, const Dims& order, Index element_bytes);

}  // namespace tenstride
