// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/slow.hpp"
#include "support/tensors.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

// Every statement and snippet of "Demystifying the Pytorch Memory Model: reshape(), permute(), contiguous()
// and More".
namespace tenstride {
namespace {

using testing::elements;
using testing::expect_copy;
using testing::expect_view;

// "The Flexibility of Tensors"
TEST(ReshapePermuteContiguous, BoxPredictionsArePermutedAndReshaped) {
  const Index batch = 2;
  const Index height = 3;
  const Index width = 5;
  const Tensor prediction = rand({batch, 4, height, width});
  const Tensor boxes = prediction.permute({0, 2, 3, 1}).reshape({-1, 4});
  EXPECT_EQ(boxes.shape(), (Dims{batch * height * width, 4}));
  expect_copy(boxes, prediction.permute({0, 2, 3, 1}));
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const Tensor box = boxes[height * width + y * width + x];  // of the second picture
      EXPECT_EQ(elements(box), elements(prediction.index({1, Slice{}, y, x})));
    }
  }
}

TEST(ReshapePermuteContiguous, AViewOfChainedFlippingsFailsWithTheFamousLine) {
  const Tensor x = rand({2, 3, 4}).permute({0, 2, 1});
  EXPECT_TRUE(testing::refuses_view(x, {-1}));
  EXPECT_EQ(elements(x.reshape({-1})), elements(x));
}

// detectron2: np.ascontiguousarray(image.transpose(2, 0, 1))
TEST(ReshapePermuteContiguous, AnImageBecomesContiguousChannelsFirst) {
  const Tensor image = arange(4 * 5 * 3, {.dtype = DType::uint8}).reshape({4, 5, 3});
  const Tensor moved = image.permute({2, 0, 1});
  expect_view(moved, image);
  EXPECT_FALSE(moved.is_contiguous());
  const Tensor planes = moved.contiguous();
  EXPECT_EQ(planes.shape(), (Dims{3, 4, 5}));
  EXPECT_TRUE(planes.is_contiguous());
  expect_copy(planes, moved);
}

// "Contiguous vs. Non-Contiguous Tensors"
TEST(ReshapePermuteContiguous, EachTensorHasAStorage) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(x.to_string(), "tensor([[1, 2, 3],\n        [4, 5, 6]])");
  const Tensor storage = x.flat_storage();
  EXPECT_EQ(storage.dtype(), DType::int64) << "a LongStorage";
  EXPECT_EQ(storage.numel(), 6);
  EXPECT_EQ(storage.tolist(), (Nested{1, 2, 3, 4, 5, 6}));
}

TEST(ReshapePermuteContiguous, TheStrideIsTheNumberOfJumps) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(x.stride(), (Dims{3, 1}));
  const auto where = [&](Index i, Index j) { return x.index({i, j}).storage_offset(); };
  EXPECT_EQ(where(0, 2) - where(0, 1), 1);
  EXPECT_EQ(where(1, 1) - where(0, 1), 3);
  EXPECT_EQ(x.flat_storage()[where(0, 1)].item<Index>(), 2);
  EXPECT_EQ(x.flat_storage()[where(0, 2)].item<Index>(), 3);
  EXPECT_EQ(x.flat_storage()[where(1, 1)].item<Index>(), 5);
}

TEST(ReshapePermuteContiguous, StridesOfAFreshTensorAreTheProductsOfTheSizesAfter) {
  const Tensor y = rand({3, 4, 5});
  EXPECT_EQ(y.stride(), (Dims{20, 5, 1}));
  EXPECT_EQ(y.stride(0), 20);
  EXPECT_EQ(y.stride(0), y.size(1) * y.size(2));
  EXPECT_EQ(y.stride(1), y.size(2)) << "the text says size(0), against its own formula";
  EXPECT_NE(y.stride(1), y.size(0));
  EXPECT_EQ(y.stride(2), 1);
  for (Index k = 0; k < y.dim(); ++k) {
    Index product = 1;
    for (Index i = k + 1; i < y.dim(); ++i) product *= y.size(i);
    EXPECT_EQ(y.stride(k), product);
  }
}

TEST(ReshapePermuteContiguous, UnrollingFromTheLastAxisGivesTheStorageOneByOne) {
  const Tensor y = rand({3, 4, 5});
  EXPECT_TRUE(y.is_contiguous());
  const Tensor flat = y.flat_storage();
  testing::for_each_index(y.shape(), [&](const Dims& k) {
    const Index n = k[0] * y.size(1) * y.size(2) + k[1] * y.size(2) + k[2];
    EXPECT_EQ(y.index({k[0], k[1], k[2]}).item(), flat[n].item());
  });
}

TEST(ReshapePermuteContiguous, ARangeInThreeRowsOfFour) {
  const Tensor x = arange(12).reshape({3, 4});
  EXPECT_EQ(x.tolist(), (Nested{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
  EXPECT_EQ(x.flat_storage().tolist(), (Nested{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_TRUE(x.is_contiguous());
}

// The two headings at the end: transposing breaks contiguity, reshaping "does no harm"
TEST(ReshapePermuteContiguous, TransposingIsTheDevilReshapingDoesNoHarm) {
  const Tensor x = arange(12).reshape({3, 4});
  EXPECT_FALSE(x.T().is_contiguous());
  for (const Dims& shape : {Dims{12}, Dims{4, 3}, Dims{2, 6}, Dims{2, 2, 3}, Dims{1, 12, 1}}) {
    EXPECT_TRUE(x.reshape(shape).is_contiguous());
    expect_view(x.reshape(shape), x);
  }
}

}  // namespace
}  // namespace tenstride
