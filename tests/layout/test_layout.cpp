// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/layout.hpp"

#include <gtest/gtest.h>

#include "support/layouts.hpp"
#include "support/slow.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/layout/views.hpp"

// Laws on all small layouts against the slow definition; refusals stand in test_layout_errors.cpp.
namespace tenstride {
namespace {

using testing::is_run;
using testing::is_unique;
using testing::odd_layouts;
using testing::positions;
using testing::small_layouts;
using testing::sorted_positions;

const std::vector<Layout>& every_layout() {
  static const std::vector<Layout> layouts = [] {
    std::vector<Layout> all = small_layouts();
    for (const Layout& odd : odd_layouts()) all.push_back(odd);
    return all;
  }();
  return layouts;
}

static_assert(count_elements({2, 3, 4}) == 24);
static_assert(count_elements({}) == 1);
static_assert(count_elements({Index{1} << 62, 4, 0}) == 0);
static_assert(row_major_strides({2, 3, 4}) == Dims{12, 4, 1});
static_assert(row_major_strides({2, 0, 4}) == Dims{4, 4, 1});
static_assert(column_major_strides({2, 3, 4}) == Dims{1, 2, 6});
static_assert(row_major({2, 3}) == Layout{{2, 3}, {3, 1}, 0});
static_assert(column_major({2, 3}) == Layout{{2, 3}, {1, 2}, 0});
static_assert(format_strides({2, 3, 4, 5}, MemoryFormat::channels_last) == Dims{60, 1, 15, 3});
static_assert(format_strides({2, 3, 4, 5, 6}, MemoryFormat::channels_last_3d) == Dims{360, 1, 90, 18, 3});
static_assert(reach({{2, 3}, {3, 1}, 4}) == Reach{4, 9});
static_assert(!reach({{2, 0}, {3, 1}, 4}));
static_assert(position({{2, 3, 2}, {6, 2, 1}, 0}, {1, 2, 0}) == 10);
static_assert(position({{2, 3, 2}, {6, 2, 1}, 0}, {-1, -1, -2}) == 10);
static_assert(unravel(7, {2, 3, 2}) == Dims{1, 0, 1});
static_assert(index_at({{2, 3, 2}, {6, 2, 1}, 0}, 10) == Dims{1, 2, 0});
static_assert(is_contiguous({{2, 3}, {3, 1}, 7}) && !is_contiguous({{3, 2}, {1, 3}, 0}));
static_assert(suggested_memory_format({{2, 3, 4, 5}, {60, 1, 15, 3}, 0}) == MemoryFormat::channels_last);
static_assert(is_non_overlapping_and_dense({{3, 2}, {1, 3}, 5}));
static_assert(!is_provably_unique({{2, 3}, {0, 1}, 0}));
static_assert(overlap({{4}, {2}, 0}, {{4}, {2}, 1}) == Overlap::none);
static_assert(inferred_dense_strides({{2, 3, 4}, {1, 8, 24}}) == Dims{1, 2, 6});

TEST(Layout, CountsItsElements) {
  for (const Layout& layout : every_layout()) {
    const auto count = static_cast<Index>(positions(layout).size());
    ASSERT_EQ(numel(layout), count) << to_string(layout);
    ASSERT_EQ(count_elements(layout.shape), count);
    ASSERT_EQ(is_empty(layout), count == 0);
  }
  EXPECT_EQ(numel({{Index{1} << 62, 4, 0}, {1, 1, 1}, 0}), 0) << "no product of the sizes left of the 0";
}

TEST(Layout, RowMajorVisitsTheStorageInOrder) {
  for (const Dims& shape : testing::small_shapes(4, 3)) {
    const Layout layout = row_major(shape);
    const std::vector<Index> visited = positions(layout);
    ASSERT_TRUE(is_run(visited)) << to_string(layout);
    ASSERT_TRUE(visited.empty() || visited[0] == 0);
    ASSERT_TRUE(is_contiguous(layout));
    ASSERT_EQ(positions(reverse_axes(column_major(reverse_axes(layout).shape))), visited);
  }
}

TEST(Layout, ReachIsTheLowestAndHighestPosition) {
  for (const Layout& layout : every_layout()) {
    const std::vector<Index> sorted = sorted_positions(layout);
    const std::optional<Reach> touched = reach(layout);
    ASSERT_EQ(touched.has_value(), !sorted.empty()) << to_string(layout);
    if (touched) {
      ASSERT_EQ(*touched, (Reach{sorted.front(), sorted.back()})) << to_string(layout);
    }
  }
}

TEST(Layout, PositionFollowsTheDefinitionAlsoForNegativeIndexes) {
  for (const Layout& layout : every_layout()) {
    Index n = 0;
    testing::for_each_index(layout.shape, [&](const Dims& index) {
      const Index expected = testing::slow_position(layout, index);
      ASSERT_EQ(position(layout, index), expected) << to_string(layout);
      Dims from_the_end = index;
      for (std::size_t d = 0; d < index.size(); ++d) from_the_end[d] -= layout.shape[d];
      ASSERT_EQ(position(layout, from_the_end), expected) << to_string(layout);
      ASSERT_EQ(unravel(n++, layout.shape), index);
    });
  }
}

TEST(Layout, IndexAtIsTheInverseOfPosition) {
  for (const Layout& layout : every_layout()) {
    const std::vector<Index> sorted = sorted_positions(layout);
    const Index lowest = sorted.empty() ? 0 : sorted.front() - 2;
    const Index highest = sorted.empty() ? 9 : sorted.back() + 2;
    for (Index p = lowest; p <= highest; ++p) {
      const std::optional<Dims> index = index_at(layout, p);
      const bool is_there = std::binary_search(sorted.begin(), sorted.end(), p);
      ASSERT_EQ(index.has_value(), is_there) << to_string(layout) << " at " << p;
      if (index) {
        ASSERT_EQ(position(layout, *index), p) << to_string(layout);
      }
    }
  }
  EXPECT_EQ(index_at({{3, 4}, {0, 1}, 0}, 2), (Dims{0, 2})) << "0 along an expanded axis";
  EXPECT_EQ(index_at({{3, 4}, {4, 1}, 0}, INT64_MIN), std::nullopt);
}

TEST(Layout, ContiguousMeansThatPositionsFollowEachOther) {
  for (const Layout& layout : every_layout()) {
    ASSERT_EQ(is_contiguous(layout), is_run(positions(layout))) << to_string(layout);
  }
  EXPECT_TRUE(is_contiguous({{1}, {5}, 0})) << "PyTorch's zeros(5)[::5]";
  EXPECT_TRUE(is_contiguous({{2, 0}, {17, -3}, 0})) << "an empty tensor always is";
}

/// Rank 4 for channels_last (axes from the slowest: 0,2,3,1), rank 5 for 3d (0,2,3,4,1).
bool follows_format(const Layout& layout, MemoryFormat format) {
  const bool is_3d = format == MemoryFormat::channels_last_3d;
  if (layout.rank() != (is_3d ? 5U : 4U)) return false;
  const Dims order = is_3d ? Dims{0, 2, 3, 4, 1} : Dims{0, 2, 3, 1};
  if (!is_empty(layout)) return is_run(positions(permute(layout, order)));
  // No exception for empty tensors: the products, with their 0, must stand where a size is not 1.
  Index product = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t d = detail::at(order[i]);
    if (layout.shape[d] != 1 && layout.strides[d] != product) return false;
    product *= layout.shape[d];
  }
  return true;
}

TEST(Layout, ChannelsLastMeansThatPositionsFollowEachOtherInItsOrder) {
  std::vector<Layout> layouts = every_layout();
  for (const Dims& shape : testing::small_shapes(5, 2)) {
    if (shape.size() != 5) continue;
    for (const Dims& order : testing::all_orders(5)) {
      layouts.push_back({shape, testing::strides_in_order(shape, order, 0), 3});
    }
  }
  for (const Layout& layout : layouts) {
    for (const MemoryFormat format : {MemoryFormat::channels_last, MemoryFormat::channels_last_3d}) {
      ASSERT_EQ(is_contiguous(layout, format), follows_format(layout, format)) << to_string(layout);
    }
  }
}

TEST(Layout, FormatStridesAreContiguousInTheirFormat) {
  for (const Dims& shape : testing::small_shapes(5, 2)) {
    if (shape.size() < 4) continue;
    const MemoryFormat format =
        shape.size() == 4 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
    const Layout layout{shape, format_strides(shape, format), 0};
    ASSERT_EQ(is_contiguous(layout, format), !is_empty(layout) || follows_format(layout, format));
    ASSERT_EQ(layout_like(layout, format, "clone"), layout);
    const bool is_clear = std::all_of(shape.begin(), shape.end(), [](Index size) { return size > 1; });
    if (is_clear) {
      ASSERT_EQ(suggested_memory_format(layout), format) << to_string(layout);
    }
  }
}

/// PyTorch's rule for four axes, written out.
bool suggests_channels_last(const Layout& x) {
  if (x.rank() != 4 || is_empty(x)) return false;
  const auto [n, c, h, w] = std::array{x.strides[0], x.strides[1], x.strides[2], x.strides[3]};
  return c > 0 && w >= c * x.shape[1] && h >= w * x.shape[3] && n >= h * x.shape[2] && h * x.shape[2] != c;
}

TEST(Layout, SuggestedFormatIsStricterThanContiguity) {
  for (const Layout& layout : every_layout()) {
    ASSERT_EQ(suggested_memory_format(layout) == MemoryFormat::channels_last, suggests_channels_last(layout))
        << to_string(layout);
  }
  const Layout one_channel = row_major({2, 1, 4, 5});
  EXPECT_TRUE(is_contiguous(one_channel, MemoryFormat::channels_last));
  EXPECT_EQ(suggested_memory_format(one_channel), MemoryFormat::contiguous);
  EXPECT_EQ(suggested_memory_format({{2, 3, 4, 5}, {120, 1, 30, 6}, 0}), MemoryFormat::channels_last)
      << "gaps do not matter";
  EXPECT_EQ(suggested_memory_format({{1, 3, 1, 1}, {3, 1, 3, 3}, 0}), MemoryFormat::channels_last);
  EXPECT_EQ(suggested_memory_format({{2, 1, 1, 1}, {1, 1, 1, 1}, 0}), MemoryFormat::contiguous) << "N111";
}

TEST(Layout, DenseMeansThatARunIsFilledWithoutSharing) {
  for (const Layout& layout : every_layout()) {
    bool is_forward = true;
    for (std::size_t d = 0; d < layout.rank(); ++d) {
      is_forward = is_forward && (layout.shape[d] < 2 || layout.strides[d] >= 0);
    }
    const bool fills = is_run(sorted_positions(layout));
    ASSERT_EQ(is_non_overlapping_and_dense(layout), is_empty(layout) || (is_forward && fills))
        << to_string(layout);
  }
}

TEST(Layout, ProvableUniquenessIsTrue) {
  std::size_t unproven = 0;
  for (const Layout& layout : every_layout()) {
    if (is_provably_unique(layout)) {
      ASSERT_TRUE(is_unique(layout)) << to_string(layout);
    }
    unproven += !is_provably_unique(layout) && is_unique(layout);
  }
  EXPECT_EQ(unproven, 0U) << "of all layouts whose strides nest, none goes unproven";
  EXPECT_TRUE(is_unique({{2, 3}, {3, 2}, 0}));
  EXPECT_FALSE(is_provably_unique({{2, 3}, {3, 2}, 0})) << "strides that interleave prove nothing";
  EXPECT_FALSE(is_provably_unique({{3, 3}, {INT64_MIN, INT64_MAX}, 0})) << "nor do those beyond 64 bits";
}

TEST(Layout, OverlapNoneMeansDisjoint) {
  std::vector<Layout> layouts;
  for (const Layout& small : small_layouts(2, 3)) {
    for (const Index offset : {0, 1, 4}) {
      Layout moved = small;
      moved.offset += offset;
      layouts.push_back(moved);
    }
  }
  for (const Layout& a : layouts) {
    const std::vector<Index> in_a = sorted_positions(a);
    ASSERT_EQ(overlap(a, a), in_a.empty() ? Overlap::none : Overlap::identical);
    for (const Layout& b : layouts) {
      const Overlap found = overlap(a, b);
      ASSERT_EQ(found, overlap(b, a)) << to_string(a) << " " << to_string(b);
      if (found == Overlap::identical) {
        ASSERT_EQ(positions(a), positions(b));
      }
      if (found != Overlap::none) continue;
      for (const Index p : positions(b)) {
        ASSERT_FALSE(std::binary_search(in_a.begin(), in_a.end(), p)) << to_string(a) << " " << to_string(b);
      }
    }
  }
}

TEST(Layout, OverlapTellsInterleavedLayoutsApart) {
  EXPECT_EQ(overlap({{2, 4}, {8, 2}, 0}, {{2, 4}, {8, 2}, 1}), Overlap::none) << "even and odd columns";
  EXPECT_EQ(overlap({{2, 3}, {3, 1}, 0}, {{3, 2}, {1, 3}, 0}), Overlap::possible);
  EXPECT_EQ(overlap({{1, 3}, {9, 1}, 0}, {{1, 3}, {4, 1}, 0}), Overlap::identical) << "size 1: any stride";
  EXPECT_EQ(overlap({{1}, {1}, INT64_MAX}, {{1}, {1}, INT64_MIN}), Overlap::none);
}

TEST(Layout, InferredStridesAreDenseAndKeepTheOrderOfAxes) {
  for (const Layout& layout : every_layout()) {
    const Layout dense{layout.shape, inferred_dense_strides(layout), 0};
    ASSERT_TRUE(is_non_overlapping_and_dense(dense)) << to_string(layout);
    for (std::size_t a = 0; a < layout.rank(); ++a) {
      for (std::size_t b = 0; b < layout.rank() && !is_empty(layout) && is_provably_unique(layout); ++b) {
        if (layout.shape[a] < 2 || layout.shape[b] < 2) continue;
        const bool is_slower = detail::magnitude(layout.strides[a]) > detail::magnitude(layout.strides[b]);
        ASSERT_EQ(is_slower, dense.strides[a] > dense.strides[b]) << to_string(layout);
      }
    }
  }
  EXPECT_EQ(inferred_dense_strides({{4}, {7}, 0}), (Dims{1}));
  EXPECT_EQ(inferred_dense_strides({{2, 3}, {0, 1}, 0}), (Dims{3, 1})) << "a stride of 0 leaves its axis";
  EXPECT_EQ(inferred_dense_strides({{2, 3}, {-1, -2}, 0}), (Dims{1, 2})) << "negative: by magnitude";
}

TEST(Layout, LayoutLikeKeepsExactStridesOfADenseOne) {
  for (const Layout& layout : every_layout()) {
    const Layout like = layout_like(layout, MemoryFormat::preserve, "clone");
    ASSERT_EQ(like.offset, 0);
    if (is_non_overlapping_and_dense(layout)) {
      ASSERT_EQ(like.strides, layout.strides);
    } else {
      ASSERT_EQ(like.strides, inferred_dense_strides(layout));
    }
    ASSERT_EQ(layout_like(layout, MemoryFormat::contiguous, "clone"), row_major(layout.shape));
  }
}

}  // namespace
}  // namespace tenstride
