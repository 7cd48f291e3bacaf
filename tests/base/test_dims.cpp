// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/dims.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <random>

#include "support/refusal.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride {
namespace {

using testing::refusal;

TEST(Dims, HoldsWhatItWasGiven) {
  const Dims dims{2, 3, 4};
  EXPECT_EQ(dims.size(), 3U);
  EXPECT_FALSE(dims.empty());
  EXPECT_EQ(dims[1], 3);
  EXPECT_EQ(dims.front(), 2);
  EXPECT_EQ(dims.back(), 4);
  EXPECT_EQ(dims.to_vector(), (std::vector<Index>{2, 3, 4}));
  EXPECT_EQ(Dims(std::vector<Index>{2, 3, 4}), dims);
  EXPECT_EQ(Dims(std::span<const Index>(dims)), dims);
  EXPECT_TRUE(Dims{}.empty());
}

TEST(Dims, EqualOnlyWithSameLengthAndEntries) {
  EXPECT_EQ((Dims{1, 2}), (Dims{1, 2}));
  EXPECT_NE((Dims{1, 2}), (Dims{1, 2, 3}));
  EXPECT_NE((Dims{1, 2}), (Dims{2, 1}));
  EXPECT_EQ(Dims::filled(9, 1), Dims::filled(9, 1));
}

TEST(Dims, CrossesTheInlineCapacityBothWays) {
  for (std::size_t count = 0; count <= max_rank; ++count) {
    Dims dims;
    for (std::size_t i = 0; i < count; ++i) dims.push_back(static_cast<Index>(i));
    const Dims copy = dims;
    ASSERT_EQ(copy.size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(copy[i], static_cast<Index>(i));
    for (std::size_t i = count; i-- > 0;) {
      ASSERT_EQ(dims.back(), static_cast<Index>(i));
      dims.pop_back();
    }
    ASSERT_TRUE(dims.empty());
    ASSERT_EQ(copy.size(), count) << "a copy has its own entries";
  }
}

TEST(Dims, CopiesAndMovesBetweenInlineAndHeap) {
  for (const std::size_t from : {0U, 3U, 8U, 9U, 64U}) {
    for (const std::size_t to : {0U, 3U, 8U, 9U, 64U}) {
      const Dims source = Dims::filled(from, 5);
      Dims assigned = Dims::filled(to, 7);
      assigned = source;
      ASSERT_EQ(assigned, source);
      Dims moved = Dims::filled(to, 7);
      moved = Dims::filled(from, 5);
      ASSERT_EQ(moved, source);
      Dims target(std::move(moved));
      ASSERT_EQ(target, source);
      Dims& same = target;
      target = same;
      ASSERT_EQ(target, source);
      Dims other = Dims::filled(to, 7);
      target.swap(other);
      ASSERT_EQ(other, source);
      ASSERT_EQ(target, Dims::filled(to, 7));
    }
  }
}

TEST(Dims, EditsAsADequeDoes) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same edits every time
  for (int round = 0; round < 200; ++round) {
    Dims dims;
    std::deque<Index> expected;
    for (int edit = 0; edit < 60; ++edit) {
      const auto value = static_cast<Index>(random() % 100);
      const std::size_t at = random() % (expected.size() + 1);
      switch (random() % 5) {
        case 0:
          dims.push_back(value);
          expected.push_back(value);
          break;
        case 1:
        case 2:
          dims.insert(at, value);
          expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(at), value);
          break;
        case 3:
          if (at == expected.size()) break;
          dims.erase(at);
          expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        default:
          dims.resize(at, value);
          expected.resize(at, value);
      }
      ASSERT_EQ(dims.to_vector(), std::vector<Index>(expected.begin(), expected.end()));
    }
    ASSERT_TRUE(std::equal(dims.rbegin(), dims.rend(), expected.rbegin(), expected.rend()));
  }
}

TEST(Dims, RefusesMoreThan64Entries) {
  const std::string message = "dims: 65 entries given, must be at most 64 (the largest rank)";
  EXPECT_EQ(refusal<RankError>([] { return Dims::filled(65, 1); }), message);
  EXPECT_EQ(refusal<RankError>([] { return Dims(std::vector<Index>(65)); }), message);
  Dims full = Dims::filled(64, 1);
  EXPECT_EQ(refusal<RankError>([&] {
              full.push_back(1);
              return 0;
            }),
            message);
  EXPECT_EQ(refusal<RankError>([&] {
              full.insert(0, 1);
              return 0;
            }),
            message);
  EXPECT_EQ(full, Dims::filled(64, 1)) << "a refused edit changes nothing";
}

constexpr Index sum_of(std::size_t count) {
  Dims dims = Dims::filled(count, 1);
  dims.insert(0, 5);
  dims.erase(1);
  const Dims copy = dims;
  Dims moved = copy;
  return std::accumulate(moved.begin(), moved.end(), Index{0});
}
static_assert(Dims{2, 3} == Dims{2, 3});
static_assert(Dims::filled(3, 1) == Dims{1, 1, 1});
static_assert(sum_of(8) == 12 && sum_of(9) == 13 && sum_of(63) == 67);

TEST(CheckedArithmetic, GivesNothingBeyond64Bits) {
  EXPECT_EQ(try_multiply(Index{1} << 31, Index{1} << 31), Index{1} << 62);
  EXPECT_EQ(try_multiply(Index{1} << 32, Index{1} << 31), std::nullopt);
  EXPECT_EQ(try_multiply(INT64_MIN, -1), std::nullopt);
  EXPECT_EQ(try_add(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(try_add(INT64_MAX, -1), INT64_MAX - 1);
  EXPECT_EQ(refusal<OverflowError>([] { return checked_multiply(INT64_MAX, 2, "reach"); }),
            "reach: 9223372036854775807 * 2 must fit a signed 64-bit integer");
  EXPECT_EQ(refusal<OverflowError>([] { return checked_add(INT64_MIN, -1, "reach"); }),
            "reach: -9223372036854775808 + -1 must fit a signed 64-bit integer");
}

TEST(CheckedArithmetic, DividesRoundingUp) {
  for (Index a = 0; a < 20; ++a) {
    for (Index b = 1; b < 9; ++b) {
      Index steps = 0;
      for (Index at = 0; at < a; at += b) ++steps;
      EXPECT_EQ(ceil_divide(a, b), steps);
    }
  }
  EXPECT_EQ(ceil_divide(INT64_MAX, 2), (Index{1} << 62));
}

}  // namespace
}  // namespace tenstride
