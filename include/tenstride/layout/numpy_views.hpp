// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "tenstride/layout/layout.hpp"
#include "tenstride/layout/numpy_layout.hpp"
#include "tenstride/layout/views.hpp"

/// NumPy's view functions as pure functions Layout -> Layout, where they differ from PyTorch's: in the
/// strides of axes of size 1, in flips that are views, in what is refused and as what (ValueError,
/// AxisError). Rank 0 has no axes here, not even axis 0.
namespace tenstride::numpy {

namespace detail_views {
/// The axis counted from 0. Throws AxisError outside [-rank, rank-1], always on rank 0.
constexpr std::size_t wrap(std::string_view operation, Index axis, const Dims& shape, std::size_t rank) {
  return tenstride::detail::wrap_axis(operation, axis, shape, rank);
}
constexpr std::size_t wrap(std::string_view operation, Index axis, const Dims& shape) {
  return wrap(operation, axis, shape, shape.size());
}

/// All axes counted from 0. Throws ValueError where one is named twice.
constexpr Dims wrap_all(std::string_view operation, const Dims& axes, const Dims& shape, std::size_t rank) {
  Dims result;
  for (const Index axis : axes) result.push_back(static_cast<Index>(wrap(operation, axis, shape, rank)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (result[i] == result[j])
        tenstride::detail::throw_numpy_value(operation, "axes", axes, "name no axis twice", shape);
    }
  }
  return result;
}

constexpr bool contains(const Dims& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), static_cast<Index>(axis)) != axes.end();
}

constexpr Layout pick_axes(const Layout& layout, const Dims& axes) {
  Layout result{Dims::filled(axes.size(), 0), Dims::filled(axes.size(), 0), layout.offset};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result.shape[i] = layout.shape[static_cast<std::size_t>(axes[i])];
    result.strides[i] = layout.strides[static_cast<std::size_t>(axes[i])];
  }
  return result;
}

/// `start:stop:step` along an axis. Without elements the stride and the offset stay (NumPy's rule).
constexpr void slice(Layout& layout, std::size_t d, const Slice& entry) {
  const Index size = layout.shape[d];
  // The least step has no opposite; Python takes the next one.
  const Index step = std::max(entry.step, -std::numeric_limits<Index>::max());
  if (step == 0) tenstride::detail::throw_index_step(step);
  const Index lowest = step > 0 ? 0 : -1;
  const Index highest = step > 0 ? size : size - 1;
  const auto clamp = [&](const std::optional<Index>& given, Index otherwise) {
    if (!given) return otherwise;
    return std::clamp(*given < 0 ? *given + size : *given, lowest, highest);
  };
  const Index start = clamp(entry.start, step > 0 ? lowest : highest);
  const Index stop = clamp(entry.stop, step > 0 ? highest : lowest);
  const Index span = step > 0 ? stop - start : start - stop;
  const Index length = span <= 0 ? 0 : (span - 1) / (step > 0 ? step : -step) + 1;
  layout.shape[d] = length;
  if (length == 0) return;
  layout.offset += start * layout.strides[d];
  // Only the stride of a single element can be too long for 64 bits, and that moves nothing.
  layout.strides[d] = try_multiply(layout.strides[d], step).value_or(layout.strides[d]);
}
}  // namespace detail_views

/// The axes reversed.
constexpr Layout transpose(const Layout& layout) {
  return reverse_axes(layout);
}

/// Axis i of the result is axis axes[i]; each must be named once.
constexpr Layout transpose(const Layout& layout, const Dims& axes) {
  if (axes.size() != layout.rank())
    tenstride::detail::throw_numpy_value("transpose", "axes", axes, "name each axis once", layout.shape);
  return detail_views::pick_axes(layout,
                                 detail_views::wrap_all("transpose", axes, layout.shape, layout.rank()));
}

constexpr Layout swapaxes(Layout layout, Index axis1, Index axis2) {
  const std::size_t a = detail_views::wrap("swapaxes", axis1, layout.shape);
  const std::size_t b = detail_views::wrap("swapaxes", axis2, layout.shape);
  std::swap(layout.shape[a], layout.shape[b]);
  std::swap(layout.strides[a], layout.strides[b]);
  return layout;
}

/// The last two axes swapped: `matrix_transpose` and the attribute `mT`. Ranks below 2 are refused.
constexpr Layout matrix_transpose(Layout layout, std::string_view operation = "matrix_transpose") {
  if (layout.rank() < 2) tenstride::detail::throw_numpy_rank(operation, "at least 2 axes", layout.shape);
  return numpy::swapaxes(std::move(layout), -2, -1);
}

/// Moves axes to new places; the others keep their order.
constexpr Layout moveaxis(const Layout& layout, const Dims& source, const Dims& destination) {
  const Dims from = detail_views::wrap_all("moveaxis", source, layout.shape, layout.rank());
  const Dims to = detail_views::wrap_all("moveaxis", destination, layout.shape, layout.rank());
  if (from.size() != to.size())
    tenstride::detail::throw_numpy_value("moveaxis", "destination", destination,
                                         "name as many axes as the source", layout.shape);
  Dims order = Dims::filled(layout.rank(), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  std::size_t next = 0;
  for (Index& axis : order) {
    if (axis >= 0) continue;
    while (detail_views::contains(from, next)) ++next;
    axis = static_cast<Index>(next++);
  }
  return detail_views::pick_axes(layout, order);
}

/// Moves one axis to where it lies before `start`.
/// Example: `rollaxis({{2, 3, 4}, {12, 4, 1}}, 2, 1)` is `(2,4,3):(12,1,4)+0`.
constexpr Layout rollaxis(Layout layout, Index axis, Index start = 0) {
  const auto rank = static_cast<Index>(layout.rank());
  const auto from = static_cast<Index>(detail_views::wrap("rollaxis", axis, layout.shape));
  Index to = start < 0 ? start + rank : start;
  if (to < 0 || to > rank) tenstride::detail::throw_axis("rollaxis", start, layout.shape, layout.rank() + 1);
  if (from < to) --to;
  return numpy::moveaxis(layout, {from}, {to});
}

/// Axes of size 1 at the given places of the result. Their strides are those reshape gives.
/// Example: `expand_dims({{2, 3}, {3, 1}}, {0})` is `(1,2,3):(6,3,1)+0`.
constexpr Layout expand_dims(const Layout& layout, const Dims& axes) {
  const std::size_t rank = layout.rank() + axes.size();
  const Dims added = detail_views::wrap_all("expand_dims", axes, layout.shape, rank);
  Dims shape;
  std::size_t next = 0;
  for (std::size_t d = 0; d < rank; ++d)
    shape.push_back(detail_views::contains(added, d) ? 1 : layout.shape[next++]);
  return *try_reshape(layout, shape);  // new axes of size 1 never need a copy
}

/// Drops every axis of size 1.
constexpr Layout squeeze(const Layout& layout) {
  return tenstride::squeeze(layout);
}

/// Drops the named axes; ValueError where one's size is not 1.
constexpr Layout squeeze(const Layout& layout, const Dims& axes) {
  const Dims dropped = detail_views::wrap_all("squeeze", axes, layout.shape, layout.rank());
  Dims kept;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (!detail_views::contains(dropped, d))
      kept.push_back(static_cast<Index>(d));
    else if (layout.shape[d] != 1)
      tenstride::detail::throw_numpy_value("squeeze", "axes", axes, "have size 1", layout.shape);
  }
  return detail_views::pick_axes(layout, kept);
}

/// Drops one axis; on rank 0 the axes 0 and -1 are let through.
constexpr Layout squeeze(const Layout& layout, Index axis) {
  if (layout.rank() == 0 && (axis == 0 || axis == -1)) return layout;
  return numpy::squeeze(layout, Dims{axis});
}

/// Basic indexing with NumPy's strides: a new axis has stride 0, a slice without elements keeps its stride,
/// a negative step gives a negative stride.
constexpr Layout index(const Layout& layout, std::span<const BasicIndex> entries) {
  std::size_t named = 0;
  std::size_t selected = 0;
  std::size_t added = 0;
  for (const BasicIndex& entry : entries) {
    selected += std::size_t{std::holds_alternative<Index>(entry)};
    named += std::size_t{std::holds_alternative<Index>(entry) || std::holds_alternative<Slice>(entry)};
    added += std::size_t{std::holds_alternative<NewAxis>(entry)};
  }
  if (entries.size() - named - added > 1) tenstride::detail::throw_two_ellipses();
  if (named > layout.rank()) tenstride::detail::throw_too_many_indices(named, layout.shape);
  const std::size_t rank = layout.rank() - selected + added;
  if (rank > max_rank) tenstride::detail::throw_numpy_index_rank(rank, layout.shape);
  Layout result{{}, {}, layout.offset};
  std::size_t d = 0;
  const auto keep = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++d) {
      result.shape.push_back(layout.shape[d]);
      result.strides.push_back(layout.strides[d]);
    }
  };
  for (const BasicIndex& entry : entries) {
    if (const Index* i = std::get_if<Index>(&entry)) {
      const Index size = layout.shape[d];
      if (*i < -size || *i >= size) tenstride::detail::throw_index_range("index", *i, d, layout.shape);
      result.offset += (*i < 0 ? *i + size : *i) * layout.strides[d++];
    } else if (const Slice* s = std::get_if<Slice>(&entry)) {
      keep(1);
      detail_views::slice(result, result.rank() - 1, *s);
    } else if (std::holds_alternative<NewAxis>(entry)) {
      result.shape.push_back(1);
      result.strides.push_back(0);
    } else {
      keep(layout.rank() - named);
    }
  }
  keep(layout.rank() - d);
  return result;
}

/// The named axes walked backwards, as a view. Example: `flip({{4}, {1}}, {0})` is `(4):(-1)+3`.
constexpr Layout flip(Layout layout, const Dims& axes) {
  for (const Index axis : detail_views::wrap_all("flip", axes, layout.shape, layout.rank()))
    detail_views::slice(layout, static_cast<std::size_t>(axis), {{}, {}, -1});
  return layout;
}

/// All axes walked backwards.
constexpr Layout flip(Layout layout) {
  for (std::size_t d = 0; d < layout.rank(); ++d) detail_views::slice(layout, d, {{}, {}, -1});
  return layout;
}

/// Columns (axis 1) or rows (axis 0) walked backwards; ValueError where the axis is not there.
constexpr Layout fliplr(Layout layout) {
  if (layout.rank() < 2) tenstride::detail::throw_numpy_rank("fliplr", "at least 2 axes", layout.shape);
  return numpy::flip(std::move(layout), {1});
}
constexpr Layout flipud(Layout layout) {
  if (layout.rank() < 1) tenstride::detail::throw_numpy_rank("flipud", "at least 1 axis", layout.shape);
  return numpy::flip(std::move(layout), {0});
}

/// Rotates the plane of two axes by k quarter turns, from the first towards the second, as a view.
constexpr Layout rot90(const Layout& layout, Index k = 1, const Dims& axes = {0, 1}) {
  const auto rank = static_cast<Index>(layout.rank());
  const auto refuse = [&](std::string_view rule) {
    tenstride::detail::throw_numpy_value("rot90", "axes", axes, rule, layout.shape);
  };
  if (axes.size() != 2) refuse("be two");
  // Axes may be any numbers, whose difference 64 bits with a sign do not hold.
  const auto apart = static_cast<std::uint64_t>(axes[0]) - static_cast<std::uint64_t>(axes[1]);
  const auto all = static_cast<std::uint64_t>(rank);
  if (apart == 0 || apart == all || 0 - apart == all) refuse("differ");
  for (const Index axis : axes) {
    if (axis < -rank || axis >= rank) refuse("be axes of the tensor");
  }
  switch ((k % 4 + 4) % 4) {
    case 1:
      return numpy::swapaxes(flip(layout, {axes[1]}), axes[0], axes[1]);
    case 2:
      return flip(layout, axes);
    case 3:
      return flip(numpy::swapaxes(layout, axes[0], axes[1]), {axes[1]});
    default:
      return layout;
  }
}

/// Windows of the given sizes along the axes (all of them unless told), as last axes. An axis may be named
/// again. Example: `sliding_window_view({{5}, {1}}, {3})` is `(3,3):(1,1)+0`.
constexpr Layout sliding_window_view(const Layout& layout, const Dims& window_shape,
                                     const std::optional<Dims>& axes = {}) {
  const auto refuse = [&](std::string_view rule) {
    tenstride::detail::throw_numpy_value("sliding_window_view", "window", window_shape, rule, layout.shape);
  };
  for (const Index size : window_shape) {
    if (size < 0) refuse("have no negative size");
  }
  Layout result = layout;
  const std::size_t count = axes ? axes->size() : layout.rank();
  Dims wrapped;
  for (std::size_t i = 0; i < count; ++i) {
    wrapped.push_back(
        axes ? static_cast<Index>(detail_views::wrap("sliding_window_view", (*axes)[i], layout.shape))
             : static_cast<Index>(i));
  }
  if (window_shape.size() != count) refuse("name one size for each axis");
  for (std::size_t i = 0; i < count; ++i) {
    const auto d = static_cast<std::size_t>(wrapped[i]);
    if (result.shape[d] < window_shape[i]) refuse("fit into the tensor");
    result.shape[d] -= window_shape[i] - 1;
    result.shape.push_back(window_shape[i]);
    result.strides.push_back(layout.strides[d]);
  }
  count_elements(result.shape, "sliding_window_view");
  return result;
}

/// Repeats axes of size 1; each of them, repeated or not, and each new axis has stride 0.
/// Example: `broadcast_to({{3, 1}, {1, 1}}, {2, 3, 4})` is `(2,3,4):(0,1,0)+0`.
constexpr Layout broadcast_to(const Layout& layout, const Dims& shape) {
  const auto refuse = [&](std::string_view rule) {
    tenstride::detail::throw_numpy_value("broadcast_to", "shape", shape, rule, layout.shape);
  };
  for (const Index size : shape) {
    if (size < 0) refuse("have no negative size");
  }
  if (shape.size() < layout.rank()) refuse("have at least as many axes");
  Layout result{shape, Dims::filled(shape.size(), 0), layout.offset};
  const std::size_t added = shape.size() - layout.rank();
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1) continue;
    if (layout.shape[d] != shape[added + d]) refuse("agree with every size but 1");
    result.strides[added + d] = layout.strides[d];
  }
  count_elements(shape, "broadcast_to");
  return result;
}

/// The elements (i, i+offset) of two axes, as a last axis.
constexpr Layout diagonal(const Layout& layout, Index offset = 0, Index axis1 = 0, Index axis2 = 1) {
  if (layout.rank() < 2) tenstride::detail::throw_numpy_rank("diagonal", "at least 2 axes", layout.shape);
  const std::size_t a = detail_views::wrap("diagonal", axis1, layout.shape);
  const std::size_t b = detail_views::wrap("diagonal", axis2, layout.shape);
  if (a == b)
    tenstride::detail::throw_numpy_value("diagonal", "axes", {axis1, axis2}, "differ", layout.shape);
  return tenstride::diagonal(layout, offset, axis1, axis2);
}

/// At least 3 axes: a vector lies along axis 1, a matrix along axes 0 and 1; new axes have stride 0 (those of
/// a scalar 1).
constexpr Layout atleast_3d(const Layout& layout) {
  if (layout.rank() == 0) return {{1, 1, 1}, {1, 1, 1}, layout.offset};
  if (layout.rank() == 1) return {{1, layout.shape[0], 1}, {0, layout.strides[0], 0}, layout.offset};
  if (layout.rank() == 2) {
    return {{layout.shape[0], layout.shape[1], 1}, {layout.strides[0], layout.strides[1], 0}, layout.offset};
  }
  return layout;
}

/// Axes of size 1 in front until there are `rank` (NumPy's `ndmin`).
constexpr Layout with_rank_at_least(const Layout& layout, std::size_t rank) {
  if (layout.rank() >= rank) return layout;
  const bool is_flat = layout.rank() == 0 || is_fortran(layout);
  const Index stride = is_flat ? 1 : checked_multiply(layout.shape[0], layout.strides[0], "ndmin");
  const std::size_t added = rank - layout.rank();
  Layout result{Dims::filled(added, 1), Dims::filled(added, stride), layout.offset};
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    result.shape.push_back(layout.shape[d]);
    result.strides.push_back(layout.strides[d]);
  }
  return result;
}

/// The same bytes as elements of another size. The last axis must be contiguous where the size changes and
/// takes up the change. NumPy lets other strides be no multiple of the element; a layout counts in elements,
/// so such a stride is refused (ValueError), or cut short where it moves nothing: on an axis of size 1, or
/// without elements. Example: `view_dtype({{4, 4}, {4, 1}}, 4, 1)` is `(4,16):(16,1)+0`.
constexpr Layout view_dtype(Layout layout, std::size_t from_item_size, std::size_t to_item_size) {
  if (from_item_size == to_item_size) return layout;
  const auto from = static_cast<Index>(from_item_size);
  const auto to = static_cast<Index>(to_item_size);
  if (layout.rank() == 0) {
    tenstride::detail::throw_numpy_rank("view", "an axis to take another element size", layout.shape);
  }
  const std::size_t last = layout.rank() - 1;
  const bool empty = is_empty(layout);
  if (layout.shape[last] != 1 && !empty && layout.strides[last] != 1) {
    tenstride::detail::throw_numpy_number("view", "last stride", layout.strides[last],
                                          "be 1 to take another element size", layout.shape);
  }
  const Index bytes = checked_multiply(layout.shape[last], from, "view");
  if (bytes % to != 0) {
    tenstride::detail::throw_numpy_number("view", "last size", layout.shape[last],
                                          "hold whole elements of the new size", layout.shape);
  }
  for (std::size_t d = 0; d < last; ++d) {
    const Index stride = checked_multiply(layout.strides[d], from, "view");
    if (stride % to != 0 && !empty && layout.shape[d] != 1)
      tenstride::detail::throw_numpy_alignment("view", "a stride", stride, to_item_size);
    layout.strides[d] = stride / to;
  }
  const Index offset = checked_multiply(layout.offset, from, "view");
  if (offset % to != 0 && !empty)
    tenstride::detail::throw_numpy_alignment("view", "an offset", offset, to_item_size);
  layout.offset = offset / to;
  layout.shape[last] = bytes / to;
  layout.strides[last] = 1;
  return layout;
}

}  // namespace tenstride::numpy
