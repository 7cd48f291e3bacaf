// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// Whether a tensor is changed on its way.
enum class MoveKind : unsigned char {
  convert,  ///< by its chain, and by what the options say of elements
  /// It goes along as it is: elements, type and attributes, and the order too where the destination has both.
  /// Its chain is "x". What cannot be read is copied as its bytes are stored (see `obstacle_to_keeping`).
  keep,
};

/// A tensor on its way from a file to a file.
struct TensorMove {
  FileInfo source;
  /// What is done with it, as a chain on `x`.
  std::string chain = "x";
  /// Of the result, within the destination; of no meaning where that holds one tensor. Empty for a single
  /// one: that of the source where the destination needs a name.
  std::string name{};
  MoveKind kind = MoveKind::convert;
};

}  // namespace tenstride::io
