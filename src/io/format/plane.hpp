// SPDX-License-Identifier: Apache-2.0
// Affine transforms of the plane of pixels, moved along with rows and columns.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "io/format/result_origin.hpp"

namespace tenstride::io {

/// Where pixel (0, 0) lies, and one step along a row, to the next column, and along a column, to the next
/// row.
struct Plane {
  std::array<double, 3> origin{};
  std::array<double, 3> column{};
  std::array<double, 3> row{};
};

/// Which point of pixel (0, 0) the origin is: the corner between the first pixels' outer edges, or the
/// middle.
enum class PixelPoint : unsigned char { corner, middle };

/// What of the source the rows and the columns of a result are.
struct PlaneAxes {
  SourceAxis rows;
  SourceAxis columns;
  /// Whether rows of the result are columns of the source.
  bool is_transposed = false;

  [[nodiscard]] bool is_whole() const { return !is_transposed && rows.is_whole() && columns.is_whole(); }
};

/// `rows`: the axis of the source that is its rows, before that of its columns. `columns`: the axis of the
/// result that is its columns, behind that of its rows. Nothing where these are not those of the source.
inline std::optional<PlaneAxes> plane_axes(const ResultOrigin& result, std::size_t rows,
                                           std::size_t columns) {
  if (columns < 1 || columns >= result.axes.size()) return std::nullopt;
  const std::optional<SourceAxis>& before = result.axes[columns - 1];
  const std::optional<SourceAxis>& last = result.axes[columns];
  if (!before || !last) return std::nullopt;
  const bool is_transposed = before->axis == rows + 1 && last->axis == rows;
  if (!is_transposed && (before->axis != rows || last->axis != rows + 1)) return std::nullopt;
  return PlaneAxes{*before, *last, is_transposed};
}

/// The transform of the result's pixels. Of steps pixels are larger, and their middles stay.
inline Plane moved_plane(const Plane& plane, const PlaneAxes& axes, PixelPoint point) {
  Plane moved = plane;
  const auto along = [&](const SourceAxis& axis, const std::array<double, 3>& direction,
                         std::array<double, 3>& step_of_result) {
    const auto step = static_cast<double>(axis.step);
    const double first =
        static_cast<double>(axis.first) + (point == PixelPoint::corner ? 0.5 - 0.5 * step : 0);
    for (std::size_t d = 0; d < direction.size(); ++d) {
      moved.origin[d] += direction[d] * first;
      step_of_result[d] = direction[d] * step + 0.0;  // no -0
    }
  };
  along(axes.rows, axes.is_transposed ? plane.column : plane.row, moved.row);
  along(axes.columns, axes.is_transposed ? plane.row : plane.column, moved.column);
  return moved;
}

}  // namespace tenstride::io
