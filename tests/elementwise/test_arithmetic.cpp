// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/ops_oracle.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

using oracle::Number;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;

/// The element of x that broadcasts to an index of the result.
Number broadcast_value(const Tensor& x, const Dims& index) {
  Dims own;
  const std::size_t added = index.size() - x.layout().rank();
  for (std::size_t d = 0; d < x.layout().rank(); ++d) own.push_back(x.shape()[d] == 1 ? 0 : index[added + d]);
  return value_at(x, own);
}

/// A value as an element of the type has it.
Number rounded(Number value, DType type) {
  return visit(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_element<T>) {
      return convert_element<Number>(convert_element<T>(value));
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return convert_element<Number>(static_cast<T>(static_cast<std::int64_t>(value.real())));
    } else {
      return convert_element<Number>(convert_element<T>(value.real()));
    }
  });
}

struct Case {
  const char* name;
  Tensor (*run)(const Tensor&, const Tensor&);
  double (*define)(double, double);
};

double floored(double a, double b) {
  return std::floor(a / b);
}

const Case cases[] = {
    {"add", [](const Tensor& a, const Tensor& b) { return a + b; }, [](double a, double b) { return a + b; }},
    {"sub", [](const Tensor& a, const Tensor& b) { return a - b; }, [](double a, double b) { return a - b; }},
    {"mul", [](const Tensor& a, const Tensor& b) { return a * b; }, [](double a, double b) { return a * b; }},
    {"maximum", [](const Tensor& a, const Tensor& b) { return maximum(a, b); },
     [](double a, double b) { return std::max(a, b); }},
    {"minimum", [](const Tensor& a, const Tensor& b) { return minimum(a, b); },
     [](double a, double b) { return std::min(a, b); }},
    {"floor_divide", [](const Tensor& a, const Tensor& b) { return floor_divide(a, b + 1); },
     [](double a, double b) { return floored(a, b + 1); }},
    {"remainder", [](const Tensor& a, const Tensor& b) { return a % (b + 1); },
     [](double a, double b) { return a - floored(a, b + 1) * (b + 1); }},
    {"add_scaled", [](const Tensor& a, const Tensor& b) { return add(a, b, 3); },
     [](double a, double b) { return a + 3 * b; }},
    {"sub_scaled", [](const Tensor& a, const Tensor& b) { return sub(a, b, 2); },
     [](double a, double b) { return a - 2 * b; }},
};

/// Computes the results of `cases` for a and b, index by index.
void check_cases(const Tensor& a, const Tensor& b, bool has_division) {
  Dims shape;
  try {
    shape = broadcast_shapes(a.shape(), b.shape());
  } catch (const ShapeError&) {
    EXPECT_THROW(static_cast<void>(a + b), ShapeError);
    return;
  }
  for (const Case& one : cases) {
    const std::string_view name = one.name;
    if (!has_division && (name == "floor_divide" || name == "remainder")) continue;
    const Tensor result = one.run(a, b);
    EXPECT_EQ(result.shape(), shape);
    oracle::each_index(shape, [&](const Dims& at) {
      const double x = broadcast_value(a, at).real(), y = broadcast_value(b, at).real();
      EXPECT_EQ(value_at(result, at), rounded(one.define(x, y), result.dtype()))
          << name << " of " << tenstride::name(a.dtype()) << " and " << tenstride::name(b.dtype());
    });
  }
}

TEST(Arithmetic, IsTheHeadersExamples) {
  const Tensor x = arange(3);
  EXPECT_EQ(add(x, 1).to_string(), "tensor([1, 2, 3])");
  EXPECT_EQ(add(x, 0.5).dtype(), DType::float32);
  EXPECT_EQ(div(x, 2).to_string(), "tensor([0.0000, 0.5000, 1.0000])");
  EXPECT_EQ(floor_divide(-7, tensor({2})).to_string(), "tensor([-4])");
  EXPECT_EQ(clamp(arange(5), 1, 3).to_string(), "tensor([1, 1, 2, 3, 3])");
  EXPECT_EQ(where(x > 0, x, 7).to_string(), "tensor([7, 1, 2])");
}

TEST(Arithmetic, AgreesWithTheDefinitionOnAllLayouts) {
  for (const Tensor& a : odd_tensors()) {
    for (const Tensor& b : odd_tensors()) check_cases(a, b, true);
  }
}

TEST(Arithmetic, AgreesWithTheDefinitionOnMixedTypes) {
  // Values up to 112, so that sums and products are exact in the types they meet in.
  for (const DType type : {DType::int32, DType::int64, DType::float64}) {
    for (const Tensor& a : odd_tensors(type)) {
      for (const Tensor& b : odd_tensors(DType::int16)) check_cases(a, b, true);
    }
  }
}

TEST(Arithmetic, KnowsEveryElementType) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<DType>(i);
    if (type == DType::float8_e4m3fn || type == DType::float8_e5m2 || type == DType::bool_) continue;
    const Tensor x = numbered({40, 41}, type);  // more than a block
    const Tensor y = numbered({41, 40}, type).transpose(0, 1);
    const Tensor sum = x + y, difference = x - y, product = x * y, negative = -x;
    EXPECT_EQ(sum.dtype(), type);
    oracle::each_index(x.shape(), [&](const Dims& at) {
      const Number a = value_at(x, at), b = value_at(y, at);
      EXPECT_EQ(value_at(sum, at), rounded(a + b, type)) << name(type);
      EXPECT_EQ(value_at(difference, at), rounded(a - b, type)) << name(type);
      EXPECT_EQ(value_at(product, at), rounded(a * b, type)) << name(type);
      EXPECT_EQ(value_at(negative, at), rounded(-a, type)) << name(type);
    });
  }
}

TEST(Arithmetic, PutsTruthsTogether) {
  const Tensor a = numbered({2, 5}, DType::bool_), b = a.transpose(0, 1).reshape({2, 5});
  oracle::each_index(a.shape(), [&](const Dims& at) {
    const bool x = value_at(a, at) != Number(0), y = value_at(b, at) != Number(0);
    EXPECT_EQ(value_at(a + b, at), Number(x || y));
    EXPECT_EQ(value_at(a * b, at), Number(x && y));
    EXPECT_EQ(value_at(a & b, at), Number(x && y));
    EXPECT_EQ(value_at(a | b, at), Number(x || y));
    EXPECT_EQ(value_at(a ^ b, at), Number(x != y));
    EXPECT_EQ(value_at(~a, at), Number(!x));
    EXPECT_EQ(value_at(maximum(a, b), at), Number(x || y));
    EXPECT_EQ(value_at(minimum(a, b), at), Number(x && y));
    EXPECT_EQ(value_at(add(a, b, false), at), Number(x));
  });
  // Bytes that are neither 0 nor 1 are true all the same.
  const Tensor odd = tensor({2, 4, 0}, {.dtype = DType::uint8}).view(DType::bool_);
  EXPECT_EQ((odd & odd).view(DType::uint8).to_string(), "tensor([1, 1, 0], dtype=torch.uint8)");
}

TEST(Arithmetic, TakesTheBitsOfIntegers) {
  for (const DType type : {DType::uint8, DType::int8, DType::uint16, DType::int32, DType::int64}) {
    const Tensor a = numbered({7, 9}, type), b = numbered({9, 7}, type).transpose(0, 1);
    const Tensor both = a & b, either = a | b, one = a ^ b, inverse = ~a;
    oracle::each_index(a.shape(), [&](const Dims& at) {
      const auto x = static_cast<std::int64_t>(value_at(a, at).real());
      const auto y = static_cast<std::int64_t>(value_at(b, at).real());
      EXPECT_EQ(value_at(both, at), Number(static_cast<double>(x & y)));
      EXPECT_EQ(value_at(either, at), Number(static_cast<double>(x | y)));
      EXPECT_EQ(value_at(one, at), Number(static_cast<double>(x ^ y)));
      EXPECT_EQ(value_at(inverse, at), rounded(static_cast<double>(~x), type));
    });
  }
}

TEST(Arithmetic, LaysResultsOutAsTheRuleSays) {
  for (const Tensor& a : odd_tensors()) {
    EXPECT_EQ(abs(a).layout(), elementwise_layout(std::array{a.layout()}));
    EXPECT_EQ((-a).layout(), elementwise_layout(std::array{a.layout()}));
    EXPECT_EQ((a + 1).layout(), elementwise_layout(std::array{a.layout(), Layout{}}));
    for (const Tensor& b : odd_tensors()) {
      try {
        static_cast<void>(broadcast_shapes(a.shape(), b.shape()));
      } catch (const ShapeError&) {
        continue;
      }
      EXPECT_EQ((a * b).layout(), elementwise_layout(std::array{a.layout(), b.layout()}));
      EXPECT_EQ(where(a > 1, a, b).layout(),
                elementwise_layout(std::array{(a > 1).layout(), a.layout(), b.layout()}));
    }
  }
}

TEST(Arithmetic, KeepsTheStridesOfAPermutedTensor) {
  const Tensor x = numbered({2, 3, 4}).permute({2, 0, 1});
  const Tensor twin = numbered({2, 3, 4}).permute({2, 0, 1});
  const Tensor row = numbered({3});
  for (const Tensor& result : {abs(x), x + 1, x + twin, x + row, 2 - x, isnan(x)}) {
    EXPECT_EQ(result.strides(), x.strides());
  }
}

TEST(Arithmetic, IsTheSameForLargeOperandsInAnyOrder) {
  const Tensor a = numbered({300, 3, 200}, DType::int32);
  const Tensor transposed[] = {numbered({200, 3, 300}, DType::int32).permute({2, 1, 0}),
                               numbered({3, 200, 300}, DType::int32).permute({2, 0, 1}),
                               numbered({300, 200, 3}, DType::int32).permute({0, 2, 1}),
                               numbered({300, 6, 200}, DType::int32).slice(1, 0, 6, 2),
                               numbered({300, 3, 200}, DType::int32).flip({2}),
                               numbered({200, 300}, DType::int32).transpose(0, 1).unsqueeze(1),
                               numbered({3, 200}, DType::int32),
                               numbered({300, 1, 1}, DType::int32)};
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    for (const Tensor& b : transposed) {
      const Tensor sum = a + b;
      const Tensor choice = where(b > 50, b, a);
      Index wrong = 0;
      oracle::each_index(a.shape(), [&](const Dims& at) {
        const double x = value_at(a, at).real(), y = broadcast_value(b, at).real();
        wrong += value_at(sum, at) != Number(x + y);
        wrong += value_at(choice, at) != Number(y > 50 ? y : x);
      });
      EXPECT_EQ(wrong, 0);
    }
  }
}

TEST(Arithmetic, CarriesConjugationOut) {
  const Tensor x = numbered({200, 150}, DType::complex64), y = numbered({150, 200}, DType::complex64).mH();
  const Tensor product = x.conj() * y;
  Index wrong = 0;
  oracle::each_index(x.shape(), [&](const Dims& at) {
    wrong += value_at(product, at) != std::conj(value_at(x, at)) * value_at(y, at);
  });
  EXPECT_EQ(wrong, 0);
  Tensor self = numbered({3}, DType::complex64).conj();
  const Tensor before = self.clone();
  add_(self, 1);
  EXPECT_TRUE(self.is_conj());
  EXPECT_TRUE(self.equal(before + 1));
}

TEST(Arithmetic, RoundsSmallFloatsOnce) {
  for (const DType type : {DType::float16, DType::bfloat16}) {
    const Tensor a = numbered({113}, type) / 7, b = numbered({113}, type) * 0.1;
    const Tensor sum = a + b, quotient = a / (b + 1);
    oracle::each_index(a.shape(), [&](const Dims& at) {
      const auto x = static_cast<float>(value_at(a, at).real());
      const auto y = static_cast<float>(value_at(b, at).real());
      EXPECT_EQ(value_at(sum, at), rounded(static_cast<double>(x + y), type));
      const Number divisor = rounded(static_cast<double>(y + 1), type);
      const float expected = x / static_cast<float>(divisor.real());
      EXPECT_EQ(value_at(quotient, at), rounded(static_cast<double>(expected), type));
    });
    // A factor of rank 0 is not rounded to the small type first.
    const float product = 3.0F * 0.1F;
    EXPECT_EQ(value_at(tensor({3}, {.dtype = type}) * 0.1, {0}), rounded(static_cast<double>(product), type));
  }
}

TEST(Arithmetic, RaisesToPowers) {
  const Tensor x = numbered({20}, DType::float64) + 1;
  for (const double exponent : {0.0, 1.0, 2.0, 3.0, 0.5, -0.5, -1.0, -2.0, 2.5, 7.0}) {
    const Tensor power = pow(x, exponent);
    oracle::each_index(x.shape(), [&](const Dims& at) {
      EXPECT_NEAR(value_at(power, at).real(), std::pow(value_at(x, at).real(), exponent),
                  1e-14 * std::abs(value_at(power, at).real()));
    });
  }
  EXPECT_EQ(pow(tensor({-3, 2}), 3).to_string(), "tensor([-27,   8])");
  EXPECT_EQ(pow(2, arange(5)).to_string(), "tensor([ 1,  2,  4,  8, 16])");
  EXPECT_EQ(pow(tensor({1, -1, 2, -1}), tensor({-3, -3, -3, -2})).to_string(), "tensor([ 1, -1,  0,  1])");
}

TEST(Arithmetic, AsksForTheKindOfNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType type : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    const Tensor x = tensor({1.0, std::nan(""), infinity, -infinity, -0.0}, {.dtype = type});
    EXPECT_EQ(isnan(x).to_string(), "tensor([False,  True, False, False, False])");
    EXPECT_EQ(isinf(x).to_string(), "tensor([False, False,  True,  True, False])");
    EXPECT_EQ(isfinite(x).to_string(), "tensor([ True, False, False, False,  True])");
  }
  const std::complex<double> half_nan(1, std::nan("")), half_infinite(infinity, 1);
  const Tensor c = tensor({half_nan, half_infinite});
  EXPECT_EQ(isnan(c).to_string(), "tensor([ True, False])");
  EXPECT_EQ(isinf(c).to_string(), "tensor([False,  True])");
  EXPECT_EQ(isfinite(c).to_string(), "tensor([False, False])");
  EXPECT_EQ(isnan(arange(2)).to_string(), "tensor([False, False])");
  EXPECT_EQ(isfinite(arange(2)).to_string(), "tensor([True, True])");
}

TEST(Arithmetic, LetsNaNWin) {
  const double nan = std::nan("");
  const Tensor a = tensor({1.0, nan, 3.0}), b = tensor({2.0, 1.0, nan});
  EXPECT_EQ(maximum(a, b).to_string(), "tensor([2., nan, nan])");
  EXPECT_EQ(minimum(a, b).to_string(), "tensor([1., nan, nan])");
  EXPECT_EQ(clamp(a, 1.5, 2).to_string(), "tensor([1.5000,    nan, 2.0000])");
  EXPECT_EQ(clamp(arange(5), 3, 1).to_string(), "tensor([1, 1, 1, 1, 1])");
  EXPECT_EQ(clamp(arange(3), {}, 1).to_string(), "tensor([0, 1, 1])");
}

TEST(Arithmetic, ChoosesBitsOfEveryType) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<DType>(i);
    const Tensor a = numbered({9, 70}, type), b = numbered({70, 9}, type).transpose(0, 1);
    const Tensor condition = numbered({70}, DType::bool_);
    const Tensor chosen = where(condition, a, b);
    EXPECT_EQ(chosen.dtype(), type);
    oracle::each_index(a.shape(), [&](const Dims& at) {
      const bool first = value_at(condition, {at[1]}) != Number(0);
      EXPECT_EQ(value_at(chosen, at), value_at(first ? a : b, at)) << name(type);
    });
  }
}

TEST(Arithmetic, MakesTheLayoutAloneOnMeta) {
  const Tensor x = empty({3, 4}, {.device = Device::meta}).t();
  const Tensor y = x + 1, z = where(x > 0, x, x / 2), total = sum(x, {0});
  EXPECT_TRUE(y.is_meta() && z.is_meta() && total.is_meta());
  EXPECT_EQ(y.strides(), x.strides());
  EXPECT_EQ(total.shape(), (Dims{3}));
  EXPECT_EQ(argmax(x, 0).dtype(), DType::int64);
}

TEST(Arithmetic, IsNoCopyToALedger) {
  const Tensor a = numbered({400, 300}), b = numbered({300, 400}).t();
  const NoCopy forbidden;
  EXPECT_NO_THROW(static_cast<void>(a + b));
  EXPECT_NO_THROW(static_cast<void>(a < b));
  EXPECT_NO_THROW(static_cast<void>(full_like(a, 2, {.dtype = DType::float16}) * 0.1));
  EXPECT_NO_THROW(static_cast<void>(logical_and(a, full({}, 2))));
  EXPECT_NO_THROW(static_cast<void>(sum(a, {0}, KeepDim::no, DType::float64)));
  EXPECT_NO_THROW(static_cast<void>(argmax(a, 0)));
}

TEST(Arithmetic, TellsALedgerOfItsResultAlone) {
  const Tensor a = numbered({4, 3});
  const CopyLedger ledger;
  const Tensor b = a + 1, c = a > 1;
  ASSERT_EQ(ledger.entries().size(), 2U);
  EXPECT_EQ(ledger.entries()[0].operation, "add");
  EXPECT_EQ(ledger.entries()[1].operation, "gt");
}

}  // namespace
}  // namespace tenstride
