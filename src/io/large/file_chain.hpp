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
  /// The result as a view of the source, where it is one without a reduction.
  std::optional<Layout> view;
  /// To which types they are converted, in this order.
  std::vector<DType> conversions;
  /// The reduction that the last copy ends with: its axes of `dst` stride 0 are reduced. `conversions` are
  /// made before it.
  std::optional<Reduction> reduction;
};

/// Follows the chain on the tensor `x` that the file holds. Throws ParseError, and what the chain throws.
FileChain follow(std::string_view chain, const FileInfo& info);

/// The copy with each axis that covers several axes of its row-major result of `shape` split along them, so
/// that each is a part of one; nothing where an axis lies across them otherwise. Example: (162):(1) of a
/// result (18,9) becomes (18,9):(9,1), with the source's strides likewise; of (604,6) nothing is made of
/// (3,1208):(1208,1).
std::optional<ChainCopy> split_along(const ChainCopy& copy, const Dims& shape);

}  // namespace tenstride::io
