// SPDX-License-Identifier: Apache-2.0
// Batches of small matrices, with their own way of being turned, against the slow definition.
#include "copy/local_blocks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "copy_oracle.hpp"
#include "support/copy_job.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride {
namespace {

using Job = testing::CopyJob;
using oracle::Random;
using testing::permuted;
using testing::streaming;

bool is_turned(Random& random, const Job& job) {
  return testing::has_it({copy::run_local_blocks, copy::local_blocks_text}, random, job);
}

constexpr std::array all_sizes{DType::uint8, DType::float16, DType::float32, DType::float64,
                               DType::complex128};

TEST(LocalBlocks, TurnMatricesOfEveryShapeAndItem) {
  Random random(1);
  for (const DType type : all_sizes) {
    for (const Index rows : {2, 3, 4, 5, 8, 17, 21, 33, 50, 100}) {
      for (const Index columns : {2, 3, 4, 6, 7, 16, 19, 24, 40, 65}) {
        Job job = permuted({random.between(2, 90), rows, columns}, {0, 2, 1}, type);
        for (const bool is_streaming : {false, true}) {
          job.options = streaming(is_streaming);
          const bool is_turned_here = is_turned(random, job);
          const bool fits = rows * columns * static_cast<Index>(item_size(type)) <= 32768;
          if (rows % 2 == 1 && fits) {  // no whole lines
            ASSERT_TRUE(is_turned_here) << rows << " x " << columns << " of " << item_size(type);
          }
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST(LocalBlocks, LieAnywhereInTheSource) {
  Random random(2);
  for (const DType type : all_sizes) {
    for (const auto& [shape, order] :
         std::vector<std::pair<Dims, std::vector<std::size_t>>>{{{7, 5, 50, 3}, {1, 0, 3, 2}},
                                                                {{6, 9, 17, 5}, {1, 0, 3, 2}},
                                                                {{40, 3, 4, 5}, {0, 3, 2, 1}},
                                                                {{11, 4, 6, 13}, {0, 2, 3, 1}},
                                                                {{3, 12, 3, 3}, {0, 1, 3, 2}},
                                                                {{5, 7, 3, 4, 5}, {1, 0, 4, 3, 2}}}) {
      Job job = permuted(shape, order, type);
      job.options = streaming(random.one_in(2));
      ASSERT_TRUE(is_turned(random, job)) << ::testing::PrintToString(order);
    }
  }
}

TEST(LocalBlocks, HaveGapsAndGoBackwards) {
  Random random(3);
  for (const DType type : all_sizes) {
    Job job = permuted({60, 9, 14}, {0, 2, 1}, type);
    job.src.strides[0] = 9 * 20;  // rows of 14 in 20
    job.src.strides[2] = 20;
    job.src_elements = 60 * 9 * 20;
    job.options = streaming(true);
    ASSERT_TRUE(is_turned(random, job));

    Job flipped = permuted({60, 9, 13}, {0, 2, 1}, type);
    flipped.src.strides[2] = -flipped.src.strides[2];
    flipped.src.strides[0] = -flipped.src.strides[0];
    flipped.src.offset = 59 * 9 * 13 + 8 * 13;
    flipped.options = streaming(true);
    ASSERT_TRUE(is_turned(random, flipped));

    Job apart = permuted({60, 9, 13}, {0, 2, 1}, type);  // results that are not side by side
    apart.dst.strides[0] += 5;
    apart.dst_elements = 60 * (9 * 13 + 5);
    apart.options = streaming(true);
    ASSERT_TRUE(is_turned(random, apart));
  }
}

TEST(LocalBlocks, AreConvertedAndScaled) {
  Random random(4);
  constexpr std::array one{0.5};
  for (const auto& [to, from] : std::vector<std::pair<DType, DType>>{{DType::float32, DType::uint8},
                                                                     {DType::uint8, DType::int32},
                                                                     {DType::bfloat16, DType::float32},
                                                                     {DType::float64, DType::int16}}) {
    for (const Dims& shape : {Dims{90, 50, 3}, Dims{200, 3, 3}, Dims{30, 17, 20}}) {
      Job job = permuted(shape, {0, 2, 1}, from);
      job.dst_type = to;
      job.options = streaming(random.one_in(2));
      ASSERT_TRUE(is_turned(random, job));
      job.options.scale = one;
      ASSERT_TRUE(is_turned(random, job));
    }
  }
  Job conjugated = permuted({50, 3, 7}, {0, 2, 1}, DType::complex64);
  conjugated.options.conjugation = Conjugation::conjugate;
  ASSERT_TRUE(is_turned(random, conjugated));
}

TEST(LocalBlocks, AreSharedByThreads) {
  Random random(5);
  const ThreadScope two(2);
  for (const DType type : all_sizes) {
    ASSERT_TRUE(is_turned(random, permuted({30011, 3, 5}, {0, 2, 1}, type)));
    ASSERT_TRUE(is_turned(random, permuted({33, 71, 21, 5}, {1, 0, 3, 2}, type)));
  }
}

TEST(LocalBlocks, LeaveOtherPlans) {
  Random random(6);
  ASSERT_FALSE(is_turned(random, permuted({300, 500}, {1, 0}, DType::float32))) << "one matrix";
  ASSERT_FALSE(is_turned(random, permuted({4, 300, 500}, {0, 2, 1}, DType::float32))) << "large ones";
  ASSERT_FALSE(is_turned(random, permuted({300, 5, 7}, {2, 1, 0}, DType::float32))) << "none lie together";
  constexpr std::array three{1.0, 2.0, 3.0};
  Job scaled = permuted({90, 50, 3}, {0, 2, 1}, DType::float32);
  scaled.options.scale = three;
  scaled.options.axis = 1;
  ASSERT_FALSE(is_turned(random, scaled)) << "a number for each channel";
}

}  // namespace
}  // namespace tenstride
