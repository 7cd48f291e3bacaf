// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "tenstride/layout/layout.hpp"
#include "tenstride/layout/views.hpp"

/// NumPy's rules on layouts, as far as they concern the order of elements: which strides a fresh array gets,
/// which order a copy keeps, what can be reshaped without one. NumPy's names, defaults and refusals (those of
/// NumPy 2); strides are in elements here as everywhere.
namespace tenstride::numpy {

/// C: the last axis is the fastest. F: the first. A: F where the array is in F order and not in C order,
/// else C. K: as the source, by the size of its strides.
enum class Order : unsigned char { C, F, A, K };

}  // namespace tenstride::numpy

namespace tenstride::detail {
/// ValueError: "<operation>: <what> <given> must <rule> (shape <shape>)".
[[noreturn]] TENSTRIDE_API void throw_numpy_value(std::string_view operation, std::string_view what,
                                                  const Dims& given, std::string_view rule,
                                                  const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_numpy_number(std::string_view operation, std::string_view what,
                                                   Index given, std::string_view rule, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_numpy_rank(std::string_view operation, std::string_view rule,
                                                 const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_numpy_count(const Dims& sizes, Index count, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_numpy_index_rank(std::size_t rank, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_numpy_order_k(std::string_view operation);
[[noreturn]] TENSTRIDE_API void throw_numpy_copy(std::string_view operation, const Layout& layout,
                                                 std::string_view need);
[[noreturn]] TENSTRIDE_API void throw_numpy_alignment(std::string_view operation, std::string_view what,
                                                      Index nbytes, std::size_t item_size);
}  // namespace tenstride::detail

namespace tenstride::numpy {

/// "C", "F", "A" or "K".
TENSTRIDE_API std::string_view name(Order order);

/// NumPy's `flags.c_contiguous`: axes of size 1 never matter, an empty array is contiguous both ways.
constexpr bool is_c_contiguous(const Layout& layout) {
  return tenstride::is_contiguous(layout);
}

/// NumPy's `flags.f_contiguous`. Example: true for `{{3, 2}, {1, 3}, 0}`.
constexpr bool is_f_contiguous(const Layout& layout) {
  if (is_empty(layout)) return true;
  Index expected = 1;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1) continue;
    if (layout.strides[d] != expected) return false;
    expected *= layout.shape[d];
  }
  return true;
}

/// NumPy's `isfortran`: in F order and not in C order.
constexpr bool is_fortran(const Layout& layout) {
  return is_f_contiguous(layout) && !is_c_contiguous(layout);
}

/// C or F for A; the others stay.
constexpr Order resolve_order(const Layout& layout, Order order) {
  if (order != Order::A) return order;
  return is_fortran(layout) ? Order::F : Order::C;
}

/// The dense strides of an order. Pre: C or F.
constexpr Dims dense_strides(const Dims& shape, Order order, std::string_view operation) {
  return order == Order::F ? column_major_strides(shape, operation) : row_major_strides(shape, operation);
}

/// The layout of a freshly allocated array: dense, and without elements all strides are 0. Pre: C or F.
/// Example: `fresh({2, 0}, Order::C)` is `(2,0):(0,0)+0`.
constexpr Layout fresh(const Dims& shape, Order order = Order::C, std::string_view operation = "empty") {
  Layout result{shape, dense_strides(shape, order, operation), 0};
  if (is_empty(result)) result.strides = Dims::filled(shape.size(), 0);
  return result;
}

/// The axes from the largest step to the smallest; equal steps keep their order.
/// Example: `axes_by_stride({{2, 3, 4}, {1, -8, 2}, 16}) == Dims{1, 2, 0}`.
constexpr Dims axes_by_stride(const Layout& layout) {
  Dims axes = Dims::filled(layout.rank(), 0);
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const std::uint64_t step = tenstride::detail::magnitude(layout.strides[d]);
    std::size_t at = d;
    while (at > 0 &&
           tenstride::detail::magnitude(layout.strides[static_cast<std::size_t>(axes[at - 1])]) < step) {
      axes[at] = axes[at - 1];
      --at;
    }
    axes[at] = static_cast<Index>(d);
  }
  return axes;
}

namespace detail_order {
/// Stable insertion from the largest step to the smallest, where a pair of axes may be ambiguous: then the
/// search goes on past it. `compare` gives -1 where the left axis must stay in front, 1 where the right one
/// goes before it, 0 where nothing is known.
template <typename Compare>
constexpr Dims sort_axes(std::size_t rank, Compare compare) {
  Dims axes = Dims::filled(rank, 0);
  for (std::size_t i = 0; i < rank; ++i) axes[i] = static_cast<Index>(i);
  for (std::size_t i = 1; i < rank; ++i) {
    const Index moving = axes[i];
    std::size_t target = i;
    for (std::size_t left = i; left-- > 0;) {
      const int found = compare(static_cast<std::size_t>(axes[left]), static_cast<std::size_t>(moving));
      if (found < 0) break;
      if (found > 0) target = left;
    }
    for (std::size_t at = i; at > target; --at) axes[at] = axes[at - 1];
    axes[target] = moving;
  }
  return axes;
}
}  // namespace detail_order

/// A fresh layout with the last of the axes the fastest. Pre: axes lists each axis once.
/// Example: `dense_in_order({2, 3}, {1, 0})` is `(2,3):(1,2)+0`.
constexpr Layout dense_in_order(const Dims& shape, const Dims& axes, std::string_view operation = "empty") {
  Layout result = fresh(shape, Order::C, operation);
  if (is_empty(result)) return result;
  Index step = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(axes[i]);
    result.strides[d] = step;
    step *= shape[d];
  }
  return result;
}

/// The axes from the slowest to the fastest in the order in which NumPy's iterator visits one array in order
/// K: by the size of the steps; axes of size 1 or stride 0 are ambiguous and stay as near to C order as the
/// others let them.
constexpr Dims axes_in_iteration_order(const Layout& layout) {
  const auto step = [&layout](std::size_t d) {
    return layout.shape[d] == 1 ? std::uint64_t{0} : tenstride::detail::magnitude(layout.strides[d]);
  };
  const std::size_t rank = layout.rank();
  const auto mirrored = [rank](std::size_t i) { return rank - 1 - i; };
  // The iterator sorts from the fastest to the slowest, so axes are counted from the right.
  Dims axes = detail_order::sort_axes(rank, [&](std::size_t left, std::size_t moving) {
    const std::uint64_t step_left = step(mirrored(left));
    const std::uint64_t step_moving = step(mirrored(moving));
    if (step_left == 0 || step_moving == 0) return 0;
    return step_left <= step_moving ? -1 : 1;
  });
  std::reverse(axes.begin(), axes.end());
  for (Index& axis : axes) axis = static_cast<Index>(mirrored(static_cast<std::size_t>(axis)));
  return axes;
}

/// The layout of a copy in the order: NumPy's `empty_like`, `copy` and `astype`. Order K keeps the order of
/// the axes by the size of their strides and drops signs and gaps.
/// Example: `layout_like({{2, 3}, {1, -4}, 8}, Order::K)` is `(2,3):(1,2)+0`.
constexpr Layout layout_like(const Layout& layout, Order order = Order::K,
                             std::string_view operation = "empty_like") {
  order = resolve_order(layout, order);
  if (order == Order::K) {
    if (is_c_contiguous(layout))
      order = Order::C;
    else if (is_f_contiguous(layout))
      order = Order::F;
  }
  if (order != Order::K) return fresh(layout.shape, order, operation);
  return dense_in_order(layout.shape, axes_by_stride(layout), operation);
}

/// The layout of arrays joined to the shape: the order of axes that fits the inputs' strides, C order where
/// they disagree. Pre: all have the rank of the shape.
constexpr Layout concatenated(std::span<const Layout> layouts, const Dims& shape) {
  const Dims axes = detail_order::sort_axes(shape.size(), [&](std::size_t left, std::size_t moving) {
    int found = 0;
    for (const Layout& layout : layouts) {
      if (layout.shape[left] == 1 || layout.shape[moving] == 1) continue;
      const bool in_order = tenstride::detail::magnitude(layout.strides[moving]) <=
                            tenstride::detail::magnitude(layout.strides[left]);
      if (in_order)
        found = -1;
      else if (found == 0)
        found = 1;
    }
    return found;
  });
  return dense_in_order(shape, axes, "concatenate");
}

/// The sizes with the negative one (any negative number, as NumPy takes it) replaced by what makes them hold
/// as many elements as the layout. Throws ValueError.
constexpr Dims infer_shape(const Layout& layout, const Dims& sizes) {
  const Index count = numel(layout);
  Dims result = sizes;
  std::optional<std::size_t> unknown;
  Index known = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] >= 0) {
      const std::optional<Index> product = try_multiply(known, sizes[i]);
      if (!product) tenstride::detail::throw_numpy_count(sizes, count, layout.shape);
      known = *product;
      continue;
    }
    if (unknown)
      tenstride::detail::throw_numpy_value("reshape", "sizes", sizes, "have at most one unknown",
                                           layout.shape);
    unknown = i;
  }
  if (unknown) {
    if (known == 0 || count % known != 0) tenstride::detail::throw_numpy_count(sizes, count, layout.shape);
    result[*unknown] = count / known;
  } else if (known != count) {
    tenstride::detail::throw_numpy_count(sizes, count, layout.shape);
  }
  return result;
}

namespace detail_order {
/// Reshapes an array that is contiguous in neither order: the old axes (those of size 1 left out) and the new
/// ones are cut into the shortest runs of equal count; within a run the old axes must merge.
constexpr std::optional<Layout> regroup(const Layout& layout, const Dims& shape, Order order) {
  Dims sizes;
  Dims steps;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1) continue;
    sizes.push_back(layout.shape[d]);
    steps.push_back(layout.strides[d]);
  }
  Layout result{shape, Dims::filled(shape.size(), 1), layout.offset};
  std::size_t old_first = 0;
  std::size_t new_first = 0;
  while (old_first < sizes.size() && new_first < shape.size()) {
    std::size_t old_end = old_first + 1;
    std::size_t new_end = new_first + 1;
    Index old_count = sizes[old_first];
    Index new_count = shape[new_first];
    while (old_count != new_count) {
      if (new_count < old_count)
        new_count *= shape[new_end++];
      else
        old_count *= sizes[old_end++];
    }
    for (std::size_t d = old_first; d + 1 < old_end; ++d) {
      const bool merges =
          order == Order::F ? steps[d + 1] == sizes[d] * steps[d] : steps[d] == sizes[d + 1] * steps[d + 1];
      if (!merges) return std::nullopt;
    }
    Index step = order == Order::F ? steps[old_first] : steps[old_end - 1];
    for (std::size_t i = 0; i < new_end - new_first; ++i) {
      const std::size_t d = order == Order::F ? new_first + i : new_end - 1 - i;
      result.strides[d] = step;
      step *= shape[d];
    }
    old_first = old_end;
    new_first = new_end;
  }
  // New axes of size 1 left over at the end.
  Index last = new_first > 0 ? result.strides[new_first - 1] : 1;
  if (order == Order::F && new_first > 0) last *= shape[new_first - 1];
  for (std::size_t d = new_first; d < shape.size(); ++d) result.strides[d] = last;
  return result;
}
}  // namespace detail_order

/// NumPy's reshape without a copy, elements taken and put in the order (C, F or A). One size may be negative;
/// sizes that equal the shape as they are written keep the strides. Throws as `infer_shape`. Nothing where a
/// copy is needed. Example: `try_reshape({{2, 3}, {3, 1}}, {6}, Order::F)` is nothing, in order C
/// `(6):(1)+0`.
constexpr std::optional<Layout> try_reshape(const Layout& layout, const Dims& sizes, Order order = Order::C) {
  if (sizes == layout.shape) return layout;
  const Dims shape = infer_shape(layout, sizes);
  order = resolve_order(layout, order);
  if (order == Order::F ? is_f_contiguous(layout) : is_c_contiguous(layout)) {
    return Layout{shape, dense_strides(shape, order, "reshape"), layout.offset};
  }
  return detail_order::regroup(layout, shape, order);
}

/// NumPy's `ravel` without a copy. Order K takes any dense array of positive strides.
constexpr std::optional<Layout> try_ravel(const Layout& layout, Order order = Order::C) {
  order = resolve_order(layout, order);
  if (order != Order::F && is_c_contiguous(layout)) return try_reshape(layout, {-1}, Order::C);
  if (order != Order::C && is_f_contiguous(layout)) return try_reshape(layout, {-1}, Order::F);
  if (order != Order::K) return std::nullopt;
  const Dims axes = axes_by_stride(layout);
  Index expected = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(axes[i]);
    if (layout.shape[d] == 1) continue;
    if (layout.strides[d] != expected) return std::nullopt;
    expected *= layout.shape[d];
  }
  return Layout{{numel(layout)}, {1}, layout.offset};
}

}  // namespace tenstride::numpy
