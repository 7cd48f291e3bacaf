// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tenstride/copy/copy.hpp"
#include "tenstride/io/rescaling.hpp"

namespace tenstride::cli {

/// How a file's elements come from those of a tensor: the n-th in row-major order from the n-th.
struct Expected {
  Tensor source;
  DType dtype = DType::float32;
  ScaleShift arithmetic{};
  /// In a PNG a bool is 0 or 255.
  bool is_bool_image = false;
  /// In place of arithmetic, where elements become what they mean.
  const io::Rescaling* rescaling = nullptr;
};

/// Compares every element of `found` with what it must be, by index arithmetic on both layouts and one
/// conversion at a time; the copy engine has no part in it. Gives the first difference and their number in
/// words, or nothing.
std::optional<std::string> difference(const Tensor& found, const Expected& expected);

}  // namespace tenstride::cli
