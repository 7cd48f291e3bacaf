// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise/elementwise.hpp"

#include <gtest/gtest.h>

#include "support/ops_oracle.hpp"

namespace tenstride {
namespace {

constexpr Layout joint(const Layout& a, const Layout& b) {
  return elementwise_layout(std::array{a, b});
}

constexpr Layout in_format(const Dims& shape, MemoryFormat format) {
  return {shape, format_strides(shape, format), 3};
}

static_assert(joint({{2, 3}, {1, 2}, 0}, {{2, 1}, {1, 1}, 0}) == Layout{{2, 3}, {1, 2}, 0});
static_assert(joint(row_major({2, 3}), row_major({2, 3})) == row_major({2, 3}));
static_assert(joint({{2, 3}, {1, 2}, 5}, {{2, 3}, {1, 2}, 0}) == Layout{{2, 3}, {1, 2}, 0});

TEST(ElementwiseLayout, IsTheHeadersExample) {
  EXPECT_EQ(joint({{2, 3}, {1, 2}, 0}, {{2, 1}, {1, 1}, 0}), (Layout{{2, 3}, {1, 2}, 0}));
}

TEST(ElementwiseLayout, KeepsChannelsLastWhereAllAreSo) {
  const Layout last = in_format({2, 3, 4, 5}, MemoryFormat::channels_last);
  EXPECT_EQ(joint(last, last), (Layout{{2, 3, 4, 5}, {60, 1, 15, 3}, 0}));
  EXPECT_EQ(joint(last, row_major({2, 3, 4, 5})).strides, last.strides);  // the first operand decides
  EXPECT_EQ(joint(row_major({2, 3, 4, 5}), last), row_major({2, 3, 4, 5}));
}

TEST(ElementwiseLayout, LetsTheFirstOperandThatKnowsDecide) {
  const Layout repeated{{3, 4}, {0, 0}, 0};
  const Layout transposed{{3, 4}, {1, 3}, 0};
  EXPECT_EQ(joint(repeated, transposed), (Layout{{3, 4}, {1, 3}, 0}));
  EXPECT_EQ(joint(transposed, repeated), (Layout{{3, 4}, {1, 3}, 0}));
  EXPECT_EQ(joint(repeated, repeated), row_major({3, 4}));
}

TEST(ElementwiseLayout, DropsGapsAndOffsets) {
  EXPECT_EQ(joint({{3, 4}, {10, 1}, 2}, {{3, 4}, {4, 1}, 0}), row_major({3, 4}));
  EXPECT_EQ(joint({{3, 4}, {1, 10}, 2}, {{3, 4}, {4, 1}, 0}), (Layout{{3, 4}, {1, 3}, 0}));
}

TEST(ElementwiseLayout, BreaksEqualStridesBySize) {
  EXPECT_EQ(joint({{4, 1}, {1, 1}, 0}, {{}, {}, 0}), row_major({4, 1}));
  EXPECT_EQ(joint({{1, 4}, {1, 1}, 0}, {{}, {}, 0}), (Layout{{1, 4}, {1, 1}, 0}));
  EXPECT_EQ(joint({{3, 1}, {1, 7}, 0}, {{}, {}, 0}), (Layout{{3, 1}, {1, 3}, 0}));
  EXPECT_EQ(joint({{3, 1}, {1, 7}, 0}, {{3, 1}, {1, 7}, 0}), row_major({3, 1}));  // counts as row-major
}

TEST(ElementwiseLayout, CountsAnEmptyAxisAsPyTorchDoes) {
  EXPECT_EQ(joint({{0, 3}, {3, 1}, 0}, {{0, 3}, {1, 7}, 0}), row_major({0, 3}));
  EXPECT_EQ(joint({{0, 3}, {1, 7}, 0}, {{}, {}, 0}), (Layout{{0, 3}, {1, 0}, 0}));
}

TEST(ElementwiseLayout, IsDenseAndOfTheBroadcastShape) {
  for (const Tensor& a : oracle::odd_tensors()) {
    for (const Tensor& b : oracle::odd_tensors()) {
      Dims shape;
      try {
        shape = broadcast_shapes(a.shape(), b.shape());
      } catch (const ShapeError&) {
        EXPECT_THROW(joint(a.layout(), b.layout()), ShapeError);
        continue;
      }
      const Layout result = joint(a.layout(), b.layout());
      EXPECT_EQ(result.shape, shape);
      EXPECT_EQ(result.offset, 0);
      EXPECT_TRUE(is_non_overlapping_and_dense(result));
    }
  }
}

TEST(ElementwiseLayout, SaysWhichShapesDoNotBroadcast) {
  EXPECT_EQ(
      oracle::message_of([] {
        return joint(row_major({2, 3}), row_major({4}));
      }),
      "RuntimeError: broadcast_shapes: shapes (2,3) and (4) must be equal or 1 in every axis, counted from "
      "the right; axis -1 differs");
}

TEST(ResultType, LetsWeakerOperandsChangeTheKindOnly) {
  const auto met = [](DType a, DType b, TypeWeight weight) {
    return result_type(std::array{TypedOperand{a}, TypedOperand{b, weight}});
  };
  using enum DType;
  const TypeWeight number = TypeWeight::number;
  const TypeWeight scalar = TypeWeight::scalar_tensor;
  EXPECT_EQ(met(int8, int64, number), int8);
  EXPECT_EQ(met(int8, int64, scalar), int8);
  EXPECT_EQ(met(int8, int64, TypeWeight::tensor), int64);
  EXPECT_EQ(met(int32, float32, number), float32);
  EXPECT_EQ(met(int32, float64, scalar), float64);
  EXPECT_EQ(met(float16, float32, number), float16);
  EXPECT_EQ(met(float64, complex64, number), complex128);
  EXPECT_EQ(met(float32, complex64, number), complex64);
  EXPECT_EQ(met(bfloat16, complex64, number), complex64);
  EXPECT_EQ(met(float16, complex64, number), complex32);
  EXPECT_EQ(met(bool_, int64, number), int64);
  EXPECT_EQ(met(uint64, int64, number), uint64);
  EXPECT_EQ(met(uint64, int64, TypeWeight::tensor), std::nullopt);
  EXPECT_EQ(met(uint64, float32, number), float32);
  EXPECT_EQ(met(float8_e5m2, complex64, number), std::nullopt);
  EXPECT_EQ(result_type(std::array{TypedOperand{int16, scalar}, TypedOperand{float32, number}}), float32);
}

}  // namespace
}  // namespace tenstride
