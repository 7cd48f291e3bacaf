// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "support/index_lists.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/ops/scatter.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

using index_lists::integers;
using index_lists::mask;
using index_lists::numbers;
using oracle::each_index;
using oracle::message_of;
using oracle::Number;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;
using oracle::values;

TEST(IndexPut, WritesWhatIndexReads) {
  std::mt19937 random(2);
  for (const Tensor& source : odd_tensors()) {
    if (source.numel() == 0 || source.dim() == 0) continue;
    for (Index d = 0; d < source.dim(); ++d) {
      Tensor x = source.clone();
      std::vector<TensorIndex> entries(static_cast<std::size_t>(d), Slice{});
      entries.emplace_back(integers({2}, {static_cast<Index>(random() % 2) - 1, 0}));
      const Tensor before = x.clone();
      Tensor value = x.index(entries).clone();
      value.copy_(numbered(value.shape()));
      x.index_put_(entries, value);
      const Tensor list = std::get<Tensor>(entries.back().value());
      each_index(x.shape(), [&](const Dims& at) {
        Number expected = value_at(before, at);
        for (Index k = 0; k < 2; ++k) {  // the later one stays
          const Index entry = static_cast<Index>(value_at(list, {k}).real());
          if (at[static_cast<std::size_t>(d)] != (entry < 0 ? entry + x.size(d) : entry)) continue;
          Dims from = at;
          from[static_cast<std::size_t>(d)] = k;
          expected = value_at(value, from);
        }
        EXPECT_EQ(value_at(x, at), expected);
      });
    }
  }
}

// Elements and rows, indexed all over the tensor, in a corner of it, and many times: of those that go to one
// place the last one stays, however many threads write.
TEST(IndexPut, KeepsTheLastOnAnyNumberOfThreads) {
  constexpr Index count = 100'000;
  std::mt19937 random(3);
  for (const Index row : {Index{1}, Index{3}, Index{80}}) {
    for (const Index spread : {count, Index{1000}, Index{1}}) {
      const Index rows = count / row;
      std::vector<Index> list(static_cast<std::size_t>(rows));
      for (Index& at : list) at = static_cast<Index>(random()) % std::min(spread, rows);
      const Tensor value = arange(rows * row, {.dtype = DType::int64}).reshape({rows, row});
      std::vector<Index> expected(static_cast<std::size_t>(rows * row), -1);
      for (Index k = 0; k < rows; ++k) {
        std::iota(expected.begin() + list[static_cast<std::size_t>(k)] * row,
                  expected.begin() + (list[static_cast<std::size_t>(k)] + 1) * row, k * row);
      }
      for (const int threads : {1, 2, 3, 8}) {
        const ThreadScope scope(threads);
        Tensor x = full({rows, row}, -1, {.dtype = DType::int64});
        x.index_put_({integers({rows}, list)}, value);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), x.data<Index>()))
            << row << " a row, " << spread << " places, " << threads << " threads";
      }
    }
  }
}

TEST(IndexPut, BroadcastsAndFills) {
  Tensor x = numbered({2, 3});
  x.index_put_({0}, 7);
  EXPECT_EQ(values(x), numbers({7, 7, 7, 3, 4, 5}));
  x.index_put_({mask({2, 3}, {1, 0, 0, 0, 0, 1})}, -1);
  EXPECT_EQ(values(x), numbers({-1, 7, 7, 3, 4, -1}));
  x.index_put_({Slice{}, integers({2}, {0, 2})}, numbered({2, 1}));
  EXPECT_EQ(values(x), numbers({0, 7, 0, 1, 4, 1}));
  x.index_put_({integers({1}, {1})}, numbered({1, 1, 1, 3}));  // axes of size 1 in front do not matter
  EXPECT_EQ(values(x), numbers({0, 7, 0, 0, 1, 2}));
  x.index_put_({Ellipsis{}, 1}, numbered({1, 2}, DType::int8));  // basic entries convert
  EXPECT_EQ(values(x), numbers({0, 0, 0, 0, 1, 2}));
  x.index_put_({mask({2}, {0, 1})}, integers({}, {9}, DType::int32));  // so does one element under a mask
  EXPECT_EQ(values(x), numbers({0, 0, 0, 9, 9, 9}));
  x.index_put_({false}, 5);
  EXPECT_EQ(values(x), numbers({0, 0, 0, 9, 9, 9}));
  x.index_put_({true}, 5);
  EXPECT_EQ(values(x), numbers({5, 5, 5, 5, 5, 5}));
}

TEST(IndexPut, RefusesValuesAndIndicesThatShareTheMemory) {
  Tensor x = numbered({5});
  const std::string what =
      "RuntimeError: index_put_: what is written to ((5), strides (1), offset 0) and what is read ";
  const std::string rule =
      " must not share memory (some elements of the input tensor and the written-to tensor refer to a single "
      "memory location); clone() the second first";
  EXPECT_EQ(message_of([&] {
              return x.index_put_({integers({4}, {1, 2, 3, 4})}, x.narrow(0, 0, 4));
            }),
            what + "((4), strides (1), offset 0)" + rule);
  Tensor indices = integers({3}, {2, 1, 0});
  EXPECT_NE(message_of([&] { return indices.index_put_({indices}, integers({3}, {0, 1, 2})); }), "");
  x.index_put_({Slice{1, {}}}, x.select(0, 3));  // a single element is read beforehand
  EXPECT_EQ(values(x), numbers({0, 3, 3, 3, 3}));
}

TEST(IndexPut, IsRightWhereAnOverlapIsNotSeen) {
  Tensor x = numbered({2, 4});
  x.index_put_({Slice{}, Slice{1, {}}}, x.narrow(1, 0, 3));
  EXPECT_EQ(values(x), numbers({0, 0, 1, 2, 4, 4, 5, 6}));
}

TEST(IndexPut, TakesABoolAlone) {
  Tensor x = numbered({2, 2});
  x.index_put_({true}, integers({2, 2}, {5, 6, 7, 8}));
  EXPECT_EQ(values(x), numbers({5, 6, 7, 8}));
  x.index_put_({false}, numbered({3, 7}));  // nothing is looked at
  EXPECT_EQ(values(x), numbers({5, 6, 7, 8}));
}

TEST(IndexPut, RefusesANumberUnderAMaskThatTheTypeDoesNotHold) {
  Tensor x = zeros({2}, {.dtype = DType::uint8});
  EXPECT_EQ(
      message_of([&] {
        return x.index_put_({mask({2}, {1, 0})}, integers({}, {300}));
      }),
      "RuntimeError: index_put_: 300 must lie in the range of uint8 (value cannot be converted to type uint8 "
      "without overflow)");
  EXPECT_EQ(message_of([&] {
              return x.index_put_({integers({2}, {1, 0}, DType::uint8)}, 1);
            }),
            "RuntimeError: index_put_: a mask of dtype uint8 must be bool where one number is written "
            "(masked_fill_ only supports boolean masks); convert it with .to(torch.bool)");
}

TEST(IndexPut, AddsEachValueAsOftenAsItIsIndexed) {
  // The oracle: one value after the other, in row-major order of the index tensors.
  const Tensor first = integers({2, 3}, {0, 1, 0, 1, 1, 0});
  const Tensor second = integers({3}, {2, 2, 0});
  for (const DType type : {DType::uint8, DType::int64, DType::float16, DType::float64, DType::complex64}) {
    const Tensor x = numbered({2, 4, 3}, type);
    const Tensor added = numbered({2, 3, 4}, type);
    Tensor wanted = x.clone();
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < 3; ++j) {
        Tensor row = wanted.select(0, first.select(0, i).select(0, j).item<Index>())
                         .select(1, second.select(0, j).item<Index>());
        row.copy_(row + added.select(0, i).select(0, j));
      }
    }
    const std::vector<TensorIndex> indices{first, Slice{}, second};
    EXPECT_TRUE(index_put(x, indices, added, Accumulate::yes).equal(wanted)) << name(type);
  }
  Tensor flags = zeros({2}, {.dtype = DType::bool_});
  const std::vector<TensorIndex> twice{integers({2}, {1, 1})};
  index_put_(flags, twice, ones({2}, {.dtype = DType::bool_}), Accumulate::yes);
  EXPECT_EQ(values(flags), numbers({0, 1}));
}

TEST(IndexPut, IsTheExampleOfItsHeader) {
  const std::vector<TensorIndex> twice{tensor({0, 0})};
  EXPECT_EQ(values(index_put(zeros({2}), twice, ones({2}), Accumulate::yes)), numbers({2, 0}));
}

TEST(IndexPut, StoresPendingConjugationRight) {
  for (const bool target_is_conj : {false, true}) {
    for (const bool value_is_conj : {false, true}) {
      Tensor x = numbered({4}, DType::complex64);
      if (target_is_conj) x = x.conj();
      Tensor value = numbered({2}, DType::complex64);
      if (value_is_conj) value = value.conj();
      x.index_put_({integers({2}, {3, 0})}, value);
      EXPECT_EQ(value_at(x, {3}), value_at(value, {0}));
      EXPECT_EQ(value_at(x, {0}), value_at(value, {1}));
      x.index_put_({integers({2}, {0, 1})}, x.narrow(0, 0, 2).flip({0}));
      EXPECT_EQ(value_at(x, {1}), value_at(value, {1}));
      x.index_put_({integers({2}, {2, 3})}, x.narrow(0, 1, 2).clone());
      EXPECT_EQ(value_at(x, {2}), value_at(value, {1}));
    }
  }
}

TEST(IndexPut, RefusesInWords) {
  Tensor x = numbered({4, 3});
  EXPECT_EQ(message_of([&] {
              return x.index_put_({integers({2}, {0, 1})}, numbered({2}));
            }),
            "RuntimeError: index_put_: a value of shape (2) must broadcast to the indexed shape (2,3)");
  EXPECT_EQ(message_of([&] {
              return x.index_put_({integers({2}, {0, 1})}, numbered({2, 2, 3}));
            }),
            "RuntimeError: index_put_: a value of shape (2,2,3) must broadcast to the indexed shape (2,3)");
  EXPECT_EQ(message_of([&] {
              return x.index_put_({integers({2}, {0, 1})}, numbered({}, DType::int8));
            }),
            "RuntimeError: index_put_: the value's dtype int8 must be the tensor's, float32; convert it with "
            ".to(dtype)");
  EXPECT_EQ(message_of([&] {
              return x.index_put_({integers({2}, {0, 4})}, 1);
            }),
            "IndexError: index: index 4 must lie in [-4,3] on axis 0 (shape (4,3))");
  Tensor fixed = x.read_only();
  EXPECT_EQ(
      message_of([&] {
        return fixed.index_put_({integers({2}, {0, 1})}, 1);
      }),
      "RuntimeError: tensor: a read-only view must not be written to (shape (4,3)); use .clone() first");
  EXPECT_EQ(values(x), values(numbered({4, 3})));  // untouched
}

TEST(IndexPut, ForecastsOnMeta) {
  Tensor x = empty({4, 3}, {.device = Device::meta});
  EXPECT_TRUE(x.index_put_({integers({2}, {0, 1})}, 1).is_meta());
  EXPECT_EQ(message_of([&] {
              return x.index_put_({integers({2}, {0, 1})}, numbered({2}));
            }),
            "RuntimeError: index_put_: a value of shape (2) must broadcast to the indexed shape (2,3)");
  Tensor y = numbered({4, 3});
  EXPECT_EQ(message_of([&] {
              return y.index_put_({integers({2}, {0, 1})}, empty({3}, {.device = Device::meta}));
            }),
            "RuntimeError: index_put_: a value on meta has no elements to be copied (shape (3))");
}

}  // namespace
}  // namespace tenstride
