// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/reshape.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/layouts.hpp"
#include "support/slow.hpp"
#include "tenstride/layout/text.hpp"

// When a view is possible: compared with the slow definition, which looks for strides that visit the same
// positions in the same order. Refusals stand in test_reshape_errors.cpp.
namespace tenstride {
namespace {

using testing::odd_layouts;
using testing::positions;
using testing::small_layouts;
using testing::solve_layout;

static_assert(infer_shape({2, -1}, 12, {12}) == Dims{2, 6});
static_assert(try_view({{2, 3, 2}, {6, 2, 1}}, {2, 6}) == Layout{{2, 6}, {6, 1}, 0});
static_assert(!try_view({{2, 2, 3}, {6, 1, 2}}, {12}));
static_assert(mergeable_groups({{2, 2, 3}, {6, 1, 2}}) == std::vector<AxisGroup>{{0, 0}, {1, 1}, {2, 2}});
static_assert(why_not_view({{2, 2, 3}, {6, 1, 2}}, {12})->left_axis == 1);
static_assert(why_not_view({{2, 2, 3}, {6, 1, 2}}, {12})->right_axis == 2);
static_assert(why_not_view({{2, 2, 3}, {6, 1, 2}}, {12})->stride_found == 1);
static_assert(why_not_view({{2, 2, 3}, {6, 1, 2}}, {12})->stride_needed == 6);
static_assert(view({{4, 4}, {4, 1}}, {-1, 8}) == Layout{{2, 8}, {8, 1}, 0});
static_assert(flatten_shape({2, 3, 4}, 1, -1) == Dims{2, 12});
static_assert(unflatten({{2, 12}, {12, 1}}, 1, {3, 4}) == Layout{{2, 3, 4}, {12, 4, 1}, 0});

/// Every shape of rank 0..4 with as many elements; extents of 1 included.
const std::vector<Dims>& shapes_of(Index count) {
  static std::map<Index, std::vector<Dims>> known;
  auto [entry, is_new] = known.try_emplace(count);
  if (!is_new) return entry->second;
  std::vector<Dims>& shapes = entry->second;
  if (count == 1) shapes.push_back({});
  for (std::size_t rank = 1; rank <= 4; ++rank) {
    std::vector<Dims> open{Dims{}};
    for (std::size_t d = 0; d < rank; ++d) {
      std::vector<Dims> longer;
      for (const Dims& shape : open) {
        const Index left = count / count_elements(shape);
        for (Index size = 1; size <= left; ++size) {
          if (left % size != 0 || (d + 1 == rank && size != left)) continue;
          longer.push_back(shape);
          longer.back().push_back(size);
        }
      }
      open = std::move(longer);
    }
    shapes.insert(shapes.end(), open.begin(), open.end());
  }
  return shapes;
}

/// The layouts to view, and with them those of rank 4 that are too many to view in every shape.
std::vector<Layout> viewed_layouts() {
  std::vector<Layout> layouts = small_layouts(3, 4);
  for (const Dims& shape : testing::small_shapes(4, 3)) {
    if (shape.size() < 4) continue;
    for (Layout& layout : testing::layouts_of(shape)) layouts.push_back(std::move(layout));
  }
  for (const Layout& odd : odd_layouts()) layouts.push_back(odd);
  return layouts;
}

// Sound and complete: a view visits the same positions in the same order, and where PyTorch's rule says no,
// no strides at all would do. There is no exception: the rule is exact for every layout that is not empty.
TEST(TryView, SaysYesExactlyWhereStridesExist) {
  std::size_t views = 0;
  std::size_t refusals = 0;
  for (const Layout& x : viewed_layouts()) {
    if (is_empty(x)) continue;
    const std::vector<Index> visited = positions(x);
    for (const Dims& shape : shapes_of(numel(x))) {
      const std::optional<Layout> y = try_view(x, shape);
      const std::optional<Layout> possible = solve_layout(visited, shape);
      ASSERT_EQ(y.has_value(), possible.has_value()) << to_string(x) << " as " << to_string(shape);
      (y ? views : refusals) += 1;
      if (!y) continue;
      ASSERT_EQ(y->shape, shape);
      ASSERT_EQ(y->offset, x.offset);
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) continue;
        ASSERT_EQ(y->strides[d], possible->strides[d]) << to_string(x) << " as " << to_string(shape);
      }
    }
  }
  EXPECT_GT(views, 100'000U);
  EXPECT_GT(refusals, 100'000U);
}

TEST(TryView, OfAContiguousLayoutIsRowMajor) {
  for (const Layout& x : viewed_layouts()) {
    if (!is_contiguous(x) || is_empty(x)) continue;
    for (const Dims& shape : shapes_of(numel(x))) {
      const std::optional<Layout> y = try_view(x, shape);
      ASSERT_TRUE(y);
      ASSERT_TRUE(is_contiguous(*y));
      ASSERT_EQ(positions(*y), positions(x));
    }
  }
}

TEST(TryView, KeepsTheLayoutOfItsOwnShapeButForAxesOfSize1) {
  for (const Layout& x : viewed_layouts()) {
    const std::optional<Layout> y = try_view(x, x.shape);
    ASSERT_TRUE(y) << to_string(x);
    if (is_empty(x)) {
      ASSERT_EQ(*y, x) << "exact strides where the tensor is empty";
    }
    for (std::size_t d = 0; d < x.rank(); ++d) {
      if (x.shape[d] == 1) continue;
      ASSERT_EQ(y->strides[d], x.strides[d]) << to_string(x);
    }
  }
}

TEST(TryView, GivesPyTorchsStrides) {
  EXPECT_EQ(try_view({{}, {}, 5}, {1, 1}), (Layout{{1, 1}, {1, 1}, 5})) << "of rank 0 all are 1";
  EXPECT_EQ(try_view({{0, 3}, {7, 2}, 5}, {3, 0}), (Layout{{3, 0}, {1, 1}, 5})) << "empty: row-major, 0 as 1";
  EXPECT_EQ(try_view({{0, 3}, {7, 2}, 5}, {0, 3}), (Layout{{0, 3}, {7, 2}, 5})) << "empty, same shape: kept";
  EXPECT_EQ(try_view({{3, 4}, {0, 0}, 2}, {12}), (Layout{{12}, {0}, 2})) << "(1,1) expanded to (3,4)";
  EXPECT_EQ(try_view({{3, 4}, {1, 0}, 0}, {12}), std::nullopt) << "(3,1) expanded to (3,4)";
  EXPECT_EQ(try_view({{3, 1}, {1, 17}}, {3}), (Layout{{3}, {1}, 0})) << "size 1 never stands in the way";
  EXPECT_EQ(try_view({{2, 1, 3}, {3, 99, 1}}, {6}), (Layout{{6}, {1}, 0}));
  EXPECT_EQ(try_view({{1}, {5}}, {1}), (Layout{{1}, {5}, 0})) << "the base is the rightmost stride";
  EXPECT_EQ(try_view({{1}, {5}}, {1, 1}), (Layout{{1, 1}, {5, 5}, 0}));
  EXPECT_EQ(try_view({{2, 3}, {-3, -1}, 5}, {6}), (Layout{{6}, {-1}, 5})) << "backwards throughout";
  EXPECT_EQ(try_view({{4, 3}, {6, 1}}, {2, 2, 3}), (Layout{{2, 2, 3}, {12, 6, 1}, 0})) << "padded rows split";
  EXPECT_EQ(try_view({{4, 3}, {6, 1}}, {12}), std::nullopt) << "but do not merge";
  EXPECT_EQ(try_view({{2, 3}, {3, 1}}, {1, 6, 1}), (Layout{{1, 6, 1}, {6, 1, 1}, 0}));
}

TEST(WhyNotView, NamesAxesThatReallyCannotMerge) {
  for (const Layout& x : viewed_layouts()) {
    if (is_empty(x)) continue;
    for (const Dims& shape : shapes_of(numel(x))) {
      const std::optional<ViewObstacle> obstacle = why_not_view(x, shape);
      ASSERT_EQ(obstacle.has_value(), !try_view(x, shape)) << to_string(x) << " as " << to_string(shape);
      if (!obstacle) continue;
      const std::size_t left = obstacle->left_axis;
      const std::size_t right = obstacle->right_axis;
      ASSERT_EQ(obstacle->from, x);
      ASSERT_EQ(obstacle->to, shape);
      ASSERT_LT(left, right);
      ASSERT_GT(x.shape[left], 1);
      ASSERT_GT(x.shape[right], 1);
      for (std::size_t d = left + 1; d < right; ++d) ASSERT_EQ(x.shape[d], 1);
      ASSERT_EQ(obstacle->stride_found, x.strides[left]);
      ASSERT_EQ(obstacle->stride_needed, x.shape[right] * x.strides[right]);
      ASSERT_NE(obstacle->stride_found, obstacle->stride_needed);
      // The two axes alone: as they are they do not merge, with the stride needed they do.
      Layout pair{{x.shape[left], x.shape[right]}, {x.strides[left], x.strides[right]}, 0};
      const Dims merged{x.shape[left] * x.shape[right]};
      ASSERT_FALSE(try_view(pair, merged));
      pair.strides[0] = obstacle->stride_needed;
      ASSERT_TRUE(try_view(pair, merged));
      // The new axis takes elements from both sides of the boundary.
      Index after = 1;
      for (std::size_t d = obstacle->new_axis + 1; d < shape.size(); ++d) after *= shape[d];
      Index right_of_boundary = 1;
      for (std::size_t d = left + 1; d < x.rank(); ++d) right_of_boundary *= x.shape[d];
      ASSERT_LT(after, right_of_boundary) << to_string(x) << " as " << to_string(shape);
      ASSERT_GT(after * shape[obstacle->new_axis], right_of_boundary);
    }
  }
}

TEST(MergeableGroups, MergeInsideAndNotAcross) {
  for (const Layout& x : viewed_layouts()) {
    const std::vector<AxisGroup> groups = mergeable_groups(x);
    std::size_t next = 0;
    Dims merged;
    for (const AxisGroup& group : groups) {
      ASSERT_EQ(group.first, next) << to_string(x);
      ASSERT_GE(group.last, group.first);
      next = group.last + 1;
      Index count = 1;
      for (std::size_t d = group.first; d <= group.last; ++d) count *= x.shape[d];
      merged.push_back(count);
    }
    ASSERT_EQ(next, x.rank()) << "the groups cover all axes";
    ASSERT_TRUE(try_view(x, merged)) << to_string(x);
    for (std::size_t g = 0; g + 1 < merged.size(); ++g) {
      if (merged[g] == 1 || merged[g + 1] == 1) continue;
      Dims across = merged;
      across[g] *= across[g + 1];
      across.erase(g + 1);
      ASSERT_FALSE(try_view(x, across)) << to_string(x) << " groups " << g << " and " << g + 1;
    }
  }
  EXPECT_TRUE(mergeable_groups({}).empty());
  EXPECT_EQ(mergeable_groups({{2, 0, 3}, {7, 7, 7}}), (std::vector<AxisGroup>{{0, 2}})) << "empty: one group";
}

TEST(InferShape, FillsInTheOneUnknownSize) {
  for (Index count = 0; count <= 24; ++count) {
    for (const Dims& known : testing::small_shapes(3, 4)) {
      const Index product = count_elements(known);
      if (product == count) {
        ASSERT_EQ(infer_shape(known, count, {count}), known);
      }
      for (std::size_t d = 0; d <= known.size(); ++d) {
        if (product == 0 || count % product != 0) continue;
        Dims asked = known;
        asked.insert(d, -1);
        Dims expected = known;
        expected.insert(d, count / product);
        ASSERT_EQ(infer_shape(asked, count, {count}), expected);
      }
    }
  }
}

TEST(Flatten, MergesTheAxesNamedWhereTheirStridesNest) {
  for (const Layout& x : small_layouts(3, 3)) {
    for (std::size_t start = 0; start < x.rank(); ++start) {
      for (std::size_t end = start; end < x.rank(); ++end) {
        Dims expected;
        for (std::size_t d = 0; d < x.rank(); ++d) {
          if (d > start && d <= end) {
            expected.back() *= x.shape[d];
          } else {
            expected.push_back(x.shape[d]);
          }
        }
        const Index first = static_cast<Index>(start);
        const Index last = static_cast<Index>(end) - static_cast<Index>(x.rank());
        ASSERT_EQ(flatten_shape(x.shape, first, last), expected) << to_string(x);
        if (try_view(x, expected)) {
          ASSERT_EQ(flatten(x, first, last), *try_view(x, expected));
        } else {
          ASSERT_THROW(flatten(x, first, last), ViewError);
        }
      }
    }
  }
  EXPECT_EQ(flatten({{}, {}, 4}), (Layout{{1}, {1}, 4})) << "rank 0 becomes (1)";
  EXPECT_EQ(flatten_shape({Index{1} << 62, 4, 0}), (Dims{0})) << "a size of 0 makes the product 0";
}

TEST(Unflatten, SplitsAnAxisAndFlattenPutsItBack) {
  for (const Layout& x : viewed_layouts()) {
    if (is_empty(x) || x.rank() > 3) continue;
    for (std::size_t d = 0; d < x.rank(); ++d) {
      for (const Dims& parts : shapes_of(x.shape[d])) {
        if (parts.empty()) continue;
        const Layout y = unflatten(x, static_cast<Index>(d) - static_cast<Index>(x.rank()), parts);
        ASSERT_EQ(y.rank(), x.rank() - 1 + parts.size());
        ASSERT_EQ(positions(y), positions(x)) << to_string(x);
        const Index end = static_cast<Index>(d + parts.size()) - 1;
        ASSERT_EQ(positions(flatten(y, static_cast<Index>(d), end)), positions(x));
        ASSERT_EQ(flatten_shape(y.shape, static_cast<Index>(d), end), x.shape);
      }
    }
  }
  EXPECT_EQ(unflatten({{0, 6}, {6, 1}}, 1, {2, -1}), (Layout{{0, 2, 3}, {6, 3, 1}, 0}));
}

}  // namespace
}  // namespace tenstride
