// SPDX-License-Identifier: Apache-2.0
#include "tenstride/tensor/factory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/recorded.hpp"
#include "support/refusal.hpp"

namespace tenstride {
namespace {

using nlohmann::json;
using testing::refusal;

std::string printed(const Tensor& tensor) {
  return tensor.tolist().to_string();
}

Scalar scalar(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return value.get<double>();
}

Tensor make(const std::string& op, const json& args, const TensorOptions& options) {
  if (op == "linspace") return linspace(scalar(args[0]), scalar(args[1]), args[2].get<Index>(), options);
  if (op == "eye") {
    return args.size() == 1 ? eye(args[0].get<Index>(), {}, options)
                            : eye(args[0].get<Index>(), args[1].get<Index>(), options);
  }
  if (args.size() == 1) return arange(scalar(args[0]), options);
  return arange(scalar(args[0]), scalar(args[1]), args.size() > 2 ? scalar(args[2]) : Scalar(1), options);
}

// data/ranges.jsonl: recorded from a real PyTorch by tools/record_values.py.
TEST(Factory, MakesTheRangesOfPyTorch) {
  int made = 0;
  int refused = 0;
  for (const json& line : testing::recorded("ranges.jsonl")) {
    const std::string where = line.dump().substr(0, 90);
    TensorOptions options;
    if (!line["dtype"].is_null()) options.dtype = parse_dtype(line["dtype"].get<std::string>());
    if (line.contains("error")) {
      EXPECT_THROW(static_cast<void>(make(line["op"], line["args"], options)), RuntimeError) << where;
      ++refused;
      continue;
    }
    const Tensor result = make(line["op"], line["args"], options);
    ASSERT_EQ(name(result.dtype()), line["out_dtype"].get<std::string>()) << where;
    ASSERT_EQ(result.shape(), testing::recorded_dims(line["shape"])) << where;
    EXPECT_EQ(testing::to_hexadecimal(result), line["bytes"].get<std::string>()) << where;
    // On meta: the same, without elements.
    options.device = Device::meta;
    const Tensor forecast = make(line["op"], line["args"], options);
    EXPECT_EQ(forecast.layout(), result.layout()) << where;
    EXPECT_EQ(forecast.dtype(), result.dtype()) << where;
    EXPECT_TRUE(forecast.is_meta()) << where;
    ++made;
  }
  EXPECT_GT(refused, 250);
  EXPECT_GT(made, 1000);
}

TEST(Arange, TakesItsTypeFromTheNumbers) {
  EXPECT_EQ(arange(6).dtype(), DType::int64);
  EXPECT_EQ(printed(arange(6)), "[0, 1, 2, 3, 4, 5]");
  EXPECT_EQ(arange(1, 2, 0.25).dtype(), DType::float32);
  EXPECT_EQ(printed(arange(1, 2, 0.25)), "[1.0, 1.25, 1.5, 1.75]");
  EXPECT_EQ(arange(3.0).dtype(), DType::float32);
  EXPECT_EQ(arange(true).dtype(), DType::int64);
}

TEST(Arange, CountsInEveryTypeThatCounts) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    const bool counts = dtype != DType::bool_ && !is_complex(dtype) && name(dtype).find("float8") != 0;
    for (const Device device : {Device::cpu, Device::meta}) {
      const TensorOptions options{.dtype = dtype, .device = device};
      if (!counts) {
        EXPECT_EQ(refusal<RuntimeError>([&] { return arange(3, options); }),
                  "arange: dtype " + std::string(name(dtype)) +
                      " must be an integer type, float16, bfloat16, float32 or float64");
        continue;
      }
      const Tensor x = arange(2, 20, 3, options);
      EXPECT_EQ(x.shape(), Dims{6});
      EXPECT_EQ(x.dtype(), dtype);
      if (device == Device::cpu) {
        EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{2, 5, 8, 11, 14, 17})) << name(dtype);
      }
    }
  }
}

TEST(Arange, CountsIntegersExactly) {
  constexpr Index highest = std::numeric_limits<Index>::max();
  EXPECT_EQ(arange(highest - 3, highest).to_vector<Index>(),
            (std::vector<Index>{highest - 3, highest - 2, highest - 1}));
  // The span of 2^64 - 1 is more than int64 holds.
  EXPECT_EQ(arange(-highest - 1, highest, Index{1} << 62).to_vector<Index>(),
            (std::vector<Index>{-highest - 1, -highest - 1 + (Index{1} << 62), 0, Index{1} << 62}));
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(arange(top - 2, top, 1, {.dtype = DType::uint64}).to_vector<std::uint64_t>(),
            (std::vector<std::uint64_t>{top - 2, top - 1}));
  EXPECT_EQ(arange(5, 0, -2, {.dtype = DType::uint64}).to_vector<std::uint64_t>(),
            (std::vector<std::uint64_t>{5, 3, 1}));
  EXPECT_EQ(arange(300, {.dtype = DType::uint8}).to_vector<int>().size(), 300U);
}

TEST(Arange, RefusesWhatLeadsNowhere) {
  EXPECT_EQ(refusal<RuntimeError>([] { return arange(5, 1); }),
            "arange: step 1 must lead from start to end (start 5, end 1)");
  EXPECT_EQ(refusal<RuntimeError>([] { return arange(1, 5, 0); }),
            "arange: step 0 must not be 0 in the type it is counted in (start 1, end 5)");
  EXPECT_EQ(refusal<RuntimeError>([] { return arange(0, 5, 0.5, {.dtype = DType::int32}); }),
            "arange: step 0.5 must not be 0 in the type it is counted in (start 0, end 5)");
  EXPECT_EQ(refusal<RuntimeError>([] { return arange(std::nan("")); }),
            "arange: start 0 and end nan must be finite");
  EXPECT_EQ(refusal<RuntimeError>([] { return arange(0, 1e30); }),
            "arange: step 1 must give 0..2^63-1 elements (start 0, end 1e+30)");
  EXPECT_EQ(refusal<RuntimeError>([] { return arange(std::complex<double>(1, 2)); }),
            "arange: (1+2j) must lie in the range of float64 (value cannot be converted to type float64 "
            "without overflow)");
}

TEST(Linspace, CountsFromBothEnds) {
  EXPECT_EQ(printed(linspace(0, 1, 5)), "[0.0, 0.25, 0.5, 0.75, 1.0]");
  EXPECT_EQ(printed(linspace(10, 0, 4, {.dtype = DType::int32})), "[10, 6, 3, 0]");
  EXPECT_EQ(linspace(0, std::complex<double>(0, 1), 3).dtype(), DType::complex64);
  EXPECT_EQ(printed(linspace(0, std::complex<double>(0, 1), 3)), "[0j, 0.5j, 1j]");
  const Tensor x = linspace(0.1, 0.9, 1001);
  EXPECT_EQ(x.to_vector<float>().back(), 0.9F);
}

TEST(Linspace, Refuses) {
  EXPECT_EQ(refusal<RuntimeError>([] { return linspace(0, 1, -1); }),
            "linspace: steps -1 must not be negative");
  EXPECT_EQ(refusal<RuntimeError>([] { return linspace(0, 300, 2, {.dtype = DType::uint8}); }),
            "linspace: 300 must lie in the range of uint8 (value cannot be converted to type uint8 without "
            "overflow)");
  EXPECT_EQ(refusal<RuntimeError>([] { return linspace(0, 1, 2, {.dtype = DType::bool_}); }),
            "linspace: dtype bool must be an integer, 16-bit or wider floating, or complex type");
  EXPECT_EQ(refusal<RuntimeError>(
                [] { return linspace(0, std::complex<double>(0, 1), 2, {.dtype = DType::float32}); }),
            "linspace: dtype float32 must be complex64 or complex128, as start or end is complex");
}

TEST(Eye, HasOnesOnTheDiagonalInEveryType) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const Tensor x = eye(2, 3, {.dtype = static_cast<DType>(i)});
    EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{1, 0, 0, 0, 1, 0})) << name(x.dtype());
  }
  EXPECT_EQ(eye(3).shape(), (Dims{3, 3}));
  EXPECT_EQ(eye(0).shape(), (Dims{0, 0}));
  EXPECT_EQ(eye(2, 3, {.device = Device::meta}).shape(), (Dims{2, 3}));
  EXPECT_EQ(refusal<RuntimeError>([] { return eye(2, -1); }), "eye: n 2 and m -1 must not be negative");
}

TEST(TensorFactory, TakesTheWidestTypeOfItsEntries) {
  EXPECT_EQ(tensor({true, false}).dtype(), DType::bool_);
  EXPECT_EQ(tensor({true, 2}).dtype(), DType::int64);
  EXPECT_EQ(tensor({1, 2.5}).dtype(), DType::float32);
  EXPECT_EQ(tensor({1, 2.5, std::complex<double>(0, 1)}).dtype(), DType::complex64);
  EXPECT_EQ(printed(tensor({true, 2})), "[1, 2]");
  EXPECT_EQ(printed(tensor({1, std::complex<double>(0, 2)})), "[(1+0j), 2j]");
  EXPECT_EQ(tensor(3).shape(), Dims{});
  EXPECT_EQ(tensor(3).item(), 3);
}

TEST(TensorFactory, TakesItsShapeFromTheBraces) {
  const Tensor x = tensor({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(x.shape(), (Dims{3, 2}));
  EXPECT_EQ(x.strides(), (Dims{2, 1}));
  EXPECT_EQ(printed(x), "[[1, 2], [3, 4], [5, 6]]");
  const Nested none(std::vector<Nested>{});
  EXPECT_EQ(tensor(none).shape(), Dims{0});
  EXPECT_EQ(tensor(none).dtype(), DType::float32);
  EXPECT_EQ(tensor(Nested(std::vector<Nested>{none, none})).shape(), (Dims{2, 0}));
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}, {.device = Device::meta}).shape(), (Dims{2, 2}));
}

TEST(TensorFactory, ConvertsToEveryType) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const Tensor x = tensor({{0, 1}, {1, 0}}, {.dtype = static_cast<DType>(i)});
    EXPECT_EQ(x.dtype(), static_cast<DType>(i));
    EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{0, 1, 1, 0})) << name(x.dtype());
  }
  EXPECT_EQ(printed(tensor({2.7, -2.7}, {.dtype = DType::int64})), "[2, -2]");
  EXPECT_EQ(printed(tensor({-1}, {.dtype = DType::uint8})), "[255]");
  EXPECT_EQ(printed(tensor({1e10}, {.dtype = DType::float16})), "[inf]");
}

TEST(TensorFactory, NamesTheListThatDoesNotFit) {
  EXPECT_EQ(refusal<ValueError>([] {
              return tensor({{1, 2}, {3, 4, 5}});
            }),
            "tensor: entry [1] has 3 entries and must have 2 (as the first list of its level; shape (2,2))");
  EXPECT_EQ(
      refusal<ValueError>([] {
        return tensor({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8, 9}}});
      }),
      "tensor: entry [1][1] has 3 entries and must have 2 (as the first list of its level; shape (2,2,2))");
  EXPECT_EQ(
      refusal<TypeError>([] {
        return tensor({{1, 2}, 3});
      }),
      "tensor: entry [1] is a number and must be a list (as the first entry of its level; shape (2,2))");
  EXPECT_EQ(refusal<TypeError>([] {
              return tensor(Nested(std::vector<Nested>{1, Nested{2, 3}}));
            }),
            "tensor: entry [1] is a list and must be a number (as the first entry of its level; shape (2))");
  const Nested none(std::vector<Nested>{});
  EXPECT_EQ(refusal<ValueError>([&] {
              return tensor(Nested(std::vector<Nested>{none, Nested{1, 2}}));
            }),
            "tensor: entry [1] has 2 entries and must have 0 (as the first list of its level; shape (2,0))");
}

TEST(TensorFactory, RefusesEntriesThatDoNotFit) {
  EXPECT_EQ(refusal<RuntimeError>([] { return tensor({300}, {.dtype = DType::uint8}); }),
            "tensor: 300 must lie in the range of uint8 (value cannot be converted to type uint8 without "
            "overflow)");
  EXPECT_EQ(refusal<RuntimeError>([] { return tensor({1e20}, {.dtype = DType::int64}); }),
            "tensor: 1e+20 must lie in the range of int64 (value cannot be converted to type int64 without "
            "overflow)");
  EXPECT_EQ(refusal<RuntimeError>([] { return tensor({std::uint64_t{1} << 63U}); }),
            "tensor: 9223372036854775808 must fit int64, or uint64 be given as dtype");
  EXPECT_EQ(
      refusal<TypeError>([] { return tensor({std::complex<double>(0, 1)}, {.dtype = DType::float32}); }),
      "tensor: 1j is complex and must be real for dtype float32");
  Nested deep = 1;
  for (int i = 0; i < 65; ++i) deep = Nested(std::vector<Nested>{deep});
  EXPECT_EQ(refusal<RankError>([&] { return tensor(deep); }),
            "tensor: the lists are 65 levels deep and must be at most 64 (the largest rank)");
}

}  // namespace
}  // namespace tenstride
