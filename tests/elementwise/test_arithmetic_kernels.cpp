// SPDX-License-Identifier: Apache-2.0
// The kernels of arithmetic of every instruction set that this processor has, against the definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "copy/kernels/kernels.hpp"
#include "elementwise/kernels/arithmetic.hpp"
#include "support/copy_oracle.hpp"
#include "tenstride/base/element.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride {
namespace {

using elementwise::ArithmeticKernels;
using elementwise::BinaryOp;
using elementwise::Extreme;
using elementwise::TernaryOp;
using elementwise::UnaryOp;
using oracle::Bytes;
using oracle::Random;

std::vector<const ArithmeticKernels*> tables() {
  std::vector<const ArithmeticKernels*> result;
  for (const copy::Kernels* kernels : copy::available_kernels()) {
    result.push_back(&elementwise::arithmetic_kernels(kernels->name));
  }
  return result;
}

template <class T>
T awkward_number(Random& random) {
  if constexpr (is_complex_element<T>) {
    using Part = typename T::value_type;
    return T(awkward_number<Part>(random), awkward_number<Part>(random));
  } else {
    std::vector<double> numbers{0, 1, -1, 2, 3, 7, 100};
    if constexpr (std::is_floating_point_v<T>) {
      const double infinity = std::numeric_limits<double>::infinity();
      numbers.insert(numbers.end(), {-0.0, 0.5, -2.5, 1e-3, infinity, -infinity, std::nan("")});
    }
    const Index limits = std::is_integral_v<T> ? 2 : 0;
    const auto chosen = random.between(0, static_cast<Index>(numbers.size()) - 1 + limits);
    if (chosen >= static_cast<Index>(numbers.size())) {
      return chosen % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
    return static_cast<T>(static_cast<std::conditional_t<std::is_integral_v<T>, std::int64_t, double>>(
        numbers[static_cast<std::size_t>(chosen)]));
  }
}

/// Bytes at an odd address.
template <class T>
Bytes awkward(Random& random, Index count) {
  Bytes bytes(static_cast<std::size_t>(count) * sizeof(T) + 1);
  for (Index i = 0; i < count; ++i) {
    store_element<T>(bytes.data() + 1 + i * static_cast<Index>(sizeof(T)), awkward_number<T>(random));
  }
  return bytes;
}

template <class T>
bool is_same(const T& a, const T& b) {
  if constexpr (is_complex_element<T>) {
    return is_same(a.real(), b.real()) && is_same(a.imag(), b.imag());
  } else {
    return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

/// Whether the elements are the same, NaN of any sign being one.
template <class T>
::testing::AssertionResult are_same(const Bytes& a, const Bytes& b, Index count) {
  for (Index i = 0; i < count; ++i) {
    const T x = load_element<T>(a.data() + 1 + i * static_cast<Index>(sizeof(T)));
    const T y = load_element<T>(b.data() + 1 + i * static_cast<Index>(sizeof(T)));
    if (!is_same(x, y)) return ::testing::AssertionFailure() << "element " << i << " of " << count;
  }
  return ::testing::AssertionSuccess();
}

constexpr Index lengths[] = {0, 1, 3, 31, 32, 33, 64, 95, 160};

template <class To, class Check>
void compare_lengths(const char* name, const Check& run_both) {
  for (const Index count : lengths) {
    Bytes given(static_cast<std::size_t>(count) * sizeof(To) + 1);
    Bytes expected = given;
    run_both(given.data() + 1, expected.data() + 1, count);
    EXPECT_TRUE(are_same<To>(given, expected, count)) << name;
  }
}

template <class T>
void check_unary(const ArithmeticKernels& table, UnaryOp op) {
  const elementwise::UnaryRow fast = table.unary(op, dtype_of<T>);
  const elementwise::UnaryRow plain = elementwise::portable_arithmetic_kernels().unary(op, dtype_of<T>);
  if (fast == nullptr) return;
  ASSERT_NE(plain, nullptr);
  Random random(1);
  const auto run_both = [&](std::byte* given, std::byte* expected, Index count) {
    const Bytes a = awkward<T>(random, count);
    fast(given, a.data() + 1, count);
    plain(expected, a.data() + 1, count);
  };
  if (op >= UnaryOp::isnan) {
    compare_lengths<std::uint8_t>(table.name, run_both);
  } else if constexpr (is_complex_element<T>) {
    if (op == UnaryOp::abs) {
      compare_lengths<typename T::value_type>(table.name, run_both);
    } else {
      compare_lengths<T>(table.name, run_both);
    }
  } else {
    compare_lengths<T>(table.name, run_both);
  }
}

template <class T>
void check_binary(const ArithmeticKernels& table, BinaryOp op) {
  const elementwise::BinaryRow fast = table.binary(op, dtype_of<T>);
  const elementwise::BinaryRow plain = elementwise::portable_arithmetic_kernels().binary(op, dtype_of<T>);
  if (fast == nullptr) return;
  ASSERT_NE(plain, nullptr);
  const bool divides =
      op == BinaryOp::floor_divide || op == BinaryOp::trunc_divide || op == BinaryOp::remainder;
  if (divides && std::is_integral_v<T>) return;  // only one table has it: see below
  Random random(2);
  compare_lengths<T>(table.name, [&](std::byte* given, std::byte* expected, Index count) {
    const Bytes a = awkward<T>(random, count), b = awkward<T>(random, count);
    fast(given, a.data() + 1, b.data() + 1, count);
    plain(expected, a.data() + 1, b.data() + 1, count);
  });
  // Into either of the two.
  compare_lengths<T>(table.name, [&](std::byte* given, std::byte* expected, Index count) {
    const Bytes a = awkward<T>(random, count), b = awkward<T>(random, count);
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes > 0) std::memcpy(given, b.data() + 1, bytes);
    fast(given, a.data() + 1, given, count);
    plain(expected, a.data() + 1, b.data() + 1, count);
  });
}

template <class T>
void check_ternary(const ArithmeticKernels& table, TernaryOp op) {
  const elementwise::TernaryRow fast = table.ternary(op, dtype_of<T>);
  const elementwise::TernaryRow plain = elementwise::portable_arithmetic_kernels().ternary(op, dtype_of<T>);
  if (fast == nullptr) return;
  ASSERT_NE(plain, nullptr);
  Random random(3);
  compare_lengths<T>(table.name, [&](std::byte* given, std::byte* expected, Index count) {
    const Bytes b = awkward<T>(random, count), c = awkward<T>(random, count);
    const Bytes a = op == TernaryOp::where ? awkward<std::uint8_t>(random, count) : awkward<T>(random, count);
    fast(given, a.data() + 1, b.data() + 1, c.data() + 1, count);
    plain(expected, a.data() + 1, b.data() + 1, c.data() + 1, count);
  });
}

template <class T>
void check_extreme(const ArithmeticKernels& table, Extreme which) {
  const elementwise::ExtremeRow fast = table.extreme(which, dtype_of<T>);
  const elementwise::ExtremeRow plain =
      elementwise::portable_arithmetic_kernels().extreme(which, dtype_of<T>);
  if (fast == nullptr) return;
  ASSERT_NE(plain, nullptr);
  Random random(4);
  for (int trial = 0; trial < 40; ++trial) {
    for (const Index count : lengths) {
      const Bytes in = awkward<T>(random, count);
      const T start = awkward_number<T>(random);
      T best_of_fast = start, best_of_plain = start;
      const Index found = fast(reinterpret_cast<std::byte*>(&best_of_fast), in.data() + 1, count);
      EXPECT_EQ(found, plain(reinterpret_cast<std::byte*>(&best_of_plain), in.data() + 1, count))
          << table.name;
      EXPECT_TRUE(is_same(best_of_fast, best_of_plain)) << table.name;
    }
  }
}

TEST(ArithmeticKernels, AgreeWithTheDefinitionOnEveryInstructionSet) {
  for (const ArithmeticKernels* table : tables()) {
    for (std::size_t i = 0; i < dtype_count; ++i) {
      visit(static_cast<DType>(i), [&]<class T>(std::type_identity<T>) {
        if constexpr (!std::is_same_v<T, bool> && !is_small_float<T> && !std::is_same_v<T, complex32>) {
          for (int op = 0; op <= static_cast<int>(UnaryOp::isfinite); ++op)
            check_unary<T>(*table, static_cast<UnaryOp>(op));
          for (int op = 0; op <= static_cast<int>(BinaryOp::bit_xor); ++op)
            check_binary<T>(*table, static_cast<BinaryOp>(op));
          for (int op = 0; op <= static_cast<int>(TernaryOp::where); ++op)
            check_ternary<T>(*table, static_cast<TernaryOp>(op));
          if constexpr (!is_complex_element<T>) {
            check_extreme<T>(*table, Extreme::least);
            check_extreme<T>(*table, Extreme::greatest);
          }
        }
      });
    }
  }
}

/// Computes in float, and rounds.
template <class T>
Bytes by_floats(BinaryOp op, const Bytes& a, const Bytes& b, Index count) {
  constexpr auto item = static_cast<Index>(sizeof(T));
  const elementwise::BinaryRow row = elementwise::portable_arithmetic_kernels().binary(op, DType::float32);
  Bytes result(a.size());
  for (Index i = 0; i < count; ++i) {
    const auto x = convert_element<float>(load_element<T>(a.data() + i * item));
    const auto y = convert_element<float>(load_element<T>(b.data() + i * item));
    float z = 0;
    row(reinterpret_cast<std::byte*>(&z), reinterpret_cast<const std::byte*>(&x),
        reinterpret_cast<const std::byte*>(&y), 1);
    store_element<T>(result.data() + i * item, convert_element<T>(z));
  }
  return result;
}

template <class T>
void check_halves(const ArithmeticKernels& table, BinaryOp op) {
  const elementwise::BinaryRow fast = table.binary(op, dtype_of<T>);
  if (fast == nullptr) return;
  // Each pattern of bits once, beside one drawn at random; and lengths that are no multiple of a step.
  constexpr Index patterns = Index{1} << 16;
  Random random(5);
  Bytes all(patterns * sizeof(T));
  Bytes drawn(patterns * sizeof(T));
  for (Index i = 0; i < patterns; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const auto others = static_cast<std::uint16_t>(random.between(0, patterns - 1));
    std::memcpy(all.data() + i * 2, &bits, 2);
    std::memcpy(drawn.data() + i * 2, &others, 2);
  }
  for (const Index count : {patterns, Index{0}, Index{1}, Index{31}, Index{33}, Index{100}}) {
    Bytes given(static_cast<std::size_t>(count) * sizeof(T));
    fast(given.data(), all.data(), drawn.data(), count);
    const Bytes wanted = by_floats<T>(op, all, drawn, count);
    for (Index i = 0; i < count; ++i) {
      const auto x = load_element<T>(given.data() + i * 2);
      const auto y = load_element<T>(wanted.data() + i * 2);
      const bool are_nan = std::isnan(convert_element<float>(x)) && std::isnan(convert_element<float>(y));
      ASSERT_TRUE(are_nan || std::memcmp(&x, &y, 2) == 0)
          << table.name << ' ' << name(dtype_of<T>) << ", operation " << static_cast<int>(op) << ", " << i;
    }
  }
}

TEST(ArithmeticKernels, ComputeHalvesInFloat) {
  for (const ArithmeticKernels* table : tables()) {
    for (int op = 0; op <= static_cast<int>(BinaryOp::bit_xor); ++op) {
      check_halves<float16>(*table, static_cast<BinaryOp>(op));
      check_halves<bfloat16>(*table, static_cast<BinaryOp>(op));
    }
    if (table->name == std::string_view("avx2") || table->name == std::string_view("avx512")) {
      EXPECT_NE(table->binary(BinaryOp::add, DType::float16), nullptr);
      EXPECT_NE(table->binary(BinaryOp::mul, DType::bfloat16), nullptr);
    }
  }
}

template <class T>
T by_row(BinaryOp op, T a, T b) {
  T result{};
  const auto bytes = [](auto& value) { return reinterpret_cast<std::byte*>(&value); };
  elementwise::binary_row(op, dtype_of<T>)(bytes(result), bytes(a), bytes(b), 1);
  return result;
}

TEST(ArithmeticKernels, DivideIntegersAsPythonDoes) {
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      if (b == 0) continue;
      const int floored = static_cast<int>(std::floor(static_cast<double>(a) / b));
      const auto x = static_cast<std::int8_t>(a), y = static_cast<std::int8_t>(b);
      EXPECT_EQ(by_row(BinaryOp::floor_divide, x, y), static_cast<std::int8_t>(floored)) << a << " " << b;
      EXPECT_EQ(by_row(BinaryOp::remainder, x, y), static_cast<std::int8_t>(a - floored * b))
          << a << " " << b;
      EXPECT_EQ(by_row(BinaryOp::trunc_divide, x, y), static_cast<std::int8_t>(a / b)) << a << " " << b;
      const auto u = static_cast<std::uint8_t>(a), v = static_cast<std::uint8_t>(b);
      EXPECT_EQ(by_row(BinaryOp::floor_divide, u, v), u / v);
      EXPECT_EQ(by_row(BinaryOp::remainder, u, v), u % v);
    }
  }
  const auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(by_row<std::int64_t>(BinaryOp::floor_divide, least, -1), least);
  EXPECT_EQ(by_row<std::int64_t>(BinaryOp::remainder, least, -1), 0);
  EXPECT_THROW(by_row<std::int32_t>(BinaryOp::floor_divide, 1, 0), RuntimeError);
  EXPECT_THROW(by_row<std::int32_t>(BinaryOp::trunc_divide, 1, 0), RuntimeError);
  EXPECT_THROW(by_row<std::uint16_t>(BinaryOp::remainder, 1, 0), RuntimeError);
}

TEST(ArithmeticKernels, DivideRealNumbersAsPythonDoes) {
  // What CPython 3.11 prints for a // b and a % b.
  const struct {
    double a, b, quotient, rest;
  } rows[] = {{7.5, 2, 3, 1.5},
              {-7.5, 2, -4, 0.5},
              {7.5, -2, -4, -0.5},
              {-7.5, -2, 3, -1.5},
              {1, 0.1, 9, 0.09999999999999995},
              {-1, 0.1, -10, 5.551115123125783e-17},
              {0.0, 3, 0, 0}};
  for (const auto& row : rows) {
    EXPECT_EQ(by_row(BinaryOp::floor_divide, row.a, row.b), row.quotient) << row.a << " " << row.b;
    EXPECT_EQ(by_row(BinaryOp::remainder, row.a, row.b), row.rest) << row.a << " " << row.b;
  }
  EXPECT_EQ(by_row(BinaryOp::floor_divide, 1.0, 0.0), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(by_row(BinaryOp::remainder, 1.0, 0.0)));
}

TEST(ArithmeticKernels, RaiseIntegersModuloTwoToTheBits) {
  for (int base = -5; base <= 5; ++base) {
    std::int64_t expected = 1;
    for (int exponent = 0; exponent < 40; ++exponent) {
      EXPECT_EQ(by_row<std::int16_t>(BinaryOp::pow, static_cast<std::int16_t>(base),
                                     static_cast<std::int16_t>(exponent)),
                static_cast<std::int16_t>(expected))
          << base << " " << exponent;
      expected = static_cast<std::int64_t>(static_cast<std::uint64_t>(expected) *
                                           static_cast<std::uint64_t>(static_cast<std::int64_t>(base)));
    }
  }
  EXPECT_EQ(by_row<std::int32_t>(BinaryOp::pow, 2, -1), 0);
  EXPECT_EQ(by_row<std::int32_t>(BinaryOp::pow, -1, -3), -1);
  EXPECT_EQ(by_row<std::int32_t>(BinaryOp::pow, -1, -4), 1);
  EXPECT_EQ(by_row<std::int32_t>(BinaryOp::pow, 1, -4), 1);
}

}  // namespace
}  // namespace tenstride
