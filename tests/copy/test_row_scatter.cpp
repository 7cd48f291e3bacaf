// SPDX-License-Identifier: Apache-2.0
// Rows read in the source's order, against the slow definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "support/copy_job.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

using Job = testing::CopyJob;
using oracle::Random;
using testing::permuted;

TEST(RowScatter, BeginAndEndAnywhere) {
  Random random(1);
  for (const copy::Kernels* kernels : copy::available_kernels()) {
    for (const Index bytes : {72, 96, 127, 128, 129, 192, 300, 1001}) {
      for (const Index skew : {0, 1, 16, 63, 64}) {
        ASSERT_TRUE(testing::has_it<RowScatter>(random, permuted({9, 13, bytes}, {1, 0, 2}, DType::uint8),
                                                skew, *kernels))
            << bytes << " bytes at " << skew;
        if (HasFailure()) return;
      }
    }
  }
}

TEST(RowScatter, HaveOneOrderOfManyAxes) {
  Random random(2);
  for (const auto& [shape, order] : std::vector<std::pair<Dims, std::vector<std::size_t>>>{
           {{6, 7, 8, 90}, {2, 1, 0, 3}},
           {{6, 7, 8, 90}, {2, 0, 1, 3}},
           {{6, 7, 8, 90}, {1, 2, 0, 3}},
           {{6, 7, 8, 90}, {0, 2, 1, 3}},
           {{3, 4, 5, 6, 7, 90}, {3, 1, 4, 0, 2, 5}},
           {{3, 4, 5, 6, 7, 90}, {4, 3, 2, 1, 0, 5}},
           {{2, 2, 2, 2, 2, 2, 2, 90}, {6, 4, 2, 0, 1, 3, 5, 7}}}) {
    for (const DType type : {DType::uint8, DType::float32}) {
      ASSERT_TRUE(testing::has_it<RowScatter>(random, permuted(shape, order, type)))
          << ::testing::PrintToString(order);
      if (HasFailure()) return;
    }
  }
}

/// More rows between two neighbours than partial lines can be kept for.
TEST(RowScatter, AreCutWhereTooManyMeet) {
  Random random(3);
  for (const auto& [shape, order] :
       std::vector<std::pair<Dims, std::vector<std::size_t>>>{{{3, 9001, 75}, {1, 0, 2}},
                                                              {{4, 3, 5000, 75}, {2, 1, 0, 3}},
                                                              {{3, 70, 90, 75}, {2, 1, 0, 3}},
                                                              {{2, 5, 90, 75, 75}, {3, 2, 1, 0, 4}}}) {
    ASSERT_TRUE(testing::has_it<RowScatter>(random, permuted(shape, order, DType::uint8)))
        << ::testing::PrintToString(order);
    if (HasFailure()) return;
  }
}

TEST(RowScatter, HaveGapsAndGoBackwards) {
  Random random(4);
  Job cropped = permuted({9, 14, 100}, {1, 0, 2}, DType::float32);
  cropped.src.shape[2] = 33;
  cropped.dst = row_major(cropped.src.shape);
  cropped.dst_elements = numel(cropped.dst);
  EXPECT_TRUE(testing::has_it<RowScatter>(random, cropped));

  Job flipped = permuted({9, 14, 33}, {1, 0, 2}, DType::float32);
  for (const std::size_t axis : {0U, 1U}) {
    flipped.src.offset += (flipped.src.shape[axis] - 1) * flipped.src.strides[axis];
    flipped.src.strides[axis] *= -1;
    EXPECT_TRUE(testing::has_it<RowScatter>(random, flipped));
  }

  Job separate = permuted({9, 14, 301}, {1, 0, 2}, DType::float32);  // no two rows share a line
  separate.dst.strides = {9 * 305, 305, 1};
  separate.dst_elements = 14 * 9 * 305;
  EXPECT_TRUE(testing::has_it<RowScatter>(random, separate));

  Job blocks = permuted({9, 14, 33}, {1, 0, 2}, DType::float32);  // they share lines along one loop
  blocks.dst.strides[0] += 7;
  blocks.dst_elements += 14 * 7;
  EXPECT_TRUE(testing::has_it<RowScatter>(random, blocks));
}

TEST(RowScatter, AreSharedByThreads) {
  Random random(5);
  const ThreadScope three(3);
  for (const auto& [shape, order] :
       std::vector<std::pair<Dims, std::vector<std::size_t>>>{{{300, 20, 300}, {1, 0, 2}},
                                                              {{20, 300, 300}, {1, 0, 2}},
                                                              {{2, 9001, 75}, {1, 0, 2}},
                                                              {{300, 20, 256}, {1, 0, 2}},
                                                              {{5, 40, 30, 192}, {0, 2, 1, 3}}}) {
    ASSERT_TRUE(testing::has_it<RowScatter>(random, permuted(shape, order, DType::uint8)))
        << ::testing::PrintToString(order);
    if (HasFailure()) return;
  }
}

TEST(RowScatter, AreAnyRows) {
  Random random(6);
  int taken = 0;
  for (int i = 0; i < 300; ++i) {
    const auto rank = static_cast<std::size_t>(random.between(3, 6));
    Dims shape;
    std::vector<std::size_t> order;
    Index room = 3000;
    for (std::size_t d = 0; d + 1 < rank; ++d) {
      const Index size = random.between(1, std::min<Index>(room, random.one_in(3) ? 300 : 9));
      shape.push_back(size);
      room /= size;
      order.insert(order.begin() + random.between(0, static_cast<Index>(d)), d);
    }
    shape.push_back(random.between(60, 400));
    order.push_back(rank - 1);
    Job job = permuted(shape, order, random.one_in(2) ? DType::uint8 : DType::float16);
    const auto axis = static_cast<std::size_t>(random.between(0, static_cast<Index>(rank) - 2));
    if (random.one_in(3)) {
      job.src.offset = (job.src.shape[axis] - 1) * job.src.strides[axis];
      job.src.strides[axis] *= -1;
    }
    if (random.one_in(3)) {
      Dims wide = job.src.shape;
      wide[random.one_in(2) ? axis : rank - 1] += random.between(1, 3);
      job.dst.strides = row_major(wide).strides;
      job.dst_elements = numel(row_major(wide));
    }
    taken += testing::has_it<RowScatter>(random, job) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 100);
}

TEST(RowScatter, LeavesOtherPlans) {
  Random random(7);
  EXPECT_FALSE(testing::has_it<RowScatter>(random, permuted({9, 13, 40}, {1, 0, 2}, DType::uint8)))
      << "short rows";
  EXPECT_FALSE(testing::has_it<RowScatter>(random, permuted({9, 3, 20000}, {1, 0, 2}, DType::uint8)))
      << "long rows";
  EXPECT_FALSE(testing::has_it<RowScatter>(random, permuted({90, 130}, {1, 0}, DType::uint8))) << "no rows";
  Job cached = permuted({9, 13, 300}, {1, 0, 2}, DType::uint8);
  cached.options = testing::streaming(false);
  EXPECT_FALSE(testing::has_it<RowScatter>(random, cached)) << "in a cache";
  Job in_order = permuted({9, 13, 300}, {0, 1, 2}, DType::uint8);
  in_order.src.shape[2] = 200;
  in_order.dst = row_major(in_order.src.shape);
  in_order.dst_elements = numel(in_order.dst);
  EXPECT_FALSE(testing::has_it<RowScatter>(random, in_order)) << "one order on both sides";
  Job expanded = permuted({9, 13, 14, 300}, {2, 1, 0, 3}, DType::uint8);
  expanded.src.strides[0] = 0;
  EXPECT_FALSE(testing::has_it<RowScatter>(random, expanded)) << "the same rows again";
  Job converted = permuted({9, 13, 300}, {1, 0, 2}, DType::float32);
  converted.dst_type = DType::float64;
  EXPECT_FALSE(testing::has_it<RowScatter>(random, converted)) << "another type";
}

}  // namespace
}  // namespace tenstride
