// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/numpy_layout.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/layouts.hpp"
#include "support/refusal.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/numpy_views.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using numpy::Order;
using testing::refusal;

static_assert(numpy::is_f_contiguous({{3, 2}, {1, 3}, 0}));
static_assert(!numpy::is_fortran({{3}, {1}, 0}));
static_assert(numpy::fresh({2, 0}, Order::C) == Layout{{2, 0}, {0, 0}, 0});
static_assert(numpy::dense_in_order({2, 3}, {1, 0}) == Layout{{2, 3}, {1, 2}, 0});
static_assert(numpy::axes_by_stride({{2, 3, 4}, {1, -8, 2}, 16}) == Dims{1, 2, 0});
static_assert(numpy::layout_like({{2, 3}, {1, -4}, 8}, Order::K) == Layout{{2, 3}, {1, 2}, 0});
static_assert(!numpy::try_reshape({{2, 3}, {3, 1}, 0}, {6}, Order::F));
static_assert(numpy::try_reshape({{2, 3}, {3, 1}, 0}, {6}) == Layout{{6}, {1}, 0});
static_assert(numpy::rollaxis({{2, 3, 4}, {12, 4, 1}, 0}, 2, 1) == Layout{{2, 4, 3}, {12, 1, 4}, 0});
static_assert(numpy::expand_dims({{2, 3}, {3, 1}, 0}, {0}) == Layout{{1, 2, 3}, {6, 3, 1}, 0});
static_assert(numpy::flip({{4}, {1}, 0}, {0}) == Layout{{4}, {-1}, 3});
static_assert(numpy::sliding_window_view({{5}, {1}, 0}, {3}) == Layout{{3, 3}, {1, 1}, 0});
static_assert(numpy::broadcast_to({{3, 1}, {1, 1}, 0}, {2, 3, 4}) == Layout{{2, 3, 4}, {0, 1, 0}, 0});
static_assert(numpy::view_dtype({{4, 4}, {4, 1}, 0}, 4, 1) == Layout{{4, 16}, {16, 1}, 0});

/// Position of the n-th element, counted with the first axis the fastest.
Index position_in_f_order(const Layout& layout, Index n) {
  Dims index;
  for (const Index size : layout.shape) {
    index.push_back(n % size);
    n /= size;
  }
  return position(layout, index);
}

TEST(NumpyLayout, ReshapeInBothOrdersKeepsTheSequenceOfElements) {
  std::size_t views = 0;
  for (const Layout& layout : testing::small_layouts(3)) {
    const Index count = numel(layout);
    for (const Dims& shape : testing::small_shapes(3, 3)) {
      if (count_elements(shape) != count || count == 0) continue;
      for (const Order order : {Order::C, Order::F}) {
        const auto result = numpy::try_reshape(layout, shape, order);
        if (!result) continue;
        ++views;
        for (Index n = 0; n < count; ++n) {
          const Index before =
              order == Order::C ? position(layout, unravel(n, layout.shape)) : position_in_f_order(layout, n);
          const Index after =
              order == Order::C ? position(*result, unravel(n, shape)) : position_in_f_order(*result, n);
          ASSERT_EQ(before, after) << to_string(layout) << " to " << to_string(shape);
        }
      }
    }
  }
  EXPECT_GT(views, 1000U);
}

TEST(NumpyLayout, ReshapeInCOrderIsAViewExactlyWhereTryViewIs) {
  for (const Layout& layout : testing::small_layouts(3)) {
    if (is_empty(layout)) continue;
    for (const Dims& shape : testing::small_shapes(3, 3)) {
      if (count_elements(shape) != numel(layout)) continue;
      const bool same = shape == layout.shape;
      ASSERT_EQ(numpy::try_reshape(layout, shape).has_value(), same || try_view(layout, shape).has_value())
          << to_string(layout) << " to " << to_string(shape);
    }
  }
}

TEST(NumpyLayout, LayoutLikeIsDenseInEveryOrder) {
  for (const Layout& layout : testing::small_layouts(3)) {
    for (const Order order : {Order::C, Order::F, Order::A, Order::K}) {
      const Layout copy = numpy::layout_like(layout, order);
      ASSERT_EQ(copy.shape, layout.shape);
      ASSERT_TRUE(is_non_overlapping_and_dense(copy)) << to_string(layout);
    }
    ASSERT_TRUE(numpy::is_c_contiguous(numpy::layout_like(layout, Order::C)));
    ASSERT_TRUE(numpy::is_f_contiguous(numpy::layout_like(layout, Order::F)));
  }
}

TEST(NumpyLayout, OrderAIsFOnlyWhereNotAlsoC) {
  EXPECT_EQ(numpy::resolve_order({{3, 2}, {1, 3}, 0}, Order::A), Order::F);
  EXPECT_EQ(numpy::resolve_order({{3}, {1}, 0}, Order::A), Order::C);
  EXPECT_EQ(numpy::resolve_order({{3, 2}, {1, 4}, 0}, Order::A), Order::C);
}

TEST(NumpyLayout, AnEmptySliceKeepsStrideAndOffset) {
  const Layout x{{4, 3}, {3, 1}, 5};
  const std::vector<BasicIndex> backwards{Slice{0, 3, -2}};
  EXPECT_EQ(to_string(numpy::index(x, backwards)), "(0,3):(3,1)+5");
}

TEST(NumpyLayout, RefusesInWords) {
  const Layout x{{2, 3}, {3, 1}, 0};
  EXPECT_EQ(refusal<ValueError>([&] { return numpy::transpose(x, {0}); }),
            "transpose: axes (0) must name each axis once (shape (2,3))");
  EXPECT_EQ(refusal<ValueError>([&] {
              return numpy::transpose(x, {1, -1});
            }),
            "transpose: axes (1,-1) must name no axis twice (shape (2,3))");
  EXPECT_EQ(refusal<AxisError>([&] { return numpy::flip(x, {2}); }),
            "flip: axis 2 must lie in [-2,1] (shape (2,3))");
  EXPECT_EQ(refusal<ValueError>([&] {
              return numpy::infer_shape(x, {4, -1});
            }),
            "reshape: sizes (4,-1) must hold the tensor's elements, 6 (shape (2,3))");
  EXPECT_EQ(refusal<ValueError>([&] {
              return numpy::infer_shape(x, {-1, -2});
            }),
            "reshape: sizes (-1,-2) must have at most one unknown (shape (2,3))");
  EXPECT_EQ(refusal<ValueError>([&] { return numpy::squeeze(x, 0); }),
            "squeeze: axes (0) must have size 1 (shape (2,3))");
  EXPECT_EQ(refusal<ValueError>([&] {
              return numpy::diagonal({{3}, {1}, 0});
            }),
            "diagonal: the tensor has 1 axis and must have at least 2 axes (shape (3))");
  EXPECT_EQ(refusal<ValueError>([&] {
              return numpy::broadcast_to(x, {2, 4});
            }),
            "broadcast_to: shape (2,4) must agree with every size but 1 (shape (2,3))");
  EXPECT_EQ(refusal<ValueError>([&] {
              return numpy::sliding_window_view(x, {3, 1});
            }),
            "sliding_window_view: window (3,1) must fit into the tensor (shape (2,3))");
  EXPECT_EQ(refusal<ValueError>([&] {
              return numpy::view_dtype({{2, 4}, {5, 1}, 0}, 1, 2);
            }),
            "view: a stride of 5 bytes must be a multiple of the element, 2 bytes; copy first");
}

}  // namespace
}  // namespace tenstride
