// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/ops.hpp"

#include <gtest/gtest.h>

#include "support/ops_oracle.hpp"

namespace tenstride {
namespace {

using oracle::each_index;
using oracle::message_of;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;
using oracle::values;

Tensor meta(const Dims& shape) {
  return empty(shape, {.device = Device::meta});
}

std::vector<Tensor> tensors_of_all_kinds() {
  std::vector<Tensor> result = odd_tensors();
  for (const Tensor& x : odd_tensors(DType::complex64)) result.push_back(x.conj());
  for (const Tensor& x : odd_tensors(DType::bool_)) result.push_back(x);
  return result;
}

// Views as functions

TEST(ViewFunctions, GiveWhatTheMethodsGive) {
  const Tensor x = numbered({2, 3, 4});
  EXPECT_TRUE(permute(x, {2, 0, 1}).is_same(x.permute({2, 0, 1})));
  EXPECT_TRUE(transpose(x, 0, -1).is_same(x.transpose(0, -1)));
  EXPECT_TRUE(movedim(x, 0, -1).is_same(x.movedim(0, -1)));
  EXPECT_TRUE(squeeze(unsqueeze(x, 1)).is_same(x));
  EXPECT_TRUE(squeeze(unsqueeze(x, 1), 1).is_same(x));
  EXPECT_TRUE(squeeze(unsqueeze(x, 1), {0, 1}).is_same(x));
  EXPECT_TRUE(slice(x, 1, 1, {}, 2).is_same(x.slice(1, 1, {}, 2)));
  EXPECT_TRUE(diagonal(x, 1, 0, 2).is_same(x.diagonal(1, 0, 2)));
  EXPECT_TRUE(linalg_diagonal(x).is_same(x.diagonal(0, -2, -1)));
  EXPECT_TRUE(reshape(x, {4, 6}).is_same(x.reshape({4, 6})));
  EXPECT_TRUE(flatten(x, 1).is_same(x.flatten(1)));
  EXPECT_TRUE(atleast_3d(x).is_same(x));
  EXPECT_EQ(unbind(x, 1).size(), 3U);
  EXPECT_TRUE(split(x, {1, 2}, 1)[1].is_same(x.narrow(1, 1, 2)));
  EXPECT_TRUE(split(x, 2, 2)[1].is_same(x.narrow(2, 2, 2)));
  EXPECT_TRUE(tensor_split(x, 3, 2)[0].is_same(x.narrow(2, 0, 2)));
  EXPECT_TRUE(tensor_split(x, {1, 3}, 2)[2].is_same(x.narrow(2, 3, 1)));
  EXPECT_TRUE(chunk(x, 2)[1].is_same(x.narrow(0, 1, 1)));
  EXPECT_EQ(hsplit(x, 3).size() + vsplit(x, 2).size() + dsplit(x, Dims{1}).size(), 7U);
}

TEST(CopyFunctions, AreContiguousCopiesOfTheViews) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    std::vector<std::pair<Tensor, Tensor>> pairs{
        {alias_copy(x), x},
        {detach_copy(x), x},
        {squeeze_copy(x), squeeze(x)},
        {squeeze_copy(x, -1), squeeze(x, -1)},
        {squeeze_copy(x, Dims{0}), squeeze(x, Dims{0})},
        {unsqueeze_copy(x, 0), unsqueeze(x, 0)},
        {transpose_copy(x, 0, -1), transpose(x, 0, -1)},
        {view_copy(x, {-1, 1}), x.numel() == 0 ? x.reshape({0, 1}) : reshape(x, {-1, 1})}};
    if (x.numel() > 0) pairs.emplace_back(as_strided_copy(x, {}, {}), as_strided(x, {}, {}));
    if (x.numel() > 0 && x.dim() > 0) {
      pairs.emplace_back(narrow_copy(x, 0, 0, 1), narrow(x, 0, 0, 1));
      pairs.emplace_back(select_copy(x, -1, 0), select(x, -1, 0));
      pairs.emplace_back(slice_copy(x, 0, 0, {}, 2), slice(x, 0, 0, {}, 2));
      pairs.emplace_back(unfold_copy(x, 0, 1, 1), unfold(x, 0, 1, 1));
      pairs.emplace_back(unbind_copy(x, -1).back(), unbind(x, -1).back());
      pairs.emplace_back(split_copy(x, 1, 0).back(), split(x, 1, 0).back());
      pairs.emplace_back(split_with_sizes_copy(x, {x.size(0)}).back(), x);
    }
    if (x.dim() == 2) {
      pairs.emplace_back(t_copy(x), t(x));
      pairs.emplace_back(permute_copy(x, {1, 0}), t(x));
      pairs.emplace_back(diagonal_copy(x), diagonal(x));
      pairs.emplace_back(expand_copy(x, {2, -1, -1}), x.expand({2, -1, -1}));
    }
    for (const auto& [copy, view] : pairs) {
      EXPECT_EQ(copy.strides(), row_major_strides(view.shape()));
      EXPECT_FALSE(copy.shares_storage(x));
      EXPECT_FALSE(copy.is_conj());
      EXPECT_EQ(values(copy), values(view));
    }
  }
}

TEST(CopyFunctions, RefuseAsTheirViewsDo) {
  const Tensor x = numbered({2, 3});
  EXPECT_EQ(message_of([&] { return narrow_copy(x, 2, 0, 1); }),
            "RuntimeError: narrow_copy: axis 2 must lie in [-2,1] (shape (2,3))");
  // The axis and the start are asked before the length.
  EXPECT_EQ(message_of([&] { return narrow_copy(x, -3, 0, -1); }),
            "IndexError: narrow_copy: axis -3 must lie in [-2,1] (shape (2,3))");
  EXPECT_EQ(message_of([&] { return narrow_copy(x, 1, 4, -1); }).substr(0, 12), "IndexError: ");
  EXPECT_EQ(message_of([&] { return select_copy(x, 2, 0); }),
            "IndexError: select: axis 2 must lie in [-2,1] (shape (2,3))");
}

TEST(ComplexViews, GoThereAndBack) {
  const Tensor x = numbered({2, 3}, DType::complex64).transpose(0, 1);
  const Tensor parts = view_as_real(x);
  EXPECT_EQ(parts.dtype(), DType::float32);
  EXPECT_EQ(parts.layout(), (Layout{{3, 2, 2}, {2, 6, 1}, 0}));
  EXPECT_TRUE(view_as_complex(parts).is_same(x));
  EXPECT_EQ(values(view_as_complex_copy(parts)), values(x));
  EXPECT_TRUE(view_as_real_copy(x).is_contiguous());
  EXPECT_EQ(values(real(x)), values(select(parts, -1, 0)));
  EXPECT_EQ(values(imag(x)), values(select(parts, -1, 1)));
  EXPECT_TRUE(conj(conj(x)).is_same(x));
  EXPECT_EQ(message_of([&] { return view_as_real(conj(x)); }),
            "RuntimeError: view_as_real: a tensor whose conjugation is pending must be resolved first; use "
            ".resolve_conj()");
  EXPECT_EQ(message_of([&] { return view_as_real(parts); }),
            "RuntimeError: view_as_real: the dtype float32 must be complex");
  EXPECT_EQ(message_of([] { return view_as_complex(numbered({2}, DType::int32)); }),
            "RuntimeError: view_as_complex: the dtype int32 must be float16, float32 or float64");
  EXPECT_EQ(values(view_as_real(resolve_conj(conj(x))))[5], -values(parts)[5]);
}

TEST(BroadcastTensors, ExpandsEach) {
  const auto result = broadcast_tensors({numbered({2, 1}), numbered({3}), numbered({})});
  for (const Tensor& x : result) EXPECT_EQ(x.shape(), (Dims{2, 3}));
  EXPECT_EQ(result[0].strides(), (Dims{1, 0}));
  EXPECT_TRUE(broadcast_tensors({}).empty());
  EXPECT_EQ(
      message_of([] {
        return broadcast_tensors({numbered({2}), numbered({3})}).size();
      }),
      "RuntimeError: broadcast_shapes: shapes (2) and (3) must be equal or 1 in every axis, counted from the "
      "right; axis -1 differs");
}

// Several to one

TEST(Cat, PutsOneAfterTheOther) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    for (Index d = 0; d < x.dim(); ++d) {
      const Tensor other = x.clone().narrow(d, 0, x.size(d) / 2);
      const Tensor result = cat({x, other, x}, d - x.dim());
      Dims shape = x.shape();
      shape[static_cast<std::size_t>(d)] = 2 * x.size(d) + other.size(d);
      ASSERT_EQ(result.shape(), shape);
      each_index(shape, [&](const Dims& at) {
        Dims from = at;
        Index& i = from[static_cast<std::size_t>(d)];
        const bool in_first = i < x.size(d);
        const bool in_other = !in_first && i < x.size(d) + other.size(d);
        if (in_other) i -= x.size(d);
        if (!in_first && !in_other) i -= x.size(d) + other.size(d);
        EXPECT_EQ(value_at(result, at), value_at(in_other ? other : x, from));
      });
    }
  }
}

TEST(Cat, KeepsChannelsLastWhereAllSuggestIt) {
  const Tensor last = numbered({2, 4, 5, 3}).permute({0, 3, 1, 2});
  EXPECT_EQ(cat({last, last}, 1).strides(), (Dims{120, 1, 30, 6}));
  EXPECT_EQ(cat({last, numbered({2, 3, 4, 5})}, 1).strides(), (Dims{120, 20, 5, 1}));
  EXPECT_EQ(cat({last, numbered({0})}, 1).strides(), (Dims{60, 20, 5, 1}));  // (0) suggests row-major
  EXPECT_EQ(stack({last, last}, 0).strides(), (Dims{120, 60, 1, 15, 3}));
  EXPECT_EQ(stack({last, last}, 4).shape(), (Dims{2, 3, 4, 5, 2}));
  EXPECT_TRUE(stack({last, last}, 4).is_contiguous());
}

TEST(Cat, SkipsEmptyOneDimensionalTensorsAndPromotes) {
  const Tensor result = cat({numbered({0}), numbered({2, 3}, DType::int8), numbered({1, 3}, DType::uint8)});
  EXPECT_EQ(result.shape(), (Dims{3, 3}));
  EXPECT_EQ(result.dtype(), DType::float32);  // the skipped one counts
  EXPECT_EQ(cat({numbered({2}, DType::int8), numbered({2}, DType::uint8)}).dtype(), DType::int16);
  EXPECT_EQ(cat({numbered({0}), numbered({0})}).shape(), (Dims{0}));
  EXPECT_EQ(cat({numbered({0}), numbered({0})}, 3).shape(), (Dims{0}));
}

TEST(Cat, RefusesInWords) {
  const Tensor x = numbered({2, 3});
  EXPECT_EQ(message_of([] { return cat({}); }), "RuntimeError: cat: at least one tensor must be given");
  EXPECT_EQ(message_of([] { return cat({numbered({})}); }),
            "RuntimeError: cat: tensor 0 must have at least 1 axis (shape ()); use stack");
  EXPECT_EQ(message_of([&] {
              return cat({x, x}, 2);
            }),
            "IndexError: cat: axis 2 must lie in [-2,1] (shape (2,3))");
  EXPECT_EQ(message_of([&] {
              return concat({x, numbered({2, 4})});
            }),
            "RuntimeError: concat: tensor 1 of shape (2,4) must agree with tensor 0 of shape (2,3) in every "
            "axis but "
            "0; axis 1 differs");
  EXPECT_EQ(message_of([&] {
              return cat({x, numbered({2})});
            }),
            "RuntimeError: cat: tensor 1 of shape (2) must have as many axes as tensor 0 of shape (2,3)");
  EXPECT_EQ(message_of([&] {
              return cat({x, meta({2, 3})});
            }),
            "RuntimeError: cat: all tensors must be on one device, tensor 1 is on meta and tensor 0 on cpu");
  EXPECT_EQ(message_of([] {
              return cat({numbered({2}, DType::uint16), numbered({2}, DType::int32)});
            }),
            "RuntimeError: cat: dtypes uint16, int32 must have a common type; convert with .to(dtype)");
}

TEST(Stack, AddsAnAxis) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    for (Index d = -x.dim() - 1; d <= x.dim(); ++d) {
      const Tensor other = flip(x, {});
      const Tensor result = stack({x, other, x}, d);
      const auto axis = static_cast<std::size_t>(d < 0 ? d + x.dim() + 1 : d);
      Dims shape = x.shape();
      shape.insert(axis, 3);
      ASSERT_EQ(result.shape(), shape);
      each_index(shape, [&](const Dims& at) {
        Dims from = at;
        from.erase(axis);
        EXPECT_EQ(value_at(result, at), value_at(x, from));
      });
    }
  }
  EXPECT_EQ(message_of([] {
              return stack({numbered({2}), numbered({3})});
            }),
            "RuntimeError: stack: tensor 1 of shape (3) must have the shape of tensor 0, (2)");
  EXPECT_EQ(message_of([] { return stack({numbered({2})}, 2); }),
            "IndexError: stack: axis 2 must lie in [-2,1] (shape (2))");
  EXPECT_EQ(message_of([] { return stack({}); }), "RuntimeError: stack: at least one tensor must be given");
}

TEST(Stacks, RaiseTheRankTheyNeed) {
  const Tensor x = numbered({3});
  const Tensor m = numbered({2, 3});
  EXPECT_TRUE(hstack({x, x}).equal(cat({x, x})));
  EXPECT_TRUE(hstack({numbered({}), x}).equal(cat({numbered({1}), x})));
  EXPECT_TRUE(hstack({m, m}).equal(cat({m, m}, 1)));
  EXPECT_TRUE(vstack({x, m}).equal(cat({x.unsqueeze(0), m})));
  EXPECT_TRUE(row_stack({x, x}).equal(stack({x, x})));
  EXPECT_TRUE(dstack({x, x}).equal(stack({x, x}, 1).unsqueeze(0)));
  EXPECT_TRUE(column_stack({x, numbered({3, 2})}).equal(cat({x.unsqueeze(1), numbered({3, 2})}, 1)));
  EXPECT_EQ(message_of([] { return dstack({}); }), "RuntimeError: dstack: at least one tensor must be given");
}

TEST(BlockDiag, PutsMatricesOnTheDiagonal) {
  const Tensor result = block_diag({numbered({2, 3}), numbered({2}), numbered({})});
  EXPECT_EQ(result.shape(), (Dims{4, 6}));
  EXPECT_TRUE(result.narrow(0, 0, 2).narrow(1, 0, 3).equal(numbered({2, 3})));
  EXPECT_TRUE(result.select(0, 2).narrow(0, 3, 2).equal(numbered({2})));
  Index filled = 0;
  each_index(result.shape(), [&](const Dims& at) { filled += value_at(result, at) != oracle::Number(0); });
  EXPECT_EQ(filled, 6);  // 1..5 and 1; the zeros are zeros
  EXPECT_EQ(block_diag({}).shape(), (Dims{1, 0}));
  EXPECT_EQ(message_of([] {
              return block_diag({numbered({1, 1, 1})});
            }),
            "RuntimeError: block_diag: tensor 0 has 3 axes and must have at most 2 (shape (1,1,1))");
}

TEST(Meshgrid, ExpandsViews) {
  const Tensor a = numbered({2});
  const Tensor b = numbered({3});
  const auto ij = meshgrid({a, b});
  const auto xy = meshgrid({a, b}, MeshIndexing::xy);
  EXPECT_EQ(ij[0].layout(), (Layout{{2, 3}, {1, 0}, 0}));
  EXPECT_EQ(ij[1].layout(), (Layout{{2, 3}, {0, 1}, 0}));
  EXPECT_EQ(xy[0].layout(), (Layout{{3, 2}, {0, 1}, 0}));
  EXPECT_EQ(xy[1].layout(), (Layout{{3, 2}, {1, 0}, 0}));
  EXPECT_TRUE(xy[0].shares_storage(a));
  EXPECT_EQ(meshgrid({numbered({}), b, a}, MeshIndexing::xy)[2].shape(), (Dims{3, 1, 2}));
  EXPECT_EQ(message_of([] {
              return meshgrid({numbered({2, 2})}).size();
            }),
            "RuntimeError: meshgrid: tensor 0 has 2 axes and must have at most 1 (shape (2,2))");
  EXPECT_EQ(
      message_of([&] {
        return meshgrid({a, numbered({2}, DType::int8)}).size();
      }),
      "RuntimeError: meshgrid: all tensors must have one dtype, tensor 1 has int8 and tensor 0 float32");
}

}  // namespace
}  // namespace tenstride
