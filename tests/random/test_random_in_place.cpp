// SPDX-License-Identifier: Apache-2.0
// uniform_, normal_ and random_ draw what the factories draw, in the order in which the elements lie in
// memory. What PyTorch gives is recorded in tests/data/kinds.jsonl.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/refusal.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using testing::refusal;

/// Views of a tensor of 6×8: whole, transposed, with gaps, and both.
std::vector<Tensor> views_of(const Tensor& x) {
  return {x, x.t(), x.slice(1, 0, 8, 2), x.narrow(0, 1, 3).slice(1, 1, 7, 3).t(),
          x.view({6, 2, 4}).permute({2, 0, 1})};
}

/// The elements in the order in which they lie in memory.
Tensor in_memory_order(const Tensor& x) {
  Dims axes = Dims::filled(x.shape().size(), 0);
  std::iota(axes.begin(), axes.end(), Index{0});
  std::sort(axes.begin(), axes.end(), [&](Index a, Index b) { return x.stride(a) > x.stride(b); });
  return x.permute(axes);
}

TEST(UniformInPlace, DrawsAsRandInTheOrderOfMemory) {
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::complex64}) {
    for (std::size_t i = 0; i < 5; ++i) {
      const Tensor whole = zeros({6, 8}, {.dtype = dtype});
      Tensor view = views_of(whole)[i];
      Generator one(3);
      Generator other(3);
      EXPECT_EQ(&uniform_(view, 0, 1, one), &view);
      const Tensor drawn = in_memory_order(view);
      EXPECT_TRUE(drawn.equal(rand(drawn.shape(), other, {.dtype = dtype}))) << name(dtype) << " " << i;
      EXPECT_EQ(one.random(), other.random());
    }
  }
}

TEST(UniformInPlace, LeavesWhatTheViewDoesNotReach) {
  const Tensor whole = full({4, 6}, 7.0);
  Tensor view = whole.slice(1, 0, 6, 2);
  uniform_(view);
  EXPECT_TRUE(whole.slice(1, 1, 6, 2).equal(full({4, 3}, 7.0)));
}

TEST(UniformInPlace, StretchesToTheBounds) {
  Tensor x = zeros({1000});
  manual_seed(1);
  uniform_(x, 2, 5);
  EXPECT_EQ(x.narrow(0, 0, 4).to_string(), "tensor([4.2729, 2.8379, 3.2092, 4.2041])");
  const std::vector<float> numbers = x.to_vector<float>();
  EXPECT_GE(*std::min_element(numbers.begin(), numbers.end()), 2);
  EXPECT_LT(*std::max_element(numbers.begin(), numbers.end()), 5);
}

TEST(NormalInPlace, DrawsAsRandnInTheOrderOfMemory) {
  for (const Index count : {Index{3}, Index{15}, Index{16}, Index{45}}) {
    Tensor x = zeros({count});
    Generator one(3);
    Generator other(3);
    normal_(x, 0, 1, one);
    EXPECT_TRUE(x.equal(randn({count}, other)));
  }
  // Other than contiguous ones are drawn one by one.
  Tensor transposed = zeros({6, 8}).t();
  Generator one(3);
  Generator other(3);
  normal_(transposed, 0, 1, one);
  const std::vector<float> drawn = transposed.t().to_vector<float>();
  for (const float number : drawn) EXPECT_EQ(number, static_cast<float>(other.normal()));
}

TEST(RandomInPlace, DrawsAsRandintInTheOrderOfMemory) {
  for (const DType dtype :
       {DType::bool_, DType::uint8, DType::int32, DType::int64, DType::float16, DType::float32}) {
    Tensor x = zeros({6, 8}, {.dtype = dtype}).t();
    const Index high = dtype == DType::bool_ ? 2 : 100;
    Generator one(3);
    Generator other(3);
    random_(x, 0, high, one);
    EXPECT_TRUE(x.t().equal(randint(0, high, {6, 8}, other, {.dtype = dtype}))) << name(dtype);
  }
}

TEST(RandomInPlace, ReachesTheLargestNumber) {
  Generator generator(3);
  Tensor bytes = zeros({4000}, {.dtype = DType::uint8});
  random_(bytes, generator);
  const std::vector<std::uint8_t> numbers = bytes.to_vector<std::uint8_t>();
  EXPECT_EQ(*std::min_element(numbers.begin(), numbers.end()), 0);
  EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), 255);
  Tensor from = zeros({4000}, {.dtype = DType::int8});
  random_(from, 125, {}, generator);
  const std::vector<std::int8_t> high = from.to_vector<std::int8_t>();
  EXPECT_EQ(*std::min_element(high.begin(), high.end()), 125);
  EXPECT_EQ(*std::max_element(high.begin(), high.end()), 127);
}

TEST(DrawsInPlace, DrawNothingOnMetaAndForNoElement) {
  Generator generator(3);
  Tensor meta = empty({3}, {.device = Device::meta});
  Tensor none = empty({0});
  for (Tensor* x : {&meta, &none}) {
    uniform_(*x, 0, 1, generator);
    normal_(*x, 0, 1, generator);
    random_(*x, generator);
  }
  EXPECT_EQ(generator.random(), Generator(3).random());
}

TEST(DrawsInPlace, RefuseWhatHasNoSuchNumbers) {
  Tensor x = zeros({2});
  Tensor ints = zeros({2}, {.dtype = DType::int64});
  Tensor bytes = zeros({2}, {.dtype = DType::uint8});
  Tensor wide = zeros({2}).expand({3, 2});
  using Refused = RuntimeError;
  EXPECT_EQ(
      refusal<Refused>([&] { return uniform_(x, 3, 2); }),
      "uniform_: from 3.000000 must be at most to 2.000000, and their distance in the range of float32");
  EXPECT_EQ(refusal<Refused>([&] { return uniform_(x, 0, std::numeric_limits<double>::infinity()); }),
            "uniform_: from 0.000000 and to inf must lie in the range of float32");
  EXPECT_EQ(refusal<Refused>([&] { return uniform_(ints); }),
            "uniform_: dtype int64 must be float16, bfloat16, float32, float64 or a complex type");
  EXPECT_EQ(
      refusal<Refused>([&] { return uniform_(wide); }),
      "uniform_: the destination must not have several elements in one place, axis 0 of size 3 has stride 0 "
      "((3,2):(0,1)+0); use .clone() first");
  EXPECT_EQ(refusal<Refused>([&] { return normal_(x, 0, -1); }), "normal_: std -1.000000 must be at least 0");
  EXPECT_EQ(refusal<Refused>([&] { return random_(x, 5, 2); }), "random_: low 5 must be less than high 2");
  EXPECT_EQ(refusal<Refused>([&] { return random_(bytes, 0, 300); }),
            "random_: low 0 and high 300 must lie in the range of uint8");
  EXPECT_EQ(refusal<Refused>([&] {
              Tensor complex = zeros({2}, {.dtype = DType::complex64});
              return random_(complex);
            }),
            "random_: dtype complex64 must be bool, an integer type, float16, bfloat16, float32 or float64");
}

}  // namespace
}  // namespace tenstride
