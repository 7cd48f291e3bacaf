// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/indexing.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "support/index_lists.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

using index_lists::integers;
using index_lists::mask;
using index_lists::numbers;
using oracle::each_index;
using oracle::message_of;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;
using oracle::values;

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
    for (const DType type : {DType::int64, DType::int32}) {
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
  const Tensor transposed = x.transpose(1, 2);  // (2,4,3):(12,1,4)
  EXPECT_EQ(transposed.index({integers({2}, {0, 1})}).strides(), (Dims{12, 1, 4}));
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
  EXPECT_EQ(
      message_of([&] {
        return x.index({integers({2}, {0, 1}), integers({3}, {0, 1, 2})});
      }),
      "IndexError: index: index tensors of shapes (2) and (3) must broadcast together; axis -1 differs");
  EXPECT_EQ(message_of([&] {
              return x.index({integers({1}, {0}), 0, 0});
            }),
            "IndexError: index: 3 indices given, must be at most 2, one for each axis (shape (4,3))");
  for (const DType type : {DType::float32, DType::int16, DType::int8, DType::uint16, DType::uint64}) {
    EXPECT_EQ(message_of([&] { return x.index({numbered({2}, type)}); }),
              "IndexError: index: a tensor of dtype " + std::string(name(type)) +
                  " must be of int64, int32, bool or uint8 to be an index (tensors used as indices must be "
                  "long, int, byte or bool tensors)");
  }
  EXPECT_EQ(values(x.index({integers({}, {1}, DType::int16)})),
            values(x.index({1})));  // one number may be any
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

}  // namespace
}  // namespace tenstride
