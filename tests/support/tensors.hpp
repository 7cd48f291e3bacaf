// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/slow.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::testing {

/// PyTorch's line for a view that would need a copy.
inline const std::string famous_line =
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
    "two "
    "contiguous subspaces). Use .reshape(...) instead.";

/// Whether `view(sizes)` is refused as PyTorch refuses it, with its line first.
inline bool refuses_view(const Tensor& x, const Dims& sizes) {
  try {
    static_cast<void>(x.view(sizes));
  } catch (const ViewError& error) {
    return std::string(error.what()).starts_with(famous_line + "\n");
  }
  return false;
}

/// The elements in row-major order, read one by one through their positions.
inline std::vector<Scalar> elements(const Tensor& x) {
  const Tensor storage = x.flat_storage();
  std::vector<Scalar> result;
  for (const Index position : positions(x.layout())) result.push_back(storage[position].item());
  return result;
}

inline void expect_view(const Tensor& result, const Tensor& source) {
  EXPECT_TRUE(result.shares_storage(source));
  EXPECT_EQ(result.storage_data(), source.storage_data());
}

/// The same elements in the same order in a storage of its own.
inline void expect_copy(const Tensor& result, const Tensor& source) {
  EXPECT_FALSE(result.shares_storage(source));
  EXPECT_EQ(elements(result), elements(source));
}

}  // namespace tenstride::testing
