// SPDX-License-Identifier: Apache-2.0
#include "tenstride/reduce/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/layouts.hpp"
#include "support/reduce_oracle.hpp"
#include "support/refusal.hpp"
#include "support/tensors.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using testing::refusal;

using testing::all_axes;
using testing::all_reductions;
using testing::is_offered;
using testing::slow_reduce;

TEST(Reduce, IsTheSlowDefinitionForEveryType) {
  const Tensor small = tensor({{0, 1, 2}, {3, 0, 1}, {1, 1, 2}, {2, 3, 1}});
  for (std::size_t type = 0; type < dtype_count; ++type) {
    const auto dtype = static_cast<DType>(type);
    for (const Reduction reduction : all_reductions) {
      if (!is_offered(reduction, dtype)) continue;
      const Tensor x = small.to(dtype);
      for (const Dims& axes : {Dims{}, Dims{0}, Dims{1}, Dims{0, 1}}) {
        const Tensor result = reduce_axes(x, axes, reduction);
        EXPECT_TRUE(result.allclose(slow_reduce(x, axes, reduction), 1e-3)) << name(dtype) << name(reduction);
        EXPECT_EQ(result.dtype(), reduced_dtype(reduction, dtype));
        EXPECT_TRUE(result.is_contiguous());
      }
    }
  }
}

TEST(Reduce, IsRightForEveryLayout) {
  const auto check = [](const Layout& layout) {
    if (numel(layout) == 0 || layout.rank() > 4) return;
    const Reach touched = *reach(layout);
    Tensor storage = arange(touched.highest + 1);
    const Tensor x = with_layout(storage, layout);
    for (const Dims& axes : all_axes(layout.rank())) {
      for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
        ASSERT_TRUE(reduce_axes(x, axes, reduction).equal(slow_reduce(x, axes, reduction)));
      }
    }
  };
  for (const Layout& layout : testing::odd_layouts()) check(layout);
  for (const Dims& shape : {Dims{2, 3}, Dims{3, 1, 2}, Dims{2, 3, 4}, Dims{5, 17}, Dims{37, 3}}) {
    for (const Layout& layout : testing::layouts_of(shape)) check(layout);
  }
}

TEST(Reduce, IsRightWhereRangesAreDividedAndTilesEnd) {
  for (const Dims& shape : {Dims{3, 5003}, Dims{5003, 3}, Dims{1100, 131}, Dims{131, 1100}, Dims{300, 7, 19},
                            Dims{6, 40, 2, 3}}) {
    const Tensor dense = arange(count_elements(shape)).view(shape);
    for (const Dims& order : testing::all_orders(shape.size())) {
      const Tensor x = dense.permute(order);
      for (const Dims& axes : all_axes(shape.size())) {
        const Tensor result = reduce_axes(x, axes, Reduction::sum);
        EXPECT_TRUE(result.equal(slow_reduce(x, axes, Reduction::sum)));
      }
    }
  }
}

TEST(Reduce, JoinsShortAxesToLongRows) {
  struct Case {
    Dims shape;
    Dims axes;
  };
  const Case cases[] = {{{2, 5, 2, 11, 2, 3}, {2, 4}},
                        {{3, 4, 2, 37, 2, 64}, {2, 4}},
                        {{3, 7, 3, 13, 3, 130}, {2, 4}},
                        {{5, 2, 300, 2}, {1, 3}},
                        {{4, 7, 41, 5}, {1, 3}},
                        {{2, 15, 67, 15}, {1, 3}},
                        {{1031, 3}, {0}},
                        {{2, 64, 48, 5}, {1, 2}},
                        {{3, 1021, 2}, {1}},
                        {{900, 3}, {1}},
                        {{5000, 2}, {1}},
                        {{120, 13, 4, 3}, {0, 2}},
                        {{40, 17, 2, 1, 6}, {2, 4}}};
  for (const DType dtype : {DType::uint8, DType::bool_, DType::int8, DType::int16, DType::int32,
                            DType::float16, DType::bfloat16, DType::float32}) {
    for (const Case& one : cases) {
      const Tensor numbers = arange(count_elements(one.shape)).view(one.shape).to(DType::int32).to(dtype);
      for (const Reduction reduction : all_reductions) {
        if (!is_offered(reduction, dtype)) continue;
        const Tensor x = reduction == Reduction::prod ? ones(one.shape, {.dtype = dtype}) : numbers;
        ASSERT_TRUE(reduce_axes(x, one.axes, reduction).equal(slow_reduce(x, one.axes, reduction)))
            << name(dtype) << ' ' << name(reduction) << ' ' << to_string(one.shape);
      }
    }
  }
}

TEST(Reduce, ReadsEveryHalfNumber) {
  Tensor bits = arange(65536, {.dtype = DType::int32}).to(DType::int16);
  const Tensor halves = bits.view(DType::float16);
  const Tensor many = halves.view({-1, 1}).expand({65536, 48}).contiguous();
  const std::vector<double> wanted = halves.to(DType::float64).to_vector<double>();
  for (const Tensor& x : {many, many.t().contiguous().t()}) {
    for (const Reduction reduction : {Reduction::min, Reduction::max, Reduction::mean}) {
      const std::vector<double> got = reduce_axes(x, {1}, reduction).to(DType::float64).to_vector<double>();
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(got[i] == wanted[i] || (std::isnan(got[i]) && std::isnan(wanted[i]))) << i;
      }
    }
    EXPECT_TRUE(reduce_axes(x, {1}, Reduction::any).equal(halves.to(DType::bool_)));
  }
}

TEST(Reduce, SumsFloatsStably) {
  // 0.1 as float, 10 million times: one accumulator of the type would be off in the first digits.
  const Tensor tenth = full({1}, 0.1, {.dtype = DType::float32}).expand({10'000'000});
  const double exact = static_cast<double>(0.1F) * 1e7;
  EXPECT_EQ(reduce_axes(tenth, {0}, Reduction::sum).item<float>(), static_cast<float>(exact));
  EXPECT_EQ(reduce_axes(tenth, {0}, Reduction::mean).item<float>(), 0.1F);
  const Tensor doubles = full({1}, 0.1, {.dtype = DType::float64}).expand({10'000'000});
  EXPECT_NEAR(reduce_axes(doubles, {0}, Reduction::sum).item<double>(), 1e6, 1e-8);
  const Tensor rows = full({1, 3}, 0.1, {.dtype = DType::float64}).expand({1'000'000, 3}).clone();
  const Tensor sums = reduce_axes(rows, {0}, Reduction::sum);
  EXPECT_NEAR(sums[2].item<double>(), 1e5, 1e-9);
  const Tensor halves = full({4096}, 1, {.dtype = DType::float16});
  EXPECT_EQ(reduce_axes(halves, {0}, Reduction::sum).item<float>(), 4096.0F);
}

TEST(ReduceThreads, TheNumberOfThreadsChangesNothing) {
  const int before = num_threads();
  for (const Dims& shape : {Dims{1000, 1000}, Dims{2'000'000}, Dims{40, 30, 999}, Dims{700'000, 3}}) {
    const Tensor x = rand(shape, {.dtype = DType::float32});
    for (const Dims& axes : all_axes(shape.size())) {
      set_num_threads(1);
      const Tensor alone = reduce_axes(x, axes, Reduction::sum);
      set_num_threads(4);
      EXPECT_TRUE(reduce_axes(x, axes, Reduction::sum).equal(alone));
    }
  }
  set_num_threads(before);
}

TEST(Reduce, NanWinsAndIsTrue) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Index length : {Index{1}, Index{7}, Index{16}, Index{40}}) {
    for (Index at = 0; at < length; ++at) {
      Tensor x = zeros({length});
      x.select(0, at).fill_(nan);
      EXPECT_TRUE(std::isnan(reduce_axes(x, {0}, Reduction::max).item<float>()));
      EXPECT_TRUE(std::isnan(reduce_axes(x, {0}, Reduction::min).item<float>()));
      EXPECT_TRUE(std::isnan(
          reduce_axes(x.view({length, 1}).expand({length, 20}), {0}, Reduction::max)[19].item<float>()));
      EXPECT_TRUE(reduce_axes(x, {0}, Reduction::any).item<bool>());
    }
  }
  const Tensor infinite = full({3}, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(reduce_axes(infinite, {0}, Reduction::max).item<double>(),
            -std::numeric_limits<double>::infinity());
}

TEST(Reduce, GivesPyTorchsTypes) {
  EXPECT_EQ(reduced_dtype(Reduction::sum, DType::bool_), DType::int64);
  EXPECT_EQ(reduced_dtype(Reduction::prod, DType::uint8), DType::int64);
  EXPECT_EQ(reduced_dtype(Reduction::sum, DType::float16), DType::float16);
  EXPECT_EQ(reduced_dtype(Reduction::any, DType::uint8), DType::uint8);
  EXPECT_EQ(reduced_dtype(Reduction::all, DType::complex64), DType::bool_);
  EXPECT_EQ(reduced_dtype(Reduction::max, DType::bool_), DType::bool_);
  EXPECT_EQ(refusal<RuntimeError>([] { return reduced_dtype(Reduction::mean, DType::int32); }),
            "reduce: mean of int32 must not be asked for: a mean is of floating elements; convert first");
  EXPECT_EQ(refusal<RuntimeError>([] { return reduced_dtype(Reduction::min, DType::complex64); }),
            "reduce: min of complex64 must not be asked for: complex numbers have no order");
  EXPECT_EQ(refusal<RuntimeError>([] { return reduced_dtype(Reduction::sum, DType::float8_e5m2); }),
            "reduce: sum of float8_e5m2 must not be asked for: float8 is for storage; convert first");
}

TEST(Reduce, IntegersWrap) {
  const Tensor large = full({3}, std::numeric_limits<Index>::max());
  EXPECT_EQ(reduce_axes(large, {0}, Reduction::sum).item<Index>(), std::numeric_limits<Index>::max() - 2);
  EXPECT_EQ(reduce_axes(full({64}, 2), {0}, Reduction::prod).item<Index>(), 0);
}

TEST(Reduce, ReducesConjugates) {
  const Tensor z = tensor({std::complex<double>(1, 2), std::complex<double>(3, -1)}).conj();
  EXPECT_EQ(reduce_axes(z, {0}, Reduction::sum).item(), Scalar(std::complex<double>(4, -1)));
  EXPECT_EQ(reduce_axes(z, {0}, Reduction::prod).item(), Scalar(std::complex<double>(5, -5)));
}

TEST(Reduce, OfNoElementIsWhatChangesNothing) {
  const Tensor none = zeros({0, 2});
  EXPECT_EQ(reduce_axes(none, {0}, Reduction::sum).tolist(), (Nested{0.0, 0.0}));
  EXPECT_EQ(reduce_axes(none, {0}, Reduction::prod).tolist(), (Nested{1.0, 1.0}));
  EXPECT_EQ(reduce_axes(none, {0}, Reduction::any).tolist(), (Nested{false, false}));
  EXPECT_EQ(reduce_axes(none, {0}, Reduction::all).tolist(), (Nested{true, true}));
  EXPECT_TRUE(std::isnan(reduce_axes(none, {0}, Reduction::mean)[0].item<double>()));
  EXPECT_EQ(reduce_axes(none, {1}, Reduction::max).shape(), (Dims{0}));
  EXPECT_EQ(refusal<IndexError>([&] { return reduce_axes(none, {0}, Reduction::max); }),
            "reduce: axis 0 must have an element, max of none has no value (shape (0,2))");
}

TEST(Reduce, RefusesAxesAsPyTorchDoes) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(refusal<AxisError>([&] { return reduce_axes(x, {2}, Reduction::sum); }),
            "reduce: axis 2 must lie in [-2,1] (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return reduce_axes(x, {0, -2}, Reduction::sum);
            }),
            "reduce: axes (0,-2) must not name axis -2 twice (shape (2,3))");
  EXPECT_EQ(reduce_axes(x, {-1}, Reduction::sum).shape(), (Dims{2}));
}

}  // namespace
}  // namespace tenstride
