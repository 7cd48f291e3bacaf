// SPDX-License-Identifier: Apache-2.0
#include "io/plan/file_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "support/copy_oracle.hpp"
#include "support/slow.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using oracle::Random;
using testing::for_each_index;
using testing::slow_position;

/// A box of a file, and how large gaps are read over.
struct Box {
  Dims extents;
  Dims strides;
  Index max_gap = 0;
  [[nodiscard]] Layout layout() const { return {extents, strides, 0}; }
  [[nodiscard]] std::string text() const {
    return to_string(layout()) + " with gaps of " + std::to_string(max_gap);
  }
};

/// Positions from the lowest element on, sorted, each once.
std::vector<Index> file_positions(const Box& box) {
  std::vector<Index> positions = testing::sorted_positions(box.layout());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  const Index lowest = positions.front();
  for (Index& position : positions) position -= lowest;
  return positions;
}

/// The position in the file of the element at a position of the buffer.
std::map<Index, Index> buffer_contents(const FileRuns& runs, const Dims& pitch) {
  std::map<Index, Index> contents;
  for_each_run(runs, pitch, [&](Index file, Index buffer) {
    for (Index n = 0; n < runs.span; ++n) {
      EXPECT_TRUE(contents.emplace(buffer + n, file + n).second) << "two runs at one place of the buffer";
    }
  });
  return contents;
}

/// Checks that every element of the box is in the buffer, and that the buffer holds the right element of the
/// file.
void expect_found(const Box& box, const FileRuns& runs, const Dims& pitch) {
  const std::map<Index, Index> contents = buffer_contents(runs, pitch);
  const Layout buffer = box_in_buffer(box.extents, box.strides, runs, pitch);
  EXPECT_EQ(buffer.shape, box.extents);
  const Index lowest = lowest_of_box(box.extents, box.strides);
  for_each_index(box.extents, [&](const Dims& index) {
    const auto found = contents.find(slow_position(buffer, index));
    ASSERT_NE(found, contents.end()) << to_string(index);
    ASSERT_EQ(found->second, slow_position(box.layout(), index) - lowest) << to_string(index);
  });
}

void expect_runs(const Box& box) {
  SCOPED_TRACE(box.text());
  const FileRuns runs = runs_of_box(box.extents, box.strides, box.max_gap);
  const std::vector<Index> expected = file_positions(box);
  EXPECT_EQ(lowest_of_box(box.extents, box.strides), testing::sorted_positions(box.layout()).front());
  const auto is_element = [&](Index position) {
    return std::binary_search(expected.begin(), expected.end(), position);
  };
  Index visited = 0;
  const Dims dense = dense_pitch(runs);
  for_each_run(runs, dense, [&](Index file, Index buffer) {
    EXPECT_EQ(buffer, visited * runs.span) << "a gap in the dense buffer";
    ++visited;
    EXPECT_TRUE(is_element(file) && is_element(file + runs.span - 1)) << "a run is longer than its elements";
    Index gap = 0;
    for (Index n = 0; n < runs.span; ++n) {
      gap = is_element(file + n) ? 0 : gap + 1;
      EXPECT_LE(gap, box.max_gap);
    }
  });
  EXPECT_EQ(visited, runs.count());
  expect_found(box, runs, dense);
  // With room between the runs.
  Dims wide = dense;
  Index next = runs.span + 3;
  for (std::size_t d = wide.size(); d-- > 0;) {
    wide[d] = next;
    next = next * runs.extents[d] + 2;
  }
  expect_found(box, runs, wide);
}

TEST(FileRuns, GivesTheExampleOfTheHeader) {
  const FileRuns separate = runs_of_box({2, 3, 4}, {32, 8, 1}, 0);
  EXPECT_EQ(separate.span, 4);
  EXPECT_EQ(separate.extents, (Dims{2, 3}));
  EXPECT_EQ(separate.strides, (Dims{32, 8}));
  EXPECT_EQ(separate.count(), 6);
  EXPECT_EQ(dense_pitch(separate), (Dims{12, 4}));
  const FileRuns together = runs_of_box({2, 3, 4}, {32, 8, 1}, 4);
  EXPECT_EQ(together.span, 20);
  EXPECT_EQ(together.extents, (Dims{2}));
  EXPECT_EQ(together.strides, (Dims{32}));
  EXPECT_EQ(together.count(), 2);
}

TEST(FileRuns, TakesAWholeFileAsOneRun) {
  const FileRuns runs = runs_of_box({9, 3, 8}, {24, 8, 1}, 0);
  EXPECT_EQ(runs.span, 9 * 3 * 8);
  EXPECT_EQ(runs.extents, Dims{});
  EXPECT_EQ(runs.count(), 1);
  EXPECT_EQ(dense_pitch(runs), Dims{});
}

TEST(FileRuns, HasOneElementOfABoxWithoutAxes) {
  const FileRuns runs = runs_of_box({}, {}, 0);
  EXPECT_EQ(runs.span, 1);
  EXPECT_EQ(runs.count(), 1);
  expect_runs({{}, {}});
}

TEST(FileRuns, VisitsRunsInTheOrderOfTheFile) {
  std::vector<std::pair<Index, Index>> visited;
  const FileRuns runs = runs_of_box({2, 2, 3}, {1, 40, 10}, 0);
  for_each_run(runs, dense_pitch(runs),
               [&](Index file, Index buffer) { visited.emplace_back(file, buffer); });
  EXPECT_EQ(visited,
            (std::vector<std::pair<Index, Index>>{{0, 0}, {10, 2}, {20, 4}, {40, 6}, {50, 8}, {60, 10}}));
}

TEST(FileRuns, ReversesNegativeStrides) {
  // x[::-1, ::-2] of a row-major file (3,8), its first element at (2,7).
  const FileRuns runs = runs_of_box({3, 4}, {-8, -2}, 1);
  EXPECT_EQ(runs.span, 23);
  EXPECT_EQ(lowest_of_box({3, 4}, {-8, -2}), -22);
  EXPECT_EQ(box_in_buffer({3, 4}, {-8, -2}, runs, dense_pitch(runs)), (Layout{{3, 4}, {-8, -2}, 22}));
  const FileRuns separate = runs_of_box({3, 4}, {-8, -2}, 0);
  EXPECT_EQ(separate.count(), 12);
  EXPECT_EQ(box_in_buffer({3, 4}, {-8, -2}, separate, dense_pitch(separate)), (Layout{{3, 4}, {-4, -1}, 11}));
}

TEST(FileRuns, FindEveryElementOfRandomBoxes) {
  Random random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const auto rank = static_cast<std::size_t>(random.between(0, 4));
    const Dims shape = oracle::random_shape(random, rank, 200);
    if (is_empty(Layout{shape, Dims::filled(rank, 1), 0})) continue;
    const Layout layout = oracle::random_layout(random, shape, true).layout;
    expect_runs({shape, layout.strides, random.one_in(2) ? 0 : random.between(0, 12)});
    if (HasFailure()) return;
  }
}

TEST(FileRuns, FindEveryElementWhereIndexesOverlap) {
  Random random(2);
  for (int trial = 0; trial < 3000; ++trial) {
    Box box;
    const auto rank = static_cast<std::size_t>(random.between(1, 4));
    for (std::size_t d = 0; d < rank; ++d) {
      box.extents.push_back(random.between(1, 5));
      box.strides.push_back(random.between(-6, 12));
    }
    box.max_gap = random.between(0, 4);
    expect_runs(box);
    if (HasFailure()) return;
  }
}

TEST(FileRuns, HoldNothingButTheElementsWithoutGaps) {
  Random random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(1, 4)), 300);
    const Layout layout = oracle::random_layout(random, shape, false).layout;
    if (is_empty(layout)) continue;
    const FileRuns runs = runs_of_box(shape, layout.strides, 0);
    EXPECT_EQ(runs.count() * runs.span, numel(layout)) << to_string(layout);
    // No two runs are neighbours: they would be one.
    std::vector<Index> begins;
    for_each_run(runs, dense_pitch(runs), [&](Index file, Index) { begins.push_back(file); });
    EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end())) << to_string(layout);
    for (std::size_t n = 1; n < begins.size(); ++n) {
      EXPECT_GE(begins[n] - begins[n - 1], runs.span) << to_string(layout);
    }
  }
}

}  // namespace
}  // namespace tenstride
