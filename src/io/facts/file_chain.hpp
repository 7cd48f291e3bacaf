// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/dtype.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/layout/chain.hpp"
#include "tenstride/reduce/reduce.hpp"

namespace tenstride::io {

/// What a chain does to the elements of a file.
struct FileChain {
  /// Why it cannot be carried out from file to file; empty where it can.
  std::string obstacle;
  Dims shape;
  DType dtype = DType::float32;
  /// Whether an element of the result may be none of the source's, moved and converted. True of what is
  /// reduced, too.
  bool is_computed = false;
  /// Where the elements go: copies one after the other, the last one into a row-major tensor of `shape`.
  std::vector<ChainCopy> copies;
  /// The axis of the result that each axis of the last copy is a part of, `shape.size()` for one that is
  /// reduced. Empty where they lie across axes of the result.
  std::optional<Dims> copy_axes;
  /// What became of each axis of the source.
  IndexMap map;
  /// The types to which elements are converted, in this order.
  std::vector<DType> conversions;
  /// The reduction that the last copy ends with: its axes of `dst` stride 0 are reduced. `conversions` are
  /// made before it.
  std::optional<Reduction> reduction;
  struct ReducedAxis {
    IndexMap::Axis axis;
    Index extent = 1;
  };
  /// What each axis that is reduced is, in front of the reduction.
  std::vector<ReducedAxis> reduced_axes;
};

/// Follows the chain on the tensor `x` that the file holds. Throws ParseError, and what the chain throws.
FileChain follow(std::string_view chain, const FileInfo& info);

}  // namespace tenstride::io
