// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/selection.hpp"

#include <gtest/gtest.h>

#include "support/ops_oracle.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/ops/diagonals.hpp"
#include "tenstride/ops/ops.hpp"

namespace tenstride {
namespace {

using oracle::each_index;
using oracle::message_of;
using oracle::Number;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;
using oracle::values;

TEST(Nonzero, ListsTheIndexes) {
  EXPECT_EQ(nonzero(tensor({{0, 1}, {1, 0}})).tolist(), Nested({{0, 1}, {1, 0}}));
  for (const DType dtype : {DType::float32, DType::bool_, DType::complex64}) {
    for (const Tensor& x : odd_tensors(dtype)) {
      std::vector<Dims> expected;
      each_index(x.shape(), [&](const Dims& at) {
        if (value_at(x, at) != Number(0)) expected.push_back(at);
      });
      const Tensor result = nonzero(x);
      const auto count = static_cast<Index>(expected.size());
      EXPECT_EQ(result.shape(), (Dims{count, x.dim()}));
      EXPECT_EQ(result.strides(), (Dims{1, count}));
      for (Index k = 0; k < count; ++k) {
        for (Index d = 0; d < x.dim(); ++d) {
          EXPECT_EQ(result[k][d].item<Index>(),
                    expected[static_cast<std::size_t>(k)][static_cast<std::size_t>(d)]);
        }
      }
      EXPECT_EQ(nonzero_as_tuple(x).size(), std::max<std::size_t>(x.layout().rank(), 1));
    }
  }
}

TEST(Masked, SelectsFillsAndScatters) {
  for (const Tensor& x : odd_tensors()) {
    const Tensor mask = gt(x, 3);
    std::vector<Number> chosen;
    each_index(x.shape(), [&](const Dims& at) {
      if (value_at(x, at).real() > 3) chosen.push_back(value_at(x, at));
    });
    EXPECT_EQ(values(masked_select(x, mask)), chosen);
    const Tensor filled = masked_fill(x, mask, 7);
    const Tensor source = numbered({x.numel()});
    const Tensor scattered = masked_scatter(x, mask, source);
    EXPECT_TRUE(filled.is_contiguous());
    EXPECT_TRUE(scattered.is_contiguous());
    Index before = 0;
    each_index(x.shape(), [&](const Dims& at) {
      const bool is_set = value_at(x, at).real() > 3;
      EXPECT_EQ(value_at(filled, at), is_set ? Number(7) : value_at(x, at));
      EXPECT_EQ(value_at(scattered, at), is_set ? value_at(source, {before++}) : value_at(x, at));
    });
  }
  const Tensor x = numbered({3, 4});
  EXPECT_EQ(message_of([&] { return masked_select(x, x); }),
            "RuntimeError: masked_select: the mask's dtype float32 must be bool; compare with ne(0) first");
  EXPECT_EQ(message_of([&] { return masked_scatter(x, ge(x, 0), numbered({3})); }),
            "RuntimeError: masked_scatter_: the source of shape (3) must have the 12 elements for which the "
            "mask is "
            "true");
}

TEST(UnravelIndex, IsTheIndexOfANumber) {
  const std::vector<Tensor> index = unravel_index(arange(24), {2, 3, 4});
  ASSERT_EQ(index.size(), 3U);
  for (Index n = 0; n < 24; ++n) {
    const Dims at = unravel(n, {2, 3, 4});
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(index[d][n].item<Index>(), at[d]);
  }
}

TEST(Diagonals, StandWhereDiagonalSees) {
  EXPECT_EQ(diag(tensor({1, 2}), 1).shape(), (Dims{3, 3}));
  for (const Index offset : {Index{-2}, Index{0}, Index{1}}) {
    const Tensor x = numbered({2, 3}).t();
    const Tensor embedded = diag_embed(x, offset, 0, 2);
    EXPECT_TRUE(embedded.diagonal(offset, 0, 2).equal(x));
    EXPECT_EQ(masked_select(embedded, ne(embedded, 0)).numel(), 5);  // one of the six is 0
    EXPECT_TRUE(diag(diag(x.flatten(), offset), offset).equal(x.flatten()));
  }
  for (const Tensor& x : odd_tensors()) {
    if (x.dim() == 0 || x.size(0) == 0) continue;
    const Tensor src = numbered(x.select(0, 0).shape());
    const Tensor result = select_scatter(x, src, 0, -1);
    EXPECT_TRUE(result.select(0, -1).equal(src));
    EXPECT_TRUE(result.narrow(0, 0, x.size(0) - 1).equal(x.narrow(0, 0, x.size(0) - 1)));
    if (is_provably_unique(x.layout())) {
      EXPECT_EQ(result.layout(), x.layout());
    }
  }
  EXPECT_EQ(message_of([] {
              return diagonal_scatter(numbered({2, 3}), numbered({3}));
            }),
            "RuntimeError: diagonal_scatter: src of shape (3) must have the view's shape (2)");
}

TEST(Diagonals, RefuseOffsetsBeyondAllIndices) {
  for (const Index offset : {INT64_MIN, INT64_MAX}) {
    EXPECT_THROW(static_cast<void>(diag_embed(tensor({1}), offset)), OverflowError);
  }
}

TEST(Products, ListAllRows) {
  EXPECT_EQ(cartesian_prod({tensor({0, 1}), tensor({5, 6})}).tolist(),
            Nested({{0, 5}, {0, 6}, {1, 5}, {1, 6}}));
  EXPECT_EQ(combinations(tensor({1, 2, 3})).tolist(), Nested({{1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(combinations(arange(6), 3).size(0), 20);
  EXPECT_EQ(combinations(arange(6), 3, Replacement::yes).size(0), 56);
}

TEST(Out, TakesWhatCatGives) {
  const Tensor x = numbered({2, 3});
  Tensor out = numbered({6, 4}).slice(0, {}, {}, 2).t();
  EXPECT_EQ(&cat_out(out, {x, x}), &out);
  EXPECT_EQ(out.strides(), (Dims{1, 8}));
  EXPECT_TRUE(out.equal(cat({x, x})));
  Tensor resized = numbered({5}, DType::float64);
  stack_out(resized, {x, x}, 1);
  EXPECT_TRUE(resized.equal(stack({x, x}, 1).to(DType::float64)));
  Tensor integers = empty({4, 3}, {.dtype = DType::int64});
  EXPECT_EQ(message_of([&] {
              return cat_out(integers, {x, x});
            }),
            "RuntimeError: cat: out's dtype int64 must take the result's, float32");
}

}  // namespace
}  // namespace tenstride
