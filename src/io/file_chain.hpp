// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/chain.hpp"
#include "tenstride/dtype.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/reduce.hpp"

namespace tenstride::io {

/// What a chain does to the elements of a file.
struct FileChain {
  /// Why it cannot be carried out from file to file; empty where it can.
  std::string obstacle;
  Dims shape;
  DType dtype = DType::float32;
  /// Where the elements go: copies one after the other, the last one into a row-major tensor of `shape`.
  std::vector<ChainCopy> copies;
  /// To which types they are converted, in this order.
  std::vector<DType> conversions;
  /// The reduction that the last copy ends with: its axes of `dst` stride 0 are reduced. `conversions` are
  /// made before it.
  std::optional<Reduction> reduction;
};

/// Follows the chain on the tensor `x` that the file holds. Throws ParseError, and what the chain throws.
FileChain follow(std::string_view chain, const FileInfo& info);

}  // namespace tenstride::io
