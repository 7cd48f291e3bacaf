// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "support/slow.hpp"
#include "support/tensors.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

// Every statement and snippet of a text on reshape, stride, contiguity and view ("two ways to store identical
// data"; "Loss and restoration of contiguity"). Where it errs, PyTorch's behaviour is tested, and it is said.
namespace tenstride {
namespace {

using testing::elements;
using testing::expect_copy;
using testing::expect_view;
using testing::refuses_view;

TEST(ReshapeAndStride, TheSameDataInTwoContainers) {
  const Tensor data = tensor({1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor a = data.reshape({2, 4});
  const Tensor b = data.reshape({2, 2, 2});
  EXPECT_EQ(a.tolist(), (Nested{{1, 2, 3, 4}, {5, 6, 7, 8}}));
  EXPECT_EQ(b.tolist(), (Nested{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}));
  EXPECT_EQ(elements(a), elements(b));
  EXPECT_EQ(a.numel(), 8);
  EXPECT_EQ(b.numel(), 8);
}

TEST(ReshapeAndStride, AContainerIsReshapedWhileTheCountStays) {
  const Tensor a = tensor({1, 2, 3, 4, 5, 6, 7, 8}).reshape({2, 4});
  const Tensor b = a.reshape({2, 2, 2});
  EXPECT_EQ(b.tolist(), (Nested{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}));
  EXPECT_EQ(testing::refusal<ShapeError>([&] {
              return a.reshape({3, 3});
            }),
            "reshape: sizes (3,3) make 9 elements and must make the tensor's 8 (shape (2,4))");
}

// The quoted documentation of reshape
TEST(ReshapeAndStride, ReshapeIsAViewWhenPossibleElseACopy) {
  const Tensor x = rand({4, 6});
  expect_view(x.reshape({3, 8}), x);
  const Tensor compatible = x.slice(1, 0, 3);
  EXPECT_FALSE(compatible.is_contiguous());
  expect_view(compatible.reshape({2, 2, 3}), x);
  expect_copy(x.T().reshape({3, 8}), x.T());
}

// "Stride"
TEST(ReshapeAndStride, AStrideIsTheJumpToTheNextElementOfItsAxis) {
  const Tensor a = rand({2, 3, 4});
  const Index x = 0;
  const Index y = 1;
  const Index z = 3;
  const Index offset = a.index({x, y, z}).storage_offset();
  const Index jump = a.stride(0);
  EXPECT_EQ(jump, a.stride()[0]);
  const Tensor data = a.flat_storage();
  EXPECT_EQ(data[offset + jump].item(), a.index({x + 1, y, z}).item());
  for (Index axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(a.select(axis, 1).storage_offset() - a.select(axis, 0).storage_offset(), a.stride(axis));
  }
}

TEST(ReshapeAndStride, AllStridesTogetherGiveTheOffsetOfAnyIndex) {
  const Tensor a = rand({2, 3, 4}).permute({1, 2, 0});
  testing::for_each_index(a.shape(), [&](const Dims& i) {
    const Index offset = i[0] * a.stride(0) + i[1] * a.stride(1) + i[2] * a.stride(2);
    EXPECT_EQ(a.index({i[0], i[1], i[2]}).storage_offset(), offset);
    EXPECT_EQ(a.flat_storage()[offset].item(), a.index({i[0], i[1], i[2]}).item());
  });
}

// The picture taken over from ezyang's blog
TEST(ReshapeAndStride, IndexOneZeroOfATwoByTwoTensorIsAtOffsetTwo) {
  const Tensor x = arange(4).reshape({2, 2});
  EXPECT_EQ(position(x.layout(), {1, 0}), 2);
  EXPECT_EQ(x.index({1, 0}).item<Index>(), 2);
}

// "Contiguous Tensor"
TEST(ReshapeAndStride, OneAxisIsContiguousWithoutSpacesTwoAreRowByRow) {
  EXPECT_TRUE(rand({6}).is_contiguous());
  EXPECT_FALSE(rand({12}).slice(0, 0, {}, 2).is_contiguous());
  const Tensor rows = rand({2, 3});
  EXPECT_TRUE(rows.is_contiguous());
  EXPECT_FALSE(rows.T().is_contiguous()) << "Fortran's order is contiguous only by columns";
}

TEST(ReshapeAndStride, StridesOfAContiguousTensorAreProductsOfTheTailOfSizes) {
  const Tensor a = rand({2, 3, 4});
  const Dims& sizes = a.shape();
  EXPECT_TRUE(a.is_contiguous());
  EXPECT_EQ(a.stride(), (Dims{12, 4, 1}));
  EXPECT_EQ(a.stride(), (Dims{sizes[1] * sizes[2], sizes[2], 1}));
}

// "Loss and restoration of contiguity". The text calls .t() on a tensor of rank 3, which PyTorch refuses; its
// statements hold for the transpositions that rank 3 has.
TEST(ReshapeAndStride, TOfRank3IsRefused) {
  EXPECT_EQ(
      testing::refusal<ShapeError>([] {
        return rand({2, 3, 4}).t();
      }),
      "t: the tensor has 3 axes and must have at most 2 axes; use .mT or .permute(...) (shape (2,3,4))");
}

TEST(ReshapeAndStride, ATranspositionLosesContiguityAndContiguousRestoresIt) {
  const Tensor a = rand({2, 3, 4});
  for (const Tensor& transposed : {a.mT(), a.T(), a.transpose(0, 1), a.transpose(0, 2)}) {
    expect_view(transposed, a);
    EXPECT_FALSE(transposed.is_contiguous());
    const Tensor b = transposed.contiguous();
    expect_copy(b, transposed);
    EXPECT_TRUE(b.is_contiguous());
    const Tensor reshaped = b.reshape({2, 2, 2, 3});
    expect_view(reshaped, b);
    EXPECT_EQ(elements(transposed.reshape({2, 2, 2, 3})), elements(reshaped));
  }
  expect_copy(a.T().reshape({2, 2, 2, 3}), a.T());
  expect_view(a.mT().reshape({2, 2, 2, 3}), a);  // only splits an axis: no copy, against the text
  expect_copy(a.transpose(0, 1).reshape({2, 2, 2, 3}), a.transpose(0, 1));
}

// "View"
TEST(ReshapeAndStride, ViewSucceedsContiguousAndFailsPermuted) {
  const Tensor a = rand({2, 3, 4});
  EXPECT_TRUE(a.is_contiguous());
  expect_view(a.view({3, 4, 2}), a);
  const Tensor permuted = a.permute({0, 2, 1});
  EXPECT_FALSE(permuted.is_contiguous());
  EXPECT_TRUE(refuses_view(permuted, {3, 4, 2}));
  EXPECT_NE(testing::famous_line.find("Use .reshape(...) instead."), std::string::npos);
}

TEST(ReshapeAndStride, AViewUpdatesOnlyShapeAndStride) {
  const Tensor a = rand({2, 3, 4});
  const Tensor b = a.view({3, 4, 2});
  EXPECT_EQ(b.data_ptr(), a.data_ptr());
  EXPECT_EQ(b.shape(), (Dims{3, 4, 2}));
  EXPECT_EQ(b.stride(), (Dims{8, 2, 1}));
}

// The rule of thumb (contiguous means viewable) is one-sided: other strides may be viewable too.
TEST(ReshapeAndStride, EveryContiguousTensorIsViewableAndSomeOthersAre) {
  const Tensor a = rand({2, 3, 4});
  for (const Dims& shape : {Dims{24}, Dims{2, 12}, Dims{6, 4}, Dims{4, 3, 2}, Dims{2, 2, 2, 3}}) {
    expect_view(a.view(shape), a);
  }
  EXPECT_FALSE(a.transpose(0, 1).is_contiguous());
  expect_view(a.transpose(0, 1).view({3, 2, 2, 2}), a);
}

// "Summerizing": reshape tries view, else makes it contiguous and views that
TEST(ReshapeAndStride, ReshapeIsViewElseContiguousThenView) {
  const Tensor a = rand({2, 3, 4});
  for (const Tensor& from : {a, a.T(), a.mT(), a.permute({1, 0, 2})}) {
    for (const Dims& shape : {Dims{24}, Dims{6, 4}, Dims{3, 2, 4}, Dims{2, 2, 2, 3}}) {
      const Tensor reshaped = from.reshape(shape);
      if (refuses_view(from, shape)) {
        EXPECT_FALSE(reshaped.shares_storage(a));
        EXPECT_EQ(reshaped.layout(), from.contiguous().view(shape).layout());
        EXPECT_EQ(elements(reshaped), elements(from.contiguous().view(shape)));
      } else {
        EXPECT_TRUE(reshaped.is_same(from.view(shape)));
      }
    }
  }
}

// "The second question": shape and stride tell where an element lives after the change
TEST(ReshapeAndStride, TheNewStrideTellsWhereAnElementLives) {
  const Tensor a = arange(24).reshape({2, 3, 4});
  const Tensor b = a.view({4, 6});
  testing::for_each_index(a.shape(), [&](const Dims& i) {
    const Index where = position(a.layout(), i);
    EXPECT_EQ(position(b.layout(), *index_at(b.layout(), where)), where);
    const Dims j = *index_at(b.layout(), where);
    EXPECT_EQ(b.index({j[0], j[1]}).item(), a.index({i[0], i[1], i[2]}).item());
  });
}

}  // namespace
}  // namespace tenstride
