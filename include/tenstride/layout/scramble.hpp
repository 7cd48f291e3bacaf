// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"

/// A reshape that was probably meant to be a transpose.
namespace tenstride {

/// How much speaks for a transpose, by two indications: the new sizes are the old ones in another order, and
/// the reshape cuts across axes, which splitting and merging them cannot explain. Both: `certain`, as (2,3)
/// to (3,2). One: `likely`, as (4,8) to (8,4), which may split 8 and merge (4,2), or (2,16,7,7) to (2,49,16).
/// None: `possible`, as (30,200,512) to (30,8,200,64), where 8 divides 200.
enum class Certainty : unsigned char { possible, likely, certain };
/// "possible", "likely" or "certain".
TENSTRIDE_API std::string_view name(Certainty certainty);

/// A reshape in which an axis stands elsewhere and every element stays where it is: legal, quiet, and almost
/// always a mistake. What the axes meant is lost: (batch, time) becomes (time, batch), and its rows hold
/// neither.
struct Scramble {
  Dims from;
  Dims to;
  /// The sizes of `from`, axes split or neighbours merged so that whole axes move; `from` itself where they
  /// do.
  Dims split;
  /// The axes of `split` in the order that was probably meant: the elements of
  /// `x.reshape(split).permute(order).reshape(to)`. Axes of equal size keep their order.
  Dims order;
  Certainty certainty = Certainty::possible;
  friend bool operator==(const Scramble&, const Scramble&) = default;
};

/// The scramble of a `view` or `reshape`, or nothing. Axes of size 1 are left out of both sizes. It is one
/// where
///
/// - the new sizes are the old ones in another order; or
/// - they are the old ones with two neighbouring blocks exchanged, of which one is a run of whole axes that
///   stands as it was, elsewhere. Before they move, axes may be split, as attention does with its heads, or
///   merged, not both; where they moved they may be merged. No boundary between axes that both sizes have is
///   crossed.
///
/// So it is none where the sizes are the same (whatever `x.view(x.shape)` is for), where axes are only split
/// or only merged, and where there are no elements. The new sizes hold no -1; see infer_shape. O(rank³)
/// steps. Example: `find_scramble({2, 3}, {3, 2})->order == Dims{1, 0}`; the code for `{2, 16, 7, 7}` to `{2,
/// 49, 16}` is `.reshape(2, 16, 49).transpose(1, 2)`, for `{30, 200, 512}` to `{30, 8, 200, 64}`
/// `.view(30, 200, 8, 64).transpose(1, 2)`; none for `{4, 4}` to `{4, 4}`, `{6}` to `{3, 2}`, `{2, 3}` to
/// `{2, 1, 3}`.
TENSTRIDE_API std::optional<Scramble> find_scramble(const Dims& from, const Dims& to);

/// What was probably meant, as code: ".transpose(0, 1)", ".permute(2, 0, 1)". What splits axes first is a
/// view, what merges neighbours a reshape, which copies where their strides do not nest. Where axes of size 1
/// come or go a view follows, ".transpose(0, 1).view(3, 1, 2)"; where moved axes merge a reshape, which
/// copies:
/// ".transpose(1, 2).reshape(32, 60, 512)".
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

/// The first places, in row-major order, where the two differ, of the axes that play no part index 0 alone;
/// fewer than `most` where there are no more.
TENSTRIDE_API std::vector<ScrambledPlace> differing_places(const Scramble& scramble, std::size_t most);

/// How many places differ. Walks them all. Example: 4 of 6 for (2,3) to (3,2).
TENSTRIDE_API Index count_differing(const Scramble& scramble);

/// One sentence without a full stop; of a possible one it says "may be scrambled" and "possibly meant".
/// Example: "the sizes (2,3) are reordered to (3,2) but no axis is moved,
/// so the elements are scrambled; probably meant: .transpose(0, 1)".
TENSTRIDE_API std::string to_string(const Scramble& scramble);

}  // namespace tenstride
