// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/layouts.hpp"
#include "support/slow.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/layout/views.hpp"

// Views that pick elements: select, narrow, slices, basic indexing, diagonal, unfold, flip, and views of
// another element size. The oracle is the definition of each, index by index.
namespace tenstride {
namespace {

using testing::maps_elements;
using testing::positions;
using testing::small_layouts;

static_assert(select({{2, 3}, {3, 1}}, 0, 1) == Layout{{3}, {1}, 3});
static_assert(narrow({{5}, {1}}, 0, 1, 3) == Layout{{3}, {1}, 1});
static_assert(slice({{8}, {1}}, 0, 1, 7, 2) == Layout{{3}, {2}, 1});
static_assert(diagonal({{3, 3}, {3, 1}}) == Layout{{3}, {4}, 0});
static_assert(unfold({{7}, {1}}, 0, 3, 2) == Layout{{3, 3}, {2, 1}, 0});
static_assert(flip_view({{4}, {1}}, {0}) == Layout{{4}, {-1}, 3});
static_assert(view_dtype({{4, 4}, {4, 1}}, 4, 1) == Layout{{4, 16}, {16, 1}, 0});

Layout indexed(Layout layout, std::initializer_list<BasicIndex> entries) {
  return index(std::move(layout), std::span<const BasicIndex>(entries.begin(), entries.size()));
}
constexpr std::array<BasicIndex, 2> even_rows_last_column{Slice{{}, {}, 2}, Index{-1}};
static_assert(index({{4, 3}, {3, 1}}, even_rows_last_column) == Layout{{2}, {6}, 2});

/// The index with `value` put in as entry `axis`.
Dims with(Dims index, std::size_t axis, Index value) {
  index.insert(axis, value);
  return index;
}

TEST(Select, TakesOneSliceAndDropsTheAxis) {
  for (const Layout& x : small_layouts(3, 3)) {
    for (std::size_t d = 0; d < x.rank(); ++d) {
      for (Index i = -x.shape[d]; i < x.shape[d]; ++i) {
        const Layout y = select(x, static_cast<Index>(d) - static_cast<Index>(x.rank()), i);
        const Index chosen = i < 0 ? i + x.shape[d] : i;
        ASSERT_TRUE(maps_elements(y, x, [&](const Dims& index) { return with(index, d, chosen); }));
      }
    }
  }
}

TEST(Narrow, TakesLengthElementsFromStart) {
  for (const Layout& x : small_layouts(3, 3)) {
    for (std::size_t d = 0; d < x.rank(); ++d) {
      const Index size = x.shape[d];
      for (Index start = -size; start <= size; ++start) {
        const Index first = start < 0 ? start + size : start;
        for (Index length = 0; first + length <= size; ++length) {
          const Layout y = narrow(x, static_cast<Index>(d), start, length);
          ASSERT_EQ(y.shape[d], length);
          ASSERT_EQ(y.offset, x.offset + first * x.strides[d]) << "moved also where the result is empty";
          ASSERT_TRUE(maps_elements(y, x, [&](Dims index) {
            index[d] += first;
            return index;
          }));
        }
      }
    }
  }
}

/// Python's `range(*slice(start, stop, step).indices(size))`, as the language reference defines it.
std::vector<Index> python_range(std::optional<Index> start, std::optional<Index> stop, Index step,
                                Index size) {
  const Index lowest = step < 0 ? -1 : 0;
  const Index highest = step < 0 ? size - 1 : size;
  const auto settle = [&](std::optional<Index> given, Index otherwise) {
    if (!given) return otherwise;
    return std::clamp(*given < 0 ? *given + size : *given, lowest, highest);
  };
  std::vector<Index> result;
  const Index first = settle(start, step < 0 ? highest : lowest);
  const Index last = settle(stop, step < 0 ? lowest : highest);
  for (Index i = first; step < 0 ? i > last : i < last; i += step) result.push_back(i);
  return result;
}

TEST(Slice, TakesWhatPythonsRangeTakesForBothSigns) {
  std::vector<std::optional<Index>> ends{std::nullopt, INT64_MIN, INT64_MAX};
  for (Index end = -7; end <= 7; ++end) ends.emplace_back(end);
  for (Index size = 0; size <= 5; ++size) {
    const Layout x{{2, size}, {11, 2}, 40};
    for (const auto& start : ends) {
      for (const auto& stop : ends) {
        for (const Index step : {-7, -3, -2, -1, 1, 2, 3, 7}) {
          const std::vector<Index> taken = python_range(start, stop, step, size);
          const Layout y = indexed(x, {Ellipsis{}, Slice{start, stop, step}});
          ASSERT_EQ(y.shape, (Dims{2, static_cast<Index>(taken.size())}));
          ASSERT_EQ(y.strides, (Dims{11, 2 * step})) << "also where the result is empty";
          ASSERT_TRUE(maps_elements(y, x,
                                    [&](const Dims& index) {
                                      return Dims{index[0], taken[static_cast<std::size_t>(index[1])]};
                                    }))
              << size << " " << start.value_or(99) << ":" << stop.value_or(99) << ":" << step;
          if (step > 0) {
            ASSERT_EQ(slice(x, -1, start, stop, step), y);
          }
        }
      }
    }
  }
}

TEST(Slice, MovesTheOffsetOfAnEmptyResultAsPyTorchDoes) {
  EXPECT_EQ(slice({{5}, {2}, 1}, 0, 3, 1), (Layout{{0}, {2}, 7}));
  EXPECT_EQ(slice({{5}, {2}, 1}, 0, 9, 12, 3), (Layout{{0}, {6}, 11}));
}

TEST(BasicIndexing, GoesEntryByEntry) {
  const Layout x = row_major({2, 3, 4});
  EXPECT_EQ(indexed(x, {}), x);
  EXPECT_EQ(indexed(x, {Index{1}}), (Layout{{3, 4}, {4, 1}, 12}));
  EXPECT_EQ(indexed(x, {Ellipsis{}, Index{1}}), (Layout{{2, 3}, {12, 4}, 1}));
  EXPECT_EQ(indexed(x, {Index{1}, Ellipsis{}, Index{-1}}), (Layout{{3}, {4}, 15}));
  EXPECT_EQ(indexed(x, {Index{1}, Index{2}, Index{3}}), (Layout{{}, {}, 23}));
  EXPECT_EQ(indexed(x, {Index{1}, Index{2}, Index{3}, Ellipsis{}}), (Layout{{}, {}, 23}));
  EXPECT_EQ(indexed(x, {NewAxis{}}), unsqueeze(x, 0));
  EXPECT_EQ(indexed(x, {Ellipsis{}, NewAxis{}}), unsqueeze(x, -1));
  EXPECT_EQ(indexed(x, {Slice{}, NewAxis{}, Index{0}}), (Layout{{2, 1, 4}, {12, 12, 1}, 0}));
  EXPECT_EQ(indexed(x, {Slice{1, {}}, Slice{{}, {}, -1}}), (Layout{{1, 3, 4}, {12, -4, 1}, 20}));
  EXPECT_EQ(indexed({{}, {}, 5}, {NewAxis{}, Ellipsis{}, NewAxis{}}), (Layout{{1, 1}, {1, 1}, 5}));
}

TEST(BasicIndexing, OfIntsAndSlicesMeansWhatEachAxisTakes) {
  const std::vector<BasicIndex> choices{Index{0},        Index{-1},         Slice{},
                                        Slice{1, {}, 2}, Slice{{}, {}, -1}, Slice{2, 0}};
  for (const Layout& x : testing::layouts_of({2, 3, 2})) {
    for (const BasicIndex& a : choices) {
      for (const BasicIndex& b : choices) {
        for (const BasicIndex& c : choices) {
          const std::array<BasicIndex, 3> entries{a, b, c};
          std::vector<std::vector<Index>> taken(3);
          for (std::size_t d = 0; d < 3; ++d) {
            if (const Index* i = std::get_if<Index>(&entries[d])) {
              taken[d] = {*i < 0 ? *i + x.shape[d] : *i};
            } else {
              const Slice s = std::get<Slice>(entries[d]);
              taken[d] = python_range(s.start, s.stop, s.step, x.shape[d]);
            }
          }
          std::vector<Index> expected;
          for (const Index i : taken[0]) {
            for (const Index j : taken[1]) {
              for (const Index k : taken[2]) expected.push_back(position(x, {i, j, k}));
            }
          }
          ASSERT_EQ(positions(index(x, entries)), expected) << to_string(x);
        }
      }
    }
  }
}

TEST(Diagonal, HoldsTheElementsWhoseIndexesDifferByTheOffset) {
  for (const Layout& x : small_layouts(3, 3)) {
    const auto rank = static_cast<Index>(x.rank());
    for (Index axis1 = -rank; axis1 < rank; ++axis1) {
      for (Index axis2 = -rank; axis2 < rank; ++axis2) {
        const std::size_t a = wrap_axis("diagonal", axis1, x.shape);
        const std::size_t b = wrap_axis("diagonal", axis2, x.shape);
        if (a == b) continue;
        for (Index offset = -4; offset <= 4; ++offset) {
          const Layout y = diagonal(x, offset, axis1, axis2);
          Index length = 0;  // of i with both i and i+offset on their axes
          for (Index i = 0; i < x.shape[a]; ++i) length += i + offset >= 0 && i + offset < x.shape[b];
          ASSERT_EQ(y.shape.back(), length) << to_string(x) << " " << offset;
          ASSERT_EQ(y.strides.back(), x.strides[a] + x.strides[b]);
          if (length == 0) {
            ASSERT_EQ(y.offset, x.offset) << "stays where the diagonal is empty";
          }
          ASSERT_TRUE(maps_elements(y, x,
                                    [&](const Dims& index) {
                                      const Index i = index.back();
                                      Dims from(std::span<const Index>(index).first(index.size() - 1));
                                      const Index row = i + std::max<Index>(-offset, 0);
                                      const Index column = i + std::max<Index>(offset, 0);
                                      from.insert(std::min(a, b), a < b ? row : column);
                                      from.insert(std::max(a, b), a < b ? column : row);
                                      return from;
                                    }))
              << to_string(x) << " " << offset;
        }
      }
    }
  }
  EXPECT_EQ(diagonal({{3, 3}, {3, 1}, 2}, INT64_MIN), (Layout{{0}, {4}, 2}));
  EXPECT_EQ(diagonal({{3, 3}, {3, 1}, 2}, INT64_MAX), (Layout{{0}, {4}, 2}));
}

TEST(Unfold, HoldsTheWindowsOfAnAxis) {
  for (const Layout& x : small_layouts(3, 3)) {
    for (std::size_t d = 0; d < x.rank(); ++d) {
      for (Index size = 0; size <= x.shape[d]; ++size) {
        for (Index step = 1; step <= 4; ++step) {
          const Layout y = unfold(x, static_cast<Index>(d), size, step);
          Index windows = 0;
          for (Index start = 0; start + size <= x.shape[d]; start += step) ++windows;
          ASSERT_EQ(y.shape[d], windows) << to_string(x);
          ASSERT_EQ(y.shape.back(), size);
          ASSERT_TRUE(maps_elements(y, x, [&](const Dims& index) {
            Dims from(std::span<const Index>(index).first(index.size() - 1));
            from[d] = from[d] * step + index.back();
            return from;
          })) << to_string(x);
        }
      }
    }
  }
  EXPECT_EQ(unfold({{}, {}, 3}, 0, 1, 5), (Layout{{1}, {1}, 3})) << "rank 0 is one window";
  EXPECT_EQ(unfold({{}, {}, 3}, -1, 0, 1), (Layout{{0}, {1}, 3}));
}

TEST(FlipView, WalksTheAxesBackwardsAndUndoesItself) {
  for (const Layout& x : small_layouts(3, 3)) {
    for (std::uint32_t mask = 0; mask < 1U << x.rank(); ++mask) {
      Dims axes;
      for (std::size_t d = 0; d < x.rank(); ++d) {
        if ((mask >> d & 1U) != 0) axes.push_back(static_cast<Index>(d));
      }
      const Layout y = flip_view(x, axes);
      ASSERT_TRUE(maps_elements(y, x, [&](Dims index) {
        for (const Index d : axes) index[detail::at(d)] = x.shape[detail::at(d)] - 1 - index[detail::at(d)];
        return index;
      })) << to_string(x);
      ASSERT_EQ(flip_view(y, axes), x);
    }
  }
  EXPECT_EQ(flip_view({{}, {}, 3}, {0}), (Layout{{}, {}, 3}));
}

/// The bytes seen, element by element.
std::vector<Index> bytes_of(const Layout& layout, std::size_t item_size) {
  std::vector<Index> bytes;
  for (const Index p : positions(layout)) {
    for (Index byte = 0; byte < static_cast<Index>(item_size); ++byte) {
      bytes.push_back(p * static_cast<Index>(item_size) + byte);
    }
  }
  return bytes;
}

TEST(ViewDtype, SeesTheSameBytesInTheSameOrderAndGoesBack) {
  for (const Layout& x : small_layouts(3, 3)) {
    for (const std::size_t from : {1U, 2U, 4U, 8U, 16U}) {
      ASSERT_EQ(view_dtype(x, from, from), x);
      if (x.rank() == 0 || x.strides.back() != 1) continue;
      for (std::size_t to = 1; to < from; to *= 2) {
        const Layout y = view_dtype(x, from, to);
        ASSERT_EQ(bytes_of(y, to), bytes_of(x, from)) << to_string(x);
        ASSERT_EQ(view_dtype(y, to, from), x);
      }
    }
  }
}

TEST(ViewAsReal, IsTheViewWithATrailingPair) {
  for (const Layout& x : small_layouts(3, 3)) {
    const Layout y = view_as_real(x);
    ASSERT_EQ(bytes_of(y, 4), bytes_of(x, 8)) << to_string(x);
    ASSERT_EQ(view_as_complex(y), x);
    ASSERT_EQ(complex_component(x, 0), select(y, -1, 0));
    ASSERT_EQ(complex_component(x, 1), select(y, -1, 1));
  }
}

}  // namespace
}  // namespace tenstride
