// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/views.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/layouts.hpp"
#include "support/slow.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/text.hpp"

// Views that move, add and drop axes: each element of the result is the element of the source that the
// operation's definition names. Indexing views stand in test_indexing_views.cpp, the split family in
// test_splits.cpp, refusals in test_view_errors.cpp.
namespace tenstride {
namespace {

using testing::maps_elements;
using testing::positions;

const std::vector<Layout>& every_layout() {
  static const std::vector<Layout> layouts = [] {
    std::vector<Layout> all = testing::small_layouts(3, 3);
    for (const Dims& shape : testing::small_shapes(4, 2)) {
      for (Layout& layout : testing::layouts_of(shape)) all.push_back(std::move(layout));
    }
    for (const Layout& odd : testing::odd_layouts()) all.push_back(odd);
    return all;
  }();
  return layouts;
}

/// Both ways to name an axis: from the front and from the back.
std::vector<Index> names_of(std::size_t axis, std::size_t rank) {
  return {static_cast<Index>(axis), static_cast<Index>(axis) - static_cast<Index>(rank)};
}

Dims identity(std::size_t rank) {
  Dims order = Dims::filled(rank, 0);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<Index>(i);
  return order;
}

static_assert(wrap_axis("permute", -1, {2, 3, 4}) == 2);
static_assert(wrap_axis("permute", -1, {}) == 0 && wrap_axis("permute", 0, {}) == 0);
static_assert(permute({{2, 3, 2}, {6, 2, 1}}, {0, 2, 1}) == Layout{{2, 2, 3}, {6, 1, 2}, 0});
static_assert(transpose({{2, 3}, {3, 1}}, 0, 1) == Layout{{3, 2}, {1, 3}, 0});
static_assert(movedim({{2, 3, 4}, {12, 4, 1}}, {0}, {-1}) == Layout{{3, 4, 2}, {4, 1, 12}, 0});
static_assert(squeeze({{1, 3, 1}, {3, 1, 1}}) == Layout{{3}, {1}, 0});
static_assert(unsqueeze({{2, 3}, {3, 1}}, 0) == Layout{{1, 2, 3}, {6, 3, 1}, 0});
static_assert(expand({{3, 1}, {1, 1}}, {2, 3, 4}) == Layout{{2, 3, 4}, {0, 1, 0}, 0});
static_assert(broadcast_shapes({2, 1}, {3}) == Dims{2, 3});
static_assert(reverse_axes({{2, 3, 4}, {12, 4, 1}}) == Layout{{4, 3, 2}, {1, 4, 12}, 0});
static_assert(t({{2, 3}, {3, 1}}) == Layout{{3, 2}, {1, 3}, 0} && t({{3}, {2}}) == Layout{{3}, {2}, 0});
static_assert(matrix_transpose({{2, 3, 4}, {12, 4, 1}}) == Layout{{2, 4, 3}, {12, 1, 4}, 0});

TEST(Permute, AxisIOfTheResultIsAxisOrderIOfTheSource) {
  for (const Layout& x : every_layout()) {
    if (x.rank() > 4) continue;
    for (const Dims& order : testing::all_orders(x.rank())) {
      const Layout y = permute(x, order);
      ASSERT_TRUE(maps_elements(y, x,
                                [&](const Dims& index) {
                                  Dims from = index;
                                  for (std::size_t i = 0; i < order.size(); ++i)
                                    from[detail::at(order[i])] = index[i];
                                  return from;
                                }))
          << to_string(x) << " " << to_string(order);
      Dims inverse = order;
      Dims from_the_end = order;
      for (std::size_t i = 0; i < order.size(); ++i) {
        inverse[detail::at(order[i])] = static_cast<Index>(i);
        from_the_end[i] -= static_cast<Index>(order.size());
      }
      ASSERT_EQ(permute(y, inverse), x);
      ASSERT_EQ(permute(x, from_the_end), y);
    }
  }
}

TEST(Permute, ComposesAsOrdersDo) {
  const Layout x = row_major({2, 3, 4, 5});
  for (const Dims& first : testing::all_orders(4)) {
    for (const Dims& second : testing::all_orders(4)) {
      Dims both = first;
      for (std::size_t i = 0; i < 4; ++i) both[i] = first[detail::at(second[i])];
      ASSERT_EQ(permute(permute(x, first), second), permute(x, both));
    }
  }
}

TEST(Permute, TakesRank64) {
  const Layout x = testing::odd_layouts().back();
  ASSERT_EQ(x.rank(), 64U);
  Dims order = identity(64);
  std::reverse(order.begin(), order.end());
  EXPECT_EQ(permute(x, order), reverse_axes(x));
}

TEST(Transpose, SwapsTwoAxesAndUndoesItself) {
  for (const Layout& x : every_layout()) {
    if (x.rank() > 9) continue;
    for (std::size_t a = 0; a < x.rank(); ++a) {
      for (std::size_t b = 0; b < x.rank(); ++b) {
        Dims order = identity(x.rank());
        std::swap(order[a], order[b]);
        const Layout expected = permute(x, order);
        for (const Index axis_a : names_of(a, x.rank())) {
          for (const Index axis_b : names_of(b, x.rank())) {
            ASSERT_EQ(transpose(x, axis_a, axis_b), expected) << to_string(x);
            ASSERT_EQ(swapaxes(x, axis_a, axis_b), expected);
            ASSERT_EQ(swapdims(x, axis_a, axis_b), expected);
          }
        }
        ASSERT_EQ(transpose(expected, static_cast<Index>(b), static_cast<Index>(a)), x);
      }
    }
  }
  EXPECT_EQ(transpose({{}, {}, 7}, 0, -1), (Layout{{}, {}, 7})) << "rank 0 wraps as rank 1";
}

TEST(ReverseAxes, IsThePermutationFromLastToFirst) {
  for (const Layout& x : every_layout()) {
    Dims order = identity(x.rank());
    std::reverse(order.begin(), order.end());
    ASSERT_EQ(reverse_axes(x), permute(x, order));
    ASSERT_EQ(reverse_axes(reverse_axes(x)), x);
    if (x.rank() <= 2) {
      ASSERT_EQ(t(x), reverse_axes(x));
    }
    if (x.rank() >= 2) {
      ASSERT_EQ(matrix_transpose(x), transpose(x, -1, -2));
    }
  }
  EXPECT_EQ(matrix_transpose({{}, {}, 7}), (Layout{{}, {}, 7}));
}

/// The definition: take the sources out, then put each at its destination, lowest destination first.
Dims order_after_moving(std::size_t rank, const Dims& source, const Dims& destination) {
  std::vector<Index> rest;
  for (Index axis = 0; axis < static_cast<Index>(rank); ++axis) {
    if (std::find(source.begin(), source.end(), axis) == source.end()) rest.push_back(axis);
  }
  std::vector<std::pair<Index, Index>> moves;
  for (std::size_t i = 0; i < source.size(); ++i) moves.emplace_back(destination[i], source[i]);
  std::sort(moves.begin(), moves.end());
  for (const auto& [to, from] : moves) rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(to), from);
  return rest;
}

TEST(Movedim, TakesAxesOutAndPutsThemBack) {
  const Layout x = row_major({2, 3, 4, 5});
  const std::vector<Dims> orders = testing::all_orders(4);
  for (std::size_t count = 0; count <= 4; ++count) {
    std::set<std::vector<Index>> seen;
    for (const Dims& order : orders) seen.insert({order.begin(), order.begin() + count});
    for (const Dims source : seen) {
      for (const Dims destination : seen) {
        const Layout y = movedim(x, source, destination);
        ASSERT_EQ(y, permute(x, order_after_moving(4, source, destination)))
            << to_string(source) << to_string(destination);
        ASSERT_EQ(moveaxis(x, source, destination), y);
        ASSERT_EQ(movedim(y, destination, source), x) << "moving back undoes it";
        Dims from_the_end = source;
        for (Index& axis : from_the_end) axis -= 4;
        ASSERT_EQ(movedim(x, from_the_end, destination), y);
      }
    }
  }
  EXPECT_EQ(movedim({{}, {}, 3}, {0}, {-1}), (Layout{{}, {}, 3}));
  EXPECT_EQ(movedim({{}, {}, 3}, {}, {}), (Layout{{}, {}, 3}));
}

TEST(Squeeze, DropsAxesOfSize1AndKeepsTheElements) {
  for (const Layout& x : every_layout()) {
    if (x.rank() > 9) continue;
    const Layout all = squeeze(x);
    ASSERT_EQ(positions(all), positions(x));
    ASSERT_EQ(std::count(all.shape.begin(), all.shape.end(), 1), 0);
    ASSERT_EQ(squeeze(x, identity(x.rank())), all);
    ASSERT_EQ(squeeze(x, Dims{}), x) << "no axis named: none dropped";
    for (std::size_t d = 0; d < x.rank(); ++d) {
      for (const Index axis : names_of(d, x.rank())) {
        const Layout one = squeeze(x, axis);
        ASSERT_EQ(squeeze(x, Dims{axis}), one);
        ASSERT_EQ(positions(one), positions(x));
        ASSERT_EQ(one.rank(), x.rank() - (x.shape[d] == 1 ? 1 : 0)) << to_string(x);
        if (x.shape[d] != 1) {
          ASSERT_EQ(one, x);
        }
      }
    }
  }
  EXPECT_EQ(squeeze({{}, {}, 7}, 0), (Layout{{}, {}, 7}));
  EXPECT_EQ(squeeze({{}, {}, 7}, Dims{-1}), (Layout{{}, {}, 7}));
  EXPECT_EQ(squeeze({{1, 2, 1}, {2, 1, 1}}, {0, -1}), (Layout{{2}, {1}, 0}));
}

TEST(Unsqueeze, AddsAnAxisThatSqueezeTakesAway) {
  for (const Layout& x : every_layout()) {
    if (x.rank() == max_rank) continue;
    for (std::size_t d = 0; d <= x.rank(); ++d) {
      for (const Index axis : names_of(d, x.rank() + 1)) {
        const Layout y = unsqueeze(x, axis);
        ASSERT_EQ(y.shape[d], 1);
        ASSERT_EQ(y.strides[d], d < x.rank() ? x.shape[d] * x.strides[d] : 1) << to_string(x);
        ASSERT_EQ(positions(y), positions(x));
        ASSERT_EQ(squeeze(y, axis), x);
        ASSERT_EQ(is_contiguous(y), is_contiguous(x)) << "contiguity stays";
      }
    }
  }
}

TEST(Expand, RepeatsElementsAlongAxesOfSize1) {
  const std::vector<Dims> targets = testing::small_shapes(4, 3);
  for (const Layout& x : testing::small_layouts(2, 3)) {
    for (const Dims& sizes : targets) {
      bool fits = sizes.size() >= x.rank();
      const std::size_t added = fits ? sizes.size() - x.rank() : 0;
      for (std::size_t d = 0; fits && d < x.rank(); ++d) {
        fits = x.shape[d] == 1 || x.shape[d] == sizes[d + added];
      }
      if (!fits) {
        ASSERT_THROW(expand(x, sizes), ShapeError) << to_string(x) << " " << to_string(sizes);
        continue;
      }
      const Layout y = expand(x, sizes);
      ASSERT_EQ(y.shape, sizes);
      ASSERT_TRUE(maps_elements(y, x,
                                [&](const Dims& index) {
                                  Dims from;
                                  for (std::size_t d = 0; d < x.rank(); ++d) {
                                    from.push_back(x.shape[d] == 1 ? 0 : index[d + added]);
                                  }
                                  return from;
                                }))
          << to_string(x) << " " << to_string(sizes);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool is_repeated = i < added ? sizes[i] != 1 : x.shape[i - added] != sizes[i];
        if (is_repeated) {
          ASSERT_EQ(y.strides[i], 0);
        }
        if (!is_repeated && i >= added) {
          ASSERT_EQ(y.strides[i], x.strides[i - added]);
        }
      }
      Dims kept = sizes;
      for (std::size_t d = 0; d < x.rank(); ++d) {
        if (x.shape[d] == sizes[d + added]) kept[d + added] = -1;
      }
      ASSERT_EQ(expand(x, kept), y) << "-1 keeps a size";
    }
  }
}

TEST(Expand, GivesNewLeadingAxesOfSize1TheStrideOfAStepOverTheNext) {
  EXPECT_EQ(expand({{2, 3}, {3, 1}}, {1, 2, 3}), (Layout{{1, 2, 3}, {6, 3, 1}, 0}));
  EXPECT_EQ(expand({{2, 3}, {3, 1}}, {1, 1, 2, 3}), (Layout{{1, 1, 2, 3}, {6, 6, 3, 1}, 0}));
  EXPECT_EQ(expand({{2, 3}, {3, 1}}, {1, 4, 2, 3}), (Layout{{1, 4, 2, 3}, {0, 0, 3, 1}, 0}));
  EXPECT_EQ(expand({{}, {}, 5}, {1, 2}), (Layout{{1, 2}, {0, 0}, 5})) << "of rank 0 all are 0";
}

TEST(BroadcastShapes, IsTheOneShapeToWhichAllExpand) {
  const std::vector<Dims> shapes = testing::small_shapes(3, 3);
  for (const Dims& a : shapes) {
    for (const Dims& b : shapes) {
      // The definition: each axis from the right, a missing one counting as 1.
      const std::size_t rank = std::max(a.size(), b.size());
      Dims expected = Dims::filled(rank, 1);
      bool fits = true;
      for (std::size_t i = 1; i <= rank; ++i) {
        const Index size_a = i <= a.size() ? a[a.size() - i] : 1;
        const Index size_b = i <= b.size() ? b[b.size() - i] : 1;
        fits = fits && (size_a == size_b || size_a == 1 || size_b == 1);
        expected[rank - i] = size_a == 1 ? size_b : size_a;
      }
      if (!fits) {
        ASSERT_THROW(broadcast_shapes(a, b), ShapeError);
        continue;
      }
      ASSERT_EQ(broadcast_shapes(a, b), expected) << to_string(a) << to_string(b);
      ASSERT_EQ(expand(row_major(a), expected).shape, expected);
      ASSERT_EQ(expand(row_major(b), expected).shape, expected);
    }
  }
  const std::vector<Dims> several{{3, 1, 1}, {4, 1}, {}, {5}};
  EXPECT_EQ(broadcast_shapes(several), (Dims{3, 4, 5}));
  EXPECT_EQ(broadcast_shapes(std::span<const Dims>{}), Dims{});
}

TEST(AsStrided, GivesTheLayoutAskedForWhereItFits) {
  for (const Layout& x : testing::small_layouts(3, 2)) {
    const bool is_forward = std::all_of(x.strides.begin(), x.strides.end(), [](Index s) { return s >= 0; });
    if (!is_forward) continue;
    const std::vector<Index> sorted = testing::sorted_positions(x);
    const Index storage_size = sorted.empty() ? 0 : sorted.back() + 1;
    ASSERT_EQ(as_strided(x.shape, x.strides, x.offset, storage_size), x);
    if (!sorted.empty()) {
      ASSERT_THROW(as_strided(x.shape, x.strides, x.offset, storage_size - 1), StorageError);
    }
  }
}

TEST(AtLeast, AddsAxesWherePyTorchDoes) {
  EXPECT_EQ(at_least({{}, {}, 7}, 1), (Layout{{1}, {1}, 7}));
  EXPECT_EQ(at_least({{}, {}, 7}, 3), (Layout{{1, 1, 1}, {1, 1, 1}, 7}));
  EXPECT_EQ(at_least({{4}, {1}}, 2), (Layout{{1, 4}, {4, 1}, 0}));
  EXPECT_EQ(at_least({{4}, {1}}, 3), (Layout{{1, 4, 1}, {4, 1, 1}, 0}));
  EXPECT_EQ(at_least({{3, 4}, {4, 1}}, 3), (Layout{{3, 4, 1}, {4, 1, 1}, 0}));
  for (const Layout& x : every_layout()) {
    for (const std::size_t rank : {1U, 2U, 3U}) {
      const Layout y = at_least(x, rank);
      ASSERT_EQ(y.rank(), std::max(rank, x.rank()));
      ASSERT_EQ(positions(y), positions(x));
      if (x.rank() >= rank) {
        ASSERT_EQ(y, x);
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
