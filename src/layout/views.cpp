// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/views.hpp"

#include "base/message.hpp"

/// The texts of what views.hpp refuses.
namespace tenstride::detail {

void throw_axis(std::string_view operation, Index axis, const Dims& shape, std::size_t rank) {
  const auto n = static_cast<Index>(rank);
  throw AxisError(
      message(operation, ": axis ", axis, " must lie in [", -n, ",", n - 1, "] (shape ", shape, ")"), axis,
      -n, n - 1);
}

void throw_bad_order(std::string_view operation, const Dims& order, const Dims& shape) {
  std::uint64_t seen = 0;
  for (const Index entry : order) {
    const std::size_t axis = tenstride::wrap_axis(operation, entry, shape);
    if ((seen >> axis & 1U) != 0) break;
    seen |= std::uint64_t{1} << axis;
  }
  throw_order(operation, order, shape);
}

void throw_order(std::string_view operation, const Dims& order, const Dims& shape) {
  const std::size_t rank = shape.size();
  if (rank == 0) {
    throw ShapeError(
        message(operation, ": order ", order, " must be empty for a tensor without axes (shape ())"), shape,
        order);
  }
  throw ShapeError(message(operation, ": order ", order, " must list each axis 0..", rank - 1,
                           " once (shape ", shape, ")"),
                   shape, order);
}

void throw_repeated_axis(std::string_view operation, const Dims& axes, Index axis, const Dims& shape) {
  throw ShapeError(
      message(operation, ": axes ", axes, " must not name axis ", axis, " twice (shape ", shape, ")"), shape,
      axes);
}

void throw_axis_counts(std::string_view operation, const Dims& source, const Dims& destination) {
  throw ShapeError(
      message(operation, ": source ", source, " and destination ", destination, " must name as many axes (",
              source.size(), " and ", destination.size(), " given)"),
      source, destination);
}

void throw_equal_axes(std::string_view operation, Index axis, const Dims& shape) {
  throw ShapeError(
      message(operation, ": the two axes must differ, both are axis ", axis, " (shape ", shape, ")"), shape,
      shape);
}

void throw_rank(std::string_view operation, const Dims& shape, std::string_view rule) {
  throw ShapeError(message(operation, ": the tensor has ", shape.size(),
                           shape.size() == 1 ? " axis" : " axes", " and ", rule, " (shape ", shape, ")"),
                   shape, shape);
}

void throw_no_axes(std::string_view operation) {
  throw IndexError(message(operation, ": the tensor must have at least 1 axis (shape ())"), 0, 0, -1);
}

void throw_expand_rank(std::string_view operation, const Dims& sizes, const Dims& shape) {
  throw ShapeError(message(operation, ": sizes ", sizes, " must be at least as many as the tensor's axes, ",
                           shape.size(), " (shape ", shape, ")"),
                   shape, sizes);
}

void throw_expand_size(std::string_view operation, const Dims& sizes, std::size_t at, const Dims& shape) {
  const std::size_t added = sizes.size() - shape.size();
  if (at < added) {
    throw ShapeError(message(operation, ": size ", sizes[at], " at position ", at,
                             " must not be negative: the axis is new, there is no size to keep (shape ",
                             shape, " to ", sizes, ")"),
                     shape, sizes);
  }
  if (sizes[at] < -1) {
    throw ShapeError(message(operation, ": size ", sizes[at], " at position ", at,
                             " must be -1 (keep) or at least 0 (shape ", shape, " to ", sizes, ")"),
                     shape, sizes);
  }
  throw ShapeError(message(operation, ": size ", sizes[at], " at position ", at, " must be ",
                           shape[at - added], ", the size of axis ", at - added,
                           "; only axes of size 1 expand (shape ", shape, " to ", sizes, ")"),
                   shape, sizes);
}

void throw_broadcast(const Dims& a, const Dims& b, std::size_t axis) {
  throw ShapeError(message("broadcast_shapes: shapes ", a, " and ", b,
                           " must be equal or 1 in every axis, counted from the right; axis -",
                           std::max(a.size(), b.size()) - axis, " differs"),
                   a, b);
}

void throw_negative_stride(std::string_view operation, const Dims& strides) {
  const Index worst = *std::min_element(strides.begin(), strides.end());
  throw RuntimeError(message(operation, ": strides ", strides, " must not be negative, ", worst,
                             " is; walk an axis backwards with a slice of step -1"));
}

void throw_storage_reach(std::string_view operation, const Layout& layout, Index storage_size) {
  const std::optional<Reach> touched = reach(layout, operation);
  throw StorageError(message(operation, ": sizes ", layout.shape, ", strides ", layout.strides,
                             " and offset ", layout.offset, " reach elements ", touched->lowest, "..",
                             touched->highest, ", which must lie in the storage of ", storage_size,
                             " elements"));
}

void throw_negative_offset(std::string_view operation, Index offset) {
  throw RuntimeError(message(operation, ": storage offset ", offset, " must not be negative"));
}

void throw_narrow_start(Index axis, Index start, const Dims& shape) {
  const Index size = shape[wrap_axis("narrow", axis, shape)];
  throw IndexError(message("narrow: start ", start, " must lie in [", -size, ",", size, "] on axis ", axis,
                           " (shape ", shape, ")"),
                   start, -size, size);
}

void throw_narrow_length(Index axis, Index start, Index length, const Dims& shape) {
  if (length < 0) {
    throw ShapeError(message("narrow: length ", length, " must not be negative (shape ", shape, ")"), shape,
                     shape);
  }
  throw ShapeError(
      message("narrow: start ", start, " and length ", length, " must end within axis ", axis,
              ", whose size is ", shape[wrap_axis("narrow", axis, shape)], " (shape ", shape, ")"),
      shape, shape);
}

void throw_step(std::string_view operation, Index step) {
  throw RuntimeError(message(operation, ": step ", step, " must be at least 1",
                             operation == "slice" ? "; indexing x[::-1] walks backwards" : ""));
}

void throw_index_step(Index step) {
  if (step == 0) throw ValueError("index: step 0 must not be 0 (a slice start:stop:step)");
  throw ValueError(
      message("index: step ", step, " must be at least 1 (PyTorch's rule; NegativeStep::view allows it)"));
}

void throw_unfold_size(Index axis, Index size, const Dims& shape) {
  const Index extent = shape.empty() ? 1 : shape[wrap_axis("unfold", axis, shape)];
  throw ShapeError(message("unfold: window size ", size, " must lie in [0,", extent, "] on axis ", axis,
                           " (shape ", shape, ")"),
                   shape, shape);
}

void throw_too_many_indices(std::size_t given, const Dims& shape) {
  throw IndexError(message("index: ", given, given == 1 ? " index" : " indices", " given, must be at most ",
                           shape.size(), ", one for each axis (shape ", shape, ")"),
                   static_cast<Index>(given), 0, static_cast<Index>(shape.size()));
}

void throw_two_ellipses() {
  throw IndexError("index: an index must have at most one ellipsis ('...'), two are given", 2, 0, 1);
}

void throw_split_size(std::string_view operation, Index size, Index axis, const Dims& shape) {
  throw ShapeError(
      message(operation, ": split size ", size, " must be at least 1, or 0 for an axis of size 0 (axis ",
              axis, ", shape ", shape, ")"),
      shape, shape);
}

void throw_split_sizes(const Dims& sizes, Index axis, const Dims& shape) {
  throw ShapeError(message("split_with_sizes: sizes ", sizes, " must be at least 0 and sum to ",
                           shape[wrap_axis("split_with_sizes", axis, shape)], ", the size of axis ", axis,
                           " (shape ", shape, ")"),
                   shape, sizes);
}

void throw_sections(std::string_view operation, Index sections) {
  throw RuntimeError(message(operation, ": ", sections, operation == "chunk" ? " chunks" : " sections",
                             " asked for, must be at least 1"));
}

void throw_too_many_sections(std::string_view operation, Index sections, Index axis, const Dims& shape) {
  throw ValueError(message(operation, ": the number of sections (", sections, ") must be at most ",
                           max_empty_pieces, " where the axis has fewer elements (axis ", axis, " of shape ",
                           shape, ")"));
}

void throw_uneven_sections(std::string_view operation, Index sections, Index axis, const Dims& shape) {
  throw ShapeError(message(operation, ": ", sections, " sections must divide axis ", axis, ", whose size is ",
                           shape[at(axis)], " (shape ", shape, ")"),
                   shape, shape);
}

void throw_view_dtype(std::string_view rule, const Layout& layout, std::size_t from_item_size,
                      std::size_t to_item_size) {
  std::string text = message("view: to see elements of ", from_item_size, " B as elements of ", to_item_size,
                             " B, ", rule, " (layout ", layout.shape, ":", layout.strides,
                             layout.offset < 0 ? "" : "+", layout.offset, ")");
  const bool can_help = layout.rank() > 0 && !rule.starts_with("the last size");
  if (can_help && is_contiguous(layout) && layout.strides.back() != 1) {
    text +=
        "; .contiguous() changes nothing, as axes of size 1 and empty tensors count as contiguous "
        "whatever their strides: use .clone() in the contiguous format";
  } else if (can_help) {
    text += "; a .clone() in the contiguous format has such strides and offset 0";
  }
  throw ShapeError(text, layout.shape, layout.shape);
}

void throw_view_as_complex(std::string_view rule, const Layout& layout) {
  throw ShapeError(message("view_as_complex: ", rule, " (shape ", layout.shape, ", strides ", layout.strides,
                           ", offset ", layout.offset, ")"),
                   layout.shape, layout.shape);
}

}  // namespace tenstride::detail
