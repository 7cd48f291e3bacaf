// SPDX-License-Identifier: Apache-2.0
// Reductions in PyTorch's call forms, and the positions of extremes.
#include <gtest/gtest.h>

#include <cmath>

#include "support/ops_oracle.hpp"
#include "support/reduce_oracle.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

using oracle::message_of;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;

TEST(ArithmeticReductions, AreTheHeadersExamples) {
  EXPECT_EQ(sum(ones({2, 3}), {0}).to_string(), "tensor([2., 2., 2.])");
  EXPECT_EQ(argmax(tensor({1, 3, 3})).to_string(), "tensor(1)");
}

TEST(ArithmeticReductions, TakePyTorchsAxesAndKeepThem) {
  const Tensor x = numbered({2, 3, 4}).permute({2, 0, 1});
  for (const Dims& axes : testing::all_axes(3)) {
    Dims wanted_shape = x.shape(), named = axes;
    if (named.empty()) named = {0, 1, 2};  // none are all
    for (const Index axis : named) wanted_shape[static_cast<std::size_t>(axis)] = 1;
    const Tensor expected = reduce_axes(x, named, Reduction::sum);
    EXPECT_TRUE(sum(x, axes).equal(expected));
    const Tensor result = sum(x, axes, KeepDim::yes);
    EXPECT_EQ(result.shape(), wanted_shape);
    EXPECT_TRUE(result.reshape(expected.shape()).equal(expected));
    EXPECT_TRUE(mean(x, axes).equal(reduce_axes(x, named, Reduction::mean)));
    EXPECT_TRUE(amax(x, axes).equal(reduce_axes(x, named, Reduction::max)));
    EXPECT_TRUE(amin(x, axes).equal(reduce_axes(x, named, Reduction::min)));
  }
  EXPECT_TRUE(prod(x, 1).equal(reduce_axes(x, {1}, Reduction::prod)));
  EXPECT_TRUE(max(x).equal(amax(x)));
  EXPECT_TRUE(min(x).equal(amin(x)));
}

TEST(ArithmeticReductions, ConvertBeforeTheyReduce) {
  const Tensor x = tensor({200, 100}, {.dtype = DType::uint8});
  EXPECT_EQ(sum(x).to_string(), "tensor(300)");
  EXPECT_EQ(sum(x, {}, KeepDim::no, DType::float64).to_string(), "tensor(300., dtype=torch.float64)");
  EXPECT_EQ(sum(x, {}, KeepDim::no, DType::uint8).to_string(), "tensor(44, dtype=torch.uint8)");
  EXPECT_EQ(mean(x, {}, KeepDim::no, DType::float32).to_string(), "tensor(150.)");
  const std::complex<double> number(2, 4);
  EXPECT_EQ(mean(tensor({number, std::complex<double>(0, 0)})).item().to_string(), "(1+2j)");
}

/// Returns the position of the first extreme along an axis, found element by element.
Index slow_place(const Tensor& x, Dims at, std::size_t axis, bool is_greatest) {
  Index best = 0;
  double value = 0;
  for (Index i = 0; i < x.shape()[axis]; ++i) {
    at[axis] = i;
    const double here = value_at(x, at).real();
    const bool is_better = is_greatest ? here > value : here < value;
    if (i == 0 || (std::isnan(here) && !std::isnan(value)) || is_better) {
      best = i;
      value = here;
    }
  }
  return best;
}

TEST(ArithmeticExtremes, StandWhereTheDefinitionFindsThem) {
  for (const DType type : {DType::float32, DType::int8, DType::uint16, DType::bfloat16, DType::int64}) {
    for (const Tensor& x : odd_tensors(type)) {
      for (std::size_t axis = 0; axis < x.layout().rank(); ++axis) {
        if (x.shape()[axis] == 0) continue;
        const auto dim = static_cast<Index>(axis);
        const Tensor above = argmax(x, dim, KeepDim::yes), below = argmin(x, dim, KeepDim::yes);
        const ValuesAndIndices most = max(x, dim, KeepDim::yes), least = min(x, dim, KeepDim::yes);
        EXPECT_TRUE(most.indices.equal(above));
        EXPECT_TRUE(least.indices.equal(below));
        EXPECT_EQ(most.values.dtype(), type);
        EXPECT_EQ(max(x, dim).values.shape(), argmax(x, dim).shape());
        oracle::each_index(above.shape(), [&](const Dims& at) {
          Dims from = at;
          from[axis] = slow_place(x, at, axis, true);
          EXPECT_EQ(value_at(above, at).real(), static_cast<double>(from[axis]));
          EXPECT_EQ(value_at(most.values, at), value_at(x, from));
          from[axis] = slow_place(x, at, axis, false);
          EXPECT_EQ(value_at(below, at).real(), static_cast<double>(from[axis]));
          EXPECT_EQ(value_at(least.values, at), value_at(x, from));
        });
      }
    }
  }
}

TEST(ArithmeticExtremes, OfTheWholeAreCountedRowMajor) {
  const Tensor x = numbered({40, 30}, DType::int32).t();
  Index best = 0;
  double value = -1;
  oracle::each_index(x.shape(), [&](const Dims& at) {
    const Index place = at[0] * 40 + at[1];
    if (value_at(x, at).real() > value) best = place;
    value = std::max(value, value_at(x, at).real());
  });
  EXPECT_EQ(argmax(x).item<Index>(), best);
  EXPECT_EQ(argmax(x, {}, KeepDim::yes).shape(), (Dims{1, 1}));
  EXPECT_EQ(argmin(tensor({3, 1, 1})).item<Index>(), 1);
  EXPECT_EQ(argmax(tensor({1.0, std::nan(""), 5.0, std::nan("")})).item<Index>(), 1);
  EXPECT_EQ(argmax(full({}, 3)).item<Index>(), 0);
  EXPECT_EQ(argmax(full({}, 3), 0).item<Index>(), 0);
}

TEST(ArithmeticExtremes, OfLargeTensorsDoNotDependOnThreads) {
  const Tensor x = numbered({300, 500}).index({Slice{}, Slice{{}, {}, -1}});
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    for (const Index dim : {0, 1}) {
      const Tensor places = argmax(x, dim, KeepDim::yes);
      Index wrong = 0;
      oracle::each_index(places.shape(), [&](const Dims& at) {
        wrong += value_at(places, at).real() !=
                 static_cast<double>(slow_place(x, at, static_cast<std::size_t>(dim), true));
      });
      EXPECT_EQ(wrong, 0);
    }
  }
}

TEST(ArithmeticReductions, AreRefusedAsInPyTorch) {
  const Tensor none = empty({0, 3}), whole = arange(3), truth = zeros({2}, {.dtype = DType::bool_});
  EXPECT_EQ(message_of([&] { return mean(whole); }),
            "RuntimeError: mean: dtype int64 must not be asked for: a mean is of floating elements; convert "
            "first");
  EXPECT_EQ(message_of([&] { return max(none); }),
            "RuntimeError: max: a tensor must have elements, or a dim must be given (shape (0,3))");
  EXPECT_EQ(message_of([&] { return amin(none); }),
            "RuntimeError: amin: a tensor must have elements, or a dim must be given (shape (0,3))");
  EXPECT_EQ(message_of([&] { return max(none, 0).values; }),
            "IndexError: max: axis 0 must have an element (shape (0,3))");
  EXPECT_EQ(message_of([&] { return argmax(none); }),
            "IndexError: argmax: a tensor must have elements (shape (0,3))");
  EXPECT_EQ(message_of([&] { return argmin(truth); }),
            "RuntimeError: argmin: dtype bool must be a number's, not bool");
  EXPECT_EQ(max(none, 1).values.shape(), (Dims{0}));
  EXPECT_THROW(static_cast<void>(argmax(whole, 1)), AxisError);
  EXPECT_THROW(static_cast<void>(sum(whole, {1})), AxisError);
  EXPECT_THROW(static_cast<void>(max(numbered({2}, DType::complex64), 0)), RuntimeError);
}

}  // namespace
}  // namespace tenstride
