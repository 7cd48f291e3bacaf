// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/layouts.hpp"
#include "support/refusal.hpp"
#include "support/slow.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/layout/views.hpp"

// The split family: pieces partition the axis, and each piece is a narrow (unbind: a select).
namespace tenstride {
namespace {

using testing::refusal;

const std::vector<Layout>& every_layout() {
  static const std::vector<Layout> layouts = testing::small_layouts(3, 3);
  return layouts;
}

Dims sizes_along(const std::vector<Layout>& parts, std::size_t axis) {
  Dims sizes;
  for (const Layout& part : parts) sizes.push_back(part.shape[axis]);
  return sizes;
}

/// Whether the parts are the axis cut into consecutive pieces, nothing left out, nothing twice.
bool partition(const std::vector<Layout>& parts, const Layout& x, std::size_t axis) {
  Index start = 0;
  for (const Layout& part : parts) {
    if (part != narrow(x, static_cast<Index>(axis), start, part.shape[axis])) return false;
    start += part.shape[axis];
  }
  return start == x.shape[axis];
}

TEST(Split, CutsEqualPiecesAndAShorterLastOne) {
  for (const Layout& x : every_layout()) {
    for (std::size_t d = 0; d < x.rank(); ++d) {
      const Index axis = static_cast<Index>(d) - static_cast<Index>(x.rank());
      for (Index size = x.shape[d] == 0 ? 0 : 1; size <= 5; ++size) {
        const std::vector<Layout> parts = split(x, size, axis);
        ASSERT_TRUE(partition(parts, x, d)) << to_string(x) << " in " << size;
        ASSERT_EQ(parts.size(),
                  x.shape[d] == 0 ? 1U : static_cast<std::size_t>(ceil_divide(x.shape[d], size)));
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) ASSERT_EQ(parts[i].shape[d], size);
      }
    }
  }
}

TEST(SplitWithSizes, CutsTheSizesGiven) {
  for (const Layout& x : every_layout()) {
    for (std::size_t d = 0; d < x.rank(); ++d) {
      for (const Dims& sizes : testing::small_shapes(3, 3)) {
        Index total = 0;
        for (const Index size : sizes) total += size;
        if (total != x.shape[d]) continue;
        const std::vector<Layout> parts = split_with_sizes(x, sizes, static_cast<Index>(d));
        ASSERT_TRUE(partition(parts, x, d));
        ASSERT_EQ(sizes_along(parts, d), sizes);
      }
    }
  }
}

TEST(Chunk, CutsAtMostThatManyPiecesOfRoundedUpSize) {
  EXPECT_EQ(sizes_along(chunk({{7}, {1}}, 5), 0), (Dims{2, 2, 2, 1})) << "7 in 5 gives 4 pieces";
  for (Index extent = 1; extent <= 12; ++extent) {
    for (Index chunks = 1; chunks <= 14; ++chunks) {
      const Layout x{{2, extent}, {extent, 1}, 3};
      const std::vector<Layout> parts = chunk(x, chunks, 1);
      ASSERT_TRUE(partition(parts, x, 1));
      ASSERT_LE(parts.size(), static_cast<std::size_t>(chunks));
      ASSERT_EQ(parts[0].shape[1], (extent + chunks - 1) / chunks);
    }
  }
  const Layout nothing{{0, 2}, {2, 1}, 4};
  EXPECT_EQ(chunk(nothing, 3), (std::vector<Layout>(3, nothing))) << "extent 0 gives as many empty pieces";
}

TEST(TensorSplit, CutsExactlyThatManyPiecesThatDifferByAtMostOne) {
  EXPECT_EQ(sizes_along(tensor_split({{7}, {1}}, 3), 0), (Dims{3, 2, 2}));
  for (Index extent = 0; extent <= 12; ++extent) {
    for (Index sections = 1; sections <= 14; ++sections) {
      const Layout x{{extent, 2}, {2, 1}, 3};
      const std::vector<Layout> parts = tensor_split(x, sections);
      ASSERT_TRUE(partition(parts, x, 0));
      ASSERT_EQ(parts.size(), static_cast<std::size_t>(sections));
      ASSERT_LE(parts.front().shape[0] - parts.back().shape[0], 1);
      for (std::size_t i = 1; i < parts.size(); ++i) ASSERT_LE(parts[i].shape[0], parts[i - 1].shape[0]);
    }
  }
}

TEST(TensorSplit, CutsAtIndicesAsSlicesAreCut) {
  const Layout x{{2, 5}, {5, 1}, 0};
  for (Index a = -7; a <= 7; ++a) {
    for (Index b = -7; b <= 7; ++b) {
      const std::vector<Layout> parts = tensor_split(x, Dims{a, b}, -1);
      ASSERT_EQ(parts, (std::vector<Layout>{slice(x, 1, 0, a), slice(x, 1, a, b), slice(x, 1, b)}));
    }
  }
  EXPECT_EQ(tensor_split(x, Dims{}, 0), std::vector<Layout>{x});
}

TEST(NamedSplits, CutTheirAxis) {
  const Layout x = row_major({2, 4, 6});
  EXPECT_EQ(hsplit(x, 2), tensor_split(x, 2, 1));
  EXPECT_EQ(vsplit(x, 2), tensor_split(x, 2, 0));
  EXPECT_EQ(dsplit(x, 3), tensor_split(x, 3, 2));
  EXPECT_EQ(hsplit(x, Dims{1, 3}), tensor_split(x, Dims{1, 3}, 1));
  EXPECT_EQ(vsplit(x, Dims{1}), tensor_split(x, Dims{1}, 0));
  EXPECT_EQ(dsplit(x, Dims{-2}), tensor_split(x, Dims{-2}, 2));
  EXPECT_EQ(hsplit({{4}, {1}}, 2), tensor_split({{4}, {1}}, 2, 0)) << "rank 1 is cut along its only axis";
}

TEST(Unbind, SelectsEachIndex) {
  for (const Layout& x : every_layout()) {
    for (std::size_t d = 0; d < x.rank(); ++d) {
      const std::vector<Layout> parts = unbind(x, static_cast<Index>(d) - static_cast<Index>(x.rank()));
      ASSERT_EQ(parts.size(), static_cast<std::size_t>(x.shape[d]));
      for (std::size_t i = 0; i < parts.size(); ++i) {
        ASSERT_EQ(parts[i], select(x, static_cast<Index>(d), static_cast<Index>(i)));
      }
    }
  }
}

constexpr bool splits_at_compile_time() {
  const Layout x = row_major({2, 7});
  return split(x, 3, 1).size() == 3 && chunk(x, 5, 1).size() == 4 &&
         tensor_split(x, 3, 1)[0].shape == Dims{2, 3} && unbind(x)[1].offset == 7 &&
         split_with_sizes(x, {3, 4}, 1)[1].offset == 3 && hsplit(x, Dims{2}).size() == 2;
}
static_assert(splits_at_compile_time());

const Layout scalar{};
const Layout matrix = row_major({2, 3});

TEST(SplitErrors, RefuseATensorWithoutAxes) {
  EXPECT_EQ(refusal<ShapeError>([] { return split(scalar, 1); }),
            "split: the tensor has 0 axes and must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<ShapeError>([] { return split_with_sizes(scalar, {}); }),
            "split_with_sizes: the tensor has 0 axes and must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<ShapeError>([] { return chunk(scalar, 1); }),
            "chunk: the tensor has 0 axes and must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<ShapeError>([] { return tensor_split(scalar, 2); }),
            "tensor_split: the tensor has 0 axes and must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<ShapeError>([] { return tensor_split(scalar, Dims{1}); }),
            "tensor_split: the tensor has 0 axes and must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<IndexError>([] { return unbind(scalar); }),
            "unbind: the tensor must have at least 1 axis (shape ())");
}

TEST(SplitErrors, NameTheSizes) {
  EXPECT_EQ(refusal<ShapeError>([] { return split(matrix, -1); }),
            "split: split size -1 must be at least 1, or 0 for an axis of size 0 (axis 0, shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([] { return split(matrix, 0, 1); }),
            "split: split size 0 must be at least 1, or 0 for an axis of size 0 (axis 1, shape (2,3))");
  EXPECT_EQ(
      refusal<ShapeError>([] {
        return split_with_sizes(matrix, {1, 1}, 1);
      }),
      "split_with_sizes: sizes (1,1) must be at least 0 and sum to 3, the size of axis 1 (shape (2,3))");
  EXPECT_EQ(
      refusal<ShapeError>([] {
        return split_with_sizes(matrix, {4, -1}, -1);
      }),
      "split_with_sizes: sizes (4,-1) must be at least 0 and sum to 3, the size of axis -1 (shape (2,3))");
  EXPECT_EQ(refusal<OverflowError>([] {
              return split_with_sizes(matrix, {INT64_MAX, 1});
            }),
            "split_with_sizes: 9223372036854775807 + 1 must fit a signed 64-bit integer");
}

TEST(SplitErrors, NameTheSections) {
  EXPECT_EQ(refusal<RuntimeError>([] { return chunk(matrix, 0); }),
            "chunk: 0 chunks asked for, must be at least 1");
  EXPECT_EQ(refusal<RuntimeError>([] { return tensor_split(matrix, -2); }),
            "tensor_split: -2 sections asked for, must be at least 1");
  EXPECT_EQ(
      refusal<ValueError>([] { return tensor_split(matrix, Index{1} << 60); }),
      "tensor_split: the number of sections (1152921504606846976) must be at most 1048576 where the axis "
      "has fewer elements (axis 0 of shape (2,3))");
  EXPECT_EQ(
      refusal<ValueError>([] {
        return chunk({{0}, {1}}, Index{1} << 60);
      }),
      "chunk: the number of sections (1152921504606846976) must be at most 1048576 where the axis has fewer "
      "elements (axis 0 of shape (0))");
  EXPECT_EQ(refusal<RuntimeError>([] { return hsplit(matrix, 0); }),
            "hsplit: 0 sections asked for, must be at least 1");
  EXPECT_EQ(refusal<ShapeError>([] { return hsplit(matrix, 2); }),
            "hsplit: 2 sections must divide axis 1, whose size is 3 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([] { return vsplit(matrix, 3); }),
            "vsplit: 3 sections must divide axis 0, whose size is 2 (shape (2,3))");
  EXPECT_EQ(refusal<AxisError>([] { return split(matrix, 1, 2); }),
            "split: axis 2 must lie in [-2,1] (shape (2,3))");
}

TEST(SplitErrors, NameTheRank) {
  EXPECT_EQ(refusal<ShapeError>([] { return hsplit(scalar, 1); }),
            "hsplit: the tensor has 0 axes and must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<ShapeError>([] {
              return vsplit({{4}, {1}}, Dims{1});
            }),
            "vsplit: the tensor has 1 axis and must have at least 2 axes (shape (4))");
  EXPECT_EQ(refusal<ShapeError>([] { return dsplit(matrix, 1); }),
            "dsplit: the tensor has 2 axes and must have at least 3 axes (shape (2,3))");
}

}  // namespace
}  // namespace tenstride
