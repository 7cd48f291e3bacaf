// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/dims.hpp"
#include "tenstride/export.hpp"
#include "tenstride/index.hpp"

/// How the axes of a dense block of memory are permuted where they lie, with little memory besides: data, not
/// code. Carried out by permute_in_place.hpp.
namespace tenstride {

/// How a step moves its items.
enum class InPlaceMethod : std::uint8_t {
  /// Each block is copied to the scratch in its new order, and back as it is.
  scratch,
  /// Tiles of a square matrix are exchanged with those across the diagonal, through the scratch.
  tiles,
  /// Each cycle of the permutation is followed, one item in the scratch; a bitmap marks the items in place.
  cycles,
  /// Columns are rotated, rows permuted within, columns rotated, whole rows permuted: Catanzaro, Keller and
  /// Garland, "A Decomposition for In-place Matrix Transposition", PPoPP 2014.
  decomposition,
};

/// "scratch", "tiles", "cycles" or "decomposition".
TENSTRIDE_API std::string_view name(InPlaceMethod method);

/// `batch` blocks, one behind the other, each row-major of `shape` items, become their `permute(order)`,
/// row-major.
struct InPlaceStep {
  InPlaceMethod method = InPlaceMethod::scratch;
  Index batch = 1;
  Dims shape;
  /// (1,0) for all methods but scratch.
  Dims order;
  Index item_bytes = 1;
  Index scratch_bytes = 0;
  /// Bytes that are read, and as many that are written, those of the scratch included.
  Index bytes_moved = 0;
  friend bool operator==(const InPlaceStep&, const InPlaceStep&) = default;
};

/// The steps in the order in which they are carried out; none where the bytes stay where they are.
struct InPlacePlan {
  std::vector<InPlaceStep> steps;
  /// The largest scratch of a step, which all of them use.
  Index scratch_bytes = 0;
  /// The sum over the steps.
  Index bytes_moved = 0;
  friend bool operator==(const InPlacePlan&, const InPlacePlan&) = default;

  /// A line for each step, the last without a newline; "nothing moves" for none. Example, of (4,6) float32
  /// by (1,0) with 1 MiB:
  /// "scratch: 1 block of (4,6) by (1,0), items of 4 B, 96 B of scratch, 192 B moved".
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
};

/// The cheapest sequence of steps after which a row-major block of `shape` elements of `element_bytes` bytes
/// is its `permute(order)`, row-major. Axes that stay together are one; up to 6 such groups all sequences of
/// exchanges of neighbouring groups are searched, above that each group is brought to its place from the
/// left. A matrix that is larger than the scratch is cut into panels of rows and columns that fit, where its
/// sizes have divisors for that (Gustavson, Karlsson and Kagstrom, "Parallel and Cache-Efficient In-Place
/// Matrix Storage Format Conversion", TOMS 2012). Pre: `order` lists each axis once, no size is negative.
/// Throws ValueError where `extra_bytes` is less than `min_extra_bytes`.
/// Example: `plan_in_place({4, 6}, {1, 0}, 4, 1024).steps.size() == 1`.
TENSTRIDE_API InPlacePlan plan_in_place(const Dims& shape, const Dims& order, Index element_bytes,
                                        Index extra_bytes, std::string_view operation = "plan_in_place");

/// The smallest `extra_bytes` with which `plan_in_place` has a plan; 0 where nothing moves.
/// Of more than 6 groups of axes it is one that will do, not always the smallest.
/// Example: 9 for (4,6) bytes by (1,0): a bitmap of 8 bytes and an item.
TENSTRIDE_API Index min_extra_bytes(const Dims& shape, const Dims& order, Index element_bytes);

}  // namespace tenstride
