// SPDX-License-Identifier: Apache-2.0
// Positions in a loop nest, against a count of indices.
#include "copy/cursor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "plan/nest.hpp"

namespace tenstride {
namespace {

using copy::Cursor;

/// A nest over two arrays, with a loop that runs backwards in the source and one of stride 0.
class CursorTest : public ::testing::Test {
 protected:
  using Place = std::pair<Index, Index>;

  [[nodiscard]] Place place(const Cursor& at) const { return {at.dst() - dst_, at.src() - src_}; }

  [[nodiscard]] std::vector<Place> places() const {
    std::vector<Place> all;
    for (Index a = 0; a < 3; ++a) {
      for (Index b = 0; b < 2; ++b) {
        for (Index c = 0; c < 5; ++c) all.emplace_back(a * 100 + b * 50 + c * 4, c * 7 - a * 40);
      }
    }
    return all;
  }

  [[nodiscard]] Cursor first() { return {nest_, dst_, src_}; }

  std::array<Loop, 3> nest_{Loop{3, 100, -40}, Loop{2, 50, 0}, Loop{5, 4, 7}};
  std::array<std::byte, 400> to_{};
  std::array<std::byte, 400> from_{};
  std::byte* dst_ = to_.data();
  const std::byte* src_ = from_.data() + 80;
};

TEST_F(CursorTest, VisitsEachPositionInOrderAndBeginsAgain) {
  Cursor at = first();
  ASSERT_EQ(at.count(), 30);
  for (int transpose = 0; transpose < 2; ++transpose) {
    for (std::size_t i = 0; i < places().size(); ++i) {
      EXPECT_EQ(place(at), places()[i]) << i;
      EXPECT_EQ(at.next(), i + 1 < places().size());
    }
  }
}

TEST_F(CursorTest, SeeksWhereItWouldCountTo) {
  for (Index position = 0; position < 30; ++position) {
    Cursor at = first();
    at.seek(position);
    EXPECT_EQ(place(at), places()[static_cast<std::size_t>(position)]);
    EXPECT_EQ(at.index(0), position / 10);
    EXPECT_EQ(at.index(2), position % 5);
    EXPECT_EQ(at.run_left(), 5 - position % 5);
  }
}

TEST_F(CursorTest, SkipsAlongTheInnermostLoop) {
  for (Index position = 0; position < 29; ++position) {
    for (Index count = 1; count <= 5 - position % 5 && position + count < 30; ++count) {
      Cursor at = first();
      at.seek(position);
      at.skip(count);
      EXPECT_EQ(place(at), places()[static_cast<std::size_t>(position + count)]);
    }
  }
}

TEST_F(CursorTest, HasOnePositionWithoutLoops) {
  Cursor at({}, dst_, src_);
  EXPECT_EQ(at.count(), 1);
  EXPECT_EQ(at.run_left(), 1);
  EXPECT_EQ(at.run().extent, 1);
  EXPECT_FALSE(at.next());
  int visits = 0;
  copy::for_each_position({}, dst_, src_, [&](std::byte*, const std::byte*) { ++visits; });
  EXPECT_EQ(visits, 1);
}

TEST(Nest, IsInTheOrderOfTheDestination) {
  Nest nest;
  detail::normalise({{5, 7, 3}, {1, 15, 5}, 0}, DType::float32, {{5, 7, 3}, {3, 1, 20}, 0}, DType::float32,
                    nest);
  Loops& loops = nest.loops;
  ASSERT_EQ(loops.size(), 3U);
  EXPECT_EQ(loops[0].extent, 7);
  EXPECT_EQ(loops[2].extent, 5);
  EXPECT_EQ(loops.positions(), 105);
  EXPECT_TRUE(loops.is_contiguous(&Loop::dst_stride, 4));
  EXPECT_FALSE(loops.is_contiguous(&Loop::src_stride, 4));
  loops.make_contiguous(&Loop::src_stride, 2);
  EXPECT_EQ(loops[1].src_stride, 10);
}

}  // namespace
}  // namespace tenstride
