// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "tenstride/copy/copy.hpp"
#include "tenstride/pattern/pattern.hpp"
#include "tenstride/tensor/ops_views.hpp"

namespace tenstride {

/// What becomes of the elements that `convert` moves.
struct ConvertOptions {
  /// The result's type; without it the source's.
  std::optional<DType> dtype{};
  /// Its axis is one of the result.
  ScaleShift arithmetic{};
  /// The sizes of axes that the pattern cannot know.
  AxisSizes sizes{};
};

/// `rearrange`, `to` and `ScaleShift` in one pass: each element is read once and written once, whatever the
/// pattern splits, moves and merges; only where numbers run along merged axes these are merged by a copy
/// before. The result is new and row-major. Throws PatternError, and ShapeError for numbers that do not fit.
/// Example: images for a model: `convert(x, "b h w c -> b c h w", {.dtype = DType::float32, .arithmetic =
/// {scale}})`.
TENSTRIDE_API Tensor convert(const Tensor& x, std::string_view pattern, const ConvertOptions& options = {},
                             Caller caller = Caller::current());
/// A list of tensors of one shape and type is one more axis in front; they are not stacked before.
TENSTRIDE_API Tensor convert(TensorList list, std::string_view pattern, const ConvertOptions& options = {},
                             Caller caller = Caller::current());
/// Converts into a tensor of the result's shape, whose dtype is the result's; it may share memory with the
/// source. Throws ShapeError for another shape, TypeError for another dtype, StorageError where it is
/// read-only.
TENSTRIDE_API void convert_into(Tensor& out, const Tensor& x, std::string_view pattern,
                                const ConvertOptions& options = {}, Caller caller = Caller::current());
TENSTRIDE_API void convert_into(Tensor& out, TensorList list, std::string_view pattern,
                                const ConvertOptions& options = {}, Caller caller = Caller::current());

}  // namespace tenstride
