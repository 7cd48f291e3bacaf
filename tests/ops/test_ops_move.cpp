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

Index wrapped(Index value, Index size) {
  return ((value % size) + size) % size;
}

TEST(Flip, ReversesAxesAndKeepsTheLayout) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    for (Index subset = 0; subset < Index{1} << x.dim(); ++subset) {
      Dims dims;
      for (Index d = 0; d < x.dim(); ++d) {
        if ((subset >> d & 1) != 0) dims.push_back(d % 2 == 0 ? d : d - x.dim());
      }
      const Tensor result = flip(x, dims);
      EXPECT_EQ(result.strides(), empty_like(x).strides());
      EXPECT_FALSE(result.shares_storage(x));
      each_index(x.shape(), [&](const Dims& at) {
        Dims from = at;
        for (const Index d : dims) {
          const auto axis = static_cast<std::size_t>(d < 0 ? d + x.dim() : d);
          from[axis] = x.shape()[axis] - 1 - from[axis];
        }
        EXPECT_EQ(value_at(result, at), value_at(x, from));
      });
    }
  }
  EXPECT_TRUE(fliplr(numbered({2, 3})).equal(flip(numbered({2, 3}), {1})));
  EXPECT_TRUE(flipud(numbered({3})).equal(flip(numbered({3}), {0})));
  EXPECT_EQ(message_of([] {
              return flip(numbered({2, 3}), {0, -2});
            }),
            "RuntimeError: flip: axes (0,-2) must not name axis -2 twice (shape (2,3))");
  EXPECT_EQ(message_of([] { return fliplr(numbered({2})); }),
            "RuntimeError: fliplr: the tensor has 1 axis and must have at least 2 axes (shape (2))");
  EXPECT_EQ(message_of([] { return flipud(numbered({})); }),
            "RuntimeError: flipud: the tensor has 0 axes and must have at least 1 axis (shape ())");
}

TEST(Rot90, RotatesFourTimesToItself) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    if (x.dim() < 2) continue;
    Tensor rotated = x;
    for (Index k = 0; k < 9; ++k) {
      EXPECT_EQ(values(rot90(x, k - 4)), values(rotated)) << k;
      each_index(rotated.shape(),
                 [&](const Dims& at) {  // one more rotation: (i, j) comes from (j, columns-1-i)
                   const Tensor next = rot90(rotated, 1);
                   Dims to = at;
                   to[0] = rotated.size(1) - 1 - at[1];
                   to[1] = at[0];
                   EXPECT_EQ(value_at(next, to), value_at(rotated, at));
                 });
      rotated = rot90(rotated);
      if (x.numel() > 30) break;
    }
  }
  EXPECT_EQ(rot90(numbered({2, 3})).strides(), (Dims{1, 3}));
  EXPECT_EQ(rot90(numbered({2, 3}).transpose(0, 1), 4).strides(), (Dims{2, 1}));
  EXPECT_EQ(message_of([] { return rot90(numbered({2}), 1); }),
            "RuntimeError: rot90: the tensor has 1 axis and must have at least 2 axes (shape (2))");
  EXPECT_EQ(message_of([] {
              return rot90(numbered({2, 2}), 1, {0, 2});
            }),
            "RuntimeError: rot90: axis 2 must lie in [-2,1] (shape (2,2))");
  EXPECT_EQ(message_of([] {
              return rot90(numbered({2, 2}), 1, {0, -2});
            }),
            "RuntimeError: rot90: the two axes must differ, both are axis 0 (shape (2,2))");
  EXPECT_EQ(message_of([] {
              return rot90(numbered({2, 2}), 1, {0});
            }),
            "RuntimeError: rot90: dims (0) must name 2 axes (shape (2,2))");
}

TEST(Roll, MovesElementsAroundTheEnd) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    if (x.numel() == 0) {
      EXPECT_EQ(roll(x, {1}, {0}).strides(), x.strides());
      continue;
    }
    for (const Index shift : {Index{0}, Index{1}, Index{-1}, Index{5}, Index{-17}}) {
      const std::vector<oracle::Number> before = values(x);
      const std::vector<oracle::Number> flat = values(roll(x, {shift}));
      for (Index i = 0; i < x.numel(); ++i) {
        EXPECT_EQ(flat[static_cast<std::size_t>(wrapped(i + shift, x.numel()))],
                  before[static_cast<std::size_t>(i)]);
      }
      if (x.dim() == 0) continue;
      const Tensor one = roll(x, {shift, 2, shift}, {0, -1, 0});
      each_index(x.shape(), [&](const Dims& at) {
        Dims to = at;
        to[0] = wrapped(to[0] + 2 * shift, x.size(0));
        to[to.size() - 1] = wrapped(to.back() + 2, x.size(-1));
        EXPECT_EQ(value_at(one, to), value_at(x, at));
      });
    }
  }
}

TEST(Roll, IsLaidOutAsCat) {
  const Tensor last = numbered({2, 4, 5, 3}).permute({0, 3, 1, 2});
  EXPECT_EQ(roll(last, {1}, {0}).strides(), (Dims{60, 1, 15, 3}));
  EXPECT_EQ(roll(last, {0}, {0}).strides(), (Dims{60, 20, 5, 1}));  // an empty part suggests row-major
  EXPECT_EQ(roll(numbered({3, 4}).transpose(0, 1), {1}, {0}).strides(), (Dims{3, 1}));
  EXPECT_EQ(message_of([] { return roll(numbered({2}), {}); }),
            "RuntimeError: roll: at least one shift must be given");
  EXPECT_EQ(message_of([] {
              return roll(numbered({2}), {1, 2}, {0});
            }),
            "RuntimeError: roll: shifts (1,2) and dims (0) must be as many (2 and 1 given)");
  EXPECT_EQ(message_of([] { return roll(numbered({2}), {1}, {1}); }),
            "IndexError: roll: axis 1 must lie in [-1,0] (shape (2))");
  EXPECT_EQ(message_of([] { return roll(numbered({}), {1}, {0}); }),
            "IndexError: roll: the tensor must have at least 1 axis (shape ())");
}

TEST(Repeat, TilesTheTensor) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    Dims repeats{2};
    for (Index d = 0; d < x.dim(); ++d) repeats.push_back(1 + (d + 1) % 3);
    const Tensor result = repeat(x, repeats);
    EXPECT_TRUE(result.is_contiguous());
    each_index(result.shape(), [&](const Dims& at) {
      Dims from;
      for (std::size_t d = 1; d < at.size(); ++d) from.push_back(at[d] % x.shape()[d - 1]);
      EXPECT_EQ(value_at(result, at), value_at(x, from));
    });
    EXPECT_TRUE(x.dim() == 0 || tile(x, {2}).equal(cat({x, x}, -1)));
    EXPECT_EQ(values(tile(x, {})), values(x));
  }
  EXPECT_EQ(repeat(numbered({2, 3}), {0, 2}).shape(), (Dims{0, 6}));
  EXPECT_EQ(
      message_of([] {
        return repeat(numbered({2, 3}), {2});
      }),
      "RuntimeError: repeat: repeats (2) must be at least as many as the tensor's axes, 2 (shape (2,3))");
  EXPECT_EQ(message_of([] {
              return repeat(numbered({2, 3}), {1, -1});
            }),
            "RuntimeError: repeat: repeats (1,-1) must not be negative, that of axis 1 is (shape (2,3))");
}

TEST(RepeatInterleave, RepeatsEachElement) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    const Tensor flat = repeat_interleave(x, 3);
    EXPECT_EQ(flat.strides(), (Dims{1}));
    const std::vector<oracle::Number> before = values(x);
    for (Index i = 0; i < flat.numel(); ++i) {
      EXPECT_EQ(value_at(flat, {i}), before[static_cast<std::size_t>(i / 3)]);
    }
    for (Index d = 0; d < x.dim(); ++d) {
      const Tensor result = repeat_interleave(x, 2, d);
      EXPECT_TRUE(result.is_contiguous());
      std::vector<Tensor> parts;
      for (Index i = 0; i < x.size(d); ++i) {
        for (Index n = 0; n < 2; ++n) parts.push_back(x.narrow(d, i, 1));
      }
      if (!parts.empty()) {
        EXPECT_EQ(values(result), values(cat(parts, d)));
      }
      Tensor counts = numbered({x.size(d)}, DType::int64);
      parts.clear();
      for (Index i = 0; i < x.size(d); ++i) {
        for (Index n = 0; n < i; ++n) parts.push_back(x.narrow(d, i, 1));
      }
      const Tensor uneven = repeat_interleave(x, counts, d - x.dim());
      if (!parts.empty()) {
        EXPECT_EQ(values(uneven), values(cat(parts, d)));
      }
      EXPECT_EQ(values(repeat_interleave(x, full({}, 2, {}), d)), values(result));
    }
  }
  EXPECT_EQ(values(repeat_interleave(numbered({2, 2}), numbered({4}, DType::int32))),
            (std::vector<oracle::Number>{1, 2, 2, 3, 3, 3}));
}

TEST(RepeatInterleave, RefusesInWords) {
  const Tensor x = numbered({2, 3});
  EXPECT_EQ(message_of([&] { return repeat_interleave(x, -1, 0); }),
            "RuntimeError: repeat_interleave: repeats -1 must not be negative");
  EXPECT_EQ(message_of([] { return repeat_interleave(numbered({}), 2, 0); }),
            "IndexError: repeat_interleave: the tensor must have at least 1 axis (shape ())");
  EXPECT_EQ(message_of([&] { return repeat_interleave(x, numbered({2}), 0); }),
            "RuntimeError: repeat_interleave: repeats must be int64 or int32, not float32");
  EXPECT_EQ(
      message_of([&] { return repeat_interleave(x, numbered({4}, DType::int64), 1); }),
      "RuntimeError: repeat_interleave: repeats of shape (4) must hold 1 number or 3, one for each index of "
      "the axis");
  EXPECT_EQ(message_of([&] {
              return repeat_interleave(x, numbered({1, 3}, DType::int64), 1);
            }),
            "RuntimeError: repeat_interleave: repeats must have at most 1 axis (shape (1,3))");
  EXPECT_EQ(message_of([&] { return repeat_interleave(x, full({3}, -2, {}), 1); }),
            "RuntimeError: repeat_interleave: repeats must not be negative, that of index 0 is -2");
  EXPECT_EQ(message_of([&] { return repeat_interleave(x, full({3}, 1, {.device = Device::meta}), 1); }),
            "RuntimeError: repeat_interleave: repeats on meta has no elements to be read");
}

TEST(Triangles, KeepOneSideOfADiagonal) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    if (x.dim() < 2) {
      EXPECT_THROW(static_cast<void>(tril(x)), RuntimeError);
      continue;
    }
    for (const Index diagonal : {Index{0}, Index{1}, Index{-2}, Index{9}, Index{-9}, INT64_MIN, INT64_MAX}) {
      const Tensor lower = tril(x, diagonal);
      const Tensor upper = triu(x, diagonal);
      EXPECT_EQ(lower.strides(), row_major_strides(x.shape()));
      each_index(x.shape(), [&](const Dims& at) {
        const Index across = at.back() - at[at.size() - 2];
        EXPECT_EQ(value_at(lower, at), across <= diagonal ? value_at(x, at) : oracle::Number(0));
        EXPECT_EQ(value_at(upper, at), across >= diagonal ? value_at(x, at) : oracle::Number(0));
      });
    }
  }
  EXPECT_EQ(message_of([] { return triu(numbered({3})); }),
            "RuntimeError: triu: the tensor has 1 axis and must have at least 2 axes (shape (3))");
}

TEST(Operations, ForecastOnMeta) {
  const Tensor x = meta({2, 3});
  for (const Tensor& result :
       {cat({x, x}), stack({x, x}), flip(x, {0}), rot90(x), roll(x, {1}, {1}), roll(x, {1}),
        repeat(x, {2, 2}), repeat_interleave(x, 2), repeat_interleave(x, numbered({3}, DType::int64), 1),
        tril(x), permute_copy(x, {1, 0}), block_diag({x, x})}) {
    EXPECT_TRUE(result.is_meta());
  }
  EXPECT_EQ(repeat_interleave(x, numbered({3}, DType::int64), 1).shape(), (Dims{2, 3}));
  EXPECT_EQ(block_diag({x, x}).shape(), (Dims{4, 6}));
}

}  // namespace
}  // namespace tenstride
