// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "tenstride/layout/views_slices.hpp"

/// The split family: one tensor as a list of views (see views.hpp).
namespace tenstride {

namespace detail {
/// Pieces beyond the elements of the axis are empty; more of them than this are taken for a mistake.
inline constexpr Index max_empty_pieces = Index{1} << 20;
[[noreturn]] TENSTRIDE_API void throw_split_size(std::string_view operation, Index size, Index axis,
                                                 const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_split_sizes(const Dims& sizes, Index axis, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_sections(std::string_view operation, Index sections);
[[noreturn]] TENSTRIDE_API void throw_too_many_sections(std::string_view operation, Index sections,
                                                        Index axis, const Dims& shape);
[[noreturn]] TENSTRIDE_API void throw_uneven_sections(std::string_view operation, Index sections, Index axis,
                                                      const Dims& shape);

constexpr void check_sections(std::string_view operation, Index sections, Index axis, const Dims& shape,
                              std::size_t d) {
  if (sections <= 0) throw_sections(operation, sections);
  if (sections > shape[d] && sections > max_empty_pieces)
    throw_too_many_sections(operation, sections, axis, shape);
}
}  // namespace detail

/// One layout for each index of the axis, which goes away.
constexpr std::vector<Layout> unbind(const Layout& layout, Index axis = 0) {
  if (layout.rank() == 0) detail::throw_no_axes("unbind");
  const std::size_t d = wrap_axis("unbind", axis, layout.shape);
  std::vector<Layout> parts;
  for (Index i = 0; i < layout.shape[d]; ++i) parts.push_back(select(layout, static_cast<Index>(d), i));
  return parts;
}

/// Pieces of `size` along the axis, the last one maybe shorter; a size of 0 only for an axis of size 0.
constexpr std::vector<Layout> split(const Layout& layout, Index size, Index axis = 0) {
  if (layout.rank() == 0) detail::throw_rank("split", layout.shape, "must have at least 1 axis");
  if (size < 0) detail::throw_split_size("split", size, axis, layout.shape);
  const std::size_t d = wrap_axis("split", axis, layout.shape);
  const Index extent = layout.shape[d];
  if (size == 0 && extent != 0) detail::throw_split_size("split", size, axis, layout.shape);
  std::vector<Layout> parts;
  Index start = 0;
  do {
    const Index length = std::min(size, extent - start);
    parts.push_back(narrow(layout, static_cast<Index>(d), start, length));
    start += length;
  } while (start < extent);
  return parts;
}

/// Pieces of the given sizes, which must be at least 0 and sum to the axis.
constexpr std::vector<Layout> split_with_sizes(const Layout& layout, const Dims& sizes, Index axis = 0) {
  if (layout.rank() == 0) detail::throw_rank("split_with_sizes", layout.shape, "must have at least 1 axis");
  const std::size_t d = wrap_axis("split_with_sizes", axis, layout.shape);
  Index total = 0;
  for (const Index size : sizes) {
    if (size < 0) detail::throw_split_sizes(sizes, axis, layout.shape);
    total = checked_add(total, size, "split_with_sizes");
  }
  if (total != layout.shape[d]) detail::throw_split_sizes(sizes, axis, layout.shape);
  std::vector<Layout> parts;
  Index start = 0;
  for (const Index size : sizes) {
    parts.push_back(narrow(layout, static_cast<Index>(d), start, size));
    start += size;
  }
  return parts;
}

/// At most `chunks` equal pieces (the last one maybe shorter): 7 in 5 gives 2,2,2,1. An axis of size 0 gives
/// `chunks` empty pieces.
constexpr std::vector<Layout> chunk(const Layout& layout, Index chunks, Index axis = 0) {
  if (layout.rank() == 0) detail::throw_rank("chunk", layout.shape, "must have at least 1 axis");
  if (chunks <= 0) detail::throw_sections("chunk", chunks);
  const std::size_t d = wrap_axis("chunk", axis, layout.shape);
  if (layout.shape[d] == 0) {
    detail::check_sections("chunk", chunks, axis, layout.shape, d);
    return std::vector<Layout>(static_cast<std::size_t>(chunks), layout);
  }
  return split(layout, ceil_divide(layout.shape[d], chunks), axis);
}

/// Exactly `sections` pieces whose sizes differ by at most 1: 7 in 3 gives 3,2,2.
constexpr std::vector<Layout> tensor_split(const Layout& layout, Index sections, Index axis = 0,
                                           std::string_view operation = "tensor_split") {
  if (layout.rank() == 0) detail::throw_rank(operation, layout.shape, "must have at least 1 axis");
  const std::size_t d = wrap_axis(operation, axis, layout.shape);
  detail::check_sections(operation, sections, axis, layout.shape, d);
  const Index extent = layout.shape[d];
  std::vector<Layout> parts;
  Index start = 0;
  for (Index i = 0; i < sections; ++i) {
    const Index length = extent / sections + (i < extent % sections ? 1 : 0);
    parts.push_back(narrow(layout, static_cast<Index>(d), start, length));
    start += length;
  }
  return parts;
}

/// The pieces between the given indexes, each cut as a slice (clamped; negative ones count from the end).
constexpr std::vector<Layout> tensor_split(const Layout& layout, const Dims& indices, Index axis = 0,
                                           std::string_view operation = "tensor_split") {
  if (layout.rank() == 0) detail::throw_rank(operation, layout.shape, "must have at least 1 axis");
  const std::size_t d = wrap_axis(operation, axis, layout.shape);
  std::vector<Layout> parts;
  Index start = 0;
  for (const Index stop : indices) {
    parts.push_back(slice(layout, static_cast<Index>(d), start, stop));
    start = stop;
  }
  parts.push_back(slice(layout, static_cast<Index>(d), start));
  return parts;
}

namespace detail {
/// The axis hsplit (1, or 0 for rank 1), vsplit (0) and dsplit (2) cut.
constexpr Index named_split_axis(std::string_view operation, const Layout& layout) {
  const std::size_t least = operation == "hsplit" ? 1 : operation == "vsplit" ? 2 : 3;
  if (layout.rank() < least) {
    throw_rank(operation, layout.shape,
               least == 1   ? "must have at least 1 axis"
               : least == 2 ? "must have at least 2 axes"
                            : "must have at least 3 axes");
  }
  return least == 1 ? (layout.rank() == 1 ? 0 : 1) : least == 2 ? 0 : 2;
}
constexpr std::vector<Layout> named_split(std::string_view operation, const Layout& layout, Index sections) {
  const Index axis = named_split_axis(operation, layout);
  if (sections <= 0) throw_sections(operation, sections);
  if (layout.shape[at(axis)] % sections != 0) throw_uneven_sections(operation, sections, axis, layout.shape);
  return tensor_split(layout, sections, axis, operation);
}
constexpr std::vector<Layout> named_split(std::string_view operation, const Layout& layout,
                                          const Dims& indices) {
  return tensor_split(layout, indices, named_split_axis(operation, layout), operation);
}
}  // namespace detail

/// Equal pieces along axis 1 (0 for rank 1); the sections must divide it. Or cut at indices.
constexpr std::vector<Layout> hsplit(const Layout& layout, Index sections) {
  return detail::named_split("hsplit", layout, sections);
}
constexpr std::vector<Layout> hsplit(const Layout& layout, const Dims& indices) {
  return detail::named_split("hsplit", layout, indices);
}
/// Equal pieces along axis 0 of rank >= 2, or cut at indices.
constexpr std::vector<Layout> vsplit(const Layout& layout, Index sections) {
  return detail::named_split("vsplit", layout, sections);
}
constexpr std::vector<Layout> vsplit(const Layout& layout, const Dims& indices) {
  return detail::named_split("vsplit", layout, indices);
}
/// Equal pieces along axis 2 of rank >= 3, or cut at indices.
constexpr std::vector<Layout> dsplit(const Layout& layout, Index sections) {
  return detail::named_split("dsplit", layout, sections);
}
constexpr std::vector<Layout> dsplit(const Layout& layout, const Dims& indices) {
  return detail::named_split("dsplit", layout, indices);
}

}  // namespace tenstride
