// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenstride/picture/picture.hpp"

/// Which elements and positions of a picture are drawn, and what is known of each.
namespace tenstride::detail {

/// Stands for what is left out between two indices or positions.
inline constexpr Index left_out = -1;

/// All indices of an axis, or the first ones, `left_out`, and the last; at most `most` entries.
/// Example: `shown_indices(9, 5)` is 0 1 2 left_out 8.
std::vector<Index> shown_indices(Index size, std::size_t most);

/// The part of a tensor that is drawn: its last axes (four at most), each with the indices that are shown.
struct ShownGrid {
  /// How many axes stand at index 0.
  std::size_t leading = 0;
  std::vector<std::vector<Index>> axes;
  [[nodiscard]] bool is_whole(const Dims& shape) const;
};
ShownGrid shown_grid(const Layout& layout);

/// The positions of the elements that its grid shows, in row-major order.
std::vector<Index> shown_positions(const Layout& layout);

/// An index whose element lies at the position, of layouts whose steps nest (see `is_provably_unique`; axes
/// of stride 0 aside, which stand at 0). Nothing where there is none or where the steps do not nest. O(rank).
std::optional<Dims> locate(const Layout& layout, Index position);

/// How many elements lie at a position; 1 where that cannot be told in reasonable time.
Index elements_at(const Layout& layout, Index position);

/// An element as it was made: the storage and the byte there.
struct Root {
  std::size_t storage = 0;
  Index byte = 0;
  friend bool operator==(const Root&, const Root&) = default;
};

/// Follows an element back through the copies.
Root root_of(const Picture& picture, std::size_t storage, Index byte);

/// The positions of a storage that are drawn, in cells of `grain` bytes, the same for all tensors on it.
struct ShownStrip {
  /// The bytes of the largest and of the smallest element type.
  Index grain = 1;
  Index unit = 1;
  /// Ascending; `left_out` between those that are not neighbours.
  std::vector<Index> cells;
};
ShownStrip shown_strip(const Picture& picture, std::size_t storage,
                       std::size_t max_positions = picture_limits::positions);

/// The tensors that are drawn, with `left_out` for those that are not.
std::vector<Index> shown_tensors(const Picture& picture);

/// What the element at a position is, in at most ten characters; empty where it is not known.
std::string value_at(const PictureTensor& tensor, Index position);

/// What a cell of a grid says: the ranks of the element where the picture has them, else its value, else its
/// position.
std::string words_at(const Picture& picture, const PictureTensor& tensor, Index position);

/// A position or a count; of very large ones the ends.
std::string number_of(Index number);

/// "(2,3)" as "2,3".
std::string plain(const Dims& dims);

/// The text, its middle left out where it is longer than `most` characters.
std::string shortened(const std::string& text, std::size_t most);

/// The text broken between words into lines of at most so many characters, where words allow it.
std::vector<std::string> lines_of(const std::string& text, std::size_t most);

/// Code points.
std::size_t characters(std::string_view text);

/// "view of storage A, nothing moves"; of a storage that is drawn already "shared".
std::string story_of(const Picture& picture, std::size_t tensor);

/// How a kind of step is marked: a class of the style sheet, and a colour of a terminal.
struct KindLook {
  std::string_view style;
  std::string_view color;
};
KindLook look_of(StepKind kind);

/// Why the obstacle is one: "axes 1 and 2 would merge: …".
std::string reason_of(const ViewObstacle& obstacle);

}  // namespace tenstride::detail
