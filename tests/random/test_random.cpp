// SPDX-License-Identifier: Apache-2.0
#include "tenstride/random/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "support/recorded.hpp"
#include "support/refusal.hpp"
#include "tenstride/print/format.hpp"

namespace tenstride {
namespace {

using nlohmann::json;
using testing::refusal;

constexpr DType floats[] = {DType::float16, DType::bfloat16,  DType::float32,
                            DType::float64, DType::complex64, DType::complex128};

// The standard fixes the numbers of std::mt19937.
TEST(Generator, IsTheMersenneTwister) {
  for (const std::uint32_t seed : {0U, 1U, 5489U, 4294967295U}) {
    Generator generator(seed);
    std::mt19937 expected(seed);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(generator.random(), expected()) << i;
  }
  EXPECT_EQ(Generator(5489).random(), 3499211612U);
}

TEST(Generator, PutsTheFirstDrawAbove) {
  Generator pairs(7);
  Generator singles(7);
  const std::uint64_t upper = singles.random();
  EXPECT_EQ(pairs.random64(), upper << 32U | singles.random());
}

TEST(Generator, IsAValue) {
  Generator generator(3);
  static_cast<void>(generator.normal());
  Generator copy = generator;
  EXPECT_EQ(copy.normal(), generator.normal());
  EXPECT_EQ(copy.random(), generator.random());
  EXPECT_EQ(generator.manual_seed(9).initial_seed(), 9U);
  EXPECT_EQ(generator.random(), Generator(9).random());
}

// Known from PyTorch's forum and documentation, and recorded again below.
TEST(Random, BeginsAsEverybodysPyTorch) {
  manual_seed(0);
  EXPECT_EQ(initial_seed(), 0U);
  EXPECT_EQ(rand({3}).to_string(), "tensor([0.4963, 0.7682, 0.0885])");
  manual_seed(42);
  EXPECT_EQ(randn({4}).to_string(), "tensor([0.3367, 0.1288, 0.2345, 0.2303])");
}

Tensor call(const json& line) {
  const std::string op = line["op"];
  const json& args = line["args"];
  const TensorOptions options{.dtype = parse_dtype(line["dtype"].get<std::string>())};
  if (op == "rand") return rand(testing::recorded_dims(args[0]), options);
  if (op == "randn") return randn(testing::recorded_dims(args[0]), options);
  if (op == "randperm") return randperm(args[0].get<Index>(), options);
  return randint(args[0].get<Index>(), args[1].get<Index>(), testing::recorded_dims(args[2]), options);
}

/// The largest difference of two float16 tensors, relative to the larger of the number and 2^-4.
double relative_distance(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to_vector<double>();
  const std::vector<double> y = b.to_vector<double>();
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(x[i] - y[i]) / std::max(std::abs(y[i]), 0x1p-4));
  }
  return worst;
}

// data/random.jsonl: recorded from a real PyTorch 1.13 by tools/record_values.py. Its float16 blocks of 16
// normal numbers keep float precision between the steps; since PyTorch 2 they are rounded after each, as
// bfloat16's always were: a difference of some units in the last place, 2^-11. The C library's logarithm,
// sine and cosine may differ in the last bit of a double.
TEST(Random, DrawsThePyTorchNumbers) {
  int calls = 0;
  for (const json& plan : testing::recorded("random.jsonl")) {
    manual_seed(plan["seed"].get<std::uint64_t>());
    for (const json& line : plan["calls"]) {
      const Tensor result = call(line);
      const std::string where = line.dump().substr(0, 90);
      ASSERT_EQ(result.shape(), testing::recorded_dims(line["shape"])) << where;
      const Tensor expected = testing::from_hexadecimal(line["bytes"], result.shape(), result.dtype());
      const bool is_block = line["op"] == "randn" && result.numel() >= 16;
      if (is_block && result.dtype() == DType::float16) {
        EXPECT_LE(relative_distance(result, expected), 4 * 0x1p-11) << where;
      } else if (line["op"] == "randn" && item_size(component_type(result.dtype())) == 8) {
        EXPECT_TRUE(result.allclose(expected, 1e-14, 1e-15)) << where;
      } else {
        EXPECT_EQ(testing::to_hexadecimal(result), line["bytes"].get<std::string>()) << where;
      }
      ++calls;
    }
  }
  EXPECT_GT(calls, 100);
}

TEST(Random, DrawsTheSameFromAGeneratorOfOnesOwn) {
  for (const DType dtype : floats) {
    const TensorOptions options{.dtype = dtype};
    Generator generator(11);
    manual_seed(11);
    EXPECT_TRUE(rand({3, 5}, options).equal(rand({3, 5}, generator, options)));
    EXPECT_TRUE(randn({3}, options).equal(randn({3}, generator, options)));
    EXPECT_TRUE(randn({40}, options).equal(randn({40}, generator, options)));
    EXPECT_TRUE(randint(-3, 9, {7}).equal(randint(-3, 9, {7}, generator)));
    EXPECT_TRUE(randperm(9).equal(randperm(9, generator)));
  }
}

// PyTorch fills a tensor that is dense but not row-major in the order of its memory.
TEST(Random, FillsInTheOrderOfMemory) {
  const Tensor transposed = zeros({4, 5}).t();
  manual_seed(1);
  const Tensor x = rand_like(transposed);
  manual_seed(1);
  EXPECT_TRUE(x.t().equal(rand({4, 5})));
  EXPECT_EQ(x.strides(), transposed.strides());
  // Such a tensor gets its normal numbers one by one, however many there are.
  Generator generator(1);
  manual_seed(1);
  const Tensor y = randn_like(transposed);
  for (const float value : y.t().to_vector<float>()) ASSERT_EQ(value, static_cast<float>(generator.normal()));
}

TEST(Random, IsUniform) {
  manual_seed(5);
  for (const DType dtype : floats) {
    const Tensor x = rand({20000}, {.dtype = dtype});
    const std::vector<double> values = x.to_vector<double>();
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 20000;
    EXPECT_NEAR(mean, 0.5, 0.02) << name(dtype);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 0.0);
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1.0);
  }
}

TEST(Random, IsNormal) {
  manual_seed(5);
  for (const DType dtype : floats) {
    const Tensor x = randn({20000}, {.dtype = dtype});
    double sum = 0;
    double squares = 0;
    for (const std::complex<double> value : x.to_vector<std::complex<double>>()) {
      sum += value.real();
      squares += std::norm(value);
    }
    EXPECT_NEAR(sum / 20000, 0.0, 0.03) << name(dtype);
    EXPECT_NEAR(squares / 20000, 1.0, 0.05) << name(dtype);
  }
}

TEST(Randint, StaysInItsRangeInEveryTypeThatCounts) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (is_complex(dtype) || name(dtype).find("float8") == 0) {
      EXPECT_EQ(refusal<RuntimeError>([&] { return randint(0, 2, {1}, {.dtype = dtype}); }),
                "randint: dtype " + std::string(name(dtype)) +
                    " must be bool, an integer type, float16, bfloat16, float32 or float64");
      continue;
    }
    const std::vector<double> values = randint(0, 2, {200}, {.dtype = dtype}).to_vector<double>();
    EXPECT_EQ(*std::min_element(values.begin(), values.end()), 0.0) << name(dtype);
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), 1.0) << name(dtype);
  }
  EXPECT_EQ(randint(5, {3}).dtype(), DType::int64);
}

TEST(Randint, RefusesEmptyAndUnfitRanges) {
  EXPECT_EQ(refusal<RuntimeError>([] { return randint(5, 2, {1}); }),
            "randint: low 5 must be less than high 2");
  EXPECT_EQ(refusal<RuntimeError>([] { return randint(0, 300, {1}, {.dtype = DType::uint8}); }),
            "randint: low 0 and high 300 must lie in the range of uint8");
  EXPECT_EQ(refusal<RuntimeError>([] { return randint(0, 3, {1}, {.dtype = DType::bool_}); }),
            "randint: low 0 and high 3 must lie in the range of bool");
  EXPECT_EQ(refusal<RuntimeError>([] { return randint(0, 70000, {1}, {.dtype = DType::float16}); }),
            "randint: low 0 and high 70000 must lie in the range of float16");
}

TEST(Randperm, IsAPermutation) {
  for (const DType dtype : {DType::int64, DType::uint8, DType::float16, DType::uint64, DType::bfloat16}) {
    std::vector<double> values = randperm(256, {.dtype = dtype}).to_vector<double>();
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(values[i], static_cast<double>(i)) << name(dtype);
  }
  EXPECT_EQ(randperm(0).shape(), Dims{0});
  EXPECT_EQ(randperm(257, {.dtype = DType::bfloat16}).shape(), Dims{257});
}

TEST(Randperm, RefusesWhatTheTypeCannotCount) {
  EXPECT_EQ(refusal<RuntimeError>([] { return randperm(257, {.dtype = DType::uint8}); }),
            "randperm: n 257 must be at most 256, as many numbers as uint8 counts without a gap");
  EXPECT_EQ(refusal<RuntimeError>([] { return randperm(2050, {.dtype = DType::float16}); }),
            "randperm: n 2050 must be at most 2049, as many numbers as float16 counts without a gap");
  EXPECT_EQ(refusal<RuntimeError>([] { return randperm(2, {.dtype = DType::bool_}); }),
            "randperm: dtype bool must be an integer type, float16, bfloat16, float32 or float64");
  EXPECT_THROW(static_cast<void>(randperm(-1)), RuntimeError);
}

TEST(Random, RefusesTypesWithoutFractions) {
  for (const DType dtype : {DType::int64, DType::bool_, DType::float8_e5m2}) {
    for (const Device device : {Device::cpu, Device::meta}) {
      const std::string rule = std::string(": dtype ") + std::string(name(dtype)) +
                               " must be float16, bfloat16, float32, float64 or a complex type";
      const TensorOptions options{.dtype = dtype, .device = device};
      EXPECT_EQ(refusal<RuntimeError>([&] { return rand({2}, options); }), "rand" + rule);
      EXPECT_EQ(refusal<RuntimeError>([&] { return randn({2}, options); }), "randn" + rule);
      EXPECT_EQ(refusal<RuntimeError>([&] { return rand_like(zeros({2}, options)); }), "rand_like" + rule);
      EXPECT_EQ(refusal<RuntimeError>([&] { return randn_like(zeros({2}, options)); }), "randn_like" + rule);
    }
  }
}

TEST(Random, DrawsNothingOnMeta) {
  manual_seed(0);
  const TensorOptions meta{.device = Device::meta};
  EXPECT_TRUE(rand({3}, meta).is_meta());
  EXPECT_TRUE(randn({20}, meta).is_meta());
  EXPECT_TRUE(randint(0, 5, {3}, meta).is_meta());
  EXPECT_TRUE(randperm(5, meta).is_meta());
  EXPECT_EQ(rand({3}).to_string(), "tensor([0.4963, 0.7682, 0.0885])");
}

TEST(Random, SharesTheGeneratorAmongThreads) {
  manual_seed(2);
  std::vector<Tensor> parts(8);
  std::vector<std::thread> threads;
  for (Tensor& part : parts) threads.emplace_back([&part] { part = rand({100}); });
  for (std::thread& thread : threads) thread.join();
  // Whoever came first, each call drew a run of 100 of the same 800 numbers.
  manual_seed(2);
  std::vector<std::vector<float>> expected;
  for (int i = 0; i < 8; ++i) expected.push_back(rand({100}).to_vector<float>());
  std::vector<std::vector<float>> drawn;
  for (const Tensor& part : parts) drawn.push_back(part.to_vector<float>());
  std::sort(expected.begin(), expected.end());
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn, expected);
}

}  // namespace
}  // namespace tenstride
