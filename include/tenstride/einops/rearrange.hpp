// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "tenstride/pattern/pattern.hpp"
#include "tenstride/tensor/ops_views.hpp"

/// einops' verbs that move elements (see docs/notation.md; `reduce` is in reduce_pattern.hpp). Patterns are
/// parsed once and kept; for a hot loop hold a Pattern. Refusals: PatternError with a caret under the place.
namespace tenstride {

/// The same elements in another shape and order. A view where the strides allow it, otherwise one copy, which
/// is row-major. Example: `rearrange(x, "b t (h d) -> b h t d", {{"h", 8}})`.
TENSTRIDE_API Tensor rearrange(const Tensor& x, std::string_view pattern, const AxisSizes& sizes = {},
                               CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current());
TENSTRIDE_API Tensor rearrange(const Tensor& x, const Pattern& pattern, const AxisSizes& sizes = {},
                               CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current());
/// A list of tensors of one shape is one more axis in front; each element is copied once, always: so
/// `copy = never` is refused with ValueError, here and for the other lists.
/// Example: `rearrange({a, b}, "n h w -> h (n w)")` sets a and b side by side.
TENSTRIDE_API Tensor rearrange(TensorList list, std::string_view pattern, const AxisSizes& sizes = {},
                               CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current());

/// Axes on the right only are new, of the size given or written: a view with stride 0 where the strides allow
/// it, otherwise one copy. Example: `repeat(x, "h w -> h w 3")`.
TENSTRIDE_API Tensor repeat(const Tensor& x, std::string_view pattern, const AxisSizes& sizes = {},
                            CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current());
TENSTRIDE_API Tensor repeat(const Tensor& x, const Pattern& pattern, const AxisSizes& sizes = {},
                            CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current());
TENSTRIDE_API Tensor repeat(TensorList list, std::string_view pattern, const AxisSizes& sizes = {},
                            CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current());

/// What `pack` gives: the tensor, and the shape that each input had in place of the `*`.
struct Packed {
  Tensor tensor;
  std::vector<Dims> shapes;
};
/// Joins tensors of different ranks along one axis: the `*` of the pattern stands for any number of axes of
/// each, which become one. The other axes must agree. Each element is copied once. Throws PatternError,
/// ShapeError. Example: shapes (2,3) and (2,4,5) by "b *" give (2,23), and (3), (4,5).
TENSTRIDE_API Packed pack(TensorList tensors, std::string_view pattern, CopyRule copy = CopyRule::if_needed,
                          Caller caller = Caller::current());
/// Splits what `pack` joined: views. One size of all may be -1. Throws PatternError where the shapes do
/// not fill the axis. Example: `unpack(packed.tensor, packed.shapes, "b *")`.
TENSTRIDE_API std::vector<Tensor> unpack(const Tensor& x, const std::vector<Dims>& shapes,
                                         std::string_view pattern);

/// The sizes of a tensor's axes by name: what `AxisSizes` takes.
/// Example: `rearrange(y, "(h w) c -> h w c", parse_shape(x, "_ h w"))`.
inline std::vector<AxisSize> parse_shape(const Tensor& x, std::string_view pattern) {
  return parse_shape(x.shape(), pattern);
}

}  // namespace tenstride
