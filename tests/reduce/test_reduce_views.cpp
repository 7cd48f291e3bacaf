// SPDX-License-Identifier: Apache-2.0
// Reductions of strided, reversed and expanded views: every step, between guard pages; and results in another
// order than that of memory.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/guarded.hpp"
#include "support/layouts.hpp"
#include "support/reduce_oracle.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/random/random.hpp"

namespace tenstride {
namespace {

using testing::all_axes;
using testing::all_reductions;
using testing::expect_definition;
using testing::Guarded;
using testing::is_offered;
using testing::numbers;

constexpr DType types[] = {DType::bool_,   DType::uint8,   DType::int16,   DType::int32,    DType::int64,
                           DType::float16, DType::float32, DType::float64, DType::complex64};

/// A view that ends at the guard behind it, or begins at the guard before it.
void expect_definition_at_guards(const Guarded& memory, const Layout& layout, DType dtype,
                                 const std::vector<Reduction>& reductions = {
                                     Reduction::sum, Reduction::prod, Reduction::max, Reduction::any}) {
  const Reach touched = *reach(layout);
  const Index count = touched.highest - touched.lowest + 1;
  for (const Reduction reduction : reductions) {
    if (!is_offered(reduction, dtype)) continue;
    const Tensor values = numbers(count, dtype, reduction);
    for (const bool is_at_back : {false, true}) {
      std::byte* const place = is_at_back ? memory.at_back(values.nbytes()) : memory.at_front();
      std::memcpy(place, values.storage_data(), values.nbytes());
      Layout at = layout;
      at.offset = -touched.lowest;
      const Tensor x = with_layout(from_blob(place, {count}, {1}, dtype), at);
      for (const Dims& axes : all_axes(layout.rank())) {
        if (axes.empty()) continue;
        ASSERT_NO_FATAL_FAILURE(expect_definition(x, axes, reduction));
      }
    }
  }
}

TEST(ReduceViews, WithEveryStepReadNothingElse) {
  const Guarded memory(1 << 20);
  for (const DType dtype : types) {
    for (const Index step : {-4, -3, -2, -1, 2, 3, 4, 5, 6, 7, 8, 9}) {
      for (const Index run : {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 130, 300}) {
        const Index rows = run > 100 ? 5 : 19;
        const Index pitch = std::abs(step) * run + 3;
        ASSERT_NO_FATAL_FAILURE(
            expect_definition_at_guards(memory, Layout{{rows, run}, {pitch, step}, 0}, dtype));
      }
    }
  }
}

/// Rows of planes: separate, interleaved, and repeated.
TEST(ReduceViews, OfRowsWithGapsReadNothingElse) {
  const Guarded memory(1 << 22);
  for (const DType dtype : types) {
    for (const Index step : {1, 2, 3, 7}) {
      for (const Index run : {1, 17, 64, 90, 130}) {
        for (const Index pitch : {Index{0}, step, run * step, run * step + 5, 150 * step}) {
          const Layout layout{{3, 40, run}, {40 * pitch + run * step, pitch, step}, 0};
          ASSERT_NO_FATAL_FAILURE(expect_definition_at_guards(
              memory, layout, dtype, {Reduction::sum, Reduction::min, Reduction::any}));  // products overflow
        }
      }
    }
  }
}

/// Rows of more results than a tile holds.
TEST(ReduceViews, OfLongRowsWithGapsReadNothingElse) {
  const Guarded memory(1 << 23);
  for (const DType dtype : {DType::uint8, DType::int16, DType::float16, DType::float32, DType::float64}) {
    for (const Index step : {1, 2, 3, 5}) {
      for (const Index run : {1030, 1366, 4500}) {
        const Layout layout{{33, run}, {step * run + 3, step}, 0};
        ASSERT_NO_FATAL_FAILURE(
            expect_definition_at_guards(memory, layout, dtype, {Reduction::sum, Reduction::max}));
      }
    }
  }
}

TEST(ReduceViews, OfSomeChannelsReadNothingElse) {
  const Guarded memory(1 << 18);
  for (const DType dtype : types) {
    for (Index pixel = 2; pixel <= 17; ++pixel) {
      for (const Index step : {1, 2, 3}) {
        for (Index results = 1; (results - 1) * step < pixel; results += 1 + results / 4) {
          for (const Index count : {1, 16, 77, 300}) {
            const Layout layout{{count, results}, {pixel, step}, 0};
            ASSERT_NO_FATAL_FAILURE(
                expect_definition_at_guards(memory, layout, dtype, {Reduction::sum, Reduction::max}));
          }
        }
      }
    }
  }
}

TEST(ReduceViews, SumsOfTheLargestIntegersWithGapsAreExact) {
  const auto expect_sums = [](const Tensor& x, double value) {
    for (const Tensor& view : {x.slice(1, 0, x.shape()[1], 2), x.slice(1, 3, x.shape()[1] - 2, 7),
                               x.slice(1, 0, x.shape()[1], 3).slice(0, 0, x.shape()[0], 2)}) {
      for (const Dims& axes : {Dims{1}, Dims{0, 1}}) {
        const Tensor sums = reduce_axes(view, axes, Reduction::sum);
        const auto each = static_cast<double>(view.numel() / sums.numel());
        ASSERT_TRUE(sums.equal(full(sums.shape(), value * each, {.dtype = DType::int64})));
      }
    }
  };
  for (const Dims& shape : {Dims{300, 150}, Dims{70, 1999}, Dims{3, 70'001}}) {
    expect_sums(full(shape, 255, {.dtype = DType::uint8}), 255);
    expect_sums(full(shape, -128, {.dtype = DType::int8}), -128);
    expect_sums(full(shape, 127, {.dtype = DType::int8}), 127);
    expect_sums(full(shape, 65535, {.dtype = DType::uint16}), 65535);
    expect_sums(full(shape, -32768, {.dtype = DType::int16}), -32768);
  }
}

TEST(ReduceViews, OfGroupsOfEverySizeReadNothingElse) {
  const Guarded memory(1 << 18);
  for (const DType dtype : types) {
    for (Index group = 2; group <= 17; ++group) {
      for (const Index wide : {1, 16, 37, 150}) {
        for (const Index gap : {0, 2}) {
          const Layout layout{{3, wide, group}, {wide * group + gap, group, 1}, 0};
          ASSERT_NO_FATAL_FAILURE(expect_definition_at_guards(memory, layout, dtype));
        }
      }
    }
  }
}

/// Steps, crops, flips and repetitions of four axes that are long enough for more than one piece.
std::vector<Tensor> views_of(const Tensor& x) {
  return {x.slice(1, 0, 40, 2).slice(2, 1, 38, 3),
          x.slice(2, 0, 38, 2).permute({0, 2, 3, 1}),
          x.narrow(1, 3, 33).narrow(2, 1, 31),
          x.flip({2}),
          x.flip({1, 2}).permute({2, 0, 3, 1}),
          x.flip({0, 3}),
          x.narrow(0, 1, 1).expand({5, 40, 38, 3}),
          x.narrow(2, 1, 1).expand({5, 40, 38, 3}).permute({2, 1, 0, 3}),
          x.select(3, 1).slice(1, 0, 38, 2),
          x.slice(3, 0, 3, 2)};
}

TEST(ReduceViews, OfEveryTypeAreTheDefinition) {
  for (const DType dtype : types) {
    for (const Reduction reduction : all_reductions) {
      if (!is_offered(reduction, dtype)) continue;
      for (const Tensor& view : views_of(numbers(5 * 40 * 38 * 3, dtype, reduction).view({5, 40, 38, 3}))) {
        for (const Dims& axes : all_axes(view.layout().rank())) {
          if (axes.empty()) continue;
          ASSERT_NO_FATAL_FAILURE(expect_definition(view, axes, reduction));
        }
      }
    }
  }
}

TEST(ReduceViews, PooledInAnotherOrderAreTheDefinition) {
  for (const DType dtype : {DType::uint8, DType::float16, DType::float32}) {
    for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
      for (const Index square : {2, 3}) {
        const Tensor x = numbers(3 * 7 * 18 * 30, dtype, reduction).view({3, 7, 18, 30});
        for (const Tensor& one : {x, x.flip({2, 3}), x.flip({1}), x.narrow(3, 1, 24).narrow(2, 0, 12)}) {
          const Tensor squares = one.unfold(2, square, square).unfold(3, square, square);
          for (const Dims& order : {Dims{0, 2, 3, 1, 4, 5}, Dims{2, 3, 1, 0, 4, 5}, Dims{3, 1, 2, 0, 4, 5}}) {
            ASSERT_NO_FATAL_FAILURE(expect_definition(squares.permute(order), {4, 5}, reduction));
          }
        }
      }
    }
  }
}

/// Results in another order than memory's, against those in its order.
TEST(ReduceViews, LargeResultsAreTransposedInBlocks) {
  for (const DType dtype : {DType::uint8, DType::int16, DType::int32}) {
    const Index more = 4 / static_cast<Index>(item_size(dtype));
    const Tensor x = (rand({more * 5, 17, 134, 202}) * 100).to(dtype);
    for (const Tensor& one : {x, x.flip({3}), x.narrow(3, 1, 200)}) {
      const Tensor squares = one.unfold(2, 2, 2).unfold(3, 2, 2);
      const Tensor transposed = squares.contiguous();
      for (const Dims& order : {Dims{0, 2, 3, 1, 4, 5}, Dims{2, 3, 1, 0, 4, 5}, Dims{3, 2, 0, 1, 4, 5}}) {
        const Tensor expected =
            reduce_axes(transposed, {4, 5}, Reduction::sum).permute({order[0], order[1], order[2], order[3]});
        for (const int threads : {1, 2}) {
          const ThreadScope scope(threads);
          ASSERT_TRUE(reduce_axes(squares.permute(order), {4, 5}, Reduction::sum).equal(expected))
              << name(dtype) << ' ' << to_string(one.layout()) << ' ' << to_string(order);
        }
      }
    }
  }
}

TEST(ReduceViews, LargeResultsOfShortGroupsArePassedByTheCaches) {
  for (const DType dtype : {DType::uint8, DType::float32}) {
    for (const Index group : {3, 4, 7}) {
      const Index count = (Index{1} << 21) + 77;
      const Tensor x = (rand({count, group}) * 100).to(DType::int32).to(dtype);
      Tensor expected = zeros({count}, {.dtype = reduced_dtype(Reduction::sum, dtype)});
      for (Index i = 0; i < group; ++i) expected = expected + x.select(1, i);
      for (const int threads : {1, 2}) {
        const ThreadScope scope(threads);
        ASSERT_TRUE(reduce_axes(x, {1}, Reduction::sum).equal(expected)) << name(dtype) << ' ' << group;
      }
    }
  }
}

TEST(ReduceThreads, TwoThreadsGiveTheBitsOfOneForViews) {
  for (const DType dtype : {DType::float16, DType::float32, DType::float64, DType::complex64}) {
    const Tensor x = rand({24, 61, 103, 7}, {.dtype = DType::float32}).to(dtype);
    for (const Tensor& view : {x.slice(2, 0, 103, 2), x.slice(3, 0, 7, 3), x.flip({3}), x.narrow(2, 1, 90),
                               x.permute({0, 3, 1, 2}).slice(3, 0, 103, 5), x.select(3, 2)}) {
      for (const Dims& axes : all_axes(view.layout().rank())) {
        for (const Reduction reduction : {Reduction::sum, Reduction::prod}) {
          const auto bits = [&](int threads) {
            const ThreadScope scope(threads);
            return reduce_axes(view, axes, reduction).view({-1}).view(DType::uint8);
          };
          ASSERT_TRUE(bits(1).equal(bits(2))) << name(dtype) << ' ' << to_string(view.layout());
        }
      }
    }
  }
}

TEST(ReduceViews, SumsOfStepsAreStable) {
  const double exact = static_cast<double>(0.1F) * 5e6;
  const Tensor tenths = full({5'000'000, 3}, 0.1, {.dtype = DType::float32});
  EXPECT_EQ(reduce_axes(tenths.slice(1, 0, 3, 2), {0, 1}, Reduction::sum).item<float>(),
            static_cast<float>(2 * exact));
  EXPECT_EQ(reduce_axes(tenths.select(1, 1), {0}, Reduction::sum).item<float>(), static_cast<float>(exact));
  const Tensor doubles = full({1'000'000, 4}, 0.1, {.dtype = DType::float64}).slice(1, 0, 4, 2);
  EXPECT_NEAR(reduce_axes(doubles, {0}, Reduction::sum)[1].item<double>(), 1e5, 1e-9);
  EXPECT_NEAR(reduce_axes(doubles, {0, 1}, Reduction::sum).item<double>(), 2e5, 2e-9);
}

}  // namespace
}  // namespace tenstride
