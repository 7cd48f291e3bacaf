// SPDX-License-Identifier: Apache-2.0
// Many short runs at a time and pooled squares: every length, between forbidden pages; results that are
// written past the caches.
#include <gtest/gtest.h>

#include <cstring>

#include "reduce_oracle.hpp"
#include "support/guarded.hpp"
#include "tenstride/arithmetic.hpp"
#include "tenstride/ops.hpp"
#include "tenstride/parallel.hpp"
#include "tenstride/random.hpp"
#include "tenstride/text.hpp"

namespace tenstride {
namespace {

using testing::Guarded;
using testing::is_offered;
using testing::numbers;
using testing::slow_reduce;

constexpr DType types[] = {DType::bool_,   DType::uint8,   DType::int16,  DType::int32,
                           DType::float16, DType::float32, DType::float64};
constexpr Reduction reductions[] = {Reduction::sum, Reduction::prod, Reduction::min};

/// A tensor whose last byte is the last before the guard, or whose first is the first behind one.
Tensor between_guards(const Guarded& memory, const Dims& shape, const Dims& strides, DType dtype,
                      Reduction reduction, bool is_at_back) {
  const Index elements = reach(Layout{shape, strides, 0})->highest + 1;
  const Tensor values = numbers(elements, dtype, reduction);
  std::byte* const place = is_at_back ? memory.at_back(values.nbytes()) : memory.at_front();
  std::memcpy(place, values.storage_data(), values.nbytes());
  return from_blob(place, shape, strides, dtype);
}

void expect_definition(const Tensor& x, const Dims& axes, Reduction reduction) {
  ASSERT_TRUE(reduce_axes(x, axes, reduction).equal(slow_reduce(x, axes, reduction)))
      << name(reduction) << " of " << name(x.dtype()) << ' ' << to_string(x.layout());
}

TEST(ReduceRuns, OfEveryLengthReadNothingElse) {
  const Guarded memory(1 << 18);
  for (const DType dtype : types) {
    for (const Reduction reduction : reductions) {
      for (Index run = 1; run <= 270; run += run < 70 ? 1 : 19) {
        for (const Index gap : {0, 3}) {
          const Index count = run % 2 == 0 ? 37 : 5 + run % 31;
          const Tensor x =
              between_guards(memory, {count, run}, {run + gap, 1}, dtype, reduction, run % 3 != 0);
          ASSERT_NO_FATAL_FAILURE(expect_definition(x, {1}, reduction));
        }
      }
    }
  }
}

TEST(ReduceRuns, HowManyThereAreChangesNothing) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Index run : {16, 17, 49, 100, 128}) {
      const Tensor x = rand({70, run}, {.dtype = dtype});
      for (const Reduction reduction : {Reduction::sum, Reduction::prod}) {
        const Tensor together = reduce_axes(x, {1}, reduction);
        for (Index i = 0; i < 70; ++i) {
          const Tensor alone = reduce_axes(x.select(0, i).clone(), {0}, reduction);
          ASSERT_TRUE(alone.equal(together.select(0, i))) << name(dtype) << ' ' << run;
        }
      }
    }
  }
}

TEST(ReduceRuns, KeepTheBitsOfZeros) {
  const Tensor zeros = full({40, 98}, -0.0);
  EXPECT_TRUE(
      reduce_axes(zeros, {1}, Reduction::sum).view(DType::int32).equal(full({40}, 0).to(DType::int32)));
  const Tensor squares = zeros.view({20, 2, 7, 2, 7});
  for (const Dims& axes : {Dims{1, 3}, Dims{1}, Dims{3}}) {
    const Tensor sums = reduce_axes(squares, axes, Reduction::sum);
    EXPECT_TRUE(sums.view(DType::int32).equal(full(sums.shape(), 0).to(DType::int32)));
  }
}

TEST(ReducePools, OfEveryWidthReadNothingElse) {
  const Guarded memory(1 << 18);
  for (const DType dtype : types) {
    for (const Reduction reduction : reductions) {
      for (const Index channels : {1, 2, 3, 5, 8, 9, 17, 64}) {
        for (const Index square : {2, 3, 5}) {
          for (const Index wide : {1, 7, 33, 150}) {
            if (wide * channels > 450) continue;
            const Index row = wide * square * channels;
            const Dims shape{2, square, wide, square, channels};
            const Dims strides{square * (row + 1), row + 1, square * channels, channels, 1};
            const Tensor x = between_guards(memory, shape, strides, dtype, reduction, wide != 7);
            ASSERT_NO_FATAL_FAILURE(expect_definition(x, {1, 3}, reduction));
          }
        }
      }
    }
  }
}

/// Runs of four, which go another way.
Tensor by_runs(const Tensor& squares, Reduction reduction) {
  const Tensor turned = squares.permute({0, 2, 4, 1, 3}).contiguous();
  return reduce_axes(turned, {3, 4}, reduction);
}

TEST(ReducePools, LargeResultsArePassedByTheCaches) {
  for (const DType dtype : {DType::uint8, DType::float32}) {
    for (const Index channels : {1, 3, 9}) {
      const Index wide = 1031;
      const Index high = (Index{1} << 21) / (wide * channels) + 1;
      const Tensor x = (rand({high, 2, wide, 2, channels}) * 200).to(dtype);
      const Tensor expected = by_runs(x, Reduction::sum);
      for (const int threads : {1, 2}) {
        const ThreadScope scope(threads);
        const Tensor sums = reduce_axes(x, {1, 3}, Reduction::sum);
        if (dtype == DType::uint8) {
          ASSERT_TRUE(sums.equal(expected)) << channels << ' ' << threads;
        } else {
          ASSERT_TRUE(sums.allclose(expected, 1e-6)) << channels << ' ' << threads;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
