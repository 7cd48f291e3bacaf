// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/numpy.hpp"

#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using numpy::Order;
using testing::refusal;

Tensor counted(const Dims& shape) {
  return arange(count_elements(shape)).view(shape);
}

TEST(Numpy, ReshapeReadsAndPlacesInTheOrder) {
  const Tensor x = arange(6);
  const Tensor y = numpy::reshape(x, {2, 3}, Order::F);
  EXPECT_TRUE(y.shares_storage(x));
  EXPECT_EQ(y.strides(), (Dims{1, 2}));
  EXPECT_EQ(y.tolist().to_string(), "[[0, 2, 4], [1, 3, 5]]");
  const Tensor z = numpy::reshape(counted({2, 3}), {3, 2}, Order::F);
  EXPECT_EQ(z.tolist().to_string(), "[[0, 4], [3, 2], [1, 5]]");
  EXPECT_EQ(z.strides(), (Dims{1, 3}));
}

TEST(Numpy, CopyNeverRefusesWhatNeedsOne) {
  const Tensor x = counted({2, 3}).t();
  EXPECT_EQ(
      refusal<ValueError>([&] { return numpy::reshape(x, {6}, Order::C, CopyRule::never); }),
      "reshape: layout (3,2):(1,3)+0 must be copied to take the shape (6), and copy = never forbids it; "
      "use copy = if_needed");
  EXPECT_EQ(refusal<ValueError>([&] { return numpy::asarray(x, Order::C, CopyRule::never); }),
            "asarray: layout (3,2):(1,3)+0 must be copied to be in order C, and copy = never forbids it; "
            "use copy = if_needed");
  EXPECT_EQ(refusal<ValueError>([&] { return numpy::reshape(x, {6}, Order::K); }),
            "reshape: order K must not be asked for; it does not say where elements go, use C, F or A");
  EXPECT_EQ(refusal<ValueError>([&] { return numpy::ascontiguousarray(x, CopyRule::never); }),
            refusal<ValueError>([&] {
              return numpy::asarray(x, Order::C, CopyRule::never);
            }).replace(0, 7, "ascontiguousarray"));
  EXPECT_TRUE(numpy::asfortranarray(x, CopyRule::never).shares_storage(x));
  EXPECT_FALSE(numpy::asfortranarray(x, CopyRule::always).shares_storage(x));
  EXPECT_TRUE(numpy::asarray(x, Order::F, CopyRule::never).is_same(x));
}

TEST(Numpy, FlattenInOrderKReadsMemoryOrder) {
  const Tensor x = counted({2, 3});
  EXPECT_EQ(numpy::flatten(x.t(), Order::K).tolist().to_string(), "[0, 1, 2, 3, 4, 5]");
  EXPECT_EQ(numpy::flatten(x.t(), Order::C).tolist().to_string(), "[0, 3, 1, 4, 2, 5]");
  EXPECT_EQ(numpy::flatten(x, Order::F).tolist().to_string(), "[0, 3, 1, 4, 2, 5]");
}

TEST(Numpy, FlipsAreViewsWithNegativeStrides) {
  const Tensor x = counted({2, 3});
  const Tensor y = numpy::flip(x);
  EXPECT_TRUE(y.shares_storage(x));
  EXPECT_EQ(numpy::byte_strides(y), (Dims{-24, -8}));
  EXPECT_EQ(y.tolist().to_string(), "[[5, 4, 3], [2, 1, 0]]");
  EXPECT_EQ(numpy::rot90(x).tolist().to_string(), "[[2, 5], [1, 4], [0, 3]]");
  EXPECT_EQ(numpy::index(x, {Index{0}, Slice{{}, {}, -1}}).tolist().to_string(), "[2, 1, 0]");
}

TEST(Numpy, CopiesOfReadOnlyViewsAreWritable) {
  Tensor x = numpy::diagonal(counted({3, 3}));
  EXPECT_EQ(refusal<StorageError>([&] { return x.fill_(1).dim(); }),
            "tensor: a read-only view must not be written to (shape (3)); use .clone() first");
  EXPECT_TRUE(numpy::flip(x).is_read_only());
  EXPECT_TRUE(numpy::broadcast_to(x, {2, 3}).is_read_only());
  EXPECT_TRUE(numpy::sliding_window_view(counted({4}), {2}).is_read_only());
  EXPECT_FALSE(numpy::copy(x).is_read_only());
}

TEST(Numpy, JoinsAndRepeats) {
  const Tensor x = counted({2, 2});
  EXPECT_EQ(numpy::concatenate(std::vector{x, x}, 1).tolist().to_string(), "[[0, 1, 0, 1], [2, 3, 2, 3]]");
  EXPECT_EQ(numpy::concatenate(std::vector{x.t(), x.t()}, 0).strides(), (Dims{1, 4}));
  EXPECT_EQ(numpy::stack(std::vector{x, x}, -1).tolist().to_string(), "[[[0, 0], [1, 1]], [[2, 2], [3, 3]]]");
  EXPECT_EQ(numpy::tile(x, {2}).tolist().to_string(), "[[0, 1, 0, 1], [2, 3, 2, 3]]");
  EXPECT_EQ(numpy::tile(arange(2), {2, 2}).tolist().to_string(), "[[0, 1, 0, 1], [0, 1, 0, 1]]");
  EXPECT_EQ(numpy::repeat(x, 2).tolist().to_string(), "[0, 0, 1, 1, 2, 2, 3, 3]");
  EXPECT_EQ(numpy::repeat(x, 2, 0).tolist().to_string(), "[[0, 1], [0, 1], [2, 3], [2, 3]]");
  EXPECT_EQ(numpy::roll(x, {1}).tolist().to_string(), "[[3, 0], [1, 2]]");
  EXPECT_EQ(numpy::roll(x, {1, 1}, Dims{0, 1}).tolist().to_string(), "[[3, 2], [1, 0]]");
}

TEST(Numpy, JoiningRefusesMixedDtypes) {
  EXPECT_EQ(refusal<TypeError>([&] {
              return numpy::concatenate(std::vector{arange(2), arange(2).to(DType::float32)});
            }),
            "concatenate: the dtypes int64 and float32 must be one; use astype first");
}

TEST(Numpy, ImagOfARealTensorIsZerosOfItsOwn) {
  const Tensor x = counted({2, 3});
  const Tensor y = numpy::imag(x);
  EXPECT_FALSE(y.shares_storage(x));
  EXPECT_TRUE(y.is_read_only());
  EXPECT_EQ(y.tolist().to_string(), "[[0, 0, 0], [0, 0, 0]]");
}

TEST(Numpy, AsStridedCountsBytesAndStaysInside) {
  const Tensor x = arange(6);
  EXPECT_EQ(numpy::as_strided(x, {2, 2}, {24, 16}).tolist().to_string(), "[[0, 2], [3, 5]]");
  EXPECT_EQ(refusal<ValueError>([&] { return numpy::as_strided(x, {2}, {12}); }),
            "as_strided: a stride of 12 bytes must be a multiple of the element, 8 bytes; copy first");
  EXPECT_EQ(refusal<StorageError>([&] { return numpy::as_strided(x, {2}, {-8}); }),
            "as_strided: sizes (2), strides (-1) and offset 0 reach elements -1..0, which must lie in the "
            "storage of 6 elements");
}

TEST(Numpy, ViewOfAnotherTypeChangesTheLastAxis) {
  const Tensor x = counted({2, 4}).to(DType::int16);
  EXPECT_EQ(to_string(numpy::view_dtype(x, DType::int64).layout()), "(2,1):(1,1)+0");
  EXPECT_EQ(to_string(numpy::view_dtype(numpy::flip(x, {0}), DType::int8).layout()), "(2,8):(-8,1)+8");
  EXPECT_EQ(refusal<ValueError>([&] { return numpy::view_dtype(x.t(), DType::int8); }),
            "view: last stride 4 must be 1 to take another element size (shape (4,2))");
}

}  // namespace
}  // namespace tenstride
