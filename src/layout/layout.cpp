// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/layout.hpp"

#include "base/message.hpp"

namespace tenstride {

std::string_view name(MemoryFormat format) {
  switch (format) {
    case MemoryFormat::channels_last:
      return "channels_last";
    case MemoryFormat::channels_last_3d:
      return "channels_last_3d";
    case MemoryFormat::preserve:
      return "preserve";
    case MemoryFormat::contiguous:
      break;
  }
  return "contiguous";
}

namespace detail {

void throw_negative_size(std::string_view operation, const Dims& shape) {
  throw ShapeError(message(operation, ": sizes ", shape, " must not be negative"), shape, shape);
}

void throw_reach_overflow(std::string_view operation, const Layout& layout) {
  Index lowest = layout.offset;
  Index highest = layout.offset;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const Index span = checked_multiply(layout.shape[d] - 1, layout.strides[d], operation);
    Index& side = span < 0 ? lowest : highest;
    side = checked_add(side, span, operation);
  }
  throw OverflowError(message(operation, ": the positions of ", layout.shape, ":", layout.strides, "+",
                              layout.offset, " must fit a signed 64-bit integer"));
}

void throw_lengths_differ(std::string_view operation, const Dims& shape, const Dims& strides) {
  throw ShapeError(message(operation, ": shape ", shape, " and strides ", strides, " must have one length (",
                           shape.size(), " and ", strides.size(), " given)"),
                   shape, strides);
}

void throw_index_rank(std::string_view operation, const Dims& index, const Dims& shape) {
  throw IndexError(
      message(operation, ": index ", index, " must have ", shape.size(), " entries (shape ", shape, ")"),
      static_cast<Index>(index.size()), static_cast<Index>(shape.size()), static_cast<Index>(shape.size()));
}

void throw_index_range(std::string_view operation, Index index, std::size_t axis, const Dims& shape) {
  const Index size = shape[axis];
  if (size == 0) {
    throw IndexError(message(operation, ": index ", index, " has nothing to select on axis ", axis,
                             ", whose size is 0 (shape ", shape, ")"),
                     index, 0, -1);
  }
  throw IndexError(message(operation, ": index ", index, " must lie in [", -size, ",", size - 1, "] on axis ",
                           axis, " (shape ", shape, ")"),
                   index, -size, size - 1);
}

void throw_format_rank(std::string_view operation, MemoryFormat format, const Dims& shape) {
  if (format == MemoryFormat::preserve) {
    throw RuntimeError(message(operation,
                               ": memory format preserve must not be asked for here; use contiguous, "
                               "channels_last or channels_last_3d (shape ",
                               shape, ")"));
  }
  throw ShapeError(message(operation, ": memory format ", name(format), " must meet rank ", rank_of(format),
                           ", not ", shape.size(), " (shape ", shape, ")"),
                   shape, shape);
}

}  // namespace detail
}  // namespace tenstride
