// SPDX-License-Identifier: Apache-2.0
// Every reduction of every element type, over every class of layouts and around every width of the kernels,
// with one thread and two.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/layouts.hpp"
#include "support/reduce_oracle.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/reduce/reduce.hpp"

namespace tenstride {
namespace {

using testing::all_axes;
using testing::all_reductions;
using testing::expect_definition;
using testing::is_offered;
using testing::numbers;

bool is_refused(const Tensor& x, const Dims& axes, Reduction reduction) {
  if (!is_offered(reduction, x.dtype())) return true;
  const bool needs_one =
      reduction == Reduction::min || reduction == Reduction::max || reduction == Reduction::mean;
  return needs_one && std::any_of(axes.begin(), axes.end(), [&](Index axis) { return x.size(axis) == 0; });
}

void expect_definition_where_offered(const Tensor& x, const Dims& axes, Reduction reduction) {
  if (!is_refused(x, axes, reduction)) expect_definition(x, axes, reduction);
}

void expect_definition_of_all_types(const Layout& layout) {
  const Index count = numel(layout) == 0 ? 0 : reach(layout)->highest + 1;
  for (std::size_t type = 0; type < dtype_count; ++type) {
    for (const Reduction reduction : all_reductions) {
      if (!is_offered(reduction, static_cast<DType>(type))) continue;
      const Tensor storage = numbers(count, static_cast<DType>(type), reduction);
      const Tensor x = count == 0 ? empty(layout.shape, {.dtype = static_cast<DType>(type)})
                                  : with_layout(storage, layout);
      for (const Dims& axes : all_axes(layout.rank())) {
        ASSERT_NO_FATAL_FAILURE(expect_definition_where_offered(x, axes, reduction));
      }
    }
  }
}

TEST(ReduceLayouts, EveryReductionOfEveryTypeIsTheDefinitionOnEveryClass) {
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{5}, Dims{2, 0}, Dims{1, 3}, Dims{3, 2}}) {
    for (const Layout& layout : testing::layouts_of(shape)) {
      ASSERT_NO_FATAL_FAILURE(expect_definition_of_all_types(layout));
    }
  }
  // Of rank 3 every seventh: each class is among them.
  const std::vector<Layout> layouts = testing::layouts_of({2, 3, 2});
  for (std::size_t i = 0; i < layouts.size(); i += 7) {
    ASSERT_NO_FATAL_FAILURE(expect_definition_of_all_types(layouts[i]));
  }
}

TEST(ReduceLayouts, PrimeExtentsAreTheDefinitionForEveryType) {
  for (const Dims& shape : {Dims{1009}, Dims{67, 131}, Dims{7, 31, 29}, Dims{1031, 5}}) {
    for (const Index padding : {Index{0}, Index{1}}) {
      for (const Dims& order : testing::all_orders(shape.size())) {
        if (order.size() == 3 && order[1] == 1) continue;
        ASSERT_NO_FATAL_FAILURE(expect_definition_of_all_types(
            Layout{shape, testing::strides_in_order(shape, order, padding), 0}));
      }
    }
  }
}

TEST(ReduceLayouts, EveryWidthIsTheDefinition) {
  for (const DType dtype : {DType::uint8, DType::int16, DType::float16, DType::float32, DType::float64}) {
    for (const Reduction reduction : {Reduction::sum, Reduction::prod, Reduction::min, Reduction::all}) {
      for (Index width = 1; width <= 150; width += width < 70 ? 1 : 13) {
        const Tensor x = numbers(19 * width * 3, dtype, reduction).view({19, width, 3});
        for (const Dims& axes : {Dims{0}, Dims{1}, Dims{0, 1}, Dims{1, 2}, Dims{0, 2}}) {
          ASSERT_NO_FATAL_FAILURE(expect_definition_where_offered(x, axes, reduction));
        }
      }
    }
  }
}

TEST(ReduceLayouts, PooledSquaresOfEverySizeAreTheDefinition) {
  for (const DType dtype : {DType::uint8, DType::int8, DType::int32, DType::bfloat16, DType::float32}) {
    for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::any}) {
      for (Index square = 1; square <= 17; ++square) {
        for (const Index channels : {1, 2, 3, 4, 5, 7, 8, 11, 20}) {
          const Tensor x = numbers(4 * square * 3 * square * channels, dtype, reduction)
                               .view({4, square, 3, square, channels});
          ASSERT_NO_FATAL_FAILURE(expect_definition_where_offered(x, {1, 3}, reduction));
        }
      }
    }
  }
}

TEST(ReduceLayouts, SumsOfShortIntegersDoNotOverflow) {
  for (const Index count : {255, 256, 257, 511, 65535, 65536, 65537, 1 << 20}) {
    for (const Index columns : {1, 3, 33}) {
      for (const auto& [dtype, value] :
           {std::pair{DType::uint8, 255}, std::pair{DType::int8, -128}, std::pair{DType::uint16, 65535},
            std::pair{DType::int16, -32768}, std::pair{DType::int8, 127}}) {
        if (count * columns > 1 << 20) continue;
        const Tensor x = full({count, columns}, value, {.dtype = dtype});
        for (const Tensor& one : {x, x.t().contiguous().t()}) {
          const Tensor sums = reduce_axes(one, {0}, Reduction::sum);
          ASSERT_TRUE(sums.equal(full({columns}, count * value, {.dtype = DType::int64})))
              << name(dtype) << ' ' << count;
        }
      }
    }
  }
  const Tensor many = full({(1 << 24) + 1}, 255, {.dtype = DType::uint8});
  EXPECT_EQ(reduce_axes(many, {0}, Reduction::sum).item<Index>(), 255 * ((Index{1} << 24) + 1));
}

TEST(ReduceLayouts, AnyByteButZeroIsTrue) {
  const Tensor bytes = tensor({2, 0, 255, 1}).to(DType::uint8);
  const Tensor x = bytes.view(DType::bool_).view({4, 1}).expand({4, 40}).contiguous().view({4, 40});
  Tensor raw = empty({4, 40}, {.dtype = DType::uint8});
  raw.copy_(bytes.view({4, 1}).expand({4, 40}));
  const Tensor truths = raw.view(DType::bool_);
  EXPECT_EQ(reduce_axes(truths, {0, 1}, Reduction::sum).item<Index>(), 120);
  EXPECT_TRUE(reduce_axes(truths, {0}, Reduction::sum).equal(full({40}, 3)));
  EXPECT_TRUE(reduce_axes(truths, {1}, Reduction::prod).equal(tensor({1, 0, 1, 1})));
  EXPECT_TRUE(reduce_axes(truths, {1}, Reduction::min).equal(x.select(1, 0)));
  EXPECT_TRUE(reduce_axes(truths, {1}, Reduction::all).equal(x.select(1, 0)));
}

TEST(ReduceLayouts, ZerosHaveSignsAndNanHasNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    for (const Index length : {2, 40}) {
      for (const double first : {-0.0, 0.0}) {
        Tensor x = full({length}, -first, {.dtype = dtype});
        x.select(0, 0).fill_(first);
        for (const Tensor& one :
             {x.view({length, 1}), x.view({length, 1}).expand({length, 33}).contiguous()}) {
          const auto get = [&](Reduction reduction) {
            return reduce_axes(one, {0}, reduction)[0].to(DType::float64).item<double>();
          };
          EXPECT_TRUE(std::signbit(get(Reduction::min)));
          EXPECT_FALSE(std::signbit(get(Reduction::max)));
          EXPECT_EQ(get(Reduction::max), 0.0);
          EXPECT_FALSE(reduce_axes(one, {0}, Reduction::any)[0].item<bool>());
        }
        x.select(0, length - 1).fill_(std::copysign(nan, first));
        EXPECT_TRUE(std::isnan(reduce_axes(x, {0}, Reduction::min).to(DType::float64).item<double>()));
        EXPECT_TRUE(std::isnan(reduce_axes(x, {0}, Reduction::max).to(DType::float64).item<double>()));
      }
    }
  }
}

TEST(ReduceThreads, TwoThreadsGiveTheBitsOfOneForEveryFloatingType) {
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::complex64}) {
    for (const Dims& shape : {Dims{700, 1009}, Dims{61, 103, 107}, Dims{233'000, 3}}) {
      const Tensor x = rand(shape, {.dtype = DType::float32}).to(dtype);
      for (const Dims& axes : all_axes(shape.size())) {
        for (const Reduction reduction : {Reduction::sum, Reduction::prod}) {
          const auto bits = [&](int threads) {
            const ThreadScope scope(threads);
            return reduce_axes(x, axes, reduction).view({-1}).view(DType::uint8);
          };
          ASSERT_TRUE(bits(1).equal(bits(2))) << name(dtype);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
