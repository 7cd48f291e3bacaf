// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/scramble.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/slow.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/views.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

std::string code(const Dims& from, const Dims& to) {
  const std::optional<Scramble> scramble = find_scramble(from, to);
  return scramble ? to_code(*scramble) : "none";
}

TEST(Scramble, NamesTheTransposeThatWasMeant) {
  EXPECT_EQ(find_scramble({2, 3}, {3, 2})->order, (Dims{1, 0}));
  EXPECT_EQ(code({2, 3}, {3, 2}), ".transpose(0, 1)");
  EXPECT_EQ(code({2, 3, 4, 5}, {4, 3, 2, 5}), ".transpose(0, 2)");
  EXPECT_EQ(code({480, 640, 3}, {3, 480, 640}), ".permute(2, 0, 1)");
  EXPECT_EQ(code({128, 16, 8}, {16, 128, 8}), ".transpose(0, 1)");
  EXPECT_EQ(code({2, 3, 4}, {3, 4, 2}), ".permute(1, 2, 0)");
  EXPECT_EQ(to_string(*find_scramble({2, 3}, {3, 2})),
            "the sizes (2,3) are reordered to (3,2) but no axis is moved, so the elements are scrambled; "
            "probably meant: .transpose(0, 1)");
}

TEST(Scramble, LooksPastAxesOfSizeOne) {
  EXPECT_EQ(code({1, 2, 3, 4}, {1, 3, 2, 4}), ".transpose(1, 2)");
  EXPECT_EQ(code({2, 3}, {3, 1, 2}), ".transpose(0, 1).view(3, 1, 2)");
  EXPECT_EQ(code({2, 1, 3}, {3, 2}), ".permute(2, 0, 1).view(3, 2)");
  EXPECT_EQ(code({2, 1, 3}, {3, 2, 1}), ".permute(2, 0, 1)");
  EXPECT_EQ(code({1, 6}, {6, 1}), "none");
  EXPECT_EQ(code({2, 3}, {1, 2, 1, 3, 1}), "none");
}

TEST(Scramble, LeavesHonestReshapesAlone) {
  EXPECT_EQ(code({4, 4}, {4, 4}), "none");
  EXPECT_EQ(code({2, 3}, {2, 3}), "none");
  EXPECT_EQ(code({2, 3, 4}, {6, 4}), "none") << "merged";
  EXPECT_EQ(code({6, 4}, {2, 3, 4}), "none") << "split";
  EXPECT_EQ(code({4, 6}, {8, 3}), "none") << "the sizes are others";
  EXPECT_EQ(code({6}, {3, 2}), "none");
  EXPECT_EQ(code({}, {}), "none");
  EXPECT_EQ(code({}, {1, 1}), "none");
  EXPECT_EQ(code({0, 3}, {3, 0}), "none") << "there is nothing to scramble";
}

TEST(Scramble, KeepsTheOrderOfEqualSizes) {
  EXPECT_EQ(find_scramble({3, 2, 2}, {2, 2, 3})->order, (Dims{1, 2, 0}));
  EXPECT_EQ(find_scramble({2, 3, 2}, {2, 2, 3})->order, (Dims{0, 2, 1}));
  EXPECT_EQ(find_scramble({5, 3, 5}, {3, 5, 5})->order, (Dims{1, 0, 2}));
}

/// By its definition: some order of the axes has the sizes, axes of size 1 aside, and none of those orders
/// leaves the axes that are longer than 1 as they are.
bool is_scramble_slowly(const Dims& from, const Dims& to) {
  const auto kept = [](const Dims& sizes) {
    std::vector<Index> list;
    std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(list), [](Index size) { return size != 1; });
    return list;
  };
  if (std::count(from.begin(), from.end(), 0) > 0 || kept(from) == kept(to)) return false;
  std::vector<Index> order(from.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    Dims sizes;
    for (const Index axis : order) sizes.push_back(from[static_cast<std::size_t>(axis)]);
    if (kept(sizes) == kept(to)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

std::vector<Dims> small_shapes() {
  std::vector<Dims> shapes{{}};
  for (std::size_t from = 0, rank = 1; rank <= 4; ++rank) {
    const std::size_t end = shapes.size();
    for (; from < end; ++from) {
      for (const Index size : {0, 1, 2, 3, 6}) {
        Dims longer = shapes[from];
        longer.push_back(size);
        shapes.push_back(longer);
      }
    }
  }
  return shapes;
}

TEST(Scramble, IsWhatItsDefinitionSaysOfAllSmallShapes) {
  const std::vector<Dims> shapes = small_shapes();
  int found = 0;
  for (const Dims& from : shapes) {
    for (const Dims& to : shapes) {
      if (count_elements(from) != count_elements(to)) continue;
      const std::optional<Scramble> scramble = find_scramble(from, to);
      const bool is_reordered = is_scramble_slowly(from, to);
      if (!is_reordered) continue;  // for others see test_scramble_moved.cpp
      ASSERT_TRUE(scramble.has_value());
      ++found;
      EXPECT_EQ(scramble->from, from);
      EXPECT_EQ(scramble->to, to);
      // The order is one of all axes, and the sizes then are those asked for: no scramble is left.
      EXPECT_FALSE(find_scramble(permute({from, row_major_strides(from)}, scramble->order).shape, to));
    }
  }
  EXPECT_GT(found, 500);
}

/// The elements are numbered: what stands where is read off.
TEST(Scramble, TellsWhereEachElementComesFrom) {
  const Scramble small = *find_scramble({2, 3}, {3, 2});
  EXPECT_EQ(place_at(small, {0, 1}), (ScrambledPlace{{0, 1}, {0, 1}, {1, 0}}));
  EXPECT_EQ(differing_places(small, 1).at(0), (ScrambledPlace{{0, 1}, {0, 1}, {1, 0}}));
  EXPECT_EQ(count_differing(small), 4);
  const std::vector<Dims> shapes = small_shapes();
  for (const Dims& from : shapes) {
    for (const Dims& to : shapes) {
      if (!is_scramble_slowly(from, to) || count_elements(from) > 40) continue;
      const std::optional<Scramble> scramble = find_scramble(from, to);
      const Layout x = row_major(from);
      const Layout meant = view(permute(x, scramble->order), to);
      const Layout reshaped = view(x, to);
      std::vector<Dims> different;
      testing::for_each_index(to, [&](const Dims& index) {
        const ScrambledPlace place = place_at(*scramble, index);
        EXPECT_EQ(position(x, place.reshaped_from), position(reshaped, index));
        EXPECT_EQ(position(x, place.meant_from), position(meant, index));
        if (position(reshaped, index) != position(meant, index)) different.push_back(index);
      });
      EXPECT_EQ(count_differing(*scramble), static_cast<Index>(different.size()));
      const std::vector<ScrambledPlace> first = differing_places(*scramble, 3);
      ASSERT_FALSE(first.empty());
      EXPECT_LE(first.size(), std::min<std::size_t>(3, different.size()));
      for (const ScrambledPlace& place : first) {
        EXPECT_EQ(place, place_at(*scramble, place.index));
        EXPECT_NE(place.reshaped_from, place.meant_from);
      }
    }
  }
}

TEST(Scramble, FindsTheFirstDifferencesOfLargeTensorsAtOnce) {
  const Scramble large = *find_scramble({2, 3, 1000000000000}, {3, 2, 1000000000000});
  EXPECT_EQ(differing_places(large, 3).at(0), (ScrambledPlace{{0, 1, 0}, {0, 1, 0}, {1, 0, 0}}));
  EXPECT_EQ(count_differing(large), 4000000000000);
}

TEST(Scramble, NamesCodeThatRunsAndCopiesNothing) {
  for (const auto& [from, to] : std::vector<std::pair<Dims, Dims>>{{{2, 3}, {3, 2}},
                                                                   {{2, 3, 4}, {4, 2, 3}},
                                                                   {{2, 3}, {3, 1, 2}},
                                                                   {{2, 1, 3}, {3, 2}},
                                                                   {{1, 2, 3, 1}, {3, 1, 2}},
                                                                   {{5, 2, 2, 3}, {2, 3, 5, 2}}}) {
    const Tensor x = arange(count_elements(from)).view(from);
    const Scramble scramble = *find_scramble(from, to);
    const Evaluation meant = evaluate(Program::parse("x" + to_code(scramble)), {.inputs = {{"x", x}}});
    ASSERT_FALSE(meant.failure) << to_code(scramble) << ": " << meant.failure->message;
    EXPECT_TRUE(meant.value.tensor()->equal(x.permute(scramble.order).reshape(to))) << to_code(scramble);
    EXPECT_EQ(meant.totals.copies, 0U);
    EXPECT_FALSE(meant.value.tensor()->equal(x.view(to)));
    for (const Step& step : meant.steps) EXPECT_EQ(step.hint, "");
  }
}

}  // namespace
}  // namespace tenstride
