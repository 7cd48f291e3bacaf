// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenstride/dims.hpp"
#include "tenstride/export.hpp"
#include "tenstride/index.hpp"

/// A reshape that was probably meant to be a transpose.
namespace tenstride {

/// A reshape that gives the sizes another order and leaves every element where it is: legal, quiet, and
/// almost always a mistake. What the axes meant is lost: (batch, time) becomes (time, batch), and its rows
/// hold neither.
struct Scramble {
  Dims from;
  Dims to;
  /// The axes of `from` in the order that was probably meant: the sizes of `permute(order)` are `to`, axes of
  /// size 1 aside. Axes of equal size keep their order.
  Dims order;
  friend bool operator==(const Scramble&, const Scramble&) = default;
};

/// The scramble of a `view` or `reshape`, or nothing. It is one where, with the axes of size 1 left out of
/// both, the new sizes are the old ones in another order. So it is none where the sizes are the same
/// (whatever `x.view(x.shape)` is for), where one size is split or merged, and where there are no elements.
/// The new sizes hold no -1; see infer_shape. O(rank²), no heap up to rank 8. Example: `find_scramble({2, 3},
/// {3, 2})->order == Dims{1, 0}`; none for `{4, 4}` to `{4, 4}`, `{6}` to
/// `{3, 2}`, `{2, 3}` to `{2, 1, 3}`.
TENSTRIDE_API std::optional<Scramble> find_scramble(const Dims& from, const Dims& to);

/// What was probably meant, as code: ".transpose(0, 1)", ".permute(2, 0, 1)"; where axes of size 1 come or go
/// the view that makes them follows: ".transpose(0, 1).view(3, 1, 2)". None of it copies.
TENSTRIDE_API std::string to_code(const Scramble& scramble);

/// A place of the result, and where in the source the element comes from that stands there.
struct ScrambledPlace {
  Dims index;
  /// After the reshape, and after what was probably meant.
  Dims reshaped_from;
  Dims meant_from;
  friend bool operator==(const ScrambledPlace&, const ScrambledPlace&) = default;
};

/// The element that stands at an index of the reshaped tensor, and the one that was probably meant to.
/// Example: of (2,3) to (3,2) at [0,1]: from [0,1] where [1,0] was meant.
TENSTRIDE_API ScrambledPlace place_at(const Scramble& scramble, const Dims& index);

/// The first places, in row-major order, where the two differ, indexes along axes that play no part being 0;
/// fewer than `most` where there are no more.
TENSTRIDE_API std::vector<ScrambledPlace> differing_places(const Scramble& scramble, std::size_t most);

/// How many places differ. Walks them all. Example: 4 of 6 for (2,3) to (3,2).
TENSTRIDE_API Index count_differing(const Scramble& scramble);

/// One sentence without a full stop. Example: "the sizes (2,3) are reordered to (3,2) but no axis is moved,
/// so the elements are scrambled; probably meant: .transpose(0, 1)".
TENSTRIDE_API std::string to_string(const Scramble& scramble);

}  // namespace tenstride
