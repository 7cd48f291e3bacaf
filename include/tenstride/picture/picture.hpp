// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/distribution/distribution.hpp"
#include "tenstride/explain/explain.hpp"

/// Pictures of tensors: the grid that is indexed beside the storage that is walked, for each step of an
/// expression; the atoms of its chain; the order in which its copies visit memory. As SVG, as one HTML page,
/// and as text for a terminal. However large a tensor is, the picture is small: see `picture_limits`.
namespace tenstride {

/// What is left out is told by an ellipsis. An SVG stays below `svg_bytes`.
namespace picture_limits {
/// Tensors of one picture; of longer expressions the first ones and the last.
inline constexpr std::size_t tensors = 12;
/// Axes that are drawn: the last ones, the others standing at index 0.
inline constexpr std::size_t rank = 4;
/// Cells of a storage strip.
inline constexpr std::size_t positions = 40;
/// Elements of one grid.
inline constexpr std::size_t elements = 320;
inline constexpr std::size_t svg_bytes = 2'000'000;
}  // namespace picture_limits

/// Where the elements of a storage that a copy filled lay before.
struct PictureOrigin {
  std::size_t storage = 0;
  /// Element n of `from`, in row-major order, became element n of `to`.
  Layout from;
  Layout to;
  DType from_dtype = DType::float32;
  DType to_dtype = DType::float32;
  /// The position in `storage` by the position in the copy, where the copy reorders. It then decides.
  std::map<Index, Index> moved;
};

struct PictureStorage {
  /// "A", "B", …
  std::string name;
  Index nbytes = 0;
  /// Nothing where the elements are new.
  std::optional<PictureOrigin> origin;
};

/// One tensor of a picture.
struct PictureTensor {
  /// The code that made it: "y = x.permute(1,0)".
  std::string title;
  StepKind kind = StepKind::fresh;
  Layout layout;
  DType dtype = DType::float32;
  /// Which of the picture's storages it lies in.
  std::size_t storage = 0;
  /// The bytes that a copy moved.
  Index bytes_moved = 0;
  /// The bytes over the link, of a transfer to another device.
  Index bytes_transferred = 0;
  /// The values where they are known; else the picture shows positions.
  std::optional<Tensor> values;
  /// "since: …", "note: …"; mostly empty.
  std::string hint;
  /// Which step of `explain` made it; nothing for a bound input, and where there is no expression.
  std::optional<std::size_t> step{};
};

/// A view that was refused, as the last row of a picture.
struct PictureRefusal {
  std::string title;
  ViewObstacle obstacle;
  std::size_t storage = 0;
  DType dtype = DType::float32;
  /// The steps of `explain` before it.
  std::optional<std::size_t> step{};
};

/// A copy, and the plan it follows.
struct PictureCopy {
  std::string title;
  CopyPlan plan;
  /// Which step of `explain` made it.
  std::size_t step = 0;
};

/// A chain after one of its steps.
struct PictureChain {
  std::string title;
  Chain chain;
};

/// Who holds the elements of a picture's first tensor, on a mesh of ranks.
struct PictureRanks {
  distributed::Distribution spread;
  std::vector<distributed::Holding> held;  ///< by rank
};

struct Picture {
  std::vector<PictureTensor> tensors;
  std::vector<PictureStorage> storages;
  std::optional<PictureRefusal> refusal;
  std::vector<PictureCopy> copies;
  std::vector<PictureChain> chains;
  /// See `spread_over`.
  std::optional<PictureRanks> ranks;
  /// Why the expression stopped, where it did: "IndexError: …"; else empty.
  std::string error;
  /// Whether the text says no expression or calls what there is not.
  bool is_wrong_notation = false;
};

/// Carries the expression out as `explain` does. Throws nothing but std::bad_alloc.
/// Example: `picture_of("torch.arange(6).view(2,3).T").tensors.size() == 2`, both on one storage: an arange,
/// or a linspace, that is at once viewed in another shape is one tensor.
TENSTRIDE_API Picture picture_of(std::string_view expression, const ExplainOptions& options = {});

/// A picture of one tensor; on meta, and where its type is complex, it shows positions rather than values.
TENSTRIDE_API Picture picture_of(const Tensor& tensor, std::string title);

/// A picture of a layout on a storage that ends where the layout does. Throws OverflowError where positions
/// do not fit 64 bits, and ValueError where they lie before the storage.
TENSTRIDE_API Picture picture_of(const Layout& layout, std::string title);

/// The picture with its first tensor spread over a mesh of ranks: each cell shows the ranks that hold the
/// element, and has the colour of the first of them, through all views and copies. Throws ValueError where
/// there is no tensor, or positions do not tell its elements apart, and as `distribute`. Example:
/// `spread_over (picture_of("torch.arange(24).view(4,6).t()"), {{2}}, {distributed::shard(0)})`.
TENSTRIDE_API Picture spread_over(Picture picture, const distributed::Mesh& mesh,
                                  std::vector<distributed::Placement> placements);

/// What tells one element from another; the colour of an element stays its own through views and copies.
enum class PictureColors : unsigned char {
  axis,      ///< a hue for each index along `PictureOptions::axis` of the first tensor that has one
  position,  ///< a scale from the storage's first position to its last
};

/// What is drawn.
enum class PictureSubject : unsigned char {
  tensors,  ///< each step: its grid and its storage
  atoms,    ///< each step of the chain: its axes as lists of atoms
  walk,     ///< each copy: when it visits which element of both sides
};

/// "tensors", "atoms", "walk"; nothing for other words.
TENSTRIDE_API std::optional<PictureSubject> picture_subject(std::string_view name);

struct PictureOptions {
  PictureSubject subject = PictureSubject::tensors;
  PictureColors colors = PictureColors::axis;
  std::size_t axis = 0;
  /// The style of the text form.
  TextStyle style = TextStyle::plain;
  /// Columns that the text form may use; below 40 counts as 40.
  std::size_t width = 80;
};

/// An SVG document, the same for the same picture. Colours are told apart by people who see few, the
/// background follows the reader's light or dark scheme. Each element is a group `<g class="e">` with the
/// attributes data-step, data-index ("1,0"), data-position (in elements) and data-byte, each cell of a
/// storage one `<g class="p">` with data-step, data-position and data-byte; data-root is equal for what is
/// the same element. A tensor, a refused view or a copy is a group `<g class="row">`, whose
/// data-explain-step is the number of its step in `explain`, from 0 on (of a refused view the number of
/// steps). Throws ValueError where there is nothing of the subject to draw.
TENSTRIDE_API std::string to_svg(const Picture& picture, const PictureOptions& options = {});

/// One HTML page that needs nothing else: the SVG, and below it the element under the mouse, or chosen with
/// the arrow keys: its index, position and byte in every step. Throws as `to_svg`.
TENSTRIDE_API std::string to_html(const Picture& picture, const PictureOptions& options = {});

/// The picture for a terminal: lines with box characters, the last with a line end. Throws as `to_svg`.
TENSTRIDE_API std::string to_text(const Picture& picture, const PictureOptions& options = {});

}  // namespace tenstride
