// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "picture/canvas.hpp"
#include "picture/palette.hpp"

/// What the parts of an SVG of tensors have in common.
namespace tenstride::detail {

inline constexpr Index margin = 24;
inline constexpr Index cell_height = 28;
/// The size of an ellipsis.
inline constexpr Index gap_size = 20;
/// The height of one axis in a strip.
inline constexpr Index lane_height = 22;

struct Scene {
  const Picture& picture;
  Colors colors;
  Index cell_width = 28;
  /// One strip for each storage.
  std::vector<ShownStrip> strips;
};

/// The cell of an element or of a position, with its value and the attributes that tell what it is.
struct Cell {
  std::size_t step = 0;
  /// "1,0"; nothing in a strip.
  std::optional<std::string> index;
  Index position = 0;
  std::string words;
  bool is_gap = false;
};
void draw_cell(Canvas& canvas, const Scene& scene, const Cell& cell, Index x, Index y, Index width);

/// Of the group that is a tensor, a refused view or a copy.
std::string row_attributes(std::optional<std::size_t> step);

/// A triangle whose tip is at the place.
enum class Direction : unsigned char { down, right };
void draw_tip(Canvas& canvas, Index x, Index y, Direction direction);

struct Size {
  Index width = 0;
  Index height = 0;
};
/// The logical grid with an arrow along each axis.
Size grid_size(const Scene& scene, std::size_t number);
void draw_grid(Canvas& canvas, const Scene& scene, std::size_t number, Index x, Index y);

/// The storage with a lane of hops above it for each axis. `x` is where position 0 is; the names of the axes
/// stand left of it.
Size strip_size(const Scene& scene, std::size_t number);
Index strip_label_width(const Scene& scene, std::size_t number);
void draw_strip(Canvas& canvas, const Scene& scene, std::size_t number, Index x, Index y);

/// The elements in the order in which a refused view would have to visit them, and the steps between them.
Index draw_refusal(Canvas& canvas, const Scene& scene, const PictureRefusal& refusal, Index y);

/// The documents.
std::string svg_of_tensors(const Picture& picture, const PictureOptions& options);
std::string svg_of_atoms(const Picture& picture);
std::string svg_of_walk(const Picture& picture);

}  // namespace tenstride::detail
