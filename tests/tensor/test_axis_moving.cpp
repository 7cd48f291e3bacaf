// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/slow.hpp"
#include "support/tensors.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

// Every statement and snippet of "PyTorch: Storage, Shape, and Axis-Moving" (v0.3, M. Willetts, 2026).
namespace tenstride {
namespace {

using testing::elements;
using testing::expect_copy;
using testing::expect_view;
using testing::refuses_view;

Tensor ranged(const Dims& shape) {
  return arange(count_elements(shape)).reshape(shape);
}

Index at(const Tensor& x, const Dims& index) {
  return x.flat_storage()[position(x.layout(), index)].item<Index>();
}

// "The three things that define a tensor", "Row-major (C-order) layout"
TEST(AxisMoving, ATensorIsStorageShapeAndStrides) {
  const Tensor x = arange(6).reshape({2, 3});
  EXPECT_EQ(x.tolist(), (Nested{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(x.flat_storage().tolist(), (Nested{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(x.shape(), (Dims{2, 3}));
  EXPECT_EQ(x.stride(), (Dims{3, 1}));
  EXPECT_EQ(position(x.layout(), {1, 0}) - position(x.layout(), {0, 0}), 3) << "one row on";
  EXPECT_EQ(position(x.layout(), {0, 1}) - position(x.layout(), {0, 0}), 1) << "one column on";
}

TEST(AxisMoving, SeveralTensorsShareOneStorage) {
  const Tensor x = arange(6).reshape({2, 3});
  Tensor y = x.view({3, 2});
  const Tensor z = x.T();
  expect_view(y, x);
  expect_view(z, x);
  EXPECT_NE(y.shape(), x.shape());
  EXPECT_NE(z.stride(), y.stride());
  y.fill_(7);
  EXPECT_EQ(x.tolist(), (Nested{{7, 7, 7}, {7, 7, 7}}));
}

TEST(AxisMoving, ContiguousMeansTheStridesOfAFreshTensor) {
  for (const Dims& shape : {Dims{6}, Dims{2, 3}, Dims{2, 3, 4}, Dims{4, 1, 3}}) {
    const Tensor x = ranged(shape);
    EXPECT_EQ(x.stride(), row_major_strides(shape));
    EXPECT_TRUE(x.is_contiguous());
  }
  EXPECT_FALSE(ranged({2, 3}).T().is_contiguous()) << "changing the order of axes breaks it";
}

// "The reshape rule"
TEST(AxisMoving, ReshapeWalksTheLogicalTensorRowMajor) {
  const Tensor x = ranged({2, 3, 4});
  for (const Tensor& from : {x, x.permute({2, 0, 1}), x.transpose(0, 1), x.slice(2, 0, {}, 2)}) {
    const Tensor buffer = from.contiguous();
    for (const Dims& shape : {Dims{-1}, Dims{2, -1}, Dims{-1, 3}, Dims{3, 2, -1}}) {
      const Tensor reshaped = from.reshape(shape);
      EXPECT_EQ(elements(reshaped), elements(from));
      EXPECT_EQ(elements(reshaped), elements(buffer.reshape(shape))) << "as if materialised first";
    }
  }
}

TEST(AxisMoving, ReshapeIsMetadataOfAContiguousTensorAndACopyAfterAPermute) {
  const Tensor x = ranged({2, 3, 4});
  expect_view(x.reshape({6, 4}), x);
  const Tensor permuted = x.permute({2, 0, 1});
  const Tensor reshaped = permuted.reshape({24});
  EXPECT_FALSE(permuted.is_contiguous());
  EXPECT_FALSE(reshaped.shares_storage(x));
  EXPECT_TRUE(reshaped.is_contiguous());
  EXPECT_EQ(elements(reshaped), elements(permuted));
  expect_view(permuted.reshape({4, 6}), x);  // axes 1 and 2 still nest: strides 12 = 3 * 4
}

// "view vs reshape"
TEST(AxisMoving, ViewNeverCopiesAndReshapeCopiesSilently) {
  const Tensor x = arange(6).reshape({2, 3});
  expect_view(x.view({3, 2}), x);
  expect_view(x.reshape({3, 2}), x);
  EXPECT_TRUE(refuses_view(x.T(), {-1}));
  const Tensor visible = x.T().contiguous().view({-1});
  EXPECT_EQ(visible.tolist(), (Nested{0, 3, 1, 4, 2, 5}));
  EXPECT_FALSE(visible.shares_storage(x));
  const Tensor silent = x.T().reshape({-1});
  EXPECT_EQ(silent.tolist(), (Nested{0, 3, 1, 4, 2, 5}));
  EXPECT_FALSE(silent.shares_storage(x));
}

// "Axis-moving operations (the catalogue)", row by row
TEST(AxisMoving, CatalogueOfAxisMovingOperations) {
  const Tensor matrix = ranged({2, 3});
  const Tensor x = ranged({2, 3, 4});
  const Tensor four = ranged({2, 3, 4, 5});
  const auto expect = [](const Tensor& result, const Tensor& source, const Dims& shape, const Dims& strides) {
    expect_view(result, source);
    EXPECT_EQ(result.shape(), shape);
    EXPECT_EQ(result.stride(), strides);
  };
  expect(matrix.T(), matrix, {3, 2}, {1, 3});
  expect(x.T(), x, {4, 3, 2}, {1, 4, 12});
  expect(x.mT(), x, {2, 4, 3}, {12, 1, 4});
  expect(matrix.t(), matrix, {3, 2}, {1, 3});
  expect(x.transpose(0, 2), x, {4, 3, 2}, {1, 4, 12});
  expect(x.swapaxes(0, 1), x, {3, 2, 4}, {4, 12, 1});
  expect(x.swapdims(0, 1), x, {3, 2, 4}, {4, 12, 1});
  expect(x.permute({2, 0, 1}), x, {4, 2, 3}, {1, 12, 4});
  expect(x.movedim(0, -1), x, {3, 4, 2}, {4, 1, 12});
  expect(x.unsqueeze(0), x, {1, 2, 3, 4}, {24, 12, 4, 1});
  expect(x.unsqueeze(0).squeeze(0), x, {2, 3, 4}, {12, 4, 1});
  expect(four.flatten(1, 3), four, {2, 60}, {60, 1});
}

TEST(AxisMoving, AxisMovingLeavesTheStorageAndMostlyBreaksContiguity) {
  const Tensor x = ranged({2, 3, 4});
  const std::vector<Scalar> before = elements(x.flat_storage());
  for (const Tensor& moved : {x.T(), x.mT(), x.transpose(0, 2), x.permute({2, 0, 1}), x.movedim(0, -1)}) {
    EXPECT_FALSE(moved.is_contiguous());
    EXPECT_EQ(elements(moved.flat_storage()), before);
  }
}

// The notes below the catalogue
TEST(AxisMoving, PermuteListsTheSourceAxisOfEachNewPosition) {
  const Tensor x = ranged({2, 3, 4});
  const Tensor y = x.permute({2, 0, 1});
  EXPECT_EQ(y.shape(), (Dims{x.size(2), x.size(0), x.size(1)}));
  testing::for_each_index(x.shape(), [&](const Dims& i) { EXPECT_EQ(at(y, {i[2], i[0], i[1]}), at(x, i)); });
}

TEST(AxisMoving, MovedimTakesOneAxisOrSeveral) {
  const Tensor x = ranged({2, 3, 4, 5});
  EXPECT_EQ(x.movedim(0, -1).shape(), (Dims{3, 4, 5, 2}));
  EXPECT_EQ(x.movedim(Dims{0, 1}, Dims{-2, -1}).shape(), (Dims{4, 5, 2, 3}));
}

TEST(AxisMoving, SqueezeAndUnsqueezeKeepContiguity) {
  const Tensor x = ranged({2, 3, 1});
  for (const Tensor& from : {x, x.T(), x.transpose(0, 1)}) {
    EXPECT_EQ(from.squeeze().is_contiguous(), from.is_contiguous());
    for (const Index axis : {0, 1, 2, -1}) {
      EXPECT_EQ(from.unsqueeze(axis).is_contiguous(), from.is_contiguous());
    }
  }
}

TEST(AxisMoving, FlattenCopiesANonContiguousTensor) {
  const Tensor y = ranged({2, 3, 4}).transpose(0, 2);
  expect_copy(y.flatten(), y);
  EXPECT_EQ(elements(y.flatten()), elements(y.reshape({-1})));
}

// "transpose vs reshape to the same shape"
TEST(AxisMoving, TransposeRelabelsAndReshapeRefills) {
  const Tensor x = arange(120).reshape({2, 3, 4, 5});
  const Tensor y = x.transpose(0, 2);
  const Tensor z = x.reshape({4, 3, 2, 5});
  EXPECT_EQ(y.shape(), (Dims{4, 3, 2, 5}));
  EXPECT_EQ(z.shape(), (Dims{4, 3, 2, 5}));
  testing::for_each_index(x.shape(), [&](const Dims& i) {
    const Dims swapped{i[2], i[1], i[0], i[3]};
    EXPECT_EQ(at(y, swapped), at(x, i));
    EXPECT_EQ(at(z, swapped), at(x.flatten(), {i[2] * 30 + i[1] * 10 + i[0] * 5 + i[3]}));
  });
}

TEST(AxisMoving, SpotCheck) {
  const Tensor x = arange(120).reshape({2, 3, 4, 5});
  const Tensor y = x.transpose(0, 2);
  const Tensor z = x.reshape({4, 3, 2, 5});
  EXPECT_EQ(x.index({1, 2, 3, 4}).item<Index>(), 119);
  EXPECT_EQ(y.index({3, 2, 1, 4}).item<Index>(), 119);
  EXPECT_EQ(z.index({3, 2, 1, 4}).item<Index>(), 119);
  EXPECT_EQ(y.index({3, 2, 0, 4}).item<Index>(), 59);
  EXPECT_EQ(x.index({0, 2, 3, 4}).item<Index>(), 59);
  EXPECT_EQ(z.index({3, 2, 0, 4}).item<Index>(), 114);
  EXPECT_EQ(x.flatten().index({114}).item<Index>(), 114);
}

// "Why this matters"
TEST(AxisMoving, ARolloutBufferIsTransposedNotReshaped) {
  const Index steps = 3;
  const Index environments = 2;
  const Tensor x = ranged({steps, environments, 4});
  const Tensor preserved = x.transpose(0, 1);
  const Tensor scrambled = x.reshape({environments, steps, 4});
  EXPECT_EQ(preserved.shape(), scrambled.shape());
  for (Index n = 0; n < environments; ++n) {
    for (Index time = 0; time < steps; ++time) {
      EXPECT_EQ(elements(preserved[n][time]), elements(x[time][n]));
    }
  }
  EXPECT_NE(elements(scrambled[0][1]), elements(x[1][0])) << "the new axis 0 is no environment any more";
}

// "Which op to use": both, in this order
TEST(AxisMoving, TransposeThenReshapeGivesAContiguousBufferInTheNewOrder) {
  const Tensor x = ranged({2, 3, 4});
  const Tensor both = x.transpose(0, 1).reshape({3, 8});
  EXPECT_FALSE(both.shares_storage(x));
  EXPECT_TRUE(both.is_contiguous());
  EXPECT_EQ(elements(both), elements(x.transpose(0, 1)));
}

// "When does a copy happen?", row by row
TEST(AxisMoving, TableOfCopies) {
  const Tensor x = ranged({2, 3, 4});
  const Tensor moved = x.permute({2, 0, 1});
  for (const Tensor& y : {x.transpose(0, 1), x.permute({2, 0, 1}), x.swapdims(0, 1), x.movedim(0, 2)}) {
    expect_view(y, x);
  }
  expect_view(x.unsqueeze(1), x);
  expect_view(x.unsqueeze(1).squeeze(1), x);
  expect_view(x.view({6, 4}), x);
  EXPECT_TRUE(refuses_view(moved, {24}));
  expect_view(x.reshape({4, 6}), x);
  expect_copy(moved.reshape({24}), moved);
  expect_view(x.flatten(), x);
  expect_copy(moved.flatten(), moved);
  EXPECT_TRUE(x.contiguous().is_same(x));
  expect_copy(moved.contiguous(), moved);
  expect_copy(x.clone(), x);
  expect_copy(moved.clone(), moved);
  EXPECT_FALSE(x.to(Device::meta).shares_storage(x));
  EXPECT_TRUE(x.to(Device::cpu).is_same(x)) << "the same device: itself";
  expect_copy(x.to(DType::int32), x);
  EXPECT_TRUE(x.to(DType::int64).is_same(x)) << "the same type: itself";
}

// "Practical rules": einops' rearrange(x, 'b h t d -> b t (h d)') and the chain it replaces
TEST(AxisMoving, HeadsAreMergedByPermuteContiguousView) {
  const Index batch = 2;
  const Index heads = 3;
  const Index time = 4;
  const Index depth = 5;
  const Tensor x = ranged({batch, heads, time, depth});
  const Tensor y = x.permute({0, 2, 1, 3}).contiguous().view({batch, time, heads * depth});
  testing::for_each_index(x.shape(), [&](const Dims& i) {
    EXPECT_EQ(at(y, {i[0], i[2], i[1] * depth + i[3]}), at(x, i));
  });
}

TEST(AxisMoving, AfterATransposeOrASliceAReshapeMostlyCopies) {
  const Tensor x = ranged({4, 6});
  EXPECT_FALSE(x.T().reshape({-1}).shares_storage(x));
  EXPECT_FALSE(x.slice(1, 0, 3).reshape({-1}).shares_storage(x));
  EXPECT_TRUE(x.slice(1, 0, 3).reshape({2, 2, 3}).shares_storage(x)) << "unless the strides are compatible";
  EXPECT_TRUE(x.slice(0, 1, 3).reshape({-1}).shares_storage(x));
}

// "The numpy footnote"
TEST(AxisMoving, FortranOrderIsEmulatedByTransposingBeforeAndAfter) {
  const Tensor x = ranged({2, 3, 4});
  const Tensor y = x.T().reshape({4, 6}).T();  // numpy: x.reshape((6, 4), order='F')
  EXPECT_EQ(y.shape(), (Dims{6, 4}));
  testing::for_each_index(x.shape(), [&](const Dims& i) {
    const Index n = i[0] + 2 * i[1] + 6 * i[2];  // the first index runs fastest
    EXPECT_EQ(at(y, {n % 6, n / 6}), at(x, i));
  });
}

}  // namespace
}  // namespace tenstride
