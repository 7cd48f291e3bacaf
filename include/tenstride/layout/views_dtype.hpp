// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/layout/views_axes.hpp"

/// The same bytes as elements of another type: view(dtype), complex numbers as pairs (see views.hpp).
namespace tenstride {

namespace detail {
[[noreturn]] TENSTRIDE_API void throw_view_dtype(std::string_view rule, const Layout& layout,
                                                 std::size_t from_item_size, std::size_t to_item_size);
[[noreturn]] TENSTRIDE_API void throw_view_as_complex(std::string_view rule, const Layout& layout);
}  // namespace detail

/// The same bytes as elements of another size. To smaller elements the last axis grows by the ratio; to
/// larger ones it must divide, as must the offset and all other strides; the last stride must be 1 unless the
/// sizes are equal. Example: `view_dtype({{4, 4}, {4, 1}}, 4, 1)` is `(4,16):(16,1)+0`.
constexpr Layout view_dtype(const Layout& source, std::size_t from_item_size, std::size_t to_item_size) {
  Layout layout = source;
  if (from_item_size == to_item_size) return layout;
  const bool grows = to_item_size < from_item_size;
  const auto ratio =
      static_cast<Index>(grows ? from_item_size / to_item_size : to_item_size / from_item_size);
  if (layout.rank() == 0)
    detail::throw_view_dtype("the tensor must have at least 1 axis", layout, from_item_size, to_item_size);
  const std::size_t last = layout.rank() - 1;
  if (grows) {
    if (layout.strides[last] != 1)
      detail::throw_view_dtype("the last stride must be 1", layout, from_item_size, to_item_size);
    layout.shape[last] = checked_multiply(layout.shape[last], ratio, "view");
    layout.offset = checked_multiply(layout.offset, ratio, "view");
    for (std::size_t d = 0; d < last; ++d)
      layout.strides[d] = checked_multiply(layout.strides[d], ratio, "view");
    return layout;
  }
  if (layout.shape[last] % ratio != 0) {
    detail::throw_view_dtype("the last size must be a multiple of their ratio", layout, from_item_size,
                             to_item_size);
  }
  if (layout.offset % ratio != 0)
    detail::throw_view_dtype("the offset must be a multiple of their ratio", layout, from_item_size,
                             to_item_size);
  if (layout.strides[last] != 1)
    detail::throw_view_dtype("the last stride must be 1", layout, from_item_size, to_item_size);
  for (std::size_t d = 0; d < last; ++d) {
    if (layout.strides[d] % ratio != 0) {
      detail::throw_view_dtype("every stride but the last must be a multiple of their ratio", layout,
                               from_item_size, to_item_size);
    }
    layout.strides[d] /= ratio;
  }
  layout.shape[last] /= ratio;
  layout.offset /= ratio;
  return layout;
}

/// A complex tensor as pairs of real numbers: strides and offset doubled, a last axis `(2):(1)`.
constexpr Layout view_as_real(const Layout& source) {
  Layout layout = source;
  for (Index& stride : layout.strides) stride = checked_multiply(stride, 2, "view_as_real");
  layout.offset = checked_multiply(layout.offset, 2, "view_as_real");
  layout.shape.push_back(2);
  layout.strides.push_back(1);
  return layout;
}

/// The inverse of view_as_real: a last axis of size 2 and stride 1, all other strides and the offset even.
constexpr Layout view_as_complex(const Layout& layout) {
  if (layout.rank() == 0) detail::throw_view_as_complex("the tensor must have at least 1 axis", layout);
  if (layout.shape.back() != 2) detail::throw_view_as_complex("the last size must be 2", layout);
  if (layout.strides.back() != 1) detail::throw_view_as_complex("the last stride must be 1", layout);
  Layout result = layout;
  result.shape.pop_back();
  result.strides.pop_back();
  for (Index& stride : result.strides) {
    if (stride % 2 != 0) detail::throw_view_as_complex("every stride but the last must be even", layout);
    stride /= 2;
  }
  if (layout.offset % 2 != 0) detail::throw_view_as_complex("the offset must be even", layout);
  result.offset /= 2;
  return result;
}

/// The real (component 0) or imaginary (1) parts of a complex tensor: strides doubled.
constexpr Layout complex_component(const Layout& source, Index component) {
  Layout layout = source;
  for (Index& stride : layout.strides) stride = checked_multiply(stride, 2, "real");
  layout.offset = checked_multiply(layout.offset, 2, "real") + component;
  return layout;
}

}  // namespace tenstride
