// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>

#include "support/layouts.hpp"
#include "support/slow.hpp"
#include "support/tensors.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

// Every statement and snippet of "Contiguous tensors" (Marco Kuhlmann, 2024). Its numbers are random, so what
// is compared are the relations between them.
namespace tenstride {
namespace {

using testing::elements;
using testing::expect_view;

/// The text's function of the same name; indexes may leave their axis.
Index idx_to_pos(const Tensor& a, const Dims& index) {
  Index sum = 0;
  for (std::size_t d = 0; d < index.size(); ++d) sum += index[d] * a.stride()[d];
  return sum;
}

/// The text's is_contiguous.
bool is_contiguous_by_the_text(const Tensor& a) {
  Index expected_stride = 1;
  for (std::size_t d = a.shape().size(); d-- > 0;) {
    if (a.stride()[d] != expected_stride) return false;
    expected_stride *= a.shape()[d];
  }
  return true;
}

TEST(ContiguousTensors, ThePermutedTensorCannotBeViewedFlat) {
  const Tensor x = randn({2, 3, 2}).permute({0, 2, 1});
  EXPECT_TRUE(testing::refuses_view(x, {-1}));
  try {
    static_cast<void>(x.view({-1}));
    FAIL() << "viewed without a copy";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.what(),
              testing::famous_line +
                  "\n"
                  "  from   (2,2,3):(6,1,2)+0   to (12)   (shape:strides+offset, in elements)\n"
                  "  axes 1 and 2 would merge, but a step along axis 1 moves 1 element and running "
                  "through axis 2 moves 3*2 = 6\n"
                  "  walk:  the elements lie at 0 2 4, then at 1 3 5; one axis of stride 2 would go on at 6\n"
                  "  free:  the axes group as [0] [1] [2]; each may be split, none may be merged\n"
                  "  fixes: .reshape(12)              copies 12 elements (48 B), silently\n"
                  "         .contiguous().view(12)    copies 12 elements (48 B), visibly\n"
                  "         .permute(0,2,1).view(12)  no copy, another element order");
  }
}

// "Shape and stride"
TEST(ContiguousTensors, TheStrideTellsThePositionOfAnIndex) {
  const Tensor x = randn({2, 3, 2});
  EXPECT_EQ(x.shape(), (Dims{2, 3, 2}));
  EXPECT_EQ(x.numel(), 12);
  EXPECT_EQ(x.stride(), (Dims{6, 2, 1}));
  EXPECT_EQ(1 * 6 + 2 * 2 + 0 * 1, 10);
  EXPECT_EQ(x.index({1, 2, 0}).item(), x.flat_storage()[10].item());
  EXPECT_EQ(idx_to_pos(x, {1, 2, 0}), 10);
  testing::for_each_index(x.shape(), [&](const Dims& i) {
    EXPECT_EQ(x.index({i[0], i[1], i[2]}).item(), x.flat_storage()[idx_to_pos(x, i)].item());
  });
}

// "Views"
TEST(ContiguousTensors, AViewIsTheSameDataUnderAnotherIndex) {
  const Tensor x = randn({2, 3, 2});
  const Tensor y = x.view({2, 6});
  EXPECT_EQ(y.shape(), (Dims{2, 6}));
  expect_view(y, x);
  EXPECT_EQ(y.index({1, 4}).item(), x.index({1, 2, 0}).item());
  EXPECT_EQ(idx_to_pos(y, {1, 4}), 10) << "the element has not moved";
  EXPECT_EQ(x.stride(), (Dims{6, 2, 1}));
  EXPECT_EQ(y.stride(), (Dims{6, 1}));
  EXPECT_EQ(elements(y), elements(x));
}

TEST(ContiguousTensors, TwoSentencesOfThreeWordsBecomeTwoVectors) {
  const Tensor x = randn({2, 3, 2});
  const Tensor y = x.view({2, 6});
  for (Index sentence = 0; sentence < 2; ++sentence) {
    for (Index word = 0; word < 3; ++word) {
      EXPECT_EQ(elements(y[sentence].slice(0, 2 * word, 2 * word + 2)), elements(x[sentence][word]));
    }
  }
}

// "Non-contiguous tensors"
TEST(ContiguousTensors, APermutedTensorIsNotContiguous) {
  const Tensor x = randn({2, 3, 2});
  const Tensor permuted = x.permute({0, 2, 1});
  EXPECT_EQ(permuted.stride(), (Dims{6, 1, 2}));
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_TRUE(x.view({2, 6}).is_contiguous());
  EXPECT_FALSE(permuted.is_contiguous());
  expect_view(permuted, x);
}

TEST(ContiguousTensors, ContiguousMeansThatRunningThroughAnAxisIsAStepAlongTheNext) {
  const Tensor x = randn({2, 3, 2});
  const Tensor permuted = x.permute({0, 2, 1});
  EXPECT_EQ(std::pair(idx_to_pos(x, {0, 0, 2}), idx_to_pos(x, {0, 1, 0})), std::pair(Index{2}, Index{2}));
  EXPECT_EQ(std::pair(idx_to_pos(permuted, {0, 0, 3}), idx_to_pos(permuted, {0, 1, 0})),
            std::pair(Index{6}, Index{1}));
  EXPECT_TRUE(is_contiguous_by_the_text(x));
  EXPECT_FALSE(is_contiguous_by_the_text(permuted));
}

// The text's function is right but for two exceptions PyTorch makes: axes of size 1, and empty tensors.
TEST(ContiguousTensors, TheTextsContiguityIsPyTorchsButForSize1AndEmpty) {
  for (const Dims& shape : testing::small_shapes(3, 3)) {
    const Tensor x = zeros(shape);
    for (const Dims& order : testing::all_orders(shape.size())) {
      const Tensor y = x.permute(order);
      const bool is_plain = std::all_of(shape.begin(), shape.end(), [](Index size) { return size > 1; });
      if (is_plain) {
        EXPECT_EQ(y.is_contiguous(), is_contiguous_by_the_text(y)) << to_string(y.layout());
      } else {
        EXPECT_TRUE(y.is_contiguous() || !is_contiguous_by_the_text(y)) << to_string(y.layout());
      }
    }
  }
  const Tensor one = zeros({5}).slice(0, 0, {}, 5);
  EXPECT_TRUE(one.is_contiguous());
  EXPECT_FALSE(is_contiguous_by_the_text(one));
}

// "Fixing stride inconsistencies"
TEST(ContiguousTensors, AFlatViewHasStride1) {
  const Tensor flat = randn({2, 3, 2}).view({-1});
  EXPECT_EQ(flat.shape(), Dims{12});
  EXPECT_EQ(flat.stride(), Dims{1});
}

TEST(ContiguousTensors, ReshapeAndContiguousTakeACopy) {
  const Tensor permuted = randn({2, 3, 2}).permute({0, 2, 1});
  const Tensor reshaped = permuted.reshape({-1});
  const Tensor visible = permuted.contiguous().view({-1});
  testing::expect_copy(reshaped, permuted);
  testing::expect_copy(visible, permuted);
  EXPECT_EQ(elements(reshaped), elements(visible));
  const Tensor x = randn({2, 3, 2});
  expect_view(x.reshape({-1}), x);
  EXPECT_TRUE(x.contiguous().is_same(x));
}

// The text ends by saying that reshape asks for contiguity. PyTorch asks for less: compatible strides will
// do.
TEST(ContiguousTensors, ReshapeOfANonContiguousTensorIsAViewWhereStridesAllow) {
  const Tensor padded = zeros({4, 6}).slice(1, 0, 3);
  EXPECT_FALSE(padded.is_contiguous());
  expect_view(padded.reshape({2, 2, 3}), padded);
  EXPECT_FALSE(padded.reshape({12}).shares_storage(padded));
}

TEST(ContiguousTensors, EveryPermutationOfTheExampleInEveryShape) {
  const Tensor x = arange(12).reshape({2, 3, 2});
  for (const Dims& order : testing::all_orders(3)) {
    const Tensor permuted = x.permute(order);
    for (const Dims& shape : {Dims{12}, Dims{2, 6}, Dims{6, 2}, Dims{3, 4}, Dims{4, 3}, Dims{2, 2, 3},
                              Dims{2, 3, 2}, Dims{3, 2, 2}, Dims{1, 12}, Dims{12, 1}, Dims{2, 1, 6}}) {
      const bool is_possible =
          testing::solve_layout(testing::positions(permuted.layout()), shape).has_value();
      EXPECT_EQ(testing::refuses_view(permuted, shape), !is_possible)
          << to_string(order) << " as " << to_string(shape);
      const Tensor reshaped = permuted.reshape(shape);
      EXPECT_EQ(reshaped.shares_storage(x), is_possible);
      EXPECT_EQ(elements(reshaped), elements(permuted));
    }
  }
}

}  // namespace
}  // namespace tenstride
