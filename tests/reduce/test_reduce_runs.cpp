// SPDX-License-Identifier: Apache-2.0
// Short runs, many at a time, rows of pixels and pooled squares: every length, between guard pages; and
// results that are written by streaming stores.
#include <gtest/gtest.h>

#include <cstring>

#include "support/guarded.hpp"
#include "support/reduce_oracle.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/random/random.hpp"

namespace tenstride {
namespace {

using testing::Guarded;
using testing::is_offered;
using testing::numbers;
using testing::slow_reduce;

constexpr DType types[] = {DType::bool_,   DType::uint8,   DType::int16,  DType::int32,
                           DType::float16, DType::float32, DType::float64};
constexpr Reduction reductions[] = {Reduction::sum, Reduction::prod, Reduction::min};

/// A tensor that ends at the guard behind it, or begins at the guard before it.
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
  const auto expect_zeros = [](const Tensor& x, const Dims& axes) {
    const Tensor sums = reduce_axes(x, axes, Reduction::sum);
    EXPECT_TRUE(sums.view(DType::int32).equal(full(sums.shape(), 0).to(DType::int32)));
  };
  for (const Dims& axes : {Dims{1, 3}, Dims{1}, Dims{3}}) expect_zeros(squares, axes);
  expect_zeros(full({70, 3}, -0.0), {1});
  expect_zeros(full({2, 130, 3}, -0.0), {1});
}

TEST(ReducePools, OfManyLinesReadNothingElse) {
  const Guarded memory(1 << 19);
  for (const DType dtype : types) {
    for (const Reduction reduction : reductions) {
      for (const Index square : {2, 3}) {
        for (const Index rows : {Index{1}, square}) {
          for (const Index wide : {1, 15, 16, 17, 31, 48, 63, 64, 65, 130}) {
            for (const Index gap : {0, 5}) {
              const Index row = wide * square + gap;
              const Index high = 4000 / (wide * rows) + 1;
              if (high * rows * row > 15'000) continue;
              const Dims shape{3, high, rows, wide, square};
              const Dims strides{high * rows * row + gap, rows * row, row, square, 1};
              const Tensor x = between_guards(memory, shape, strides, dtype, reduction, wide != 17);
              ASSERT_NO_FATAL_FAILURE(expect_definition(x, {2, 4}, reduction));
            }
          }
        }
      }
    }
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

TEST(ReducePixels, OfThreeChannelsInRowsReadNothingElse) {
  const Guarded memory(1 << 18);
  for (const DType dtype : types) {
    for (const Reduction reduction : reductions) {
      for (const Index count : {127, 128, 129, 143, 144, 145, 159, 191, 192, 193, 256, 319, 1000}) {
        for (const Index gap : {0, 3, 5}) {
          const Dims strides{3 * count + gap, 3, 1};
          const Tensor x = between_guards(memory, {5, count, 3}, strides, dtype, reduction, count % 4 != 0);
          ASSERT_NO_FATAL_FAILURE(expect_definition(x, {1}, reduction));
          ASSERT_NO_FATAL_FAILURE(expect_definition(x.flip({0, 1}), {1}, reduction));
        }
      }
    }
  }
}

TEST(ReducePixels, SumsOfTheLargestIntegersInRowsAreExact) {
  for (const Index count : {128, 257, 8191, 8192, 8193, 40'000}) {
    for (const auto& [dtype, value] :
         {std::pair{DType::uint8, 255}, std::pair{DType::int8, -128}, std::pair{DType::int8, 127},
          std::pair{DType::uint16, 65535}, std::pair{DType::int16, -32768}}) {
      const Tensor x = full({3, count, 3}, value, {.dtype = dtype});
      ASSERT_TRUE(
          reduce_axes(x, {1}, Reduction::sum).equal(full({3, 3}, count * value, {.dtype = DType::int64})))
          << name(dtype) << ' ' << count;
    }
  }
}

TEST(ReducePixels, SumsOfRowsDoNotDependOnHowManyThereAre) {
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32}) {
    const Tensor x = rand({70, 1003, 3}).to(dtype);
    const Tensor together = reduce_axes(x, {1}, Reduction::sum);
    for (Index i = 0; i + 2 <= 70; i += 3) {
      const Tensor short_rows = reduce_axes(x.narrow(0, i, 2).clone(), {1}, Reduction::sum);
      ASSERT_TRUE(short_rows.select(0, 0).equal(together.select(0, i))) << name(dtype) << ' ' << i;
    }
  }
}

/// Runs of four, which have a kernel path of their own.
Tensor by_runs(const Tensor& squares, Reduction reduction) {
  const Tensor transposed = squares.permute({0, 2, 4, 1, 3}).contiguous();
  return reduce_axes(transposed, {3, 4}, reduction);
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
