// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// Whether a tensor is changed on its way.
enum class MoveKind : unsigned char {
  convert,  ///< by its chain, and by what the options say of elements
  /// It goes along as it is: elements, type and attributes, and the order too where the destination has both.
  /// Its chain is "x", but for what `carry_labels` makes of coordinates. What cannot be read is copied as its
  /// bytes are stored (see `obstacle_to_keeping`).
  keep,
};

/// A tensor on its way from a file to a file.
struct TensorMove {
  FileInfo source;
  /// What is done with it, as a chain on `x`.
  std::string chain = "x";
  /// The name of the result within the destination; of no meaning where that holds one tensor. Empty for a
  /// single one: that of the source where the destination needs a name.
  std::string name{};
  MoveKind kind = MoveKind::convert;
};

/// Tensors of one file on their way through a chain: `chain_of` gives it for each, and may throw. A single
/// one is converted. Of several those are kept that the chain does not fit, and coordinates, which go through
/// what their axes go through (`carry_labels`). Throws ValueError where it fits none. Example: of a file with
/// t2m (time,lat,lon), time, lat and lon, "x.permute(2, 0, 1)" converts t2m.
TENSTRIDE_API std::vector<TensorMove> moves_that_fit(
    std::vector<FileInfo> tensors, const std::function<std::string(const FileInfo&)>& chain_of);

}  // namespace tenstride::io
