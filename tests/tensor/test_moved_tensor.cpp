// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride {
namespace {

void expect_empty(const Tensor& x, std::string_view name) {
  EXPECT_EQ(x.storage(), Storage()) << name;
  EXPECT_EQ(x.layout(), Tensor().layout()) << name;
  EXPECT_EQ(x.numel(), 0) << name;
  EXPECT_EQ(x.clone().numel(), 0) << name;
}

TEST(MovedTensor, OfManyAxesTakesTheHeapAlong) {
  Dims shape = Dims::filled(12, 1);
  shape[3] = 5;
  Tensor x = empty(shape);
  const Tensor same = x;
  const Tensor moved = std::move(x);
  EXPECT_TRUE(moved.is_same(same));
  EXPECT_EQ(same.storage().use_count(), 2U);
  expect_empty(x, "many axes");
}

TEST(MovedTensor, IsEmptyAndMayBeUsedAgain) {
  Tensor x = zeros({2, 3}, {.dtype = DType::int16});
  Tensor y = std::move(x);
  expect_empty(x, "move");
  EXPECT_EQ(x.dtype(), DType::int16);
  x.fill_(1);
  Tensor z = ones({4});
  const Tensor seen = z;
  z = std::move(y);
  expect_empty(y, "assignment");
  EXPECT_EQ(seen.storage().use_count(), 1U);  // the old storage is not handed to the other
  EXPECT_EQ(z.shape(), (Dims{2, 3}));
  Tensor& same = z;
  z = std::move(same);
  EXPECT_EQ(z.shape(), (Dims{2, 3}));
  y = z;
  EXPECT_TRUE(y.is_same(z));
}

}  // namespace
}  // namespace tenstride
