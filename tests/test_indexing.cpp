// SPDX-License-Identifier: Apache-2.0
#include "tenstride/indexing.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "ops_oracle.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride {
namespace {

using oracle::each_index;
using oracle::message_of;
using oracle::Number;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;
using oracle::values;

Tensor integers(const Dims& shape, const std::vector<Index>& numbers, DType dtype = DType::int64) {
  Tensor result = empty(shape, {.dtype = dtype});
  visit(dtype, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      store_element<T>(result.mutable_storage_data() + i * sizeof(T), convert_element<T>(numbers[i]));
    }
  });
  return result;
}

Tensor mask(const Dims& shape, const std::vector<Index>& numbers) {
  return integers(shape, numbers, DType::bool_);
}

std::vector<Number> numbers(std::initializer_list<double> list) {
  return {list.begin(), list.end()};
}

// Basic entries

TEST(Index, IsTheHeadersExample) {
  const Tensor x = numbered({2, 4, 3});
  const Tensor view = x.index({0, Slice{1, {}}, NewAxis{}, Ellipsis{}});
  EXPECT_EQ(view.layout(), (Layout{{3, 1, 3}, {3, 3, 1}, 3}));
  EXPECT_TRUE(view.shares_storage(x));
  EXPECT_EQ(x.index({Ellipsis{}, Slice{{}, {}, 2}, integers({2}, {0, 2})}).shape(), (Dims{2, 2, 2}));
}

TEST(Index, GivesViewsForBasicEntries) {
  const Tensor x = numbered({4, 3});
  EXPECT_TRUE(x.index({}).is_same(x));
  EXPECT_TRUE(x.index({-1}).is_same(x.select(0, 3)));
  EXPECT_TRUE(x.index({None, 1}).is_same(x.unsqueeze(0).select(1, 1)));
  EXPECT_EQ(x.index({Slice{{}, {}, -1}}).layout(), (Layout{{4, 3}, {-3, 1}, 9}));
  EXPECT_TRUE(x.index({integers({}, {2})}).is_same(x.select(0, 2)));  // a tensor of rank 0 is an int
  EXPECT_TRUE(x.index({Ellipsis{}, integers({}, {-1}, DType::int32)}).is_same(x.select(1, 2)));
}

// Tensors

TEST(Index, TakesRowsInAnyOrder) {
  for (const Tensor& x : odd_tensors()) {
    if (x.dim() == 0 || x.numel() == 0) continue;
    for (const DType type : {DType::int64, DType::int32, DType::int16, DType::int8, DType::uint16,
                             DType::uint32, DType::uint64}) {
      const Index last = x.size(0) - 1;
      const Tensor result = x.index({integers({2, 2}, {last, 0, 0, last}, type)});
      Dims shape{2, 2};
      for (Index d = 1; d < x.dim(); ++d) shape.push_back(x.size(d));
      ASSERT_EQ(result.shape(), shape);
      each_index(shape, [&](const Dims& at) {
        Dims from{at[0] == at[1] ? last : 0};
        for (std::size_t d = 2; d < at.size(); ++d) from.push_back(at[d]);
        EXPECT_EQ(value_at(result, at), value_at(x, from));
      });
    }
  }
}

TEST(Index, PutsNeighboursInPlaceAndSeparatedOnesInFront) {
  const Tensor x = numbered({2, 3, 4, 5});
  const Tensor i = integers({6}, {0, 1, 0, 1, 0, 1});
  EXPECT_EQ(x.index({Slice{}, i, i}).shape(), (Dims{2, 6, 5}));
  EXPECT_EQ(x.index({i, Slice{}, i}).shape(), (Dims{6, 3, 5}));
  EXPECT_EQ(x.index({Slice{}, i, Slice{}, i}).shape(), (Dims{6, 2, 4}));
  EXPECT_EQ(x.index({i, None, i}).shape(), (Dims{6, 1, 4, 5}));
  EXPECT_EQ(x.index({Slice{}, i, Ellipsis{}, i}).shape(), (Dims{6, 2, 4}));
  EXPECT_EQ(x.index({0, Slice{}, i}).shape(), (Dims{3, 6, 5}));  // an int selects first (not NumPy's rule)
  EXPECT_EQ(x.index({0, Slice{}, Slice{}, i}).shape(), (Dims{3, 4, 6}));
  EXPECT_EQ(x.index({i, 0, i}).shape(), (Dims{6, 5}));  // the int goes away, the two are neighbours
  EXPECT_EQ(x.index({Ellipsis{}, i}).shape(), (Dims{2, 3, 4, 6}));
}

/// The definition: list axes in place or in front, every other axis as it is.
void expect_picked(const Tensor& result, const Tensor& x, std::size_t axis, const Tensor& list) {
  const std::size_t added = list.layout().rank();
  each_index(result.shape(), [&](const Dims& at) {
    Dims of_list;
    for (std::size_t i = 0; i < added; ++i) of_list.push_back(at[axis + i]);
    Dims from;
    for (std::size_t d = 0; d < axis; ++d) from.push_back(at[d]);
    from.push_back(static_cast<Index>(value_at(list, of_list).real()));
    for (std::size_t d = axis + added; d < at.size(); ++d) from.push_back(at[d]);
    EXPECT_EQ(value_at(result, at), value_at(x, from));
  });
}

TEST(Index, AgreesWithTheDefinitionAlongEveryAxis) {
  std::mt19937 random(1);
  std::vector<Tensor> tensors = odd_tensors(DType::complex64);
  for (const Tensor& x : odd_tensors(DType::complex64)) tensors.push_back(x.conj());
  tensors.push_back(numbered({7, 9, 70}));
  tensors.push_back(numbered({7, 9, 70}).permute({2, 0, 1}));
  tensors.push_back(numbered({3, 400}, DType::int8).transpose(0, 1));
  for (const Tensor& x : tensors) {
    for (Index d = 0; d < x.dim(); ++d) {
      if (x.size(d) == 0) continue;
      for (const Dims& shape : {Dims{4}, Dims{2, 3}, Dims{0}}) {
        std::vector<Index> list;
        for (Index n = 0; n < count_elements(shape); ++n) {
          list.push_back(static_cast<Index>(random() % static_cast<unsigned>(2 * x.size(d))) - x.size(d));
        }
        const Tensor index = integers(shape, list);
        std::vector<TensorIndex> entries(static_cast<std::size_t>(d), Slice{});
        entries.emplace_back(index);
        const Tensor result = x.index(entries);
        EXPECT_FALSE(result.is_conj());
        EXPECT_TRUE(result.is_non_overlapping_and_dense());
        expect_picked(result, x, static_cast<std::size_t>(d), index);
      }
    }
  }
}

TEST(Index, BroadcastsIndexTensors) {
  const Tensor x = numbered({3, 4});
  const Tensor result = x.index({integers({2, 1}, {0, 2}), integers({3}, {3, -4, 1})});
  EXPECT_EQ(result.shape(), (Dims{2, 3}));
  EXPECT_EQ(values(result), numbers({3, 0, 1, 11, 8, 9}));
}

TEST(Index, LaysTheResultOutAsPyTorchsElementwiseRule) {
  const Tensor x = numbered({2, 3, 4});
  EXPECT_EQ(x.index({integers({2}, {0, 1})}).strides(), (Dims{12, 4, 1}));
  const Tensor turned = x.transpose(1, 2);  // (2,4,3):(12,1,4)
  EXPECT_EQ(turned.index({integers({2}, {0, 1})}).strides(), (Dims{12, 1, 4}));
  const Tensor flat = numbered({6});
  EXPECT_EQ(flat.index({integers({3, 2}, {0, 1, 2, 3, 4, 5}).transpose(0, 1)}).strides(), (Dims{1, 2}));
}

TEST(Index, LooksAtEveryNumber) {
  const Tensor x = numbered({4, 3});
  EXPECT_EQ(message_of([&] {
              return x.index({Slice{}, integers({2}, {0, 3})});
            }),
            "IndexError: index: index 3 must lie in [-3,2] on axis 1 (shape (4,3))");
  EXPECT_EQ(message_of([&] {
              return x.index({0, integers({2}, {-4, 0})});
            }),
            "IndexError: index: index -4 must lie in [-3,2] on axis 1 (shape (4,3))");
  EXPECT_EQ(message_of([&] { return x.index({integers({1}, {-1}, DType::uint64)}); }),
            "IndexError: index: index 18446744073709551615 must fit a signed 64-bit integer, on axis 0 "
            "(shape (4,3))");
  EXPECT_EQ(
      message_of([&] {
        return x.index({integers({2}, {0, 1}), integers({3}, {0, 1, 2})});
      }),
      "IndexError: index: index tensors of shapes (2) and (3) must broadcast together; axis -1 differs");
  EXPECT_EQ(message_of([&] {
              return x.index({integers({1}, {0}), 0, 0});
            }),
            "IndexError: index: 3 indices given, must be at most 2, one for each axis (shape (4,3))");
  EXPECT_EQ(message_of([&] { return x.index({numbered({2})}); }),
            "IndexError: index: a tensor of dtype float32 must be of integers or bool to be an index");
}

// Masks and bools

TEST(Mask, TakesWhatIsSet) {
  const Tensor x = numbered({2, 3});
  EXPECT_EQ(values(x.index({mask({2, 3}, {1, 0, 1, 0, 0, 1})})), numbers({0, 2, 5}));
  EXPECT_EQ(values(x.index({mask({2}, {0, 1})})), numbers({3, 4, 5}));
  EXPECT_EQ(values(x.index({Slice{}, mask({3}, {1, 0, 1})})), numbers({0, 2, 3, 5}));
  EXPECT_EQ(x.index({mask({2}, {0, 0})}).shape(), (Dims{0, 3}));
  EXPECT_EQ(values(x.index({integers({2}, {2, 0}, DType::uint8)})), numbers({0, 1, 2}));  // uint8 masks
  EXPECT_EQ(values(x.transpose(0, 1).index({mask({2, 3}, {1, 0, 1, 0, 0, 1}).transpose(0, 1)})),
            numbers({0, 2, 5}));
}

TEST(Mask, StandsForAsManyAxesAsItHas) {
  const Tensor x = numbered({2, 3, 4});
  const Tensor pairs = mask({2, 3}, {0, 1, 0, 1, 0, 0});
  EXPECT_EQ(values(x.index({pairs, Slice{0, 2}})), numbers({4, 5, 12, 13}));
  EXPECT_EQ(values(x.index({pairs, 3})), numbers({7, 15}));
  EXPECT_EQ(values(x.index({pairs, integers({2}, {0, 3})})), numbers({4, 15}));
  EXPECT_EQ(values(x.index({Ellipsis{}, mask({3, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})})),
            numbers({11, 23}));
  EXPECT_EQ(x.index({Slice{}, integers({1}, {0}), mask({4}, {1, 1, 0, 1})}).shape(), (Dims{2, 3}));
}

TEST(Mask, MustFit) {
  const Tensor x = numbered({2, 3});
  EXPECT_EQ(
      message_of([&] {
        return x.index({mask({2, 2}, {1, 0, 1, 0})});
      }),
      "IndexError: index: a mask of shape (2,2) must have size 3 on its axis 1 to mask axis 1 (shape (2,3))");
  EXPECT_EQ(
      message_of([&] {
        return x.index({Slice{}, mask({2}, {1, 0})});
      }),
      "IndexError: index: a mask of shape (2) must have size 3 on its axis 0 to mask axis 1 (shape (2,3))");
}

TEST(Bool, IsANewAxisTakenOnceOrNever) {
  const Tensor x = numbered({2, 3});
  EXPECT_EQ(x.index({true}).shape(), (Dims{1, 2, 3}));
  EXPECT_EQ(values(x.index({true})), values(x));
  EXPECT_FALSE(x.index({true}).shares_storage(x));
  EXPECT_EQ(x.index({false}).shape(), (Dims{0, 2, 3}));
  EXPECT_EQ(numbered({}).index({true}).shape(), (Dims{1}));
  EXPECT_EQ(numbered({}).index({mask({}, {0})}).shape(), (Dims{0}));
  EXPECT_EQ(x.index({integers({2}, {1, 1}), true}).shape(), (Dims{2, 3}));
}

// Meta

TEST(Index, ForecastsOnMetaButNotMasks) {
  const Tensor x = empty({4, 3, 2}, {.device = Device::meta});
  const Tensor result = x.index({Slice{1, {}}, integers({5}, {9, 9, 9, 9, 9})});
  EXPECT_TRUE(result.is_meta());
  EXPECT_EQ(result.shape(), (Dims{3, 5, 2}));
  EXPECT_EQ(x.index({mask({4}, {1, 0, 1, 1})}).shape(), (Dims{3, 3, 2}));
  const Tensor hidden = empty({4}, {.dtype = DType::bool_, .device = Device::meta});
  EXPECT_EQ(
      message_of([&] { return x.index({hidden}); }),
      "RuntimeError: index: a mask on meta has no elements to be read, and the result depends on them (shape "
      "(4))");
  const Tensor numbers_on_meta = empty({4}, {.dtype = DType::int64, .device = Device::meta});
  EXPECT_EQ(x.index({numbers_on_meta}).shape(), (Dims{4, 3, 2}));
  EXPECT_EQ(
      message_of([&] { return numbered({3}).index({numbers_on_meta}); }),
      "RuntimeError: index: an index on meta has no elements to be read, and the result depends on them "
      "(shape (4))");
}

// Writing

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
          const Index listed = static_cast<Index>(value_at(list, {k}).real());
          if (at[static_cast<std::size_t>(d)] != (listed < 0 ? listed + x.size(d) : listed)) continue;
          Dims from = at;
          from[static_cast<std::size_t>(d)] = k;
          expected = value_at(value, from);
        }
        EXPECT_EQ(value_at(x, at), expected);
      });
    }
  }
}

// Elements and rows, listed all over the tensor, in a corner of it, and many times: of those that go to one
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

TEST(IndexPut, IsRightWhereTheValueOverlapsTheTensor) {
  Tensor x = numbered({5});
  x.index_put_({integers({4}, {1, 2, 3, 4})}, x.narrow(0, 0, 4));
  EXPECT_EQ(values(x), numbers({0, 0, 1, 2, 3}));
  Tensor y = numbered({5});
  y.index_put_({Slice{1, {}}}, y.narrow(0, 0, 4));
  EXPECT_EQ(values(y), numbers({0, 0, 1, 2, 3}));
  Tensor indices = integers({3}, {2, 1, 0});
  indices.index_put_({indices}, integers({3}, {0, 1, 2}));
  EXPECT_EQ(values(indices), numbers({2, 1, 0}));
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
      x.index_put_({integers({2}, {2, 3})}, x.narrow(0, 1, 2));
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
