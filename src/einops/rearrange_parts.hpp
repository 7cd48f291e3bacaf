// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tenstride/pattern/pattern.hpp"
#include "tenstride/tensor/ops_views.hpp"

namespace tenstride::detail {

/// Throws ValueError for a Pattern that is made for another verb.
TENSTRIDE_API void require_verb(const Pattern& pattern, PatternVerb wanted);

/// The elements by a pattern that reduces nothing: a view where there is one, else one copy.
TENSTRIDE_API Tensor rearranged(const Tensor& x, const Pattern& pattern, const AxisSizes& sizes,
                                CopyRule copy, const Caller& caller);

/// The type that holds the elements of all. Throws ValueError for an empty list, RuntimeError where there is
/// none or where they are on several devices.
TENSTRIDE_API DType joined_dtype(TensorList list, std::string_view operation);
/// Throws ShapeError.
TENSTRIDE_API void require_equal_shapes(TensorList list, std::string_view operation);
/// Tensors of a list are set side by side, which no view does: throws ValueError for `never`.
TENSTRIDE_API void require_leave_to_copy(TensorList list, CopyRule copy, std::string_view operation);

/// The result of a pattern, seen from its sources: its parts in the order of the input's, the new ones
/// behind.
struct PartsBySource {
  /// Which part of the result each axis of the input, split, is, and each new one.
  Dims order;
  /// The parts of an input of which each entry along the first axis is a tensor of its own, and those of such
  /// a tensor.
  std::size_t leading_parts = 0;
  Index leading = 1;
  Dims own;

  explicit PartsBySource(const BoundPattern& bound);

  /// Where tensor `number` goes: a layout of the result's parts in this order without the leading ones.
  [[nodiscard]] Layout place(const Layout& parts, Index number) const;
  /// Tensor `number`'s index along leading part `part`.
  [[nodiscard]] Index index(const Layout& parts, Index number, std::size_t part) const;
  /// The tensor's layout with axes for its parts and the new ones, to be copied there.
  [[nodiscard]] Layout source(const Layout& layout, const Layout& place) const;
};

}  // namespace tenstride::detail
