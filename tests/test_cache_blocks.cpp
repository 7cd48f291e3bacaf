// SPDX-License-Identifier: Apache-2.0
// Permutations with short runs, turned block by block, against the slow definition.
#include "copy/cache_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "copy/block_shape.hpp"
#include "copy_oracle.hpp"
#include "support/copy_job.hpp"
#include "tenstride/parallel.hpp"
#include "tenstride/views_slices.hpp"

namespace tenstride {
namespace {

using Job = testing::CopyJob;
using oracle::Random;
using testing::permuted;
using testing::streaming;

bool is_turned(Random& random, const Job& job) {
  return testing::has_it({copy::run_cache_blocks, copy::cache_blocks_text}, random, job);
}

constexpr std::array all_types{DType::uint8, DType::float16, DType::float32, DType::float64,
                               DType::complex128};

/// With so much more of the longest axis that the items make up some blocks.
Dims lengthened(Dims shape, DType type) {
  *std::max_element(shape.begin(), shape.end()) *= 16 / static_cast<Index>(item_size(type));
  return shape;
}

TEST(CacheBlocks, TurnShortAxes) {
  Random random(1);
  const std::vector<std::pair<Dims, std::vector<std::size_t>>> cases{
      {{13, 16, 28, 2, 4}, {2, 0, 4, 1, 3}},       // a few channels of few
      {{28, 6, 3, 2, 27, 2}, {4, 0, 3, 5, 1, 2}},  // both runs cut
      {{7, 9, 6, 31, 3}, {4, 2, 1, 3, 0}},         // one loop in both
      {{2, 7001, 3}, {2, 1, 0}},                   // one long axis
      {{4, 61, 3, 5, 3, 3}, {1, 5, 2, 0, 3, 4}},
      {{303, 12, 4, 3}, {1, 3, 2, 0}},
      {{46, 3, 17, 6, 2}, {0, 3, 2, 1, 4}},  // short rows that lie apart
      {{3, 4001, 3}, {1, 0, 2}}};
  for (const DType type : all_types) {
    for (const auto& [shape, order] : cases) {
      const bool is_turned_here = is_turned(random, permuted(lengthened(shape, type), order, type));
      if (HasFailure()) return;
      if (item_size(type) > 4) continue;  // the runs of larger items may be long enough
      ASSERT_TRUE(is_turned_here) << ::testing::PrintToString(order) << " of " << item_size(type);
    }
  }
}

TEST(CacheBlocks, TurnPixels) {
  Random random(10);
  for (const bool is_streaming : {true, false}) {
    for (const Dims& shape : {Dims{201, 307, 3}, Dims{33, 2011, 5}, Dims{190, 211, 6}, Dims{1009, 64, 7}}) {
      Job job = permuted(shape, {1, 0, 2}, DType::uint8);
      job.options = streaming(is_streaming);
      ASSERT_TRUE(is_turned(random, job)) << ::testing::PrintToString(shape);
      for (const Dims& axes : {Dims{0}, Dims{1}}) {
        Job rotated = job;
        rotated.src = flip_view(job.src, axes);
        ASSERT_TRUE(is_turned(random, rotated)) << ::testing::PrintToString(shape);
      }
    }
    Job batch = permuted({5, 67, 90, 3}, {0, 2, 1, 3}, DType::uint16);
    batch.options = streaming(is_streaming);
    ASSERT_TRUE(is_turned(random, batch));
  }
}

TEST(CacheBlocks, TurnBatchesOfMatrices) {
  Random random(9);
  for (const DType type : all_types) {
    for (const Index columns : {71, 90}) {
      const Index rows = 2525 / static_cast<Index>(item_size(type));
      ASSERT_TRUE(is_turned(random, permuted({4, rows, columns}, {0, 2, 1}, type)))
          << columns << " columns of " << item_size(type);
    }
  }
}

TEST(CacheBlocks, TurnAnyShortAxes) {
  Random random(2);
  int turned = 0;
  for (int i = 0; i < 300; ++i) {
    const auto rank = static_cast<std::size_t>(random.between(2, 6));
    Dims shape;
    std::vector<std::size_t> order;
    Index room = 60000;
    for (std::size_t d = 0; d < rank; ++d) {
      const Index size = random.between(1, std::min<Index>(room, random.one_in(3) ? 400 : 9));
      shape.push_back(size);
      room /= size;
      order.insert(order.begin() + random.between(0, static_cast<Index>(d)), d);
    }
    Job job = permuted(shape, order, all_types[static_cast<std::size_t>(random.between(0, 4))]);
    const std::size_t axis = static_cast<std::size_t>(random.between(0, static_cast<Index>(rank) - 1));
    const Index kind = random.between(0, 4);
    if (kind == 0) {  // backwards
      job.src.offset = (job.src.shape[axis] - 1) * job.src.strides[axis];
      job.src.strides[axis] = -job.src.strides[axis];
    } else if (kind == 1) {  // every second one
      for (Index& stride : job.src.strides) stride *= 2;
      job.src_elements *= 2;
    } else if (kind == 2) {  // a destination with gaps
      Dims wide = job.src.shape;
      wide[axis] += random.between(1, 3);
      job.dst.strides = row_major(wide).strides;
      job.dst_elements = numel(row_major(wide));
    }
    job.options = streaming(!random.one_in(4));
    turned += is_turned(random, job) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(turned, 50);
}

TEST(CacheBlocks, ReadRowsWithGaps) {
  Random random(3);
  for (const DType type : all_types) {
    Job cropped = permuted({61, 12, 9, 5}, {1, 3, 2, 0}, type);  // rows of 3 in 5
    cropped.src.shape[1] = 3;
    cropped.dst = row_major(cropped.src.shape);
    cropped.dst_elements = numel(cropped.dst);
    ASSERT_TRUE(is_turned(random, cropped));
  }
}

TEST(CacheBlocks, GoBackwards) {
  Random random(4);
  for (const DType type : {DType::uint8, DType::float16}) {
    Job flipped = permuted({20001, 4}, {0, 1}, type);
    flipped.src.strides[1] = -1;
    flipped.src.offset = 3;
    ASSERT_TRUE(is_turned(random, flipped));
  }
}

TEST(CacheBlocks, AreConvertedAndScaled) {
  Random random(5);
  constexpr std::array one{0.5};
  for (const auto& [to, from] : std::vector<std::pair<DType, DType>>{{DType::float32, DType::uint8},
                                                                     {DType::uint8, DType::int32},
                                                                     {DType::bfloat16, DType::float32},
                                                                     {DType::complex128, DType::float32}}) {
    Job job = permuted({13, 16, 58, 2, 3}, {2, 0, 4, 1, 3}, from);
    job.dst_type = to;
    ASSERT_TRUE(is_turned(random, job));
    if (to == DType::complex128) continue;
    job.options.scale = one;
    ASSERT_TRUE(is_turned(random, job));
  }
  Job conjugated = permuted({13, 16, 31, 2, 3}, {2, 0, 4, 1, 3}, DType::complex64);
  conjugated.options.conjugation = Conjugation::conjugate;
  ASSERT_TRUE(is_turned(random, conjugated));
}

TEST(CacheBlocks, AreSharedByThreads) {
  Random random(6);
  const ThreadScope two(2);
  for (const DType type : all_types) {
    ASSERT_TRUE(is_turned(random, permuted({19, 16, 98, 2, 3}, {2, 0, 4, 1, 3}, type)));
    ASSERT_TRUE(is_turned(random, permuted({3, 30011, 2}, {2, 1, 0}, type)));
  }
}

TEST(CacheBlocks, LeaveOtherPlans) {
  Random random(7);
  EXPECT_FALSE(is_turned(random, permuted({300, 500}, {1, 0}, DType::float32))) << "long runs";
  EXPECT_FALSE(is_turned(random, permuted({30, 40, 1024}, {1, 0, 2}, DType::uint8))) << "whole lines";
  Job cached = permuted({7, 9, 6, 31, 3}, {4, 2, 1, 3, 0}, DType::float32);
  cached.options = streaming(false);
  EXPECT_FALSE(is_turned(random, cached)) << "in a cache";
  Job expanded = permuted({7, 9, 6, 31, 3}, {4, 2, 1, 3, 0}, DType::float32);
  expanded.src.strides[1] = 0;
  EXPECT_FALSE(is_turned(random, expanded)) << "the same numbers again";
  constexpr std::array three{1.0, 2.0, 3.0};
  Job scaled = permuted({7, 9, 6, 31, 3}, {4, 2, 1, 3, 0}, DType::float32);
  scaled.options.scale = three;
  scaled.options.axis = 0;
  EXPECT_FALSE(is_turned(random, scaled)) << "a number for each channel";
}

copy::Loops reversed(const std::vector<Index>& shape, Index item) {
  copy::Loops loops;
  Index src = item;
  Index dst = item;
  for (const Index extent : shape) dst *= extent;
  for (std::size_t d = shape.size(); d-- > 0;) {
    dst /= shape[d];
    loops.add(shape[d], dst, src);
    src *= shape[d];
  }
  return loops;
}

TEST(BlockShape, PaysOnceForTheLoopOfBothSides) {
  const copy::BlockShape shape = copy::choose_block(reversed({12, 1747626, 2}, 1), 1, 1, 32768);
  EXPECT_EQ(shape.part[0], 2);
  EXPECT_EQ(shape.part[1], 1365);
  EXPECT_EQ(shape.part[2], 12);
  EXPECT_EQ(shape.dst_run, 1365 * 12);
  EXPECT_EQ(shape.src_run, 1365 * 2);
}

TEST(BlockShape, FitsAndHasTheRunsItClaims) {
  Random random(8);
  for (int i = 0; i < 500; ++i) {
    std::vector<Index> sizes;
    for (Index d = random.between(1, 6); d > 0; --d)
      sizes.push_back(random.between(2, random.one_in(4) ? 5000 : 20));
    const Index most = random.between(1, 100000);
    const copy::Loops loops = reversed(sizes, 4);
    const copy::BlockShape shape = copy::choose_block(loops, 4, 4, most);
    Index items = 1;
    Index dst_run = 4;
    Index src_run = 4;
    for (std::size_t d = loops.count; d-- > 0;) {
      ASSERT_GE(shape.part[d], 1);
      ASSERT_LE(shape.part[d], loops.extent[d]);
      items *= shape.part[d];
      if (loops.dst[d] == dst_run) dst_run *= shape.part[d];
    }
    for (std::size_t d = 0; d < loops.count; ++d) {
      if (loops.src[d] == src_run) src_run *= shape.part[d];
    }
    ASSERT_LE(items, most);
    ASSERT_EQ(shape.dst_run, dst_run);
    ASSERT_EQ(shape.src_run, src_run);
  }
}

}  // namespace
}  // namespace tenstride
