// SPDX-License-Identifier: Apache-2.0
// The kernels of comparisons of every instruction set that this processor has, against the definitions.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "copy/kernels/kernels.hpp"
#include "elementwise/kernels/compare.hpp"
#include "support/copy_oracle.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride {
namespace {

using elementwise::CompareKernels;
using elementwise::Comparison;
using oracle::Bytes;
using oracle::Random;

constexpr std::array comparisons{Comparison::eq, Comparison::ne, Comparison::lt,
                                 Comparison::le, Comparison::gt, Comparison::ge};

std::vector<const CompareKernels*> tables() {
  std::vector<const CompareKernels*> result;
  for (const copy::Kernels* kernels : copy::available_kernels()) {
    result.push_back(&elementwise::compare_kernels(kernels->name));
  }
  return result;
}

/// A few different numbers, special values among them.
template <class T>
Bytes awkward(Random& random, std::size_t count) {
  std::vector<T> numbers{convert_element<T>(0), convert_element<T>(1), convert_element<T>(-1),
                         std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
  if constexpr (std::is_floating_point_v<T>) {
    numbers.insert(numbers.end(), {T(-0.0), std::numeric_limits<T>::quiet_NaN(),
                                   std::numeric_limits<T>::infinity(), std::numeric_limits<T>::denorm_min()});
  }
  Bytes bytes(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    const auto chosen = static_cast<std::size_t>(random.between(0, static_cast<Index>(numbers.size()) - 1));
    store_element<T>(bytes.data() + i * sizeof(T), numbers[chosen]);
  }
  return bytes;
}

template <class T>
void compare_all_lengths(const CompareKernels& table) {
  Random random(1);
  for (const Comparison comparison : comparisons) {
    const elementwise::CompareRow fast = table.compare(comparison, dtype_of<T>);
    ASSERT_NE(fast, nullptr) << table.name;
    const elementwise::CompareRow plain =
        elementwise::portable_compare_kernels().compare(comparison, dtype_of<T>);
    for (std::size_t count = 0; count < 300; ++count) {
      const Bytes a = awkward<T>(random, count);
      const Bytes b = awkward<T>(random, count);
      Bytes given(count);  // just as many, so that the address sanitizer sees any write beyond
      Bytes wanted(count);
      fast(given.data(), a.data(), b.data(), static_cast<Index>(count));
      plain(wanted.data(), a.data(), b.data(), static_cast<Index>(count));
      ASSERT_EQ(given, wanted) << table.name << ' ' << name(dtype_of<T>) << ' '
                               << static_cast<int>(comparison) << " of " << count;
    }
  }
}

TEST(CompareKernels, AgreeWithTheDefinition) {
  ASSERT_FALSE(tables().empty());
  for (const CompareKernels* table : tables()) {
    compare_all_lengths<std::uint8_t>(*table);
    compare_all_lengths<std::int8_t>(*table);
    compare_all_lengths<std::uint16_t>(*table);
    compare_all_lengths<std::int16_t>(*table);
    compare_all_lengths<std::uint32_t>(*table);
    compare_all_lengths<std::int32_t>(*table);
    compare_all_lengths<std::uint64_t>(*table);
    compare_all_lengths<std::int64_t>(*table);
    compare_all_lengths<float>(*table);
    compare_all_lengths<double>(*table);
  }
}

template <class T>
void compare_halves(const CompareKernels& table) {
  Random random(2);
  for (const Comparison comparison : comparisons) {
    const elementwise::CompareRow fast = table.compare(comparison, dtype_of<T>);
    if (fast == nullptr) continue;
    const elementwise::CompareRow plain =
        elementwise::portable_compare_kernels().compare(comparison, DType::float32);
    for (const std::size_t count : {0U, 1U, 31U, 32U, 65U, 1000U}) {
      Bytes a(count * sizeof(T));
      Bytes b(count * sizeof(T));
      Bytes wanted(count);
      for (std::size_t i = 0; i < count; ++i) {
        // Any pattern of bits; a third are equal.
        const auto bits = static_cast<std::uint16_t>(random.between(0, 65535));
        const auto others =
            random.between(0, 2) == 0 ? bits : static_cast<std::uint16_t>(random.between(0, 65535));
        std::memcpy(a.data() + i * 2, &bits, 2);
        std::memcpy(b.data() + i * 2, &others, 2);
        const auto x = convert_element<float>(load_element<T>(a.data() + i * 2));
        const auto y = convert_element<float>(load_element<T>(b.data() + i * 2));
        plain(wanted.data() + i, reinterpret_cast<const std::byte*>(&x),
              reinterpret_cast<const std::byte*>(&y), 1);
      }
      Bytes given(count);
      fast(given.data(), a.data(), b.data(), static_cast<Index>(count));
      ASSERT_EQ(given, wanted) << table.name << ' ' << name(dtype_of<T>) << ' '
                               << static_cast<int>(comparison) << " of " << count;
    }
  }
}

TEST(CompareKernels, CompareHalvesAsFloats) {
  for (const CompareKernels* table : tables()) {
    compare_halves<float16>(*table);
    compare_halves<bfloat16>(*table);
    if (table->name == std::string_view("avx2") || table->name == std::string_view("avx512")) {
      EXPECT_NE(table->compare(Comparison::lt, DType::float16), nullptr);
    }
  }
}

TEST(CompareKernels, FindTheOneElementThatDecides) {
  for (const CompareKernels* table : tables()) {
    for (std::size_t t = 0; t < dtype_count; ++t) {
      const auto type = static_cast<DType>(t);
      const elementwise::TruthRow all = table->all(type);
      const elementwise::TruthRow any = table->any(type);
      if (all == nullptr) {
        EXPECT_TRUE(is_complex(type));
        continue;
      }
      visit(type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t count = 0; count < 200; count += count < 70 ? 1 : 13) {
          Bytes set(count * sizeof(T));
          for (std::size_t i = 0; i < count; ++i) {
            store_element<T>(set.data() + i * sizeof(T), convert_element<T>(1));
          }
          Bytes clear(count * sizeof(T));
          const auto n = static_cast<Index>(count);
          EXPECT_TRUE(all(set.data(), n)) << table->name;
          EXPECT_FALSE(any(clear.data(), n)) << table->name;
          for (std::size_t i = 0; i < count; ++i) {
            std::byte* const at = set.data() + i * sizeof(T);
            store_element<T>(at, convert_element<T>(-0.0));
            ASSERT_FALSE(all(set.data(), n))
                << table->name << ' ' << name(type) << ' ' << i << " of " << count;
            store_element<T>(at, convert_element<T>(1));
            clear[(i + 1) * sizeof(T) - 1] = std::byte{1};  // of a float the highest byte: not its sign
            ASSERT_TRUE(any(clear.data(), n))
                << table->name << ' ' << name(type) << ' ' << i << " of " << count;
            clear[(i + 1) * sizeof(T) - 1] = std::byte{0};
          }
        }
      });
    }
  }
}

TEST(CompareKernels, FillWhatIsSetAndNothingElse) {
  Random random(3);
  for (const CompareKernels* table : tables()) {
    for (std::size_t log2 = 0; log2 < 5; ++log2) {
      const std::size_t item = std::size_t{1} << log2;
      for (std::size_t count = 0; count < 200; ++count) {
        Bytes mask = random.bytes(count);
        for (std::byte& one : mask) one = random.one_in(2) ? std::byte{0} : one;
        const Bytes value = random.bytes(item);
        Bytes given = random.bytes(count * item);
        Bytes wanted = given;
        table->fill_set[log2](given.data(), mask.data(), static_cast<Index>(count), value.data());
        for (std::size_t i = 0; i < count; ++i) {
          if (mask[i] != std::byte{0}) std::memcpy(wanted.data() + i * item, value.data(), item);
        }
        ASSERT_EQ(given, wanted) << table->name << " item " << item << ", " << count;
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
