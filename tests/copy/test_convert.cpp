// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "copy/kernels/kernels.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride {
namespace {

using Bytes = std::vector<std::byte>;

/// Every value of 1- and 2-byte types; of the others special values, small numbers, every float exponent,
/// random bits.
template <class T>
Bytes inputs() {
  std::mt19937_64 random(7);
  std::vector<T> values;
  if constexpr (std::is_same_v<T, bool>) {
    Bytes bytes(256);
    for (std::size_t i = 0; i < 256; ++i) bytes[i] = static_cast<std::byte>(i);
    return bytes;
  } else if constexpr (sizeof(T) <= 2) {
    for (std::uint32_t i = 0; i < 1U << (8 * sizeof(T)); ++i) {
      values.push_back(load_element<T>(&i));
    }
  } else {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double x : {0.0,           -0.0,     1.0,     -1.0,   0.5,    -0.5,  infinity, -infinity,
                           -std::nan(""), 65519.99, 65520.0, 448.0,  464.0,  464.5, 480.0,    61439.0,
                           61440.0,       65536.0,  1e300,   -1e300, 1e-300, 1e-42}) {
      values.push_back(convert_element<T>(x));
    }
    for (int power = -70; power <= 70; ++power) {
      for (const double nudge : {0.0, 1.0, -1.0, 0.5, 0x1p-20, 0x1p-11}) {
        const double x = std::ldexp(1.0, power);
        values.push_back(convert_element<T>(x + nudge));
        values.push_back(convert_element<T>(-x - nudge));
        values.push_back(convert_element<T>(x * (1 + nudge)));
      }
    }
    for (int i = 0; i < 20000; ++i) {
      std::array<std::uint64_t, 2> bits{random(), random()};
      values.push_back(load_element<T>(&bits));
    }
  }
  Bytes bytes(values.size() * sizeof(T));
  if constexpr (!std::is_same_v<T, bool>) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// NaNs of float32, float64 and the complex types are compared as NaNs: which payload an arithmetic NaN has
/// is the processor's choice. All other results are compared by their bits.
template <class T>
bool are_same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  if constexpr (is_complex_element<T>) {
    return are_same(a.real(), b.real()) && are_same(a.imag(), b.imag());
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

TEST(Convert, GivesOnEveryInstructionSetWhatTheDefinitionGives) {
  for (const copy::Kernels* kernels : copy::available_kernels()) {
    for (std::size_t from = 0; from < dtype_count; ++from) {
      visit(static_cast<DType>(from), [&]<class From>(std::type_identity<From>) {
        const Bytes in = inputs<From>();
        const std::size_t count = in.size() / sizeof(From);
        for (std::size_t to = 0; to < dtype_count; ++to) {
          visit(static_cast<DType>(to), [&]<class To>(std::type_identity<To>) {
            const auto convert = kernels->convert(dtype_of<To>, dtype_of<From>);
            constexpr std::size_t line = 64;
            Bytes space(count * sizeof(To) + line);
            std::byte* const out = space.data() + (0 - reinterpret_cast<std::uintptr_t>(space.data())) % line;
            for (const auto stores :
                 {copy::Stores::ordinary, copy::Stores::streaming, copy::Stores::streaming_sequential}) {
              std::memset(out, 0xab, count * sizeof(To));
              convert(out, in.data(), count, stores);
              for (std::size_t i = 0; i < count; ++i) {
                const auto expected = convert_element<To>(load_element<From>(in.data() + i * sizeof(From)));
                ASSERT_TRUE(are_same(load_element<To>(out + i * sizeof(To)), expected))
                    << kernels->name << ' ' << name(dtype_of<From>) << " -> " << name(dtype_of<To>)
                    << ", input " << i;
              }
            }
          });
        }
      });
    }
  }
}

TEST(Convert, WritesItsElementsAndNoMore) {
  for (const copy::Kernels* kernels : copy::available_kernels()) {
    for (std::size_t pair = 0; pair < dtype_count * dtype_count; ++pair) {
      const auto to = static_cast<DType>(pair / dtype_count);
      const auto from = static_cast<DType>(pair % dtype_count);
      const auto convert = kernels->convert(to, from);
      for (std::size_t count = 0; count < 70; ++count) {
        const Bytes in(count * item_size(from) + 1, std::byte{1});
        Bytes out(count * item_size(to) + 65, std::byte{0xab});
        convert(out.data() + 1, in.data() + 1, count, copy::Stores::ordinary);
        for (std::size_t i = count * item_size(to) + 1; i < out.size(); ++i) {
          ASSERT_EQ(out[i], std::byte{0xab})
              << kernels->name << ' ' << name(from) << " -> " << name(to) << ' ' << count;
        }
      }
    }
  }
}

TEST(Convert, ScalesOnEveryInstructionSetAsTheDefinitionSays) {
  constexpr float factor = 0.7F;
  constexpr float addend = -3.25F;
  std::size_t pairs = 0;
  for (const copy::Kernels* kernels : copy::available_kernels()) {
    for (std::size_t from = 0; from < dtype_count; ++from) {
      visit(static_cast<DType>(from), [&]<class From>(std::type_identity<From>) {
        const Bytes in = inputs<From>();
        const std::size_t count = in.size() / sizeof(From);
        std::vector<float> scale(count);
        std::vector<float> shift(count);
        for (std::size_t i = 0; i < count; ++i) {
          scale[i] = factor + static_cast<float>(i % 7);
          shift[i] = addend - static_cast<float>(i % 5);
        }
        for (std::size_t to = 0; to < dtype_count; ++to) {
          visit(static_cast<DType>(to), [&]<class To>(std::type_identity<To>) {
            for (const copy::Numbers numbers : {copy::Numbers::one, copy::Numbers::each}) {
              const auto run = kernels->scale(dtype_of<To>, dtype_of<From>, numbers);
              if (run == nullptr) continue;
              ++pairs;
              Bytes out(count * sizeof(To));
              run(out.data(), in.data(), count, scale.data(), shift.data(), copy::Stores::ordinary);
              for (std::size_t i = 0; i < count; ++i) {
                const std::size_t at = numbers == copy::Numbers::one ? 0 : i;
                const auto expected =
                    scale_element<To>(load_element<From>(in.data() + i * sizeof(From)), scale[at], shift[at]);
                ASSERT_TRUE(are_same(load_element<To>(out.data() + i * sizeof(To)), expected))
                    << kernels->name << ' ' << name(dtype_of<From>) << " -> " << name(dtype_of<To>)
                    << ", input " << i;
              }
            }
          });
        }
      });
    }
  }
  EXPECT_GE(pairs, 2 * copy::available_kernels().size());
}

}  // namespace
}  // namespace tenstride
